// Reads the nodes of a call tree, as a flat list or nested. Nested nodes may be thousands of objects deep, so the
// reader does not use recursion. The format reads members other than id, frame and children.
import { NONE } from '../../model/columns/brand.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { CallFrameReader } from './call-frame-reader.ts'
import { noFrame } from './call-frame-reader.ts'
import { readNodeId } from './node-id.ts'
import type { CallFrame, NodeTable } from './node-table.ts'

export interface NodeMembers {
  /** Returns false if the format does not define the member. It may then belong to the frame. */
  read(key: string, row: number, frame: CallFrame): boolean
  /** Reads a child that is not an object. Without this method every child must be an object. */
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

  /** Reads a node and the nodes nested in it. */
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
        // Continues with the children of the parent, if there is one.
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

  /** Advances to the next child and enters it if it is an object. Also returns at the end of the children. */
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
    if (key === 'id') this.#nodes.setId(row, readNodeId(reader))
    else if (key === 'callFrame') {
      if (!reader.tryNull()) this.#frames.object(frame)
    } else if (!this.#members.read(key, row, frame)) this.#frames.member(key, frame)
  }
}
