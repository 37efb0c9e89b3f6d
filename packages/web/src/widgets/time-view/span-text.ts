// A part of time as an address has it: `1200-3400`, in whole nanoseconds from the beginning.

export interface TimeSpan {
  readonly from: number
  readonly until: number
}

export function formatSpan({ from, until }: TimeSpan): string {
  const first = Math.max(0, Math.floor(from))
  return `${first}-${Math.max(first + 1, Math.ceil(until))}`
}

/** Undefined for all of it, and for what has no sense. */
export function parseSpan(text: string): TimeSpan | undefined {
  const match = /^(\d{1,16})-(\d{1,16})$/.exec(text)
  if (match === null) return undefined
  const [from, until] = [Number(match[1]), Number(match[2])]
  return until > from ? { from, until } : undefined
}
