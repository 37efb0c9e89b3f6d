// Reads .cpuprofile files of V8: DevTools, `node --cpu-prof`, and the old form with a nested `head`. The samples become
// a profile of time with timestamps. Hit counts and position ticks become a profile of counts, by line.
import { NONE } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingInts, GrowingLongs } from '../../model/columns/growing-columns.ts'
import { JsonReader } from '../../wire/json/json-reader.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { readPartialJson } from '../recordings/read-partial-json.ts'
import { CallFrameReader } from './call-frame-reader.ts'
import { CpuMembers } from './cpu-members.ts'
import { nanosOfMicros, nanosOfNumber } from './micro-time.ts'
import { readNodeId } from './node-id.ts'
import { NodeReader } from './node-reader.ts'
import { NodeTable } from './node-table.ts'
import { profileKeys } from './profile-keys.ts'
import { sampleTimes } from './sample-times.ts'
import { addProfiles } from './to-profiles.ts'
import type { CpuRecording } from './recording.ts'

const FORMAT = 'cpuprofile'
/** The old form takes two levels of JSON per node. V8's own stacks are far less deep. */
const MAX_DEPTH = 40_000
const KNOWN = new Set(['typeId', 'uid', 'title', '$schema'])

export function readCpuprofile(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const builder = new ProfilesBuilder()
  const notes = new NoteList()
  const reader = new JsonReader(bytes, { format: FORMAT, maxDepth: MAX_DEPTH })
  const lenient = options.lenient ?? false
  const file = new FileReader(reader, builder, notes)
  readPartialJson(FORMAT, lenient, notes, () => file.read())
  const generation = file.finish()
  return { profiles: builder.build(), notes: notes.list(), generation }
}

class FileReader {
  readonly #reader: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #notes: NoteList
  readonly #nodes: NodeTable
  readonly #ids: number[] = []
  readonly #recording: CpuRecording = { samples: new GrowingInts() }
  #isOld = false
  #hasNodes = false
  #samplesAt = 0

  constructor(reader: JsonReader, builder: ProfilesBuilder, notes: NoteList) {
    this.#reader = reader
    this.#builder = builder
    this.#notes = notes
    this.#nodes = new NodeTable(builder, reader.bytes.length)
  }

  read(): void {
    const reader = this.#reader
    for (const key of profileKeys(reader)) this.#member(key)
    if (reader.peek() !== 'end') reader.fail('unexpected content after the profile')
    if (!this.#hasNodes) reader.fail('neither "nodes" nor "head"')
  }

  finish(): string {
    const nodes = this.#nodes
    if (!nodes.link(this.#notes)) {
      throw new FormatError(FORMAT, 0, 'a node is its own caller', this.#isOld ? 'head' : 'nodes')
    }
    this.#resolve()
    const times = sampleTimes(this.#recording, this.#notes)
    if (times === undefined) throw new FormatError(FORMAT, this.#samplesAt, 'a time exceeds 64 bits', 'timeDeltas')
    if (!addProfiles(this.#builder, nodes, this.#recording.samples, times)) {
      throw new FormatError(FORMAT, 0, 'the stacks of the nodes are too large', 'nodes')
    }
    return this.#isOld ? 'head' : 'nodes'
  }

  #member(key: string): void {
    const reader = this.#reader
    switch (key) {
      case 'nodes':
        if (this.#hasNodes) reader.fail('a second call tree')
        this.#hasNodes = true
        this.#nodeReader().list()
        return
      case 'head':
        if (this.#hasNodes) reader.fail('a second call tree')
        this.#hasNodes = true
        this.#isOld = true
        this.#nodeReader().tree()
        return
      case 'startTime':
        this.#recording.start = this.#time()
        return
      case 'endTime':
        this.#recording.end = this.#time()
        return
      case 'samples':
        if (reader.tryNull()) return
        this.#samplesAt = reader.offset
        reader.beginArray()
        while (reader.nextItem()) this.#ids.push(readNodeId(reader))
        return
      case 'timeDeltas':
        if (!reader.tryNull()) this.#recording.deltas = this.#times()
        return
      case 'timestamps':
        if (!reader.tryNull()) this.#recording.timestamps = this.#times()
        return
      default:
        if (!KNOWN.has(key)) this.#notes.add('skipped-fields', 'fields that V8 does not define are skipped')
    }
  }

  #nodeReader(): NodeReader {
    const frames = new CallFrameReader(this.#reader, this.#builder)
    return new NodeReader(this.#reader, this.#nodes, frames, new CpuMembers(this.#reader, this.#nodes, frames))
  }

  #times(): GrowingLongs {
    const reader = this.#reader
    const list = new GrowingLongs()
    reader.beginArray()
    // NaN is written as null. speedscope adds nothing for it.
    while (reader.nextItem()) list.push(reader.tryNull() ? 0n : this.#time())
    return list
  }

  #time(): bigint {
    const reader = this.#reader
    reader.peek()
    const from = reader.offset
    const time = nanosOfNumber(reader.number()) ?? nanosOfMicros(reader.bytes, from, reader.offset)
    return time ?? reader.fail('a time exceeds 64 bits', from)
  }

  /** Converts node ids of samples to rows, after all nodes were read. NONE if the file does not contain the node. */
  #resolve(): void {
    const { samples } = this.#recording
    let lost = 0
    for (const id of this.#ids) {
      const row = this.#nodes.rowOf(id)
      if (row === NONE) lost++
      samples.push(row)
    }
    this.#notes.addDamage('skipped-samples', 'samples of nodes that do not exist are skipped', lost)
  }
}
