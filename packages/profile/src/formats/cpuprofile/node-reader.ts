// Reads the nodes of a call tree: the flat list of today, whose nodes name their children (or, in Chrome's traces, their
// parent), and the nested `head` of old, which may be thousands of objects deep and so is read without recursion.
import type { StringIndex } from '../../model/brand.ts'
import { NONE } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import { int64 } from '../../model/int64.ts'
import type { JsonReader } from '../../wire/json-reader.ts'
import type { CallFrame, NodeTable } from './node-table.ts'

export class NodeReader {
  readonly #reader: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #nodes: NodeTable
  readonly #zeroScript: StringIndex

  constructor(reader: JsonReader, builder: ProfilesBuilder, nodes: NodeTable) {
    this.#reader = reader
    this.#builder = builder
    this.#nodes = nodes
    this.#zeroScript = builder.string('0')
  }

  list(): void {
    const reader = this.#reader
    reader.beginArray()
    while (reader.nextItem()) this.tree()
  }

  /** A node and the nodes nested in it. */
  tree(): void {
    const reader = this.#reader
    const nodes = this.#nodes
    const open: number[] = []
    const frames: CallFrame[] = []
    this.#begin(open, frames)
    while (open.length > 0) {
      const row = open[open.length - 1]
      const key = reader.nextKey()
      if (key === undefined) {
        nodes.setFrame(row, frames.pop() ?? noFrame())
        open.pop()
        // Back in the children of the node above, if there is one.
        if (open.length > 0) this.#next(open, frames)
      } else if (key === 'children' && reader.peek() === 'array') {
        reader.beginArray()
        this.#next(open, frames)
      } else this.#member(key, row, frames[frames.length - 1])
    }
  }

  #begin(open: number[], frames: CallFrame[]): void {
    this.#reader.beginObject()
    open.push(this.#nodes.open(open.at(-1) ?? NONE))
    frames.push(noFrame())
  }

  /** The next child: ids are noted, an object is entered. Returns at the end of the children, too. */
  #next(open: number[], frames: CallFrame[]): void {
    const reader = this.#reader
    while (reader.nextItem()) {
      if (reader.peek() === 'object') return this.#begin(open, frames)
      this.#nodes.addChild(open[open.length - 1], reader.number())
    }
  }

  #member(key: string, row: number, frame: CallFrame): void {
    const reader = this.#reader
    switch (key) {
      case 'id': {
        const id = reader.number()
        if (!this.#nodes.setId(row, id)) reader.fail(`two nodes have the id ${id}`)
        return
      }
      case 'callFrame':
        if (reader.tryNull()) return
        reader.beginObject()
        for (let name = reader.nextKey(); name !== undefined; name = reader.nextKey()) this.#frameMember(name, frame)
        return
      case 'parent':
        if (reader.peek() === 'number') this.#nodes.setParent(row, reader.number())
        return
      case 'hitCount':
        if (reader.tryNull()) return
        reader.int64('signed')
        this.#nodes.hits.array[row] = int64(reader.lo, reader.hi)
        return
      case 'positionTicks':
        if (reader.tryNull()) return
        reader.beginArray()
        while (reader.nextItem()) this.#ticks(row)
        return
      case 'deoptReason':
      case 'bailoutReason':
        frame.deopt = this.#text()
        return
      default:
        this.#frameMember(key, frame)
    }
  }

  #frameMember(key: string, frame: CallFrame): void {
    switch (key) {
      case 'functionName':
        frame.name = this.#text()
        return
      case 'url':
        frame.url = this.#text()
        return
      case 'scriptId': {
        const script = this.#text()
        frame.script = script === this.#zeroScript ? (0 as StringIndex) : script
        return
      }
      case 'lineNumber':
        frame.line = this.#position()
        return
      case 'columnNumber':
        frame.column = this.#position()
    }
  }

  #ticks(row: number): void {
    const reader = this.#reader
    let line = 0
    let ticks = 0n
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'line') line = reader.number()
      else if (key === 'ticks') {
        reader.int64('signed')
        ticks = int64(reader.lo, reader.hi)
      }
    }
    // Line 0 is "no line", and so is what no source file has: such ticks are in the hit count alone.
    if (line > 0 && line < 0x7fff_ffff) this.#nodes.addTicks(row, Math.ceil(line), ticks)
  }

  #text(): StringIndex {
    const reader = this.#reader
    const kind = reader.peek()
    if (kind === 'number') return this.#builder.string(String(reader.number()))
    if (kind !== 'string') {
      reader.skip()
      return 0 as StringIndex
    }
    const { dictionary } = this.#builder
    const text = reader.stringBytes()
    return dictionary.string(text, 0, text.length)
  }

  #position(): number {
    const reader = this.#reader
    if (reader.peek() === 'number') return reader.number()
    reader.skip()
    return -1
  }
}

function noFrame(): CallFrame {
  const none = 0 as StringIndex
  return { name: none, url: none, script: none, deopt: none, line: -1, column: -1 }
}
