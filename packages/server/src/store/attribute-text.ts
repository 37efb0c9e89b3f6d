// The storage form of attribute values: a kind, numbered like the fields of OTLP's AnyValue, and a text that SQL can match
// and that reads back to the same value, bit by bit.
//
//   string, bytes     themselves                         int     decimal
//   bool              true, false                        double  shortest text of the same bits: 0.1, -0, Infinity
//   array, key-value  OTLP/JSON, 64-bit ints as strings  empty   nothing
//
// A NaN with other bits than the usual one is `NaN:` and its 16 hex digits, also inside OTLP/JSON.
import type { AnyValue, AttributeIndex, AttributeTable, KeyValue, KeyValueList, ProfilesBuilder } from '@hearth/profile'
import {
  ValueKind,
  doubleFromHalves,
  encodeNested,
  halvesOfDouble,
  highHalf,
  int64,
  isByteRange,
  isKeyValueList,
  lowHalf,
} from '@hearth/profile'
import type { ArrayColumn, StringColumn, UInt8Column } from './native/column.ts'
import type { Block } from './native/block.ts'
import type { ColumnValues } from './native/column-values.ts'
import { withoutNested } from './unknown-parts.ts'

const encoder = new TextEncoder()
// Without ignoreBOM a leading U+FEFF would be dropped.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const NO_BYTES: Uint8Array = new Uint8Array(0)
const TRUE = encoder.encode('true')
const FALSE = encoder.encode('false')

/** A text that does not match its kind: the row is damaged or was written by other code. */
export class AttributeTextError extends Error {
  override readonly name = 'AttributeTextError'
}

export function kindOfValue(value: AnyValue): ValueKind {
  if (value === undefined) return ValueKind.empty
  if (typeof value === 'string') return ValueKind.string
  if (typeof value === 'boolean') return ValueKind.bool
  if (typeof value === 'bigint') return ValueKind.int
  if (typeof value === 'number') return ValueKind.double
  if (value instanceof Uint8Array) return ValueKind.bytes
  return isKeyValueList(value) ? ValueKind.keyValues : ValueKind.array
}

/** The text of any value except bytes. */
function textOfValue(value: Exclude<AnyValue, Uint8Array>): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return doubleText(...halvesOfDouble(value))
  if (typeof value === 'object') return nestedText(value)
  return String(value)
}

export function bytesOfValue(value: AnyValue): Uint8Array {
  return value instanceof Uint8Array ? value : encoder.encode(textOfValue(value))
}

export function pushValue(column: StringColumn, value: AnyValue): void {
  if (value instanceof Uint8Array) column.pushBytes(value)
  else column.push(textOfValue(value))
}

/** Columns of `attributes` in schema/shared-columns.ts. */
export interface AttributeColumns {
  readonly attribute_keys: ArrayColumn<StringColumn>
  readonly attribute_kinds: ArrayColumn<UInt8Column>
  readonly attribute_values: ArrayColumn<StringColumn>
}

/** Pushes the attributes of one row, in order. */
export function pushAttributes(columns: AttributeColumns, attributes: readonly KeyValue[]): void {
  const { attribute_keys: keys, attribute_kinds: kinds, attribute_values: values } = columns
  pushAttributeValues(keys.values, kinds.values, values.values, attributes)
  keys.endRow()
  kinds.endRow()
  values.endRow()
}

/** Pushes attributes without ending a row, for nested lists. */
export function pushAttributeValues(
  keys: StringColumn,
  kinds: UInt8Column,
  values: StringColumn,
  attributes: readonly KeyValue[],
): void {
  for (const { key, value } of attributes) {
    keys.push(key)
    kinds.push(kindOfValue(value))
    pushValue(values, value)
  }
}

/** Reads the attributes of one row from array columns. */
export function readAttributes(
  keys: ColumnValues,
  kinds: ColumnValues,
  values: ColumnValues,
  row: number,
): readonly KeyValue[] {
  const attributes: KeyValue[] = []
  const skew = kinds.from(row) - keys.from(row)
  const valueSkew = values.from(row) - keys.from(row)
  for (let k = keys.from(row); k < keys.to(row); k++) {
    const value = valueOfBytes(kinds.values.number(k + skew), values.values.bytes(k + valueSkew))
    attributes.push({ key: keys.values.text(k), value })
  }
  return attributes
}

/** Reads the attributes of a row whose columns are named as in schema/shared-columns.ts. */
export function readBlockAttributes(block: Block, row: number): readonly KeyValue[] {
  return readAttributes(
    block.column('attribute_keys'),
    block.column('attribute_kinds'),
    block.column('attribute_values'),
    row,
  )
}

