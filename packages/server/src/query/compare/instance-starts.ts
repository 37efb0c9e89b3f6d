// The times until which instances warm up. A process that starts loads and compiles its code, which the version before did long ago:
// it would look like a regression of every new version.
import type { QueryContext } from '../query-context.ts'
import { present } from '../profiles/catalog.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import { resolve } from '../select/selection.ts'

/** An instance without profiles in this time before started after it. */
const LOOK_BACK = 300_000_000_000n
/** Agents send a profile every ten seconds. Two may be missing. */
const STILL_RUNNING = 30_000_000_000n

/**
 * For each resource that started in the range, the time until which its profiles do not count. Processes that end soon, such as jobs, count
 * fully: their start is part of their work.
 */
export async function warmUpEnds(context: QueryContext, query: Query, warmUp: bigint): Promise<Map<bigint, bigint>> {
  const from = query.from > LOOK_BACK ? query.from - LOOK_BACK : 0n
  const selection = await resolve(new RunningQuery(context.engine, { ...query, from }))
  const lives = new Map<bigint, { first: bigint; last: bigint }>()
  for (const { row, first, last } of await present(context, selection)) {
    const known = lives.get(row.resource)
    if (known === undefined) lives.set(row.resource, { first, last })
    else {
      if (first < known.first) known.first = first
      if (last > known.last) known.last = last
    }
  }
  const ends = new Map<bigint, bigint>()
  for (const [resource, { first, last }] of lives) {
    const end = first + warmUp
    // With profiles as old as the search goes, it has run for longer.
    if (end <= query.from || first < from + STILL_RUNNING) continue
    const isJob = last - first < 2n * warmUp && last + STILL_RUNNING < query.to
    if (!isJob) ends.set(resource, end)
  }
  return ends
}
