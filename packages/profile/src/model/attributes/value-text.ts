// Formats attribute values as text for tables, frames and file details.
import { hexOf } from '../text/hex.ts'
import type { AnyValue } from '../columns/any-value.ts'
import { isKeyValueList } from '../columns/any-value.ts'

/** Returns an empty string for an undefined value. */
export function valueText(value: AnyValue): string {
  if (value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  if (value instanceof Uint8Array) return `0x${hexOf(value)}`
  if (isKeyValueList(value)) return `{${value.entries.map(each => `${each.key}: ${valueText(each.value)}`).join(', ')}}`
  return `[${value.map(valueText).join(', ')}]`
}
