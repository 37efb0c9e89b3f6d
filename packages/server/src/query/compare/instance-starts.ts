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

/** A profile covers this much time after its start. */
const PROFILE_LENGTH = 10_000_000_000n

export interface WarmUps {
  /** For each resource that started in the range, the time until which its profiles do not count. */
  readonly ends: ReadonlyMap<bigint, bigint>
  /** The part of the time of all instances that counts. */
  readonly counted: number
}

export const NO_WARM_UPS: WarmUps = { ends: new Map(), counted: 1 }

/** Processes that end soon, such as jobs, count fully: their start is part of their work. */
export async function warmUps(context: QueryContext, query: Query, warmUp: bigint): Promise<WarmUps> {
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
  let [whole, skipped] = [0n, 0n]
  for (const [resource, { first, last }] of lives) {
    const end = first + warmUp
    const [begins, stops] = [first > query.from ? first : query.from, earlier(last + PROFILE_LENGTH, query.to)]
    if (stops > begins) whole += stops - begins
    // With profiles as old as the search goes, it has run for longer.
    if (end <= query.from || first < from + STILL_RUNNING) continue
    const isJob = last - first < 2n * warmUp && last + STILL_RUNNING < query.to
    if (isJob) continue
    ends.set(resource, end)
    if (stops > begins) skipped += earlier(end, stops) - begins
  }
  return { ends, counted: whole === 0n ? 1 : Number(whole - skipped) / Number(whole) }
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
