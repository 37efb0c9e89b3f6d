// Which partitions have to go, and where one has to be cut: a pure decision over what there is and what is to be kept.
import type { Partition } from './partitions.ts'

export type RetainedSignal = 'profiles' | 'traces' | 'logs' | 'metrics'

/** What is not given is not limited. */
export interface Keep {
  readonly ageMs?: number | undefined
  readonly bytes?: number | undefined
}

export type KeepBySignal = Readonly<Partial<Record<RetainedSignal, Keep | undefined>>>

/** The tables of each signal; a request's own row goes when its day is gone from all of them. */
export const TABLES_OF_SIGNAL: Readonly<Record<RetainedSignal, readonly string[]>> = {
  profiles: ['profiles', 'span_samples'],
  traces: ['spans'],
  logs: ['logs'],
  metrics: ['metric_points'],
}
export const REQUESTS_TABLE = 'requests'

const SIGNALS = Object.keys(TABLES_OF_SIGNAL) as RetainedSignal[]
const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 86_400_000

/**
 * Below this age the oldest day is cut by the hour; above, a day more or less does not matter. By the hour and not by the
 * minute, because each cut writes the rest of its day anew.
 */
const CUT_BELOW_MS = 4 * MS_PER_DAY

export interface Drop {
  readonly partition: Partition
  readonly signal: RetainedSignal | 'requests'
}

/** Rows of one partition that are older than a time, or, by share, the oldest of them. */
export interface Cut {
  readonly partitions: readonly Partition[]
  readonly signal: RetainedSignal
  /** Milliseconds since 1970; rows received before go. */
  readonly before?: number
  /** The share of rows that has to go, oldest first. */
  readonly share?: number
}

export interface Plan {
  readonly drops: readonly Drop[]
  readonly cuts: readonly Cut[]
}

/**
 * The first day of which something may still be on its way into the tables: yesterday, for requests under way at midnight,
 * or the day before the oldest commit that the engine has not taken. Earlier days are all there is of them.
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
      // A request's own row is inserted before its items, which may be on their way.
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
  signal: RetainedSignal,
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

/** Whole days from the oldest on, as long as what is left without them is still enough; then a share of the next. */
function planSize(
  partitions: readonly Partition[],
  signal: RetainedSignal,
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

/** The tables that have rows which lead to rows of a symbol table, through other symbols too. */
function referrersOf(symbolTable: string): readonly string[] | 'all' {
  // Every signal has resources and scopes, and so have the requests themselves.
  return symbolTable === 'resources' || symbolTable === 'scopes' ? 'all' : TABLES_OF_SIGNAL.profiles
}

/**
 * The day before which nothing refers to a tenant's symbols any more. A symbol is announced anew on each day on which
 * something refers to it, with all that it refers to itself: so rows of a day lead to symbols last seen on that day or
 * later, and those last seen before the oldest day are referred to by nothing.
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
