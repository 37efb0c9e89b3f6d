// Reads the nodes of V8's profiles in a trace. They form a flat list: nodes of a ProfileChunk name their parent, nodes
// of a CpuProfile their children.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { CallFrameReader, noFrame } from '../cpuprofile/call-frame-reader.ts'
import { readNodeId, readParentId } from '../cpuprofile/node-id.ts'
import type { NodeTable } from '../cpuprofile/node-table.ts'

export class TraceNodeReader {
  readonly #reader: JsonReader
  readonly #frames: CallFrameReader

  constructor(reader: JsonReader, builder: ProfilesBuilder) {
    this.#reader = reader
    this.#frames = new CallFrameReader(reader, builder)
  }

  list(nodes: NodeTable): void {
    const reader = this.#reader
    reader.beginArray()
    while (reader.nextItem()) this.#node(nodes)
  }

  #node(nodes: NodeTable): void {
    const reader = this.#reader
    const row = nodes.open()
    const frame = noFrame()
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'id') nodes.setId(row, readNodeId(reader))
      else if (key === 'callFrame' && reader.peek() === 'object') this.#frames.object(frame)
      else if (key === 'parent') {
        const parent = readParentId(reader)
        if (parent !== undefined) nodes.setParent(row, parent)
      } else if (key === 'children' && reader.peek() === 'array') {
        reader.beginArray()
        while (reader.nextItem()) nodes.addChild(row, readNodeId(reader))
      } else if (key === 'deoptReason') frame.deopt = this.#frames.text()
    }
    nodes.setFrame(row, frame)
  }
}
