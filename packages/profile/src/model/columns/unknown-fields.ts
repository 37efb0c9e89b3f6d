// Fields of a message that the current version of the data format does not define. A newer version may add such fields, so
// they are kept as bytes with the row of their message and written again after its known fields.
//
// Few payloads have any. They are therefore stored beside the columns, by table and row. The fields of messages inside a row
// are parts of that row: the lines of a location, the value of an attribute, the two value types of a profile. The parts are
// encoded as a protobuf message in which field p + 1 has the bytes of part p.
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'

const NO_BYTES = new Uint8Array(0)

/** `self` is ProfilesData or ProfilesDictionary itself, in row 0. */
export type UnknownTable =
  | 'self'
  | 'functions'
  | 'mappings'
  | 'locations'
  | 'stacks'
  | 'links'
  | 'attributes'
  | 'resources'
  | 'scopes'
  | 'profiles'
  | 'samples'

/** The encoded parts by table and row. */
export type UnknownFields = { readonly [Of in UnknownTable]?: ReadonlyMap<number, Uint8Array> }

/** The message of the row itself. */
export const OWN_PART = 0
/** Parts of a profile. */
export const SAMPLE_TYPE_PART = 1
export const PERIOD_TYPE_PART = 2
/** A part of an attribute: its AnyValue. */
export const VALUE_PART = 1
/**
 * A part of an attribute: the body of its ArrayValue or KeyValueList, if messages in it have unknown fields. The value of the
 * attribute does not have them.
 */
export const NESTED_PART = 2
/** Parts of a location: its first line, then the others. */
export const FIRST_LINE_PART = 1

/** Several entries of one part are joined in order. */
export function encodeParts(parts: Iterable<readonly [part: number, bytes: Uint8Array]>): Uint8Array {
  // Equal parts are equal bytes: each part is written once, in the order of their numbers.
  let byNumber: Map<number, Uint8Array> | undefined
  for (const [part, bytes] of parts) {
    if (bytes.length === 0) continue
    byNumber ??= new Map()
    const before = byNumber.get(part)
    byNumber.set(part, before === undefined ? bytes : joinBytes([before, bytes]))
  }
  // Nearly every message ends here. Making a writer for each took 7 % of the time of JavaScript in ingest.
  if (byNumber === undefined) return NO_BYTES
  const writer = new BackwardWriter(64)
  for (const [part, bytes] of [...byNumber].sort(([a], [b]) => b - a)) {
    writer.bytesField(((part + 1) << 3) | LEN, bytes, 0, bytes.length)
  }
  return writer.finish()
}

/** Throws WireError for bytes that `encodeParts` did not return. */
export function decodeParts(encoded: Uint8Array): Map<number, Uint8Array> {
  const reader = new ProtoReader(encoded, 0, encoded.length)
  const parts = new Map<number, Uint8Array>()
  while (reader.tag()) {
    const part = reader.field - 1
    parts.set(part, reader.view())
  }
  return parts
}

/** The bytes of one part. Empty if there is none. */
export function partOf(encoded: Uint8Array | undefined, part: number): Uint8Array {
  return (encoded === undefined ? undefined : decodeParts(encoded).get(part)) ?? NO_BYTES
}

/** Unknown fields under construction. */
export class UnknownFieldsDraft {
  #tables = new Map<UnknownTable, Map<number, Uint8Array>>()

  get isEmpty(): boolean {
    return this.#tables.size === 0
  }

  get(table: UnknownTable, row: number): Uint8Array | undefined {
    return this.#tables.get(table)?.get(row)
  }

  set(table: UnknownTable, row: number, encoded: Uint8Array | undefined): void {
    if (encoded === undefined || encoded.length === 0) return
    const rows = this.#tables.get(table)
    if (rows === undefined) this.#tables.set(table, new Map([[row, encoded]]))
    else rows.set(row, encoded)
  }

  /** Appends to the parts that the row has. Parts that it has already, as from another input, are not repeated. */
  append(table: UnknownTable, row: number, encoded: Uint8Array | undefined): void {
    if (encoded === undefined) return
    const before = this.get(table, row)
    if (before === undefined) this.set(table, row, encoded)
    else if (!isSameBytes(before, encoded)) {
      this.set(table, row, encodeParts([...decodeParts(before), ...decodeParts(encoded)]))
    }
  }

  addAll(fields: UnknownFields | undefined): void {
    for (const [table, rows] of entriesOf(fields)) for (const [row, encoded] of rows) this.set(table, row, encoded)
  }

  /** Returns the fields and empties the draft. Undefined if there are none. */
  take(): UnknownFields | undefined {
    if (this.isEmpty) return undefined
    const fields: UnknownFields = Object.fromEntries(this.#tables)
    this.#tables = new Map()
    return fields
  }
}

/** The tables that have unknown fields. */
export function entriesOf(fields: UnknownFields | undefined): [UnknownTable, ReadonlyMap<number, Uint8Array>][] {
  return fields === undefined ? [] : (Object.entries(fields) as [UnknownTable, ReadonlyMap<number, Uint8Array>][])
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
