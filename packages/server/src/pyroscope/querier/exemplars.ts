// Exemplars: single profiles and spans that represent a point. A profile is named by its UUID, or by its reference in
// the store if it was sent without one. profile_id_selector accepts both.
import type { Exemplar } from '../../query/series/series-totals.ts'
import { REFERENCE_COLUMNS, parseReference, printReference, referenceAt } from '../../query/select/profile-reference.ts'
import type { Query } from '../../query/query.ts'
import { RunningQuery } from '../../query/query.ts'
import { Values } from '../../query/statement.ts'
import type { ReadEngine } from '../../store/engine.ts'
import type { ExemplarMessage } from '../messages/types-messages.ts'
import type { LabelMap } from './labels/stored-labels.ts'
import { NO_LABELS, labelsIn } from './labels/stored-labels.ts'

const NANOS_PER_MILLI = 1_000_000n

export interface KnownProfile {
  readonly id: string
  readonly time: bigint
  readonly labels: LabelMap
}

/** The stored properties of profiles, by reference. */
export async function profilesNamed(
  engine: ReadEngine,
  query: Query,
  references: readonly string[],
): Promise<ReadonlyMap<string, KnownProfile>> {
  const found = new Map<string, KnownProfile>()
  if (references.length === 0) return found
  const running = new RunningQuery(engine, { ...query, selector: '' })
  const parsed = references.map(parseReference)
  const values = new Values()
  const series = values.ids(new Set(parsed.map(reference => reference.series)))
  const requests = new Map(parsed.map(({ request }) => [Buffer.from(request).toString('hex'), request]))
  const times = [values.time(query.from), values.time(query.to)]
  const block = await running.selectLimited(
    `SELECT ${REFERENCE_COLUMNS.join(', ')}, lower(hex(profile_id)) AS id, time, resource FROM profiles WHERE ` +
      `tenant = ${values.text(query.tenant)} AND series IN ${series} AND time >= ${times[0]} AND time < ${times[1]} ` +
      `AND request IN ${values.add('Array(FixedString(16))', [...requests.values()])}`,
    values.all,
    'profiles of the same requests',
  )
  const wanted = new Set(references)
  const rows = Array.from({ length: block.rows }, (_, row) => row).filter(row =>
    wanted.has(printReference(referenceAt(block, row))),
  )
  const labels = await labelsIn(
    running,
    'resources',
    rows.map(row => block.column('resource').bigint(row)),
  )
  for (const row of rows) {
    const reference = printReference(referenceAt(block, row))
    const id = block.column('id').text(row)
    found.set(reference, {
      id: id.length === 32 ? uuidOf(id) : reference,
      time: block.column('time').bigint(row),
      labels: labels.get(block.column('resource').bigint(row)) ?? NO_LABELS,
    })
  }
  return found
}

function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export function exemplarOf(
  { profile, sum }: Pick<Exemplar, 'profile' | 'sum'>,
  known: ReadonlyMap<string, KnownProfile>,
  grouped: ReadonlySet<string>,
): ExemplarMessage | undefined {
  const found = known.get(profile)
  if (found === undefined) return undefined
  return {
    timestamp: found.time / NANOS_PER_MILLI,
    profileId: found.id,
    spanId: '',
    traceId: '',
    value: BigInt.asIntN(64, sum),
    labels: labelPairs(found.labels, grouped),
  }
}

/** Sorted by name, without the labels of the group. */
export function labelPairs(
  labels: LabelMap,
  without: ReadonlySet<string> = new Set(),
): { name: string; value: string }[] {
  return [...labels]
    .filter(([name]) => !without.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }))
}
