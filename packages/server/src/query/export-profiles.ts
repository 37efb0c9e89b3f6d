// The profiles that a question selects as the model has them, in sets of some 200,000 observations, for any format that can
// be written. Where single samples are selected, the others are left out.
import type { AttributeIndex, Profiles } from '@hearth/profile'
import { ProfileColumn, ProfilesBuilder } from '@hearth/profile'
import { readProfiles } from '../store/profiles/read-profiles.ts'
import { REFERENCE_COLUMNS, printReference, referenceAt } from './profile-reference.ts'
import { keptSamples, profilesWhere } from './profiles-where.ts'
import type { Question } from './question.ts'
import { Asking } from './question.ts'
import type { Selection } from './selection.ts'
import { resolve } from './selection.ts'
import { Values } from './statement.ts'
import type { Workshop } from './weights.ts'

/** By series and time. Profiles of which nothing is selected are left out. */
export async function* exportProfiles(workshop: Workshop, question: Question): AsyncGenerator<Profiles> {
  const asking = new Asking(workshop.engine, question)
  const selection = await resolve(asking)
  if (selection.series.length === 0) return
  const values = new Values()
  const where = profilesWhere(selection, values)
  const kept = selection.bySpan
    ? await keptBySpan(selection)
    : selection.bySample
      ? await keptByProfile(selection)
      : undefined
  const signal = asking.signal === undefined ? {} : { signal: asking.signal }
  let at = 0
  for await (const profiles of readProfiles(asking.limitedEngine, asking.tenant, {
    where,
    parameters: values.all,
    ...signal,
  })) {
    const count = profiles.profiles.length
    yield kept === undefined ? profiles : withSamples(profiles, kept.slice(at, at + count))
    at += count
  }
}

/** In the order in which readProfiles gives them. */
const ORDER = 'series, time, request, received, scope_index, item_index'

/** For each profile the numbers of its samples that are selected. */
async function keptByProfile(selection: Selection): Promise<Uint32Array[]> {
  const values = new Values()
  const block = await selection.asking.selectLimited(
    `SELECT ${keptSamples(selection, values)} AS kept FROM profiles WHERE ${profilesWhere(selection, values)} ORDER BY ${ORDER}`,
    values.all,
    'profiles',
  )
  const lists: Uint32Array[] = []
  for (let row = 0; row < block.rows; row++) {
    const column = block.column('kept')
    const from = column.from(row)
    lists.push(Uint32Array.from({ length: column.to(row) - from }, (_, k) => column.values.number(from + k) - 1))
  }
  return lists
}

/** The same where the samples are those of spans, which are found by themselves. */
async function keptBySpan(selection: Selection): Promise<Uint32Array[]> {
  const { asking } = selection
  const values = new Values()
  const references = REFERENCE_COLUMNS.join(', ')
  const samples = selection.samplesWhere(values).replaceAll('sample_set', 'attributes')
  const block = await asking.selectLimited(
    `SELECT ${references}, groupArray(sample_index) AS kept FROM span_samples ` +
      `WHERE ${selection.rowsWhere(values)} AND ${samples} GROUP BY ${references}`,
    values.all,
    'profiles',
  )
  const found = new Map<string, Uint32Array>()
  for (let row = 0; row < block.rows; row++) {
    const column = block.column('kept')
    const numbers = Array.from({ length: column.to(row) - column.from(row) }, (_, k) =>
      column.values.number(column.from(row) + k),
    )
    found.set(printReference(referenceAt(block, row)), Uint32Array.from(numbers).sort())
  }
  const inOrder = new Values()
  const list = await asking.selectLimited(
    `SELECT ${references} FROM profiles WHERE ${profilesWhere(selection, inOrder)} ORDER BY ${ORDER}`,
    inOrder.all,
    'profiles',
  )
  return Array.from(
    { length: list.rows },
    (_, row) => found.get(printReference(referenceAt(list, row))) ?? new Uint32Array(0),
  )
}

/** The same profiles with only these of their samples, over the same dictionary. */
function withSamples(profiles: Profiles, kept: readonly Uint32Array[]): Profiles {
  const builder = new ProfilesBuilder()
  const { resources, scopes, profiles: table } = profiles
  for (let r = 0; r < resources.length; r++) {
    builder.resource(resources.resource(r), resources.schemaUrl(r))
    for (let s = resources.from(r); s < resources.to(r); s++) {
      builder.scope(scopes.scope(s), scopes.schemaUrl(s))
      for (let i = scopes.from(s); i < scopes.to(s); i++) {
        const columns = Int32Array.from({ length: ProfileColumn.idOffset }, (_, c) => table.column(i, c))
        builder.profileRow(columns)
        builder.profileBytes('idOffset', table.id(i))
        for (let k = table.attributesFrom(i); k < table.attributesTo(i); k++) {
          builder.profileAttribute(table.attributes.at(k) as AttributeIndex)
        }
        for (const sample of kept[i] ?? []) addSample(builder, profiles, table.samplesFrom(i) + sample)
      }
    }
  }
  return { ...builder.build(), dictionary: profiles.dictionary }
}

function addSample(builder: ProfilesBuilder, { samples }: Profiles, i: number): void {
  const { draft } = builder
  const { attributes, values, timestamps } = samples
  const push = (pool: { ints: Int32Array; base: number }, target: typeof draft.values, from: number, to: number) =>
    target.pushAll(pool.ints, pool.base + from, pool.base + to)
  push(attributes, draft.sampleAttributes, samples.attributesFrom(i), samples.attributesTo(i))
  push(values, draft.values, 2 * samples.valuesFrom(i), 2 * samples.valuesTo(i))
  push(timestamps, draft.timestamps, 2 * samples.timestampsFrom(i), 2 * samples.timestampsTo(i))
  builder.sampleRow(samples.stack(i), samples.link(i))
}
