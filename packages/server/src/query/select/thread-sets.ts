// The selected threads as conditions on samples: a resource, and the attribute sets that name the thread.
import { attributeKey } from './attribute-key.ts'
import { ValuePool, setValues } from './attribute-values.ts'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { SeriesRow } from './series-rows.ts'
import type { Values } from '../statement.ts'
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

/** Undefined if the query selects no threads. */
export async function threadSets(running: RunningQuery): Promise<ThreadSets | undefined> {
  const { threads } = running
  if (threads === undefined) return undefined
  if (threads.length > MAX_THREADS) throw new QueryError('argument', `more than ${MAX_THREADS} threads; select fewer`)
  const pool = new ValuePool()
  const [ids, names] = await Promise.all([
    setValues(running, attributeKey('thread.id'), pool),
    setValues(running, attributeKey('thread.name'), pool),
  ])
  const named = new Set([...ids.keys(), ...names.keys()])
  const byText = new Map<string, bigint[]>()
  for (const set of named) {
    const text = threadText(ids.get(set)?.text, names.get(set)?.text)
    const sets = byText.get(text)
    if (sets === undefined) byText.set(text, [set])
    else sets.push(set)
  }
  const chosen = new Map<bigint, Sets>()
  for (const key of threads) {
    const { resource, id, name } = parseThread(key)
    let sets = chosen.get(resource)
    if (sets === undefined) chosen.set(resource, (sets = { ids: new Set(), unnamed: false }))
    for (const set of byText.get(threadText(id, name)) ?? []) sets.ids.add(set)
    if (id === '' && name === '') sets.unnamed = true
  }
  return { chosen, named }
}

function threadText(id = '', name = ''): string {
  return `${id}\0${name}`
}

/** A condition on `series` and `sample_set`. */
export function inThreads({ chosen, named }: ThreadSets, values: Values, series: readonly SeriesRow[]): string {
  const either: string[] = []
  for (const [resource, { ids, unnamed }] of chosen) {
    const own = series.filter(row => row.resource === resource).map(row => row.id)
    if (own.length === 0) continue
    const sets = `sample_set IN ${values.ids(ids)}`
    const fits = unnamed ? `(${sets} OR sample_set NOT IN ${values.ids(named)})` : sets
    either.push(`(series IN ${values.ids(own)} AND ${fits})`)
  }
  return either.length === 0 ? '0' : `(${either.join(' OR ')})`
}
