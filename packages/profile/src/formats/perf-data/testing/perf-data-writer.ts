// Writes small perf.data files for tests, as a file or a pipe and in either byte order.
import { ByteSink } from './byte-sink.ts'
import { Feature, ReadFormat, RecordType, SampleBit } from '../record-types.ts'

export interface TestEvent {
  readonly type?: number
  readonly config?: number
  /** The frequency if the flags include `frequency`. */
  readonly period?: number
  readonly sampleType: number
  readonly readFormat?: number
  /** Bit numbers. */
  readonly flags?: readonly number[]
  readonly ids?: readonly (number | bigint)[]
  readonly name?: string
  readonly clock?: number
}

export const Flag = { inherit: 1, frequency: 10, sampleIdAll: 18, clock: 25 } as const

/** Values for the fields of a sample or of the trailer of another record. Fields that an event lacks are not written. */
interface PerfFields {
  readonly event?: number
  readonly misc?: number
  readonly ip?: bigint
  readonly pid?: number
  readonly tid?: number
  readonly time?: bigint
  readonly addr?: bigint
  readonly id?: number | bigint
  readonly cpu?: number
  readonly period?: bigint
  /** Counters and their ids. */
  readonly counters?: readonly (readonly [value: bigint, id: number | bigint])[]
  readonly callchain?: readonly bigint[]
  /** Bytes after the callchain. */
  readonly rest?: Uint8Array
}

export interface Mapped {
  readonly pid: number
  readonly start: bigint
  readonly length: bigint
  readonly offset?: bigint
  readonly name: string
  readonly misc?: number
  readonly buildId?: Uint8Array
}

export const KERNEL = 1
const USER = 2
export const CONTEXT_KERNEL = -128n
export const CONTEXT_USER = -512n
const ATTR_SIZE = 112

export class PerfDataWriter {
  readonly littleEndian: boolean
  readonly isPipe: boolean
  /** Writes data size 0 into the header, as if the recorder was killed. */
  isUnfinished = false
  readonly #events: TestEvent[] = []
  readonly #features = new Map<number, Uint8Array>()
  #records: ByteSink

  constructor(options: { readonly littleEndian?: boolean; readonly isPipe?: boolean } = {}) {
    this.littleEndian = options.littleEndian ?? true
    this.isPipe = options.isPipe ?? false
    this.#records = this.sink()
  }

  sink(): ByteSink {
    return new ByteSink(this.littleEndian)
  }

  event(event: TestEvent): this {
    this.#events.push(event)
    return this
  }

  feature(feature: number, content: (sink: ByteSink) => void): this {
    const sink = this.sink()
    content(sink)
    this.#features.set(feature, sink.finish())
    return this
  }

  /** A feature that consists of one text. */
  textFeature(feature: number, text: string): this {
    return this.feature(feature, sink => sink.sizedText(text))
  }

  commandLine(...words: readonly string[]): this {
    return this.feature(Feature.commandLine, sink => {
      sink.u32(words.length)
      for (const word of words) sink.sizedText(word)
    })
  }

