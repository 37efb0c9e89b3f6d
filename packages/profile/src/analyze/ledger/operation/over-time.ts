// Average ledgers by interval and by value of an attribute.
import type { AverageLedger } from './average-ledger.ts'
import { averageLedger } from './average-ledger.ts'
import type { RequestLedgers } from './request-ledgers.ts'

export interface IntervalLedger extends AverageLedger {
  /** Nanoseconds since 1970. */
  readonly from: bigint
}

/** One ledger for each interval from `from` on, also for those without requests. Requests count in the interval of their start. */
export function ledgersOverTime(ledgers: RequestLedgers, from: bigint, to: bigint, step: bigint): IntervalLedger[] {
  const members: number[][] = Array.from({ length: Number((to - from + step - 1n) / step) }, () => [])
  for (let i = 0; i < ledgers.length; i++) members[Number((ledgers.start[i] - from) / step)]?.push(i)
  return members.map((each, i) => ({ from: from + BigInt(i) * step, ...averageLedger(ledgers, each) }))
}

export interface ValueLedger extends AverageLedger {
  readonly value: string
}

/** One ledger for each value, those with the most requests first. `valueOf` returns undefined for requests without the attribute. */
export function ledgersByValue(
  ledgers: RequestLedgers,
  valueOf: (request: number) => string | undefined,
  limit: number,
): { readonly values: ValueLedger[]; readonly hidden: number } {
  const members = new Map<string, number[]>()
  for (let i = 0; i < ledgers.length; i++) {
    const value = valueOf(i)
    if (value === undefined) continue
    const list = members.get(value)
    if (list === undefined) members.set(value, [i])
    else list.push(i)
  }
  const sorted = [...members].sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
  const values = sorted.slice(0, limit).map(([value, list]) => ({ value, ...averageLedger(ledgers, list) }))
  return { values, hidden: sorted.length - values.length }
}
