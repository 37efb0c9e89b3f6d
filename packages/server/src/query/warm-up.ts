// Reads from the store what the first queries need.
import { wordsOf } from '../store/symbols/symbol-table.ts'
import type { QueryContext } from './query-context.ts'
import { RunningQuery } from './query.ts'
import { Values } from './statement.ts'

/** Tenants whose symbols are read. The catalogs of more tenants are read. */
const MAX_TENANTS = 10
const RECENT = 3_600_000_000_000n
/** About 20 MB with their symbols. */
const MAX_STACKS = 100_000

/** To be called when everything acknowledged is in the store. */
export async function warmUp(context: QueryContext): Promise<void> {
  const { catalog } = context
  if (catalog === undefined) return
  const tenants = await catalog.load()
  for (const tenant of tenants.slice(0, MAX_TENANTS)) {
    const latest = (await catalog.of(tenant))?.latest
    if (latest !== undefined) await loadStacks(context, tenant, latest)
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
