// The samples of a query summed by stack, with the stacks resident: the step that flame graphs, top tables, sandwiches and
// diffs share.
import type { SnapshotMode } from '@hearth/profile'
import { isGaugeType, sumOf } from '@hearth/profile'
import type { UnresolvedReason } from '../../symbols/found-binary.ts'
import { UNRESOLVED_REASONS } from '../../symbols/found-binary.ts'
import type { Measure } from '../select/measure.ts'
import { isUniform, knownMeasure, measure } from '../select/measure.ts'
import type { Query } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { RunningQuery } from '../query.ts'
import type { Resident } from '../resident/residents.ts'
import { sampledTime } from '../select/sampled-time.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import type { Grouping } from '../select/series-grouping.ts'
import type { Temporality } from '../select/temporality-key.ts'
import { rootGrouping } from './stack-roots.ts'
import type { StackSums } from './stack-sums.ts'
import { stackSums } from './stack-sums.ts'

/** A response's description of its values. */
export interface Measured {
  /** Empty if the query found nothing. */
  readonly type: string
  readonly unit: string
  readonly temporality: Temporality
  /** The number of profiles. */
  readonly profiles: number
  /** Whether the sum of a single sample exceeded 64 bits and counts as their limit. Only in spans. */
  readonly clamped: boolean
  /** How snapshots were combined; undefined if the type is not a gauge. */
  readonly snapshots: SnapshotMode | undefined
  /** The range that was used, in nanoseconds since 1970. */
  readonly from: bigint
  readonly to: bigint
  readonly notes: readonly QueryNote[]
}

export const QUERY_NOTE_CODES = ['mixed-periods', 'mixed-temporality'] as const
type QueryNoteCode = (typeof QUERY_NOTE_CODES)[number]

/** A remark on the values that a reader should know. */
interface QueryNote {
  readonly code: QueryNoteCode
  readonly message: string
}

/** Stacks with symbols that are not stored: their frames have no name, or are missing. And native frames without a name. */
export interface Missing {
  readonly stacks: number
  /** Their part of the sum. */
  readonly self: bigint
  /** The number of distinct native frames that no debug file has named, by reason. */
  readonly unresolved: readonly Unresolved[]
}

export interface Unresolved {
  readonly reason: UnresolvedReason
  readonly frames: number
}

export interface SummedStacks {
  readonly measured: Measured
  readonly missing: Missing
  readonly resident: Resident
  /** The resident stack of each row. Stacks that are not stored are 0, so 0 may occur more than once. */
  readonly stacks: Int32Array
  readonly sums: StackSums
  /** The sum of all rows, exact whatever its size. */
  readonly sum: bigint
}

/** Stacks with different values of the `roots` attributes are summed separately; see stack-roots.ts. */
export async function sumByStack(
  context: QueryContext,
  query: Query,
  roots: readonly string[] = [],
): Promise<SummedStacks> {
  const time = query.asTime === true ? await sampledTime(context.engine, query) : undefined
  const running = new RunningQuery(context.engine, time === undefined ? query : { ...query, timesPeriod: true })
  const selection = await resolve(running)
  const [measured, sums] = await measuredSums(context, selection, await rootGrouping(selection, roots))
  const resident = context.residents.of(running.tenant)
  await resident.symbols.load(running, sums.ids)
  const stacks = resident.symbols.numbers(sums.ids)
  const missing = missingOf(resident, sums)
  running.checkSignal()
  return { measured: { ...measuredOf(running, measured), ...time }, missing, resident, stacks, sums, sum: sumOf(sums) }
}

export const NOTHING_MISSING: Missing = { stacks: 0, self: 0n, unresolved: [] }

/** An id that occurs more than once counts as one stack. */
export function missingOf(
  { symbols }: Resident,
  { ids, weight, exact }: Pick<StackSums, 'ids' | 'weight' | 'exact'>,
): Missing {
  const counts = symbols.native.hasUnnamed
    ? symbols.unresolvedIn(symbols.numbers(ids))
    : new Map<UnresolvedReason, number>()
  const unresolved = UNRESOLVED_REASONS.filter(reason => counts.has(reason)).map(reason => ({
    reason,
    frames: counts.get(reason) ?? 0,
  }))
  const places = symbols.lacking(ids)
  if (places.length === 0) return { ...NOTHING_MISSING, unresolved }
  const self = sumOf({
    weight: Float64Array.from(places, place => weight[place]),
    exact: exact && BigInt64Array.from(places, place => exact[place]),
  })
  const stacks = new Set(places.map(place => `${ids[2 * place]} ${ids[2 * place + 1]}`)).size
  return { stacks, self, unresolved }
}

/** Assumptions for the optimistic sum: one unit, no overflow, delta temporality, no gauge. The sum is computed again if they are wrong. */
const OPTIMISTIC = {
  factors: new Map(),
  overflowed: false,
  cumulative: false,
  snapshots: undefined,
} as const

/**
 * One statement if the catalog knows whether the values can be added up. Otherwise two statements, which are faster in
 * parallel: the first finds that out, and the second sums. Sums under wrong assumptions are discarded.
 */
async function measuredSums(
  context: QueryContext,
  selection: Selection,
  grouping: Grouping | undefined,
): Promise<[Measure, StackSums]> {
  const { temporalities } = context
  const { series, hasCumulative } = selection
  const known = isUniform(series) && !hasCumulative ? await knownMeasure(selection, temporalities) : undefined
  if (known !== undefined) return [known, await stackSums(selection, known, grouping)]
  // A trace touches few series. Resolving them first is cheaper than scanning all.
  const isClear = selection.bySpan ? !selection.isOfAll : isUniform(series)
  const early = isClear && !hasCumulative && !series.some(({ type }) => isGaugeType(type))
  if (!early) {
    const measured = await measure(selection, temporalities)
    return [measured, await stackSums(selection, measured, grouping)]
  }
  const [measured, sums] = await Promise.all([
    measure(selection, temporalities),
    stackSums(selection, { series, ...OPTIMISTIC }, grouping),
  ])
  const isAsAssumed = measured.factors.size === 0 && !measured.overflowed && !measured.cumulative
  return [measured, isAsAssumed ? sums : await stackSums(selection, measured, grouping)]
}

export function measuredOf({ from, to }: RunningQuery, measure: Measure): Measured {
  const { type, unit, temporality, profiles, clamped, snapshots } = measure
  return { type, unit, temporality, profiles, clamped, snapshots, from, to, notes: notesOn(measure) }
}

function notesOn({ periods, temporality, cumulative }: Measure): readonly QueryNote[] {
  const notes: QueryNote[] = []
  if (periods.length > 0) notes.push(periodNote(periods))
  if (cumulative && temporality !== 'cumulative') {
    const message = 'cumulative profiles were converted to their increase in the range and added to delta profiles'
    notes.push({ code: 'mixed-temporality', message })
  }
  return notes
}

function periodNote(periods: readonly string[]): QueryNote {
  const shown =
    periods.length > 3 ? `${periods.slice(0, 3).join(', ')} and ${periods.length - 3} more` : periods.join(', ')
  const message =
    `samples were counted at different periods (${shown}); the counts are added up, ` +
    'and only a conversion to time uses the period of each profile'
  return { code: 'mixed-periods', message }
}
