// The selected threads as conditions on samples: a resource, and the attribute sets that name the thread.
import type { LaneKind } from '@hearth/profile'
import { LANE_IDS, LANE_KINDS } from '@hearth/profile'
import { attributeKey } from './attribute-key.ts'
import type { KnownValue } from './attribute-values.ts'
import { ValuePool, setValues } from './attribute-values.ts'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { SeriesRow } from './series-rows.ts'
import type { Values } from '../statement.ts'
import type { ThreadName } from './thread-key.ts'
import { parseThread } from './thread-key.ts'

const MAX_THREADS = 10_000

interface Sets {
  readonly ids: Set<bigint>
  /** Whether samples without a thread are selected. */
  unnamed: boolean
}

export interface ThreadSets {
  /** The selected sets by resource. */
  readonly chosen: ReadonlyMap<bigint, Sets>
  /** Every set that names a thread. */
  readonly named: ReadonlySet<bigint>
}

/** One entry for each kind of lane that the query selects. Undefined if it selects none. */
export async function threadSets(running: RunningQuery): Promise<readonly ThreadSets[] | undefined> {
  const { threads } = running
  if (threads === undefined) return undefined
  if (threads.length > MAX_THREADS) throw new QueryError('argument', `more than ${MAX_THREADS} threads; select fewer`)
  const wanted = threads.map(parseThread)
  const kinds = LANE_KINDS.filter(kind => wanted.some(thread => thread.kind === kind))
  return await Promise.all(
    kinds.map(kind =>
      setsOfKind(
        running,
        kind,
        wanted.filter(thread => thread.kind === kind),
      ),
    ),
  )
}

async function setsOfKind(running: RunningQuery, kind: LaneKind, threads: readonly ThreadName[]): Promise<ThreadSets> {
  const pool = new ValuePool()
  const valuesOf = (key: string) => setValues(running, attributeKey(key), pool)
  const [names, ...ids] = await Promise.all([
    kind === 'thread' ? valuesOf('thread.name') : new Map<bigint, KnownValue>(),
    ...LANE_IDS[kind].map(valuesOf),
  ])
  const idOf = (set: bigint): string => ids.find(values => values.has(set))?.get(set)?.text ?? ''
  const named = new Set([...ids.flatMap(values => [...values.keys()]), ...names.keys()])
  const byText = new Map<string, bigint[]>()
  for (const set of named) {
    const text = threadText(idOf(set), names.get(set)?.text)
    const sets = byText.get(text)
    if (sets === undefined) byText.set(text, [set])
    else sets.push(set)
  }
  const chosen = new Map<bigint, Sets>()
  for (const { resource, id, name, hasUnnamed } of threads) {
    let sets = chosen.get(resource)
    if (sets === undefined) chosen.set(resource, (sets = { ids: new Set(), unnamed: false }))
    for (const each of hasUnnamed ? [name, ''] : [name]) {
      for (const set of byText.get(threadText(id, each)) ?? []) sets.ids.add(set)
    }
    if (id === '' && name === '') sets.unnamed = true
  }
  return { chosen, named }
}

function threadText(id: string, name = ''): string {
  return `${id}\0${name}`
}

/** A condition on `series` and `sample_set`. */
export function inThreads(kinds: readonly ThreadSets[], values: Values, series: readonly SeriesRow[]): string {
  const either: string[] = []
  for (const { chosen, named } of kinds) {
    for (const [resource, { ids, unnamed }] of chosen) {
      const own = series.filter(row => row.resource === resource).map(row => row.id)
      if (own.length === 0) continue
      const sets = `sample_set IN ${values.ids(ids)}`
      const fits = unnamed ? `(${sets} OR sample_set NOT IN ${values.ids(named)})` : sets
      either.push(`(series IN ${values.ids(own)} AND ${fits})`)
    }
  }
  return either.length === 0 ? '0' : `(${either.join(' OR ')})`
}
