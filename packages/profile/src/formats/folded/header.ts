// The header of a folded file: one comment line of `key=value`, in which Hearth keeps content that the lines cannot
// hold. Files of other tools have none. A comment with other keys than those below stays a comment.
//
//   # dialect=extended type=cpu unit=nanoseconds period_type=cpu period_unit=nanoseconds period=10000000
import type { ProfileHeader } from '../../model/build/builder.ts'
import { GrowingBytes } from '../../model/columns/growing-columns.ts'
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from '../../model/columns/int64.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import type { FoldedDialect } from './dialect.ts'
import { parseDialect } from './dialect.ts'
import { appendEscaped, unescapeBytes } from './percent.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export interface FoldedHeader {
  readonly dialect?: FoldedDialect
  /** The numbers at the end of lines with a timestamp are not values: each line counts as one observation. */
  readonly timestampsOnly?: boolean
  readonly profile: Partial<Pick<ProfileHeader, Field>>
}

type Field = 'type' | 'unit' | 'periodType' | 'periodUnit' | 'period' | 'timeUnixNano' | 'durationNano'

const TEXTS = { type: 'type', unit: 'unit', period_type: 'periodType', period_unit: 'periodUnit' } as const
const NUMBERS = { period: 'period', time_unix_nano: 'timeUnixNano', duration_nano: 'durationNano' } as const
const DIALECT = 'dialect'
const SHAPE = 'shape'
const TIMESTAMPS = 'timestamps'

/** Reads the comment line in bytes[from, to), which begins with `#`. Returns undefined if it is not a header. */
export function parseHeader(bytes: Uint8Array, from: number, to: number): FoldedHeader | undefined {
  // Longer comments are not headers, and splitting them would waste memory.
  if (to - from > 4096) return undefined
  const words = decodeUtf8(bytes, from + 1, to)
    .split(/[ \t\r]+/)
    .filter(word => word !== '')
  const header: Mutable<FoldedHeader> = { profile: {} }
  const fields: Mutable<FoldedHeader['profile']> = header.profile
  for (const word of words) {
    const split = word.indexOf('=')
    if (split < 0 || !setField(header, fields, word.slice(0, split), unescapeText(word.slice(split + 1))))
      return undefined
  }
  return words.length === 0 ? undefined : header
}

function setField(
  header: Mutable<FoldedHeader>,
  fields: Mutable<FoldedHeader['profile']>,
  key: string,
  value: string,
): boolean {
  if (key === DIALECT) {
    const dialect = parseDialect(value)
    if (dialect !== undefined) header.dialect = dialect
    return dialect !== undefined
  }
  if (key === SHAPE) {
    header.timestampsOnly = value === TIMESTAMPS
    return value === TIMESTAMPS
  }
  if (Object.hasOwn(TEXTS, key)) {
    fields[TEXTS[key as keyof typeof TEXTS]] = value
    return true
  }
  if (!Object.hasOwn(NUMBERS, key) || !/^-?\d{1,20}$/.test(value)) return false
  const number = BigInt(value)
  if (key === 'period' ? number < MIN_INT64 || number > MAX_INT64 : number < 0n || number > MAX_UINT64) return false
  fields[NUMBERS[key as keyof typeof NUMBERS]] = number
  return true
}

/** The header line with its line break. */
export function formatHeader(header: FoldedHeader): Uint8Array {
  const line = new GrowingBytes()
  const put = (text: string): void => {
    const bytes = encodeUtf8(text)
    line.append(bytes, 0, bytes.length)
  }
  const field = (key: string, value: string): void => {
    const bytes = encodeUtf8(value)
    put(` ${key}=`)
    appendEscaped(bytes, 0, bytes.length, byte => byte <= 0x20 || byte === 0x25 || byte === 0x7f, line)
  }
  put('#')
  if (header.dialect !== undefined) field(DIALECT, header.dialect)
  for (const [key, name] of Object.entries(TEXTS)) {
    const value = header.profile[name]
    // An empty type or unit is written too, because readers default to samples and count.
    if (value !== undefined && (value !== '' || name === 'type' || name === 'unit')) field(key, value)
  }
  for (const [key, name] of Object.entries(NUMBERS)) {
    const value = BigInt(header.profile[name] ?? 0)
    if (value !== 0n) field(key, value.toString())
  }
  if (header.timestampsOnly === true) field(SHAPE, TIMESTAMPS)
  put('\n')
  return line.array.subarray(0, line.length)
}

function unescapeText(text: string): string {
  if (!text.includes('%')) return text
  const bytes = encodeUtf8(text)
  const plain = unescapeBytes(bytes, 0, bytes.length)
  return decodeUtf8(plain)
}
