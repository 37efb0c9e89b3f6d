// Reads a size or an ordinal, which are integers although JSON has only one kind of number.
import { int64 } from '../../model/columns/int64.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { NoteList } from '../format.ts'

export function readSize(reader: JsonReader, notes: NoteList): bigint {
  reader.peek()
  const at = reader.offset
  const value = reader.number()
  if (Number.isSafeInteger(value)) return BigInt(value)
  if (!(Math.abs(value) <= 2 ** 63)) reader.fail('a number exceeds 64 bits', at)
  if (!Number.isInteger(value)) {
    notes.add('rounded-values', 'sizes with decimals are rounded')
    return BigInt(Math.round(value))
  }
  // Doubles beyond 2^53 have lost their last digits.
  reader.offset = at
  reader.int64('signed')
  return int64(reader.lo, reader.hi)
}
