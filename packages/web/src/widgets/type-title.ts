// The name of a profile type as the UI shows it.
import { canonicalUnit } from '@hearth/profile'

/** Converts `cpu:nanoseconds` to `cpu (ns)` and `alloc_space:By` to `alloc_space (B)`. A count has no unit: `samples`. */
export function typeTitle(key: string): string {
  const colon = key.lastIndexOf(':')
  if (colon === -1) return key
  const symbol = unitSymbol(key.slice(colon + 1))
  return symbol === '' ? key.slice(0, colon) : `${key.slice(0, colon)} (${symbol})`
}

/** Converts `By` to `B` and `nanoseconds` to `ns`. Returns an empty string for a count. */
export function unitSymbol(unit: string): string {
  const ucum = canonicalUnit(unit)
  if (ucum === '1' || ucum.startsWith('{')) return ''
  return ucum === 'us' ? '\u00b5s' : ucum.replace(/By$/, 'B')
}
