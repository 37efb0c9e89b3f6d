// The call tree that a file is written with, made from stacks: nodes in the order in which they come up, so that a file that
// is read and written again keeps its order. Node 0 is the root.
import type { FunctionIndex, LocationIndex, StackIndex } from '../../model/brand.ts'
import { NONE } from '../../model/brand.ts'
import type { Dictionary } from '../../model/dictionary.ts'
import { addressName } from '../../model/frame-name.ts'
import { SequenceInterner } from '../../model/intern.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import type { JsonWriter } from '../../wire/json-writer.ts'
import { ANONYMOUS, FRAME_TYPE, ROOT, V8_ATTRIBUTES } from './attribute-names.ts'

export interface Frame {
  readonly name: string
  readonly url: string
  readonly script: string
  /** From 0, -1 is none. */
  readonly line: bigint
  readonly column: bigint
}

const ROOT_FRAME: Frame = { name: ROOT, url: '', script: '', line: -1n, column: -1n }

export class NodeTree {
  readonly #dictionary: Dictionary
  readonly #nodes = new SequenceInterner()
  readonly frames: Frame[] = []
  readonly #frameRows = new Map<string, number>()
  /** For each location the frames of its lines, outermost first. */
  readonly #locationFrames: (Int32Array | undefined)[]
  readonly #places: (number | undefined)[]
  readonly #key = new Int32Array(2)
  /** What frames say that has no place in a file: lines, addresses, mappings, attributes of locations. */
  lines = 0
  addresses = 0
  attributes = 0

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary
    this.#locationFrames = new Array<Int32Array | undefined>(dictionary.locations.length)
    this.#places = new Array<number | undefined>(dictionary.stacks.length)
    this.#intern(NONE, this.#frame(ROOT_FRAME))
  }

  get length(): number {
    return this.#nodes.length
  }

  parent(node: number): number {
    return this.#nodes.pool.array[2 * node]
  }

  frame(node: number): Frame {
    return this.frames[this.#nodes.pool.array[2 * node + 1]]
  }

  node(stack: StackIndex): number {
    return (this.#places[stack] ??= this.#findPlace(stack))
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

  #findPlace(stack: StackIndex): number {
    const { stacks } = this.#dictionary
    let node = 0
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
      for (const frame of this.#framesOf(stacks.locations.at(k))) node = this.#intern(node, frame)
    }
    return node
  }

  #framesOf(location: LocationIndex): Int32Array {
    return (this.#locationFrames[location] ??= this.#makeFrames(location))
  }

  #makeFrames(location: LocationIndex): Int32Array {
    const dictionary = this.#dictionary
    const { locations } = dictionary
    const script = this.#text(location, V8_ATTRIBUTES.scriptId)
    this.#countLosses(location)
    const from = locations.linesFrom(location)
    const to = locations.linesTo(location)
    if (from === to) {
      const name = addressName(dictionary, location)
      return Int32Array.of(this.#frame({ name, url: '', script, line: -1n, column: -1n }))
    }
    const frames = new Int32Array(to - from)
    for (let k = to - 1; k >= from; k--) frames[to - 1 - k] = this.#frameOfLine(location, k, script)
    return frames
  }

  #frameOfLine(location: LocationIndex, k: number, script: string): number {
    const { strings, functions, locations } = this.#dictionary
    const row = locations.lines.function(k)
    const start = functions.startLine(row)
    const line = locations.lines.line(k)
    const isElsewhere = start !== 0n && start !== line
    // The column belongs to the line; of the function's own start it is not known then.
    const at = isElsewhere ? 0n : locations.lines.column(k)
    if (isElsewhere) this.lines++
    return this.#frame({
      name: this.#name(row, location),
      url: strings.text(functions.filename(row)),
      script,
      line: (start === 0n ? line : start) - 1n,
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
      const isKept =
        (key === ATTRIBUTES.frameType && attributes.value(row) === FRAME_TYPE) ||
        (key === V8_ATTRIBUTES.scriptId && typeof attributes.value(row) === 'string')
      if (!isKept) this.attributes++
    }
  }

  #frame(frame: Frame): number {
    const key = JSON.stringify([frame.name, frame.url, frame.script, `${frame.line}:${frame.column}`])
    let row = this.#frameRows.get(key)
    if (row === undefined) {
      row = this.frames.push(frame) - 1
      this.#frameRows.set(key, row)
    }
    return row
  }

  #intern(parent: number, frame: number): number {
    this.#key[0] = parent
    this.#key[1] = frame
    return this.#nodes.intern(this.#key, 0, 2)
  }

  #text(location: LocationIndex, key: string): string {
    const value = this.#attribute(location, key)
    return typeof value === 'string' ? value : ''
  }

  #attribute(location: LocationIndex, key: string): unknown {
    const { strings, locations, attributes } = this.#dictionary
    for (let k = locations.attributesFrom(location); k < locations.attributesTo(location); k++) {
      const row = locations.attributes.at(k)
      if (strings.text(attributes.key(row)) === key) return attributes.value(row)
    }
    return undefined
  }
}

export function writeCallFrame(json: JsonWriter, frame: Frame): void {
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
