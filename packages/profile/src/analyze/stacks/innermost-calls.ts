// Profiles reduced to what a compiler needs for profile-guided optimisation: the sums of the innermost calls, in one profile
// without labels and times.
import type { ProfileHeader } from '../../model/build/builder.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { DictionaryTransfer } from '../../model/build/dictionary-transfer.ts'
import type { LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { profileTimeRange } from '../../model/columns/time-range.ts'
import { stackWeights } from './stack-weights.ts'

/** The calls of a stack that the Go compiler needs: most inlining decisions concern the innermost ones. Pyroscope's default. */
export const PGO_CALLS = 5

export interface InnermostCalls {
  /** The number of calls that stay of each stack, the function that ran included. 0 means all. */
  readonly calls: number
  /** Sums the lines of the function that ran. The Go compiler uses only the lines of calls. */
  readonly sumLeafLines: boolean
}

/** `rows` are profiles of one type and unit. Throws RangeError if they differ, or if a sum exceeds 64 bits. */
export function innermostCalls(profiles: Profiles, rows: readonly number[], choice: InnermostCalls): Profiles {
  const { dictionary } = profiles
  const { stacks, weight, exact } = stackWeights(profiles, rows)
  const builder = new ProfilesBuilder()
  builder.profile(headerOf(profiles, rows))
  const reducer = new StackReducer(dictionary, builder, choice)
  const sums = new Map<StackIndex, bigint>()
  for (const [slot, stack] of stacks.entries()) {
    const reduced = reducer.reduced(stack as StackIndex)
    sums.set(reduced, (sums.get(reduced) ?? 0n) + (exact?.[slot] ?? BigInt(Math.round(weight[slot]))))
  }
  for (const [stack, sum] of sums) {
    if (BigInt.asIntN(64, sum) !== sum) throw new RangeError(`the sum ${sum} of a stack exceeds 64 bits`)
    if (sum !== 0n) builder.sample({ stack, values: [sum] })
  }
  return builder.build()
}

/** The type, period and time range of the selected profiles. The period is 0 if they differ in it. */
function headerOf(payload: Profiles, rows: readonly number[]): ProfileHeader {
  const { profiles, dictionary } = payload
  const { strings } = dictionary
  const [first] = rows
  const ranges = rows.map(row => profileTimeRange(payload, row)).filter(range => range !== undefined)
  const start = ranges.reduce((low, range) => (range.first < low ? range.first : low), ranges.at(0)?.first ?? 0n)
  const end = ranges.reduce((high, range) => (range.last > high ? range.last : high), start)
  return {
    type: strings.text(profiles.type(first)),
    unit: strings.text(profiles.unit(first)),
    periodType: strings.text(profiles.periodType(first)),
    periodUnit: strings.text(profiles.periodUnit(first)),
    period: rows.every(row => profiles.period(row) === profiles.period(first)) ? profiles.period(first) : 0n,
    timeUnixNano: start,
    durationNano: end - start,
  }
}

class StackReducer {
  readonly #source: Dictionary
  readonly #builder: ProfilesBuilder
  readonly #transfer: DictionaryTransfer
  readonly #choice: InnermostCalls

  constructor(source: Dictionary, builder: ProfilesBuilder, choice: InnermostCalls) {
    this.#source = source
    this.#builder = builder
    this.#transfer = new DictionaryTransfer(source, builder.dictionary)
    this.#choice = choice
  }

  /** Returns a row of the builder's stacks. */
  reduced(stack: StackIndex): StackIndex {
    const { stacks } = this.#source
    const { calls, sumLeafLines } = this.#choice
    const from = stacks.from(stack)
    const to = calls === 0 ? stacks.to(stack) : Math.min(stacks.to(stack), from + calls)
    const path = stacks.locations.slice(from, to)
    return this.#builder.stack(
      path.map((location, k) =>
        k === 0 && sumLeafLines ? this.#withoutLine(location) : this.#transfer.location(location),
      ),
    )
  }

  /** The location without the line of its innermost function, and without the address, which would imply the line. */
  #withoutLine(row: LocationIndex): LocationIndex {
    const { locations } = this.#source
    const { lines } = locations
    const from = locations.linesFrom(row)
    return this.#builder.location({
      mapping: this.#transfer.mapping(locations.mapping(row)),
      lines: Array.from({ length: locations.linesTo(row) - from }, (_, k) => ({
        function: this.#transfer.function(lines.function(from + k)),
        ...(k === 0 ? {} : { line: lines.line(from + k) }),
      })),
    })
  }
}
