// Whether a reference to the string table means "not set": index 0, whatever its row, or an empty string elsewhere.
import type { StringIndex } from '../columns/brand.ts'
import type { StringTable } from '../columns/dictionary.ts'

export function isUnset(strings: StringTable, index: StringIndex): boolean {
  return index === 0 || strings.byteLength(index) === 0
}
