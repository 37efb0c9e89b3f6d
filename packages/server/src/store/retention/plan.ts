// Decides which partitions retention drops and which one it cuts. A pure function of the partitions and the limits.
import type { Signal } from '../keeper.ts'
import type { Partition } from './partitions.ts'

/** An absent limit means no limit. */
export interface Keep {
  readonly ageMs?: number | undefined
  readonly bytes?: number | undefined
}

export type KeepBySignal = Readonly<Partial<Record<Signal, Keep | undefined>>>

/** The tables of each signal. A request's own row is dropped when its day is gone from all of them. */
export const TABLES_OF_SIGNAL: Readonly<Record<Signal, readonly string[]>> = {
  profiles: ['profiles', 'span_samples'],
  traces: ['spans'],
  logs: ['logs'],
  metrics: ['metric_points'],
}
const REQUESTS_TABLE = 'requests'

const SIGNALS = Object.keys(TABLES_OF_SIGNAL) as Signal[]
const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 86_400_000

/**
 * Below this age the oldest day is cut by the hour. Above it, a day more or less does not matter. Cuts are not made by the
 * minute, because each cut rewrites the rest of its day.
 */
const CUT_BELOW_MS = 4 * MS_PER_DAY

interface Drop {
  readonly partition: Partition
  readonly signal: Signal | 'requests'
}

/** Rows of one partition that are older than a time, or the oldest share of them. */
export interface Cut {
  readonly partitions: readonly Partition[]
  readonly signal: Signal
  /** Unix milliseconds. Rows received before this time are deleted. */
  readonly before?: number
  /** The share of rows to delete, oldest first. */
  readonly share?: number
}

export interface Plan {
  readonly drops: readonly Drop[]
  readonly cuts: readonly Cut[]
}

/**
 * The first day whose rows may still be on their way into the tables. This is yesterday, because requests can be in flight at
 * midnight, or the day before the oldest commit that the engine has not inserted. Earlier days are complete.
 */
export function unsettledDay(now: number, pendingSince: number | undefined): number {
  return Math.floor(Math.min(now, pendingSince ?? now) / MS_PER_DAY) - 1
}

export function planRetention(
  partitions: readonly Partition[],
  keepOf: (tenant: string) => KeepBySignal,
  now: number,
  unsettled: number,
): Plan {
  const drops: Drop[] = []
  const cuts: Cut[] = []
  for (const tenant of new Set(partitions.map(partition => partition.tenant))) {
    const own = partitions.filter(partition => partition.tenant === tenant)
    const keep = keepOf(tenant)
    const left: Partition[] = []
    for (const signal of SIGNALS) {
      const ofSignal = own.filter(({ table }) => TABLES_OF_SIGNAL[signal].includes(table))
      left.push(...planSignal(ofSignal, signal, keep[signal] ?? {}, now, drops, cuts))
    }
    const days = new Set(left.map(({ day }) => day))
    for (const partition of own) {
      // A request's own row is inserted before its items, which may still be on their way.
      const isSettled = partition.day < unsettled
      if (partition.table === REQUESTS_TABLE && isSettled && !days.has(partition.day))
        drops.push({ partition, signal: 'requests' })
    }
  }
  return { drops, cuts }
}

/** Returns the partitions that stay. */
function planSignal(
  partitions: readonly Partition[],
  signal: Signal,
  { ageMs, bytes }: Keep,
  now: number,
  drops: Drop[],
  cuts: Cut[],
): readonly Partition[] {
  let left: readonly Partition[] = partitions
  if (ageMs !== undefined) {
    const before = now - ageMs
    const isOld = ({ day }: Partition): boolean => (day + 1) * MS_PER_DAY <= before
    drops.push(...left.filter(isOld).map(partition => ({ partition, signal })))
    left = left.filter(partition => !isOld(partition))
    const hour = Math.floor(before / MS_PER_HOUR) * MS_PER_HOUR
    const boundary = left.filter(({ day }) => day * MS_PER_DAY < hour)
    if (boundary.length > 0 && ageMs < CUT_BELOW_MS) cuts.push({ partitions: boundary, signal, before: hour })
  }
  if (bytes !== undefined) left = planSize(left, signal, bytes, drops, cuts)
  return left
}

/** Drops whole days, oldest first, while the rest still reaches the limit. Then cuts a share of the next day. */
function planSize(
  partitions: readonly Partition[],
  signal: Signal,
  limit: number,
  drops: Drop[],
  cuts: Cut[],
): readonly Partition[] {
  let excess = total(partitions) - limit
  let left = partitions
  while (excess > 0) {
    const oldest = Math.min(...left.map(({ day }) => day))
    const ofDay = left.filter(({ day }) => day === oldest)
    const size = total(ofDay)
    if (size > excess) {
      cuts.push({ partitions: ofDay, signal, share: excess / size })
      break
    }
    drops.push(...ofDay.map(partition => ({ partition, signal })))
    left = left.filter(({ day }) => day !== oldest)
    excess -= size
  }
  return left
}

/** Returns the tables whose rows refer to a symbol table, also through other symbols. */
function referrersOf(symbolTable: string): readonly string[] | 'all' {
  // Every signal has resources and scopes, and so have requests.
  return symbolTable === 'resources' || symbolTable === 'scopes' ? 'all' : TABLES_OF_SIGNAL.profiles
}

/**
 * The day before which no row refers to a tenant's symbols. A symbol is written again on each day on which a row refers to
 * it, together with the symbols it refers to. So the rows of a day refer to symbols last seen on that day or later. No row
 * refers to symbols last seen before the oldest day.
 */
export function neededSince(
  partitions: readonly Partition[],
  tenant: string,
  symbolTable: string,
  unsettled: number,
): number {
  const referrers = referrersOf(symbolTable)
  const days = partitions
    .filter(partition => partition.tenant === tenant && (referrers === 'all' || referrers.includes(partition.table)))
    .map(({ day }) => day)
  return Math.min(unsettled, ...days)
}

function total(partitions: readonly Partition[]): number {
  return partitions.reduce((sum, { bytes }) => sum + bytes, 0)
}
