// The base of both halves of the decoder: reads numbers, strings and lists of JSON text into columns, and handles unknown
// keys.
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { ProfilesDraft } from '../../../model/columns/profiles-draft.ts'
import type { UnknownTable } from '../../../model/columns/unknown-fields.ts'
import { OWN_PART } from '../../../model/columns/unknown-fields.ts'
import type { JsonReader } from '../../../wire/json/json-reader.ts'
import { KeptFields } from '../../otlp/kept-fields.ts'
import type { LegacyGeneration } from '../../otlp/legacy/read.ts'
import { JsonCompletion } from './complete.ts'
import { readerOf } from '../locate.ts'
import { CommonReader, valueText } from './read-common.ts'
import { sniffLegacy } from '../sniff.ts'
import { TextStore } from './text-store.ts'

/** Thrown if a message turns out to be of a generation that this reader does not support. */
export class OlderGeneration extends Error {
  override readonly name = 'OlderGeneration'
  readonly generation: LegacyGeneration

  constructor(generation: LegacyGeneration) {
    super(`this is OTLP ${generation}`)
    this.generation = generation
  }
}

/** For messages that never lost a field. */
export const NONE_OLDER: ReadonlySet<string> = new Set()

export class ColumnReader {
  protected readonly reader: JsonReader
  protected readonly draft = new ProfilesDraft()
  protected readonly store = new TextStore()
  protected readonly complete = new JsonCompletion(this.draft, this.store)
  protected readonly common: CommonReader
  /** Whether the message that `common` read last refers to the string table. */
  protected refers = false
  // State of the current message.
  protected start = 0
  protected mayBeOlder = false
  /** Members that OTLP does not define: all of them are kept. */
  protected unknownFields = 0
  protected readonly kept = new KeptFields()
  protected isV1_8 = false

  constructor(reader: JsonReader) {
    this.reader = reader
    this.common = new CommonReader(reader, () => {
      this.refers = true
      return ''
    })
  }

  /** Sets the range that the store added last. */
  protected setRange(row: Int32Array | number[], at: number): void {
    row[at] = this.store.offset
    row[at + 1] = this.store.length
  }

  protected string(row: Int32Array | number[], at: number): void {
    this.store.string(this.reader)
    this.setRange(row, at)
  }

  protected signed(row: Int32Array, at: number): void {
    const reader = this.reader
    reader.int64('signed')
    row[at] = reader.lo
    row[at + 1] = reader.hi
  }

  protected unsigned(row: Int32Array, at: number): void {
    const reader = this.reader
    reader.int64('unsigned')
    row[at] = reader.lo
    row[at + 1] = reader.hi
  }

  protected longs(column: GrowingInts, range: 'signed' | 'unsigned'): void {
    const reader = this.reader
    reader.beginArray()
    while (reader.nextItem()) {
      reader.int64(range)
      column.push(reader.lo)
      column.push(reader.hi)
    }
  }

  protected indexes(column: GrowingInts): void {
    const reader = this.reader
    reader.beginArray()
    while (reader.nextItem()) column.push(reader.int32())
  }

  protected list(read: () => void): void {
    const reader = this.reader
    reader.beginArray()
    while (reader.nextItem()) read()
  }

  /** Keeps an unknown member with the part of a row. */
  protected unknown(
    key: string,
    older: ReadonlySet<string>,
    table: UnknownTable,
    row: number,
    part: number = OWN_PART,
    isInDictionary = false,
  ): void {
    if (this.mayBeOlder && older.has(key)) this.checkForOlder()
    this.unknownFields++
    this.kept.addMember(isInDictionary, table, row, part, key, valueText(this.reader))
  }

  protected unknownInDictionary(
    key: string,
    older: ReadonlySet<string>,
    table: UnknownTable,
    row: number,
    part: number = OWN_PART,
  ): void {
    this.unknown(key, older, table, row, part, true)
  }

  protected checkForOlder(): void {
    if (!this.mayBeOlder) return
    const { bytes } = this.reader
    const older = sniffLegacy(readerOf({ bytes, from: this.start, to: bytes.length }))
    if (older !== undefined) throw new OlderGeneration(older)
    this.mayBeOlder = false
  }
}
