// A time span in addresses: `1200-3400`, in whole nanoseconds since 1970 or by the clock of the file.
import type { Field } from './route-fields.ts'

/** `until` is exclusive. */
export interface TimeSpan {
  readonly from: bigint
  readonly until: bigint
}

/** Times are relative to the origin. */
export function formatSpan(origin: bigint, from: number, until: number): string {
  const first = origin + BigInt(Math.max(0, Math.floor(from)))
  const last = origin + BigInt(Math.max(0, Math.ceil(until)))
  return `${first}-${last > first ? last : first + 1n}`
}

/** Returns undefined for the whole time and for invalid text. */
export function parseSpan(text: string): TimeSpan | undefined {
  const match = /^(\d{1,20})-(\d{1,20})$/.exec(text)
  if (match === null) return undefined
  const [from, until] = [BigInt(match[1]), BigInt(match[2])]
  return until > from ? { from, until } : undefined
}

export const spanField: Field<TimeSpan | undefined> = {
  read: values => parseSpan(values[0] ?? ''),
  write: value => (value === undefined ? [] : [`${value.from}-${value.until}`]),
}
