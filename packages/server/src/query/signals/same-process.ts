// Finds resources of the same process. Traces, logs and profiles of a process often come from different senders with
// different attributes. Two resources belong to one process if they share an identifying attribute, and agree on all that
// both have.
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'

/** The identifying attributes of a process. */
const IDENTITY = [
  'service.name',
  'service.namespace',
  'service.instance.id',
  'host.id',
  'host.name',
  'container.id',
  'k8s.pod.uid',
  'process.pid',
] as const

/** 100,000 resources take about 30 MB. */
const MAX_RESOURCES = 100_000
/** Each is compared with all. */
const MAX_IDS = 200

/** The identifying values of every resource: one per entry of IDENTITY, with a prefix. */
export async function identities(running: RunningQuery): Promise<ReadonlyMap<bigint, readonly string[]>> {
  const values = new Values()
  const keys = IDENTITY.map(key => {
    const name = values.text(key)
    return `if(has(attribute_keys, ${name}), concat('=', attribute_values[indexOf(attribute_keys, ${name})]), '')`
  })
  const block = await running.selectSymbols(
    'resources',
    `SELECT id, ${keys.map((text, k) => `${text} AS k${k}`).join(', ')} FROM resources ` +
      `WHERE tenant = ${values.text(running.tenant)} LIMIT 1 BY id LIMIT ${MAX_RESOURCES + 1}`,
    values.all,
  )
  if (block.rows > MAX_RESOURCES)
    throw new QueryError('too-many-rows', `more than ${MAX_RESOURCES} resources; use a narrower selector`)
  const known = new Map<bigint, readonly string[]>()
  for (let row = 0; row < block.rows; row++) {
    known.set(
      block.column('id').bigint(row),
      IDENTITY.map((_, k) => block.column(`k${k}`).text(row)),
    )
  }
  return known
}

/** The resources of the same process for each id, including the id itself. */
export async function resourcesOfProcesses(
  running: RunningQuery,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly bigint[]>> {
  if (ids.length > MAX_IDS)
    throw new QueryError('too-many-rows', `more than ${MAX_IDS} resources in one request; use fewer`)
  const known = await identities(running)
  return new Map(
    ids.map(id => {
      const own = known.get(id)
      const others = own === undefined ? [] : Array.from(known).filter(([, other]) => isSameProcess(own, other))
      return [id, [...new Set([id, ...others.map(([other]) => other)])]]
    }),
  )
}

/** Each value has a prefix; it is empty if absent. */
export function isSameProcess(one: readonly string[], other: readonly string[]): boolean {
  let common = 0
  for (const [k, value] of one.entries()) {
    if (value === '' || other[k] === '') continue
    if (value !== other[k]) return false
    common++
  }
  return common > 0
}
