// Reads from the store what the first queries need, and runs a few.
import { wordsOf } from '../store/symbols/symbol-table.ts'
import type { QueryContext } from './query-context.ts'
import { QueryError } from './query-error.ts'
import { RunningQuery } from './query.ts'
import type { SeriesRow } from './select/series-rows.ts'
import { EMPTY_SELECTOR } from './selector/selector.ts'
import { seriesTotals } from './series/series-totals.ts'
import { Values } from './statement.ts'

/** A series with recent profiles. Times are in nanoseconds since 1970. */
export interface PracticeSeries {
  readonly tenant: string
  readonly series: SeriesRow
  readonly from: bigint
  readonly to: bigint
}

/** Runs requests for a series as users send them. */
export type Practice = (context: QueryContext, series: PracticeSeries) => Promise<void>

/** Tenants whose symbols are read. The catalogs of more tenants are read. */
const MAX_TENANTS = 10
const RECENT = 3_600_000_000_000n
/** About 20 MB with their symbols. */
const MAX_STACKS = 100_000
/** After three, V8 has compiled the functions that take most of the time. */
const PRACTICE_RUNS = 3
/** Runs that start later would delay the start more than they save. */
const MAX_PRACTICE_MS = 100

/** To be called when everything acknowledged is in the store. */
export async function warmUp(context: QueryContext, practice: Practice): Promise<void> {
  const { catalog } = context
  if (catalog === undefined) return
  const tenants = await catalog.load()
  for (const tenant of tenants.slice(0, MAX_TENANTS)) {
    const found = await catalog.of(tenant)
    if (found === undefined) continue
    const { series, latest } = found
    await loadStacks(context, tenant, latest)
    if (tenant !== tenants[0] || series.size === 0) continue
    const from = latest > RECENT ? latest - RECENT : 0n
    await practise(context, practice, { tenant, from, to: latest + 1n }, [...series.values()])
  }
}

/** Runs requests and a series, so that the code and the engine's indexes are in memory. */
async function practise(
  context: QueryContext,
  practice: Practice,
  range: Omit<PracticeSeries, 'series'>,
  all: readonly SeriesRow[],
): Promise<void> {
  const { type, unit, periodType, periodUnit } = all[0]
  const profileType = { name: undefined, type, unit, periodType, periodUnit, position: 0 }
  try {
    const until = performance.now() + MAX_PRACTICE_MS
    for (let i = 0; i < PRACTICE_RUNS && performance.now() < until; i++)
      await practice(context, { ...range, series: all[i % all.length] })
    await seriesTotals(context, { ...range, selector: { ...EMPTY_SELECTOR, profileType } }, { step: RECENT / 60n })
  } catch (error) {
    // For example values that cannot be added up. A user who queries them sees the error.
    if (!(error instanceof QueryError)) throw error
  }
}

/** Reads the stacks of the tenant's last hour. */
async function loadStacks(context: QueryContext, tenant: string, latest: bigint): Promise<void> {
  const from = latest > RECENT ? latest - RECENT : 0n
  const running = new RunningQuery(context.engine, { tenant, from, to: latest + 1n })
  const values = new Values()
  const block = await running.select(
    `SELECT DISTINCT arrayJoin(sample_stacks) AS stack FROM profiles WHERE tenant = ${values.text(tenant)} ` +
      `AND time >= ${values.time(from)} LIMIT ${MAX_STACKS}`,
    values.all,
  )
  if (block.rows === 0) return
  await context.residents.of(tenant).symbols.load(running, wordsOf(block.column('stack')))
  context.residents.trim()
}
