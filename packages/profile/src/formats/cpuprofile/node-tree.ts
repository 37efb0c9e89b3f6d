// The call tree of a file in one of V8's formats, made from stacks. Nodes are in the order of first appearance, so that
// a file keeps its order when it is read and written again. Node 0 is the root.
import type { FunctionIndex, LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { addressName } from '../../model/text/frame-name.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import { ANONYMOUS, FRAME_TYPE, NODE_ATTRIBUTES, ROOT } from './attribute-names.ts'

export interface TreeFrame {
  readonly name: string
  readonly url: string
  readonly script: string
  readonly deopt: string
  /** From 0. -1 means none. */
  readonly line: bigint
  readonly column: bigint
}

/** A node and the line within its function. 0n if the line is unknown. */
export interface NodePosition {
  readonly node: number
  readonly line: bigint
}

const ROOT_FRAME: TreeFrame = { name: ROOT, url: '', script: '', deopt: '', line: -1n, column: -1n }

export class NodeTree {
  readonly #dictionary: Dictionary
  readonly #kept: ReadonlySet<string>
  readonly #nodes = new SequenceInterner()
  readonly frames: TreeFrame[] = []
  readonly #frameRows = new Map<string, number>()
  /** For each location the frames of its lines, outermost first. */
  readonly #locationFrames: (Int32Array | undefined)[]
  readonly #positions: (NodePosition | undefined)[]
  readonly #key = new Int32Array(2)
  // Counts of frame content that a file may not be able to hold.
  /** Lines other than the first of their function. A file with the lines of leaves loses only the lines of callers. */
  lines = 0
  callerLines = 0
  /** Addresses and mappings. */
  addresses = 0
  /** Attributes of locations. */
  attributes = 0

  /** `kept` lists V8's attributes that the file can hold. */
  constructor(dictionary: Dictionary, kept: readonly string[] = NODE_ATTRIBUTES) {
    this.#dictionary = dictionary
    this.#kept = new Set(kept)
    this.#locationFrames = new Array<Int32Array | undefined>(dictionary.locations.length)
    this.#positions = new Array<NodePosition | undefined>(dictionary.stacks.length)
    this.#node(NONE, this.#frame(ROOT_FRAME))
  }

  get length(): number {
    return this.#nodes.length
  }

  parent(node: number): number {
    return this.#nodes.pool.array[2 * node]
  }

  frame(node: number): TreeFrame {
    return this.frames[this.#nodes.pool.array[2 * node + 1]]
  }

  position(stack: StackIndex): NodePosition {
    return (this.#positions[stack] ??= this.#findPosition(stack))
  }

  /** The children of each node, as rows of one list: node i has list[starts[i], starts[i + 1]). */
  children(): { starts: Int32Array; list: Int32Array } {
    const starts = new Int32Array(this.length + 1)
    for (let node = 1; node < this.length; node++) starts[this.parent(node) + 1]++
    for (let node = 0; node < this.length; node++) starts[node + 1] += starts[node]
    const next = starts.slice()
    const list = new Int32Array(this.length)
    for (let node = 1; node < this.length; node++) list[next[this.parent(node)]++] = node
    return { starts, list }
  }

  #findPosition(stack: StackIndex): NodePosition {
    const { stacks } = this.#dictionary
    let node = 0
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
      if (k > stacks.from(stack) && this.#leafLine(stacks.locations.at(k)) !== 0n) this.callerLines++
      for (const frame of this.#framesOf(stacks.locations.at(k))) node = this.#node(node, frame)
    }
    const from = stacks.from(stack)
    return { node, line: from === stacks.to(stack) ? 0n : this.#leafLine(stacks.locations.at(from)) }
  }

  /** The line of the innermost call, if it differs from the start of the function. */
  #leafLine(location: LocationIndex): bigint {
    const { locations, functions } = this.#dictionary
    const k = locations.linesFrom(location)
    if (k === locations.linesTo(location)) return 0n
    const line = locations.lines.line(k)
    if (this.#attribute(location, ATTRIBUTES.v8FunctionColumn) !== undefined) return line
    const start = functions.startLine(locations.lines.function(k))
    return start === 0n || start === line ? 0n : line
  }

  #framesOf(location: LocationIndex): Int32Array {
    return (this.#locationFrames[location] ??= this.#makeFrames(location))
  }

  #makeFrames(location: LocationIndex): Int32Array {
    const dictionary = this.#dictionary
    const { locations } = dictionary
    const script = this.#text(location, ATTRIBUTES.v8ScriptId)
    const deopt = this.#text(location, ATTRIBUTES.v8DeoptReason)
    this.#countLosses(location)
    const from = locations.linesFrom(location)
    const to = locations.linesTo(location)
    if (from === to) {
      const name = addressName(dictionary, location)
      return Int32Array.of(this.#frame({ name, url: '', script, deopt, line: -1n, column: -1n }))
    }
    const frames = new Int32Array(to - from)
    for (let k = to - 1; k >= from; k--) frames[to - 1 - k] = this.#frameOfLine(location, k, script, deopt)
    return frames
  }

  #frameOfLine(location: LocationIndex, k: number, script: string, deopt: string): number {
    const { strings, functions, locations } = this.#dictionary
    const row = locations.lines.function(k)
    const start = functions.startLine(row)
    const line = locations.lines.line(k)
    const column = this.#attribute(location, ATTRIBUTES.v8FunctionColumn)
    const isElsewhere = start !== 0n && start !== line
    // The column belongs to the line. The column of the function's start is then unknown.
    const at = typeof column === 'bigint' ? column : isElsewhere ? 0n : locations.lines.column(k)
    if (isElsewhere) {
      this.lines++
      if (k !== locations.linesFrom(location)) this.callerLines++
    }
    return this.#frame({
      name: this.#name(row, location),
      url: strings.text(functions.filename(row)),
      script,
      deopt,
      line: (start === 0n && column === undefined ? line : start) - 1n,
      column: at - 1n,
    })
  }

  #name(row: FunctionIndex, location: LocationIndex): string {
    const { strings, functions } = this.#dictionary
    const name = strings.text(functions.name(row)) || strings.text(functions.systemName(row))
    if (name === ANONYMOUS) return ''
    if (name !== '') return name
    return strings.byteLength(functions.filename(row)) > 0 ? '' : addressName(this.#dictionary, location)
  }

  #countLosses(location: LocationIndex): void {
    const { strings, locations, attributes } = this.#dictionary
    if (locations.address(location) !== 0n || locations.mapping(location) !== 0) this.addresses++
    for (const row of locations.attributesOf(location)) {
      const key = strings.text(attributes.key(row))
      const type = key === ATTRIBUTES.v8FunctionColumn ? 'bigint' : 'string'
      const isKept =
        (key === ATTRIBUTES.frameType && attributes.value(row) === FRAME_TYPE) ||
        (this.#kept.has(key) && typeof attributes.value(row) === type)
      if (!isKept) this.attributes++
    }
  }

  #frame(frame: TreeFrame): number {
    const key = JSON.stringify([frame.name, frame.url, frame.script, frame.deopt, `${frame.line}:${frame.column}`])
    let row = this.#frameRows.get(key)
    if (row === undefined) {
      row = this.frames.push(frame) - 1
      this.#frameRows.set(key, row)
    }
    return row
  }

  #node(parent: number, frame: number): number {
    this.#key[0] = parent
    this.#key[1] = frame
    return this.#nodes.intern(this.#key, 0, 2)
  }

  #text(location: LocationIndex, key: string): string {
    const value = this.#attribute(location, key)
    return typeof value === 'string' ? value : ''
  }

  #attribute(location: LocationIndex, key: string): unknown {
    if (!this.#kept.has(key)) return undefined
    const { strings, locations, attributes } = this.#dictionary
    for (let k = locations.attributesFrom(location); k < locations.attributesTo(location); k++) {
      const row = locations.attributes.at(k)
      if (strings.text(attributes.key(row)) === key) return attributes.value(row)
    }
    return undefined
  }
}

export function writeCallFrame(json: JsonWriter, frame: TreeFrame): void {
  json.beginObject()
  json.key('functionName')
  json.string(frame.name)
  json.key('scriptId')
  json.string(frame.script === '' ? '0' : frame.script)
  json.key('url')
  json.string(frame.url)
  json.key('lineNumber')
  json.raw(String(frame.line))
  json.key('columnNumber')
  json.raw(String(frame.column))
  json.endObject()
}
