// Reads the nested nodes of a heap profile, with the frame in `callFrame` or, as of old, in the node itself. They may be
// thousands of objects deep and so are read without recursion.
import type { StringIndex } from '../../model/brand.ts'
import { NONE } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import type { JsonReader } from '../../wire/json-reader.ts'
import type { NoteList } from '../format.ts'
import type { CallFrame, NodeTable } from './node-table.ts'
import { readSize } from './read-size.ts'

export class NodeReader {
  readonly #reader: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #nodes: NodeTable
  readonly #notes: NoteList
  readonly #zeroScript: StringIndex

  constructor(reader: JsonReader, builder: ProfilesBuilder, nodes: NodeTable, notes: NoteList) {
    this.#reader = reader
    this.#builder = builder
    this.#nodes = nodes
    this.#notes = notes
    this.#zeroScript = builder.string('0')
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

  /** Enters the next child, if there is one. */
  #next(open: number[], frames: CallFrame[]): void {
    if (this.#reader.nextItem()) this.#begin(open, frames)
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
      case 'selfSize':
        if (!reader.tryNull()) this.#nodes.sizes.array[row] = readSize(reader, this.#notes)
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
  return { name: none, url: none, script: none, line: -1, column: -1 }
}