  buildIds(ids: Readonly<Record<string, Uint8Array>>): this {
    return this.feature(Feature.buildId, sink => {
      for (const [name, id] of Object.entries(ids)) sink.bytes(this.#buildId(0, name, id))
    })
  }

  /** Adds the names of all events, which must be added before. */
  eventNames(): this {
    return this.feature(Feature.eventDescription, sink => {
      sink.u32(this.#events.length).u32(ATTR_SIZE)
      for (const event of this.#events) {
        sink
          .bytes(this.#attr(event))
          .u32(event.ids?.length ?? 0)
          .sizedText(event.name ?? '')
        for (const id of event.ids ?? []) sink.u64(id)
      }
    })
  }

  record(type: number, misc: number, body: Uint8Array): this {
    this.#records
      .u32(type)
      .u16(misc)
      .u16(8 + body.length)
      .bytes(body)
    return this
  }

  /** Bytes outside of records, such as the payload of AUXTRACE. */
  raw(bytes: Uint8Array): this {
    this.#records.bytes(bytes)
    return this
  }

  mmap(map: Mapped, fields: PerfFields = {}): this {
    const body = this.sink()
      .u32(map.pid)
      .u32(map.pid)
      .u64(map.start)
      .u64(map.length)
      .u64(map.offset ?? 0n)
      .text(map.name)
    return this.#recordWithTrailer(RecordType.mmap, map.misc ?? USER, body, fields)
  }

  mmap2(map: Mapped, fields: PerfFields = {}): this {
    const body = this.sink()
      .u32(map.pid)
      .u32(map.pid)
      .u64(map.start)
      .u64(map.length)
      .u64(map.offset ?? 0n)
    if (map.buildId === undefined) body.u32(8).u32(1).u64(77).u64(0)
    else
      body
        .u8(map.buildId.length)
        .zeros(3)
        .bytes(map.buildId)
        .zeros(20 - map.buildId.length)
    body.u32(5).u32(2).text(map.name)
    const misc = (map.misc ?? USER) | (map.buildId === undefined ? 0 : 1 << 14)
    return this.#recordWithTrailer(RecordType.mmap2, misc, body, fields)
  }

  comm(pid: number, tid: number, name: string, fields: PerfFields = {}): this {
    return this.#recordWithTrailer(RecordType.comm, 0, this.sink().u32(pid).u32(tid).text(name), fields)
  }

  fork(pid: number, parent: number, tid: number, parentTid: number, fields: PerfFields = {}): this {
    return this.#task(RecordType.fork, pid, parent, tid, parentTid, fields)
  }

  exit(pid: number, parent: number, tid: number, parentTid: number, fields: PerfFields = {}): this {
    return this.#task(RecordType.exit, pid, parent, tid, parentTid, fields)
  }

  ksymbol(start: bigint, length: number, name: string, fields: PerfFields = {}): this {
    const body = this.sink().u64(start).u32(length).u16(1).u16(0).text(name)
    return this.#recordWithTrailer(RecordType.ksymbol, 0, body, fields)
  }

  lost(count: bigint, fields: PerfFields = {}): this {
    return this.#recordWithTrailer(RecordType.lost, 0, this.sink().u64(1).u64(count), fields)
  }

  buildIdRecord(name: string, id: Uint8Array): this {
    this.#records.bytes(this.#buildId(RecordType.buildId, name, id))
    return this
  }

  sample(fields: PerfFields): this {
    const event = this.#events[fields.event ?? 0]
    const has = (bit: number): boolean => (event.sampleType & bit) !== 0
    const body = this.sink()
    const id = fields.id ?? event.ids?.[0] ?? 0
    if (has(SampleBit.identifier)) body.u64(id)
    if (has(SampleBit.ip)) body.u64(fields.ip ?? 0n)
    if (has(SampleBit.tid)) body.u32(fields.pid ?? 0).u32(fields.tid ?? fields.pid ?? 0)
    if (has(SampleBit.time)) body.u64(fields.time ?? 0n)
    if (has(SampleBit.addr)) body.u64(fields.addr ?? 0n)
    if (has(SampleBit.id)) body.u64(id)
    if (has(SampleBit.streamId)) body.u64(0)
    if (has(SampleBit.cpu)) body.u32(fields.cpu ?? 0).u32(0)
    if (has(SampleBit.period)) body.u64(fields.period ?? 1n)
    if (has(SampleBit.read)) this.#counters(body, event.readFormat ?? 0, fields.counters ?? [])
    if (has(SampleBit.callchain)) {
      body.u64(fields.callchain?.length ?? 0)
      for (const entry of fields.callchain ?? []) body.u64(entry)
    }
    body.bytes(fields.rest ?? new Uint8Array(0))
    return this.record(RecordType.sample, fields.misc ?? USER, body.finish())
  }

  /** Replaces the records so far by compressed ones with `pieceSize` bytes of the zstd stream each. */
  compress(pieceSize: number, options: { readonly type?: number; readonly ends?: boolean } = {}): this {
    const stream = zstdOfRaw(this.#records.finish(), options.ends ?? false)
    const packed = this.sink()
    for (let at = 0; at < stream.length; at += pieceSize) {
      const piece = stream.subarray(at, at + pieceSize)
      const type = options.type ?? RecordType.compressed
      if (type === RecordType.compressed)
        packed
          .u32(type)
          .u16(0)
          .u16(8 + piece.length)
          .bytes(piece)
      else {
        const padding = (8 - (piece.length % 8)) % 8
        packed
          .u32(type)
          .u16(0)
          .u16(16 + piece.length + padding)
          .u64(piece.length)
          .bytes(piece)
          .zeros(padding)
      }
    }
    this.#records = packed
    return this
  }

  finish(): Uint8Array {
    return this.isPipe ? this.#finishPipe() : this.#finishFile()
  }

  #finishPipe(): Uint8Array {
    const sink = this.#magic(this.sink()).u64(16)
    for (const event of this.#events) {
      const ids = event.ids ?? []
      sink
        .u32(RecordType.headerAttr)
        .u16(0)
        .u16(8 + ATTR_SIZE + 8 * ids.length)
        .bytes(this.#attr(event))
      for (const id of ids) sink.u64(id)
      if (event.name === undefined) continue
      const update = this.sink()
        .u64(2)
        .u64(ids[0] ?? 0)
        .text(event.name)
        .finish()
      sink
        .u32(RecordType.eventUpdate)
        .u16(0)
        .u16(8 + update.length)
        .bytes(update)
    }
    for (const [feature, content] of this.#features) {
      sink
        .u32(RecordType.feature)
        .u16(0)
        .u16(16 + content.length)
        .u64(feature)
        .bytes(content)
    }
    return sink.bytes(this.#records.finish()).finish()
  }

  #finishFile(): Uint8Array {
    const records = this.#records.finish()
    const ids = this.#events.map(event => event.ids ?? [])
    const idsAt = 104
    const attrsAt = idsAt + 8 * ids.reduce((sum, list) => sum + list.length, 0)
    const attrsSize = (ATTR_SIZE + 16) * this.#events.length
    const dataAt = attrsAt + attrsSize
    const sink = this.#magic(this.sink())
      .u64(104)
      .u64(ATTR_SIZE + 16)
      .u64(attrsAt)
      .u64(attrsSize)
    sink
      .u64(dataAt)
      .u64(this.isUnfinished ? 0 : records.length)
      .u64(0)
      .u64(0)
    const features = [...this.#features].sort(([a], [b]) => a - b)
    const bits = features.reduce((sum, [bit]) => sum | (1n << BigInt(bit)), 0n)
    sink.u64(bits).zeros(24)
    for (const list of ids) for (const id of list) sink.u64(id)
    let at = idsAt
    for (const [i, event] of this.#events.entries()) {
      sink
        .bytes(this.#attr(event))
        .u64(at)
        .u64(8 * ids[i].length)
      at += 8 * ids[i].length
    }
    sink.bytes(records)
    if (this.isUnfinished) return sink.finish()
    let contentAt = dataAt + records.length + 16 * features.length
    for (const [, content] of features) {
      sink.u64(contentAt).u64(content.length)
      contentAt += content.length
    }
    for (const [, content] of features) sink.bytes(content)
    return sink.finish()
  }

  #magic(sink: ByteSink): ByteSink {
    return sink.u64(0x32454c4946524550n)
  }

  #attr(event: TestEvent): Uint8Array {
    const flags = event.flags ?? []
    const mask = new Uint8Array(8)
    // Bit fields begin at the low end on little-endian machines, at the high end on others.
    for (const bit of flags) mask[bit >> 3] |= this.littleEndian ? 1 << (bit & 7) : 0x80 >> (bit & 7)
    const sink = this.sink()
      .u32(event.type ?? 0)
      .u32(ATTR_SIZE)
      .u64(event.config ?? 0)
      .u64(event.period ?? 0)
    sink
      .u64(event.sampleType)
      .u64(event.readFormat ?? 0)
      .bytes(mask)
      .zeros(44)
      .u32(event.clock ?? 0)
    return sink.zeros(ATTR_SIZE - sink.length).finish()
  }

  #counters(body: ByteSink, format: number, counters: NonNullable<PerfFields['counters']>): void {
    const isGroup = (format & ReadFormat.group) !== 0
    const times = ((format & ReadFormat.timeEnabled) !== 0 ? 8 : 0) + ((format & ReadFormat.timeRunning) !== 0 ? 8 : 0)
    if (isGroup) body.u64(counters.length).zeros(times)
    for (const [value, id] of counters) {
      body.u64(value)
      if (!isGroup) body.zeros(times)
      if ((format & ReadFormat.id) !== 0) body.u64(id)
      if ((format & ReadFormat.lost) !== 0) body.u64(0)
    }
  }

  #task(type: number, pid: number, parent: number, tid: number, parentTid: number, fields: PerfFields): this {
    const body = this.sink()
      .u32(pid)
      .u32(parent)
      .u32(tid)
      .u32(parentTid)
      .u64(fields.time ?? 0n)
    return this.#recordWithTrailer(type, fields.misc ?? 0, body, { pid, tid, ...fields })
  }

  #recordWithTrailer(type: number, misc: number, body: ByteSink, fields: PerfFields): this {
    const event = this.#events[fields.event ?? 0]
    if (event.flags?.includes(Flag.sampleIdAll) === true) {
      const has = (bit: number): boolean => (event.sampleType & bit) !== 0
      const id = fields.id ?? event.ids?.[0] ?? 0
      if (has(SampleBit.tid)) body.u32(fields.pid ?? 0).u32(fields.tid ?? fields.pid ?? 0)
      if (has(SampleBit.time)) body.u64(fields.time ?? 0n)
      if (has(SampleBit.id)) body.u64(id)
      if (has(SampleBit.streamId)) body.u64(0)
      if (has(SampleBit.cpu)) body.u32(fields.cpu ?? 0).u32(0)
      if (has(SampleBit.identifier)) body.u64(id)
    }
    return this.record(type, misc, body.finish())
  }

  #buildId(type: number, name: string, id: Uint8Array): Uint8Array {
    const body = this.sink()
      .u32(0xffff_ffff)
      .bytes(id)
      .zeros(20 - id.length)
      .u8(id.length)
      .zeros(3)
      .text(name, 64)
    return this.sink()
      .u32(type)
      .u16(1 | (1 << 15))
      .u16(8 + body.length)
      .bytes(body.finish())
      .finish()
  }
}

/** A zstd frame of uncompressed blocks, which every decoder supports. Without `ends` it has no last block, like perf's. */
export function zstdOfRaw(content: Uint8Array, ends: boolean): Uint8Array {
  // No content size, a window of 128 KiB.
  const sink = new ByteSink(true).u32(0xfd2fb528).u8(0).u8(0x38)
  const block = 100
  for (let at = 0; at < content.length; at += block) {
    const piece = content.subarray(at, at + block)
    const isLast = ends && at + block >= content.length
    const header = (piece.length << 3) | (isLast ? 1 : 0)
    sink
      .u8(header & 0xff)
      .u8((header >> 8) & 0xff)
      .u8(header >> 16)
      .bytes(piece)
  }
  return sink.finish()
}