/** Returns the value. Copies bytes, so that no block is kept alive. */
export function valueOfBytes(kind: number, bytes: Uint8Array): AnyValue {
  switch (kind) {
    case ValueKind.empty:
      return undefined
    case ValueKind.string:
      return decoder.decode(bytes)
    case ValueKind.bytes:
      return bytes.slice()
    case ValueKind.bool:
      return boolOf(bytes)
    case ValueKind.int:
      return intOf(decoder.decode(bytes))
    case ValueKind.double:
      return doubleFromHalves(...doubleHalves(decoder.decode(bytes)))
    case ValueKind.array:
    case ValueKind.keyValues:
      return nestedValue(kind, decoder.decode(bytes))
    default:
      throw new AttributeTextError(`unknown kind of attribute value: ${kind}`)
  }
}

/** The bytes of a value in a dictionary. Strings and bytes are views, without a copy. */
export function bytesOfRow(attributes: AttributeTable, i: AttributeIndex): Uint8Array {
  const kind = attributes.kind(i)
  const a = attributes.a(i)
  const b = attributes.b(i)
  switch (kind) {
    case ValueKind.string:
    case ValueKind.bytes:
      return attributes.bytes.subarray(a, a + b)
    case ValueKind.bool:
      return a === 0 ? FALSE : TRUE
    case ValueKind.int:
      return encoder.encode(b === a >> 31 ? String(a) : String(int64(a, b)))
    case ValueKind.double:
      return encoder.encode(doubleText(a, b))
    case ValueKind.array:
    case ValueKind.keyValues:
      return bytesOfValue(attributes.value(i))
    case ValueKind.empty:
      return NO_BYTES
  }
}

const SMALL_INT = /^(?:0|-?[1-9]\d{0,8})$/

/** Adds an attribute to a dictionary that is being built. */
export function addAttribute(
  builder: ProfilesBuilder,
  key: Uint8Array,
  unit: Uint8Array,
  kind: number,
  bytes: Uint8Array,
  parts?: Uint8Array,
): AttributeIndex {
  const { dictionary } = builder
  const { nested, unknown } = withoutNested(parts)
  const keyRow = dictionary.string(key, 0, key.length)
  const unitRow = dictionary.string(unit, 0, unit.length)
  const add = (a: number, b: number, range = NO_BYTES): AttributeIndex =>
    dictionary.attribute(keyRow, unitRow, kind, a, b, range, unknown)
  if (kind === ValueKind.string || kind === ValueKind.bytes) return add(0, bytes.length, bytes)
  if (kind === ValueKind.empty) return add(0, 0)
  if (kind === ValueKind.bool) return add(boolOf(bytes) ? 1 : 0, 0)
  const text = decoder.decode(bytes)
  if (kind === ValueKind.double) return add(...doubleHalves(text))
  if (kind === ValueKind.int) {
    if (SMALL_INT.test(text)) return add(Number(text), Number(text) >> 31)
    const value = intOf(text)
    return add(lowHalf(value), highHalf(value))
  }
  if (!isByteRange(kind) || kind > ValueKind.bytes)
    throw new AttributeTextError(`unknown kind of attribute value: ${kind}`)
  const encoded = nested ?? encodeNested(nestedValue(kind, text))
  return add(0, encoded.length, encoded)
}

function boolOf(bytes: Uint8Array): boolean {
  const text = decoder.decode(bytes)
  if (text !== 'true' && text !== 'false') throw new AttributeTextError(`${JSON.stringify(text)} is not a boolean`)
  return text === 'true'
}

const INTEGER = /^-?\d{1,19}$/

function intOf(text: unknown): bigint {
  if (typeof text === 'string' && INTEGER.test(text)) {
    const value = BigInt(text)
    if (BigInt.asIntN(64, value) === value) return value
  }
  throw new AttributeTextError(`${JSON.stringify(text)} is not a 64-bit integer`)
}

const USUAL_NAN_HI = 0x7ff8_0000
const hex8 = (half: number): string => (half >>> 0).toString(16).padStart(8, '0')

function doubleText(lo: number, hi: number): string {
  // Exponent bits all set and a non-zero fraction. Test the bits, because a JavaScript number may lose those of a NaN.
  if ((hi & 0x7ff0_0000) === 0x7ff0_0000 && ((hi & 0xf_ffff) !== 0 || lo !== 0))
    return lo === 0 && hi === USUAL_NAN_HI ? 'NaN' : `NaN:${hex8(hi)}${hex8(lo)}`
  if (lo === 0 && hi === -0x8000_0000) return '-0'
  return String(doubleFromHalves(lo, hi))
}

