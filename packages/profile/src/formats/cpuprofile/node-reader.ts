// Reads the nodes of a call tree, flat or nested in one another: these may be thousands of objects deep and so are read
// without recursion. What nodes have besides an id, a frame and children is up to the format.
import { NONE } from '../../model/columns/brand.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { CallFrameReader } from './call-frame-reader.ts'
import { noFrame } from './call-frame-reader.ts'
import type { CallFrame, NodeTable } from './node-table.ts'

export interface NodeMembers {
  /** False where the member is none of the format's own: then it may be of the frame. */
  read(key: string, row: number, frame: CallFrame): boolean
  /** A child that is no object; without this every child has to be one. */
  child?(row: number): void
}

export class NodeReader {
  readonly #reader: JsonReader
  readonly #nodes: NodeTable
  readonly #frames: CallFrameReader
  readonly #members: NodeMembers

  constructor(reader: JsonReader, nodes: NodeTable, frames: CallFrameReader, members: NodeMembers) {
    this.#reader = reader
    this.#nodes = nodes
    this.#frames = frames
    this.#members = members
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

  /** The next child: an object is entered. Returns at the end of the children, too. */
  #next(open: number[], frames: CallFrame[]): void {
    const reader = this.#reader
    const members = this.#members
    while (reader.nextItem()) {
      if (members.child === undefined || reader.peek() === 'object') return this.#begin(open, frames)
      members.child(open[open.length - 1])
    }
  }

  #member(key: string, row: number, frame: CallFrame): void {
    const reader = this.#reader
    if (key === 'id') {
      const id = reader.number()
      if (!this.#nodes.setId(row, id)) reader.fail(`two nodes have the id ${id}`)
    } else if (key === 'callFrame') {
      if (!reader.tryNull()) this.#frames.object(frame)
    } else if (!this.#members.read(key, row, frame)) this.#frames.member(key, frame)
  }
}
