// Reads the members that only nodes of CPU profiles have: ids of children (or, in Chrome's traces, of the parent), hits
// in total and by line, and the reason for a deoptimization.
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { ScaledNumber } from '../recordings/scaled-number.ts'
import type { CallFrameReader } from './call-frame-reader.ts'
import type { NodeMembers } from './node-reader.ts'
import { readNodeId, readParentId } from './node-id.ts'
import type { CallFrame, NodeTable } from './node-table.ts'

export class CpuMembers implements NodeMembers {
  readonly #reader: JsonReader
  readonly #nodes: NodeTable
  readonly #frames: CallFrameReader
  readonly #number = new ScaledNumber()

  constructor(reader: JsonReader, nodes: NodeTable, frames: CallFrameReader) {
    this.#reader = reader
    this.#nodes = nodes
    this.#frames = frames
  }

  read(key: string, row: number, frame: CallFrame): boolean {
    const reader = this.#reader
    switch (key) {
      case 'parent':
        this.#setParent(row)
        return true
      case 'hitCount':
        if (!reader.tryNull()) this.#nodes.values.array[row] = this.#count()
        return true
      case 'positionTicks':
        if (reader.tryNull()) return true
        reader.beginArray()
        while (reader.nextItem()) this.#ticks(row)
        return true
      case 'deoptReason':
      case 'bailoutReason':
        frame.deopt = this.#frames.text()
        return true
      default:
        return false
    }
  }

  #setParent(row: number): void {
    const parent = readParentId(this.#reader)
    if (parent !== undefined) this.#nodes.setParent(row, parent)
  }

  child(row: number): void {
    this.#nodes.addChild(row, readNodeId(this.#reader))
  }

  /** Tools that merge or scale profiles write fractions, which are rounded. */
  #count(): bigint {
    const reader = this.#reader
    reader.peek()
    const from = reader.offset
    reader.number()
    if (!this.#number.read(reader.bytes, from, reader.offset, 0)) reader.fail('a number exceeds 64 bits', from)
    return this.#number.value
  }

  #ticks(row: number): void {
    const reader = this.#reader
    let line = 0
    let ticks = 0n
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'line') line = reader.number()
      else if (key === 'ticks') ticks = this.#count()
    }
    // Line 0 means "no line", like lines beyond the range of source files. Such ticks count only in the hit count.
    if (line > 0 && line < 0x7fff_ffff) this.#nodes.addTicks(row, Math.ceil(line), ticks)
  }
}