const OTHER_NAN = /^NaN:([0-9a-f]{8})([0-9a-f]{8})$/

function doubleHalves(text: string): readonly [lo: number, hi: number] {
  if (text === 'NaN') return [0, USUAL_NAN_HI]
  const other = OTHER_NAN.exec(text)
  if (other !== null) return [Number.parseInt(other[2], 16) | 0, Number.parseInt(other[1], 16) | 0]
  const value = Number(text)
  if (text === '' || Number.isNaN(value)) throw new AttributeTextError(`${JSON.stringify(text)} is not a number`)
  return halvesOfDouble(value)
}

/** An AnyValue of OTLP/JSON. */
interface JsonValue<Double = number | string> {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: string
  readonly doubleValue?: Double
  readonly arrayValue?: { readonly values: JsonValue<Double>[] }
  readonly kvlistValue?: { readonly values: { readonly key: string; readonly value: JsonValue<Double> }[] }
  readonly bytesValue?: string
}

type Nested = readonly AnyValue[] | KeyValueList

/** `{"values":[…]}`, the OTLP/JSON of an ArrayValue or a KeyValueList. */
function nestedText(value: Nested): string {
  return JSON.stringify(jsonBody(value))
}

function jsonBody(value: Nested): object {
  const { arrayValue, kvlistValue } = anyValueJson(value, exactDoubleJson)
  return kvlistValue ?? arrayValue ?? {}
}

/** OTLP/JSON has strings for the numbers that JSON does not have. */
function exactDoubleJson(value: number): number | string {
  return !Number.isFinite(value) || Object.is(value, -0) ? doubleText(...halvesOfDouble(value)) : value
}

/** An attribute value as OTLP/JSON. `doubleJson` writes doubles, including those for which JSON has no number. */
export function anyValueJson<Double extends number | string>(
  value: AnyValue,
  doubleJson: (value: number) => Double,
): JsonValue<Double> {
  if (value === undefined) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') return { doubleValue: doubleJson(value) }
  if (value instanceof Uint8Array)
    return { bytesValue: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') }
  const json = (each: AnyValue): JsonValue<Double> => anyValueJson(each, doubleJson)
  if (!isKeyValueList(value)) return { arrayValue: { values: value.map(json) } }
  return { kvlistValue: { values: value.entries.map(entry => ({ key: entry.key, value: json(entry.value) })) } }
}

function nestedValue(kind: number, text: string): Nested {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new AttributeTextError('a nested attribute value is not JSON', { cause })
  }
  return kind === ValueKind.array ? arrayOf(body) : entriesOf(body)
}

function listIn(body: unknown): readonly unknown[] {
  if (typeof body === 'object' && body !== null && 'values' in body && Array.isArray(body.values)) return body.values
  throw new AttributeTextError('a nested attribute value has no list')
}

function arrayOf(body: unknown): readonly AnyValue[] {
  return listIn(body).map(valueOfJson)
}

function entriesOf(body: unknown): KeyValueList {
  const entries = listIn(body).map(entry => {
    if (typeof entry !== 'object' || entry === null || !('key' in entry) || typeof entry.key !== 'string')
      throw new AttributeTextError('a nested attribute value has an entry without a key')
    return { key: entry.key, value: valueOfJson('value' in entry ? entry.value : {}) }
  })
  return { entries }
}

/** The depth is bounded, because readers of requests reject values deeper than MAX_VALUE_DEPTH. */
function valueOfJson(value: unknown): AnyValue {
  if (typeof value !== 'object' || value === null) throw new AttributeTextError('a nested attribute value has no kind')
  const json = value as JsonValue
  if (typeof json.stringValue === 'string') return json.stringValue
  if (typeof json.boolValue === 'boolean') return json.boolValue
  if (json.intValue !== undefined) return intOf(json.intValue)
  if (typeof json.doubleValue === 'number') return json.doubleValue
  if (typeof json.doubleValue === 'string') return doubleFromHalves(...doubleHalves(json.doubleValue))
  if (typeof json.bytesValue === 'string') return new Uint8Array(Buffer.from(json.bytesValue, 'base64'))
  if (json.arrayValue !== undefined) return arrayOf(json.arrayValue)
  if (json.kvlistValue !== undefined) return entriesOf(json.kvlistValue)
  if (Object.keys(value).length > 0) throw new AttributeTextError('a nested attribute value has an unknown kind')
  return undefined
}
