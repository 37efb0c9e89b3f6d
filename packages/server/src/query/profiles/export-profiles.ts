// The profiles of a query in the data model, in sets of about 200,000 observations, for any format that can be written.
// If the query selects single samples, the others are dropped.
import type { MappedBinary, MappingIndex, Profiles } from '@hearth/profile'
import { applySymbols, demangleNames, mappedBinary, pickObservations, withRootFrames } from '@hearth/profile'
import { readProfiles } from '../../store/profiles/read-profiles.ts'
import { attributeKey } from '../select/attribute-key.ts'
import { REFERENCE_COLUMNS, printReference, referenceAt } from '../select/profile-reference.ts'
import { keptSamples, profilesWhere } from '../select/profiles-where.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { MissingSymbols } from './missing-symbols.ts'

export interface ExportChoice {
  /** Attributes whose values become functions at the root of the stacks, outermost first. */
  readonly roots?: readonly string[]
  /** Whether native frames get names from debug files; otherwise profiles stay as they were sent. */
  readonly symbols?: boolean
  /** Counts what the store has lost, and whose place in the profiles is empty. Without it, a loss throws SymbolError. */
  readonly missing?: MissingSymbols
}

/** Sorted by series and time, without profiles that have no selected sample. */
export async function* exportProfiles(
  context: QueryContext,
  query: Query,
  { roots = [], symbols = false, missing }: ExportChoice = {},
): AsyncGenerator<Profiles> {
  const running = new RunningQuery(context.engine, query)
  const keys = roots.map(attributeKey).map(({ level, key }) => (level === undefined ? key : `${level}:${key}`))
  const selection = await resolve(running)
  if (selection.series.length === 0) return
  const values = new Values()
  const where = profilesWhere(selection, values)
  const kept = selection.bySpan
    ? await keptBySpan(selection)
    : selection.samplesWhere(new Values()) === '1'
      ? undefined
      : await keptByProfile(selection)
  const signal = running.signal === undefined ? {} : { signal: running.signal }
  let at = 0
  for await (const profiles of readProfiles(running.limitedEngine, running.tenant, {
    where,
    parameters: values.all,
    ...(missing === undefined ? {} : { onFault: missing.onFault }),
    ...signal,
  })) {
    const count = profiles.profiles.length
    const picked = part(profiles, kept?.slice(at, at + count), running)
    yield withRootFrames(symbols ? await withNames(context, running.tenant, picked) : picked, keys)
    at += count
  }
}

/** The profiles with names of native frames, as far as debug files have them. */
async function withNames({ names }: QueryContext, tenant: string, profiles: Profiles): Promise<Profiles> {
  if (names === undefined) return profiles
  const places = new Map<string, MappedBinary>()
  const { mappings } = profiles.dictionary
  for (let row = 1; row < mappings.length; row++) {
    const binary = mappedBinary(profiles, row as MappingIndex)
    places.set(JSON.stringify(binary), binary)
  }
  const found = await names.of(tenant, [...places.values()])
  const byKey = new Map([...places.keys()].map((key, k) => [key, found[k]]))
  const named = applySymbols(profiles, binary => byKey.get(JSON.stringify(binary))?.symbols)
  return demangleNames(named.profiles).profiles
}

/** The order of readProfiles. */
const ORDER = 'series, time, request, received, scope_index, item_index'

/** The indexes of the selected samples of each profile. */
async function keptByProfile(selection: Selection): Promise<Uint32Array[]> {
  const values = new Values()
  const block = await selection.running.selectLimited(
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

/** The same for samples of spans, which have rows of their own. */
async function keptBySpan(selection: Selection): Promise<Uint32Array[]> {
  const { running } = selection
  const values = new Values()
  const references = REFERENCE_COLUMNS.join(', ')
  const samples = selection.samplesWhere(values).replaceAll('sample_set', 'attributes')
  const block = await running.selectLimited(
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
  const list = await running.selectLimited(
    `SELECT ${references} FROM profiles WHERE ${profilesWhere(selection, inOrder)} ORDER BY ${ORDER}`,
    inOrder.all,
    'profiles',
  )
  return Array.from(
    { length: list.rows },
    (_, row) => found.get(printReference(referenceAt(list, row))) ?? new Uint32Array(0),
  )
}

/** The profiles with only these samples. For an exact query, only observations in its range. */
function part(
  profiles: Profiles,
  kept: readonly Uint32Array[] | undefined,
  { from, to, exact }: RunningQuery,
): Profiles {
  if (kept === undefined && !exact) return profiles
  return pickObservations(profiles, {
    ...(kept === undefined ? {} : { samples: sampleTest(profiles, kept) }),
    ...(exact ? { within: { from, until: to } } : {}),
  })
}

function sampleTest({ profiles, samples }: Profiles, kept: readonly Uint32Array[]): (sample: number) => boolean {
  const isKept = new Uint8Array(samples.length)
  for (const [profile, numbers] of kept.entries()) {
    const first = profiles.samplesFrom(profile)
    for (const number of numbers) isKept[first + number] = 1
  }
  return sample => isKept[sample] === 1
}
