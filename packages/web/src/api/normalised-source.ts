// A profile source whose values are shown normalised. The sums stay the same; only their unit states the divisor.
import type { LaneKind } from '@hearth/profile'
import type { Divisors } from '../address/divisor.ts'
import { unitPer } from '../address/divisor.ts'
import type { Normalisation } from '../address/normalisation.ts'
import type {
  ComparisonSource,
  FrameName,
  HeatMapChoice,
  HeatMapResponse,
  Part,
  ProfileSource,
  SandwichTrees,
  SourceFile,
  TimelineEvents,
  TimelineResult,
  TopColumns,
  TreeOrder,
  TreeResult,
  WrittenFile,
} from './profile-source.ts'

export class NormalisedSource implements ProfileSource {
  readonly key: string
  readonly query?: NonNullable<ProfileSource['query']>
  readonly #source: ProfileSource
  readonly #per: Normalisation
  readonly #divisors: Divisors

  private constructor(source: ProfileSource, per: Normalisation, divisors: Divisors) {
    this.#source = source
    this.#per = per
    this.#divisors = divisors
    if (source.query !== undefined) this.query = source.query
    // A refresh changes the divisors a little. That is no reason to request everything again.
    this.key = `${source.key}:per-${per}`
  }

  /** Returns the source itself for totals. */
  static of(source: ProfileSource, per: Normalisation, divisors: Divisors): ProfileSource {
    return per === 'total' ? source : new NormalisedSource(source, per, divisors)
  }

  async tree(order: TreeOrder, signal: AbortSignal): Promise<TreeResult> {
    const result = await this.#source.tree(order, signal)
    const { tree } = result
    return { ...result, tree: { ...tree, unit: this.#unit(tree.unit, tree.sum) } }
  }

  async top(signal: AbortSignal): Promise<TopColumns> {
    return this.#columns(await this.#source.top(signal))
  }

  async lines(signal: AbortSignal): Promise<TopColumns> {
    return this.#columns(await this.#source.lines(signal))
  }

  async sandwich(frame: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined> {
    const found = await this.#source.sandwich(frame, signal)
    if (found === undefined) return undefined
    const { callers, callees, sum } = found
    return {
      ...found,
      callers: { ...callers, unit: this.#unit(callers.unit, sum) },
      callees: { ...callees, unit: this.#unit(callees.unit, sum) },
    }
  }

  sourceFile(file: string, buildIds: readonly string[], signal: AbortSignal): Promise<SourceFile> {
    return this.#source.sourceFile(file, buildIds, signal)
  }

  timeline(thread: string, signal: AbortSignal): Promise<TimelineResult> {
    return this.#source.timeline(thread, signal)
  }

  events(lanes: LaneKind, signal: AbortSignal): Promise<TimelineEvents> {
    return this.#source.events(lanes, signal)
  }

  heatMap(choice: HeatMapChoice, signal: AbortSignal): Promise<HeatMapResponse> {
    return this.#source.heatMap(choice, signal)
  }

  write(format: string, signal: AbortSignal): Promise<WrittenFile> {
    return this.#source.write(format, signal)
  }

  /** A part covers another time, so its values are totals. */
  within(part: Part): ProfileSource {
    return this.#source.within(part)
  }

  rooted(roots: readonly string[], addresses?: boolean): ProfileSource {
    return new NormalisedSource(this.#source.rooted(roots, addresses), this.#per, this.#divisors)
  }

  attributes(signal: AbortSignal): Promise<readonly string[]> {
    return this.#source.attributes(signal)
  }

  ofType(type: string): ProfileSource {
    return new NormalisedSource(this.#source.ofType(type), this.#per, this.#divisors)
  }

  observations(signal: AbortSignal): ReturnType<ProfileSource['observations']> {
    return this.#source.observations(signal)
  }

  compare(before: Part, after: Part): ComparisonSource {
    return this.#source.compare(before, after)
  }

  #columns(columns: TopColumns): TopColumns {
    return { ...columns, unit: this.#unit(columns.unit, columns.sum) }
  }

  #unit(unit: string, sum: bigint): string {
    return unitPer(unit, this.#per, { ...this.#divisors, total: Number(sum) })
  }
}
