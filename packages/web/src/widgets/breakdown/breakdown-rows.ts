// The values of one attribute with their sums, without the DOM.
import type { AttributeValue, SeriesResponse } from '@hearth/client'
import { valueText } from '../../api/value-text.ts'
import type { Divisors } from '../../address/divisor.ts'
import { unitPer } from '../../address/divisor.ts'
import type { Normalisation } from '../../address/normalisation.ts'
import type { Filter } from '../../address/query.ts'

export interface BreakdownRow {
  /** Empty if the attribute is absent. */
  readonly text: string
  readonly isAbsent: boolean
  readonly sum: bigint
  readonly profiles: number
  /** The sum of each step; undefined without profiles. */
  readonly steps: readonly (number | undefined)[]
}

export interface Breakdown {
  /** Largest first. */
  readonly rows: readonly BreakdownRow[]
  readonly sum: bigint
  readonly unit: string
  readonly step: number
}

export function breakdownOf({ groups, unit, step, snapshots }: SeriesResponse, from: bigint, to: bigint): Breakdown {
  const length = BigInt(step)
  const count = Number((to - from + length - 1n) / length)
  const rows = groups
    .map(({ labels: [label], points }): BreakdownRow => {
      const steps = new Array<number | undefined>(count).fill(undefined)
      for (const { time, value } of points) steps[Number((BigInt(time) - from) / length)] = value
      const all = points.reduce((sum, point) => sum + BigInt(point.sum), 0n)
      return {
        text: valueText(label ?? {}),
        isAbsent: isAbsent(label),
        // Snapshots of different steps are not added up.
        sum: snapshots === undefined ? all : all / BigInt(Math.max(1, points.length)),
        profiles: points.reduce((sum, point) => sum + point.profiles, 0),
        steps,
      }
    })
    .toSorted((a, b) => (a.sum < b.sum ? 1 : a.sum > b.sum ? -1 : a.text.localeCompare(b.text, 'en')))
  return { rows, sum: rows.reduce((sum, each) => sum + each.sum, 0n), unit, step: Number(length) / 1e9 }
}

function isAbsent(label: AttributeValue | undefined): boolean {
  return label === undefined || Object.keys(label).length === 0
}

/** The filter that selects a row. */
export function filterOf(key: string, { text, isAbsent: absent }: BreakdownRow): Filter {
  return absent ? { key, operator: 'absent', value: '' } : { key, operator: '=', value: text }
}

/** Attributes with one value per process are less useful to begin with. */
const FIRST_KEYS = ['service.version', 'http.route', 'thread.name', 'host.name', 'service.name']

/** The attribute to show first. */
export function preferredKey(keys: readonly string[]): string {
  return FIRST_KEYS.find(each => keys.includes(each)) ?? keys[0] ?? ''
}

/** The number of requests of each value, by its text. */
export type RowRequests = ReadonlyMap<string, number>

/** The unit in which the sum of a value is shown. Undefined if values are divided by their own requests, and this one has none. */
export function unitOfRow(
  { text }: BreakdownRow,
  { unit, sum }: Breakdown,
  per: Normalisation,
  divisors: Divisors,
  requests: RowRequests | undefined,
): string | undefined {
  if (requests === undefined) return unitPer(unit, per, { ...divisors, total: Number(sum) })
  const own = requests.get(text) ?? 0
  return own === 0 ? undefined : unitPer(unit, per, { requests: own })
}
