// What a question selected, summed by stack and at hand: the step that flame graphs, tops, sandwiches and diffs share.
import type { ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal } from '@hearth/profile'
import type { Engine } from '../store/engine.ts'
import type { Measure, Temporalities, Temporality } from './measure.ts'
import { measure } from './measure.ts'
import type { Question } from './question.ts'
import { Asking } from './question.ts'
import type { Resident, Residents } from './resident/residents.ts'
import type { Selection } from './selection.ts'
import { resolve } from './selection.ts'
import type { StackSums } from './stack-sums.ts'
import { stackSums } from './stack-sums.ts'

/** What parts of the query engine work with. */
export interface Workshop {
  readonly engine: Engine
  readonly residents: Residents
  readonly temporalities: Temporalities
}

/** What an answer says of the values in it. */
export interface Measured {
  /** Empty where nothing was found. */
  readonly type: string
  readonly unit: string
  readonly temporality: Temporality
  /** How many profiles it was made of. */
  readonly profiles: number
  /** Whether a sample is among them whose own sum is beyond 64 bits and counts as their limit; only in spans. */
  readonly clamped: boolean
}

export interface Weighed {
  readonly measured: Measured
  readonly resident: Resident
  /** Numbers of resident stacks. One that is not stored is 0, which then comes more than once. */
  readonly stacks: Int32Array
  readonly sums: StackSums
  /** The sum of all, exact whatever its size. */
  readonly sum: bigint
}

export async function weigh(workshop: Workshop, question: Question): Promise<Weighed> {
  const asking = new Asking(workshop.engine, question)
  const selection = await resolve(asking)
  const [measured, sums] = await measuredSums(workshop, selection)
  const resident = workshop.residents.of(asking.tenant)
  await resident.symbols.load(asking, sums.ids)
  const stacks = new Int32Array(sums.length)
  for (let s = 0; s < stacks.length; s++) stacks[s] = resident.symbols.stack(sums.ids[2 * s], sums.ids[2 * s + 1])
  asking.checkSignal()
  return { measured: measuredOf(measured), resident, stacks, sums, sum: sumOf(sums) }
}

async function measuredSums(workshop: Workshop, selection: Selection): Promise<[Measure, StackSums]> {
  if (!selection.bySpan) {
    const measured = await measure(selection, workshop.temporalities)
    return [measured, await stackSums(selection, measured)]
  }
  // The samples of a trace are few: summing them before it is known whether that makes sense costs less than waiting for it.
  const [measured, sums] = await Promise.all([
    measure(selection, workshop.temporalities),
    stackSums(selection, {
      series: selection.series,
      factors: new Map(),
      overflowed: false,
      temporality: 'unspecified',
    }),
  ])
  return [measured, measured.factors.size === 0 ? sums : await stackSums(selection, measured)]
}

export function measuredOf({ type, unit, temporality, profiles, clamped }: Measure): Measured {
  return { type, unit, temporality, profiles, clamped }
}

/** The sum of weights, exact whatever its size. */
export function sumOf({ weight, exact }: Pick<StackSums, 'weight' | 'exact'>): bigint {
  let near = 0
  for (let s = 0; s < weight.length; s++) near += weight[s]
  if (exact === undefined) return BigInt(near)
  let remainder = 0n
  for (let s = 0; s < exact.length; s++) remainder = BigInt.asIntN(64, remainder + exact[s])
  const column = Float64Array.of(near)
  const columnExact = BigInt64Array.of(remainder)
  return exactSelf({ self: column, total: column, selfExact: columnExact, totalExact: columnExact }, 0)
}

/** Whether a sum in the columns left the range of int64, so that its exact column holds only the remainder. */
export function overflows(columns: ValueColumns): boolean {
  const { selfExact, totalExact } = columns
  if (selfExact === undefined || totalExact === undefined) return false
  for (let i = 0; i < selfExact.length; i++) {
    if (exactSelf(columns, i) !== selfExact[i] || exactTotal(columns, i) !== totalExact[i]) return true
  }
  return false
}
