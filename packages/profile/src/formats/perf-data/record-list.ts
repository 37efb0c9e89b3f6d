// The first pass over the records. It collects event descriptions, names and build ids wherever they are (in a pipe, build ids
// come last), and lists the records for the second pass.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { CompressionError, DEFAULT_LIMIT, decompress, portableCodecs } from '../../wire/compression/compression.ts'
import type { NoteList, ReadOptions } from '../format.ts'
import { BuildIds } from './build-ids.ts'
import { EventList } from './event-list.ts'
import { Features } from './features.ts'
import type { OnCut, PerfHeader } from './file-header.ts'
import { PerfBytes } from './perf-bytes.ts'
import { RecordType, SILENT_RECORDS } from './record-types.ts'
import { joinZstdPieces } from './zstd-stream.ts'

/** Record types for the second pass. */
const ORDERED: ReadonlySet<number> = new Set([
  RecordType.sample,
  RecordType.mmap,
  RecordType.mmap2,
  RecordType.comm,
  RecordType.fork,
  RecordType.exit,
  RecordType.ksymbol,
])

const TYPE_COUNT = 256
/** Offsets in columns are int32. */
export const MAX_BYTES = 2 ** 31 - 1

export class RecordList {
  /** The file, followed by the decompressed records. */
  file: PerfBytes
  readonly events = new EventList()
  readonly buildIds = new BuildIds()
  readonly features = new Features(this.events, this.buildIds)
  /** The offset of each record of the second pass. */
  readonly offsets = new GrowingInts(1024)
  /** The number of records of each type. Types beyond the array are not defined. */
  readonly counts = new Int32Array(TYPE_COUNT)
  readonly #pieces: Uint8Array[] = []
  #firstPiece = 0
  readonly #options: ReadOptions
  readonly #notes: NoteList

  constructor(header: PerfHeader, options: ReadOptions, notes: NoteList, onCut: OnCut) {
    this.file = header.file
    this.#options = options
    this.#notes = notes
    const { file, data, eventTypes, features } = header
    this.events.readAttrs(header, onCut)
    this.events.readOldNames(file, eventTypes)
    for (const [feature, section] of features) this.features.read(file, feature, section)
    this.#walk(data.from, data.to)
    if (this.#pieces.length > 0) this.#decompress()
  }

  #walk(from: number, end: number): void {
    const { file, counts, offsets } = this
    let at = from
    while (at < end) {
      const left = end - at
      const size = left < 8 ? 0 : file.u16(at + 6)
      if (size < 8 || size > left) {
        this.#cut(
          at,
          left < 8
            ? `expected a record, but only ${left} bytes are left`
            : `record of ${size} bytes, but only ${left} are left`,
          left < 8 || size > left,
        )
        return
      }
      const type = file.u32(at)
      counts[Math.min(type, TYPE_COUNT - 1)]++
      if (ORDERED.has(type)) {
        offsets.push(at)
        at += size
        continue
      }
      const next = at + size + (type >= RecordType.headerAttr ? this.#special(type, at, at + size) : 0)
      if (type === RecordType.lost && size >= 24) this.#lost(file.size(at + 16))
      else if (type === RecordType.lostSamples && size >= 16) this.#lost(file.size(at + 8))
      if (next > end) {
        this.#cut(at, `record with ${next - at} bytes, but only ${left} are left`)
        return
      }
      at = next
    }
  }

  /** Reads one of perf's own records. Returns how many bytes belong to it beyond its size. */
  #special(type: number, at: number, end: number): number {
    const { file, events, features } = this
    const size = end - at
    switch (type) {
      case RecordType.headerAttr:
        events.readAttrRecord(file, at, end)
        return 0
      case RecordType.eventType:
        if (size >= 80) events.readOldName(file, at + 8)
        return 0
      case RecordType.eventUpdate:
        events.readUpdate(file, at, end)
        return 0
      case RecordType.buildId:
        this.buildIds.readRecord(file, at, end)
        return 0
      case RecordType.feature:
        if (size >= 16) features.read(file, file.size(at + 8), { from: at + 16, to: end })
        return 0
      case RecordType.tracingData:
        return size < 12 ? 0 : Math.ceil(file.u32(at + 8) / 8) * 8
      case RecordType.auxtrace:
        return size < 16 ? 0 : file.size(at + 8)
      case RecordType.compressed:
        this.#piece(at, at + 8, end)
        return 0
      case RecordType.compressed2:
        // The content is padded to 8 bytes, so the record has its exact size.
        if (size >= 16) this.#piece(at, at + 16, Math.min(end, at + 16 + file.size(at + 8)))
        return 0
      default:
        return 0
    }
  }

  #piece(record: number, from: number, to: number): void {
    if (this.#pieces.length === 0) this.#firstPiece = record
    this.#pieces.push(this.file.bytes.subarray(from, to))
  }

  /** All pieces form one stream, so its records are appended together. Their times determine their order. */
  #decompress(): void {
    const { file } = this
    const { lenient, codecs } = this.#options
    const frames = joinZstdPieces(this.#pieces)
    if (frames === undefined) {
      this.#cut(this.#firstPiece, 'compressed records that are not a zstd stream')
      return
    }
    if (frames.cutOff > 0)
      this.#cut(this.#firstPiece, `compressed records that end in ${frames.cutOff} bytes of an incomplete block`)
    try {
      const limit = Math.min(DEFAULT_LIMIT, MAX_BYTES - file.length)
      const { bytes } = decompress(frames.bytes, codecs ?? portableCodecs, limit)
      const both = new Uint8Array(file.length + bytes.length)
      both.set(file.bytes)
      both.set(bytes, file.length)
      this.file = new PerfBytes(both, file.littleEndian, file.length, this.#firstPiece)
    } catch (error) {
      if (lenient !== true || !(error instanceof CompressionError)) throw error
      this.#notes.add('compressed-records', `compressed records were skipped: ${error.message}`, this.#pieces.length)
      return
    }
    this.#walk(file.length, this.file.length)
  }

  /** `isAtEnd`: the last record is incomplete, which perf tolerates if there are others. */
  #cut(at: number, what: string, isAtEnd = false): void {
    const fault = this.file.fault(at, what)
    if (this.#options.lenient !== true && !(isAtEnd && this.offsets.length > 0)) throw fault
    this.#notes.addDamage('truncated', `the rest of the file was skipped: ${fault.message}`)
  }

  #lost(count: number): void {
    this.#notes.addDamage('lost-samples', 'records were lost during the recording, as reported by the kernel', count)
  }

  /** Adds notes about the types of skipped records. */
  noteSkipped(): void {
    const { counts } = this
    const notes = this.#notes
    const known: ReadonlySet<number> = new Set(Object.values(RecordType))
    notes.add('throttled', 'the kernel throttled sampling', counts[RecordType.throttle])
    const switches = counts[RecordType.contextSwitch] + counts[RecordType.contextSwitchCpuWide]
    notes.add('context-switches', 'records of context switches were skipped', switches)
    const traces = counts[RecordType.aux] + counts[RecordType.auxtrace]
    notes.add('hardware-traces', 'hardware traces (such as Intel PT) were skipped', traces)
    notes.add('counter-reads', 'records with the value of a counter were skipped', counts[RecordType.read])
    const others = [...counts.keys()].filter(type => counts[type] > 0 && !known.has(type) && !SILENT_RECORDS.has(type))
    for (const type of others) {
      notes.add('other-records', `records of other types were skipped: ${others.join(', ')}`, counts[type])
    }
  }
}
