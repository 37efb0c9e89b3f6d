// One CPU profile of V8 in a trace: a Profile event and the ProfileChunks that follow it in any order, or a single
// CpuProfile event.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingInts, GrowingLongs } from '../../model/columns/growing-columns.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { nanosOfMicros, nanosOfNumber } from '../cpuprofile/micro-time.ts'
import { readParentId } from '../cpuprofile/node-id.ts'
import { NodeTable } from '../cpuprofile/node-table.ts'
import type { TraceNodeReader } from './node-reader.ts'
import type { Id } from './event-id.ts'

/** A run of samples. Its deltas continue from the previous chunk in time. */
interface Chunk {
  readonly time: bigint
  readonly ids: number[]
  readonly deltas: GrowingLongs
  readonly lines: GrowingInts
  /** The offset in the file, for errors. */
  readonly at: number
}

export class V8Profile {
  readonly nodes: NodeTable
  readonly chunks: Chunk[] = []
  readonly thread: Id
  start: bigint | undefined
  end: bigint | undefined

  constructor(builder: ProfilesBuilder, inputBytes: number, thread: Id) {
    this.nodes = new NodeTable(builder, inputBytes)
    this.thread = thread
  }

  /** Reads the args of one of its events. */
  readArgs(reader: JsonReader, nodeReader: TraceNodeReader, time: bigint): void {
    const chunk = { time, ids: [], deltas: new GrowingLongs(), lines: new GrowingInts(), at: reader.offset }
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key !== 'data' || reader.peek() !== 'object') continue
      reader.beginObject()
      for (let name = reader.nextKey(); name !== undefined; name = reader.nextKey()) {
        if (name !== 'cpuProfile' || reader.peek() !== 'object') this.#member(name, reader, nodeReader, chunk)
        else {
          reader.beginObject()
          for (let part = reader.nextKey(); part !== undefined; part = reader.nextKey()) {
            this.#member(part, reader, nodeReader, chunk)
          }
        }
      }
    }
    if (chunk.ids.length > 0) this.chunks.push(chunk)
  }

  #member(key: string, reader: JsonReader, nodeReader: TraceNodeReader, chunk: Chunk): void {
    const kind = reader.peek()
    if (kind === 'array') {
      if (key === 'nodes') nodeReader.list(this.nodes)
      else if (key === 'samples') each(reader, () => chunk.ids.push(sampleId(reader)))
      else if (key === 'timeDeltas') each(reader, () => chunk.deltas.push(readMicros(reader)))
      else if (key === 'lines') each(reader, () => chunk.lines.push(lineOf(reader.number())))
    } else if (kind === 'number' && key === 'startTime') this.start = readMicros(reader)
    else if (kind === 'number' && key === 'endTime') this.end = readMicros(reader)
  }
}

function each(reader: JsonReader, item: () => void): void {
  reader.beginArray()
  while (reader.nextItem()) item()
}

/** Returns NaN, the id of no node, for an entry that is neither a number nor a string. */
function sampleId(reader: JsonReader): number {
  const id = readParentId(reader)
  if (id !== undefined) return id
  reader.skip()
  return Number.NaN
}

function lineOf(line: number): number {
  return line > 0 && line < 0x7fff_ffff ? Math.floor(line) : 0
}

/** Reads nanoseconds from a number, or from a string that holds one, as Hermes writes it. */
export function readMicros(reader: JsonReader): bigint {
  const isText = reader.peek() === 'string'
  const at = reader.offset
  let time: bigint | undefined
  if (isText) {
    const text = reader.stringBytes()
    time = nanosOfMicros(text, 0, text.length)
  } else time = nanosOfNumber(reader.number()) ?? nanosOfMicros(reader.bytes, at, reader.offset)
  return time ?? reader.fail('expected microseconds within 64 bits', at)
}
