// A stretch of time as addresses have it: `1200-3400`, in whole nanoseconds since 1970 or whatever else a file counts from.
import type { Field } from './route-fields.ts'

/** `until` is not in it. */
export interface TimeSpan {
  readonly from: bigint
  readonly until: bigint
}

/** Of times from an origin. */
export function formatSpan(origin: bigint, from: number, until: number): string {
  const first = origin + BigInt(Math.max(0, Math.floor(from)))
  const last = origin + BigInt(Math.max(0, Math.ceil(until)))
  return `${first}-${last > first ? last : first + 1n}`
}

/** Undefined for all of it, and for what has no sense. */
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
