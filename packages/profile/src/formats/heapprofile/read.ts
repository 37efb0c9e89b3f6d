// Reads .heapprofile files of V8's sampling heap profiler: the bytes in use by node, and the sampled allocations.
import { NONE } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { JsonReader } from '../../wire/json/json-reader.ts'
import { readNodeId } from '../cpuprofile/node-id.ts'
import { SCOPE_NAME } from '../cpuprofile/attribute-names.ts'
import { CallFrameReader } from '../cpuprofile/call-frame-reader.ts'
import { NodeReader } from '../cpuprofile/node-reader.ts'
import { NodeTable } from '../cpuprofile/node-table.ts'
import { profileKeys } from '../cpuprofile/profile-keys.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { readPartialJson } from '../recordings/read-partial-json.ts'
import { ORDINAL, SAMPLES_TYPE, SIZE_TYPE, UNIT } from './attribute-names.ts'
import { readSize } from './read-size.ts'

const FORMAT = 'heapprofile'
/** Two levels of JSON per node. V8's own stacks are far less deep. */
const MAX_DEPTH = 40_000

interface HeapSample {
  readonly size: bigint
  readonly nodeId: number
  readonly ordinal: bigint
}

export function readHeapprofile(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const builder = new ProfilesBuilder()
  const notes = new NoteList()
  const lenient = options.lenient ?? false
  const file = new FileReader(new JsonReader(bytes, { format: FORMAT, maxDepth: MAX_DEPTH }), builder, notes)
  readPartialJson(FORMAT, lenient, notes, () => file.read())
  file.finish()
  return { profiles: builder.build(), notes: notes.list(), generation: '' }
}

class FileReader {
  readonly #reader: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #notes: NoteList
  readonly #nodes: NodeTable
  readonly #samples: HeapSample[] = []
  #hasHead = false

  constructor(reader: JsonReader, builder: ProfilesBuilder, notes: NoteList) {
    this.#reader = reader
    this.#builder = builder
    this.#notes = notes
    this.#nodes = new NodeTable(builder, reader.bytes.length)
  }

  read(): void {
    const reader = this.#reader
    for (const key of profileKeys(reader)) {
      if (key === 'head') {
        if (this.#hasHead) reader.fail('a second call tree')
        this.#hasHead = true
        const frames = new CallFrameReader(reader, this.#builder)
        new NodeReader(reader, this.#nodes, frames, { read: (name, row) => this.#member(name, row) }).tree()
      } else if (key === 'samples' && reader.peek() === 'array') {
        reader.beginArray()
        while (reader.nextItem()) this.#samples.push(this.#sample())
      } else this.#notes.add('skipped-fields', 'fields that V8 does not define are skipped')
    }
    if (reader.peek() !== 'end') reader.fail('unexpected content after the profile')
    if (!this.#hasHead) reader.fail('no "head"')
  }

  finish(): void {
    const nodes = this.#nodes
    const builder = this.#builder
    nodes.link(this.#notes)
    builder.scope({ name: SCOPE_NAME })
    builder.profile({ type: SIZE_TYPE, unit: UNIT })
    const halves = new Int32Array(nodes.values.array.buffer)
    const totals = new Map<number, bigint>()
    for (let row = 0; row < nodes.length; row++) {
      const isZero = (halves[2 * row] | halves[2 * row + 1]) === 0
      // Zero keeps an empty leaf in the tree.
      if (isZero && !nodes.isLeaf(row)) continue
      const stack = this.#stack(row)
      if (isZero && stack === 0) continue
      totals.set(stack, (totals.get(stack) ?? 0n) + nodes.values.array[row])
    }
    for (const [stack, total] of totals) {
      if (BigInt.asIntN(64, total) !== total) throw new FormatError(FORMAT, 0, 'a size exceeds 64 bits', 'head')
      builder.sample({ stack: stack as never, values: [total] })
    }
    if (this.#samples.length > 0) this.#addSamples()
  }

  /** Reads the members that only heap nodes have. */
  #member(key: string, row: number): boolean {
    if (key !== 'selfSize') return false
    if (!this.#reader.tryNull()) this.#nodes.values.array[row] = readSize(this.#reader, this.#notes)
    return true
  }

  #addSamples(): void {
    const builder = this.#builder
    builder.profile({ type: SAMPLES_TYPE, unit: UNIT })
    for (const { size, nodeId, ordinal } of this.#samples) {
      const row = this.#nodes.rowOf(nodeId)
      if (row === NONE) {
        this.#notes.addDamage('skipped-samples', 'samples of nodes that do not exist are skipped')
        continue
      }
      const attributes = [builder.attribute(ORDINAL, ordinal)]
      builder.sample({ stack: this.#stack(row) as never, values: [size], attributes })
    }
  }

  #stack(row: number): number {
    const stack = this.#nodes.stack(row)
    if (stack === undefined) throw new FormatError(FORMAT, 0, 'the stacks of the nodes are too large', 'head')
    return stack
  }

  #sample(): HeapSample {
    const reader = this.#reader
    let size = 0n
    let nodeId = 0
    let ordinal = 0n
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'size') size = readSize(reader, this.#notes)
      else if (key === 'nodeId') nodeId = readNodeId(reader)
      else if (key === 'ordinal') ordinal = readSize(reader, this.#notes)
    }
    return { size, nodeId, ordinal }
  }
}
