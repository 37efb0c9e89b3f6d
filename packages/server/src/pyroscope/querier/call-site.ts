// The stacks that begin with given calls, root first. `main`, `run` finds calls of run by main, and not calls of run by
// another function.
import { stackCondition } from '../../query/select/matcher-sql.ts'
import type { RunningQuery } from '../../query/query.ts'
import { QueryError } from '../../query/query-error.ts'
import type { StackPredicate } from '../../query/selector/selector.ts'
import { Values } from '../../query/statement.ts'
import type { CallSite } from '../messages/types-messages.ts'

const MAX_CALLS = 512
/** A statement of 2 MB. */
const MAX_STACKS = 100_000

/** Ids of stacks. Undefined if the request names no call site. */
export async function stacksFrom(
  running: RunningQuery,
  callSite: readonly CallSite[],
): Promise<readonly bigint[] | undefined> {
  if (callSite.length === 0) return undefined
  const names = callSite.map(({ name }) => name)
  if (names.length > MAX_CALLS)
    throw new QueryError('argument', `the call site has ${names.length} calls; the limit is ${MAX_CALLS}`)
  const values = new Values()
  const tenant = values.text(running.tenant)
  const first = stackCondition(values, tenant, predicateOf(names[0]))
  // A location has at least one function, so this many locations contain at least as many calls.
  const block = await running.selectLimited(
    `SELECT id AS stack, any(arrayReverse(arraySlice(locations, -${names.length}))) AS roots FROM stacks ` +
      `WHERE tenant = ${tenant} AND ${first.replace('stack', 'id')} GROUP BY stack`,
    values.all,
    'stacks from the call site',
    MAX_STACKS,
  )
  const roots = block.column('roots')
  const found = Array.from({ length: block.rows }, (_, row) => ({
    id: block.column('stack').bigint(row),
    locations: Array.from({ length: roots.to(row) - roots.from(row) }, (__, k) =>
      roots.values.bigint(roots.from(row) + k),
    ),
  }))
  const calls = await callsOf(running, new Set(found.flatMap(({ locations }) => locations)))
  return found.filter(({ locations }) => beginsWith(locations, calls, names)).map(({ id }) => id)
}

function predicateOf(value: string): StackPredicate {
  return { negated: false, place: 'from', field: 'name', regex: false, value, position: 0, valuePosition: 0 }
}

function beginsWith(
  locations: readonly bigint[],
  calls: ReadonlyMap<bigint, readonly string[]>,
  names: readonly string[],
): boolean {
  let at = 0
  for (const location of locations) {
    // A location without a name is a call of an unknown function.
    for (const name of calls.get(location) ?? ['']) {
      if (name !== names[at++]) return false
      if (at === names.length) return true
    }
  }
  return false
}

/** The names of the functions of each location, outermost first. */
async function callsOf(
  running: RunningQuery,
  ids: ReadonlySet<bigint>,
): Promise<ReadonlyMap<bigint, readonly string[]>> {
  const calls = new Map<bigint, readonly string[]>()
  if (ids.size === 0) return calls
  const values = new Values()
  const tenant = values.text(running.tenant)
  const here = `FROM locations WHERE tenant = ${tenant} AND id IN ${values.ids(ids)}`
  const block = await running.selectLimited(
    'SELECT location, groupArray((place, name)) AS calls FROM (' +
      `SELECT id AS location, function, place FROM (SELECT id, any(line_functions) AS functions ${here} GROUP BY id) ` +
      'ARRAY JOIN functions AS function, arrayEnumerate(functions) AS place) AS l ' +
      "GLOBAL ANY LEFT JOIN (SELECT id, if(name = '', system_name, name) AS name FROM functions " +
      `WHERE tenant = ${tenant} AND id GLOBAL IN (SELECT arrayJoin(line_functions) ${here})) AS f ON l.function = f.id GROUP BY location`,
    values.all,
    'locations',
  )
  for (let row = 0; row < block.rows; row++) {
    const column = block.column('calls')
    const [places, names] = column.values.parts
    const list: string[] = []
    for (let k = column.from(row); k < column.to(row); k++) list[places.number(k) - 1] = names.text(k)
    calls.set(block.column('location').bigint(row), list.reverse())
  }
  return calls
}
