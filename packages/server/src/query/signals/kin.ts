// Which resources are of one process. Traces, logs and profiles of it often come from different senders, which describe it
// by different attributes; two descriptions are kin where they agree on everything that tells processes apart and that both
// have, and have something of it in common.
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'

/** What tells processes apart. */
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

/** 100,000 are some 30 MB. */
const MOST_RESOURCES = 100_000
/** Each is compared with all. */
const MOST_ASKED = 200

/** What every resource says of what tells processes apart: a value for each of IDENTITY, with a sign before it. */
export async function identities(running: RunningQuery): Promise<ReadonlyMap<bigint, readonly string[]>> {
  const values = new Values()
  const keys = IDENTITY.map(key => {
    const name = values.text(key)
    return `if(has(attribute_keys, ${name}), concat('=', attribute_values[indexOf(attribute_keys, ${name})]), '')`
  })
  const block = await running.selectSymbols(
    'resources',
    `SELECT id, ${keys.map((text, k) => `${text} AS k${k}`).join(', ')} FROM resources ` +
      `WHERE tenant = ${values.text(running.tenant)} LIMIT 1 BY id LIMIT ${MOST_RESOURCES + 1}`,
    values.all,
  )
  if (block.rows > MOST_RESOURCES) throw new QueryError('too-many-rows', `more than ${MOST_RESOURCES} resources`)
  const known = new Map<bigint, readonly string[]>()
  for (let row = 0; row < block.rows; row++) {
    known.set(
      block.column('id').bigint(row),
      IDENTITY.map((_, k) => block.column(`k${k}`).text(row)),
    )
  }
  return known
}

/** For each id those of its kin, itself among them. */
export async function kinOf(
  running: RunningQuery,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly bigint[]>> {
  if (ids.length > MOST_ASKED) throw new QueryError('too-many-rows', `more than ${MOST_ASKED} resources at once`)
  const known = await identities(running)
  return new Map(
    ids.map(id => {
      const own = known.get(id)
      const kin = own === undefined ? [] : Array.from(known).filter(([, other]) => areKin(own, other))
      return [id, [...new Set([id, ...kin.map(([other]) => other)])]]
    }),
  )
}

/** Each value with a sign before it; empty where there is none. */
export function areKin(one: readonly string[], other: readonly string[]): boolean {
  let common = 0
  for (const [k, value] of one.entries()) {
    if (value === '' || other[k] === '') continue
    if (value !== other[k]) return false
    common++
  }
  return common > 0
}
