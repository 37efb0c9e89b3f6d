// A comparison with absolute values that are divided, each side by its own time, cores or requests. The baseline is scaled so
// that both sides have the divisor of the comparison, which their unit states.
import { scaledBaseline } from '@hearth/profile'
import type { Divisors } from '../address/divisor.ts'
import { divisorOf, unitPer } from '../address/divisor.ts'
import type { Normalisation } from '../address/normalisation.ts'
import { NormalisedSource } from './normalised-source.ts'
import type { ComparisonSource, DiffRows, LinesSource, TreeOrder, TreeResult, TreeSource } from './profile-source.ts'
import type { ServerComparison } from './server-source.ts'

export interface SideDivisors {
  readonly before: Divisors
  readonly after: Divisors
}

export class NormalisedComparison implements ComparisonSource {
  readonly key: string
  readonly before: TreeSource
  readonly after: TreeSource
  readonly versions: { readonly before: LinesSource; readonly after: LinesSource }
  readonly #source: ServerComparison
  readonly #per: Normalisation
  readonly #divisors: SideDivisors
  readonly #factor: number

  private constructor(source: ServerComparison, per: Normalisation, divisors: SideDivisors, factor: number) {
    this.#source = source
    this.#per = per
    this.#divisors = divisors
    this.#factor = factor
    this.key = `${source.key}:per-${per}`
    this.before = NormalisedSource.of(source.before, per, divisors.before)
    this.after = NormalisedSource.of(source.after, per, divisors.after)
    this.versions = source.versions
  }

  /** Returns the source itself for totals and shares, and if a side has no divisor. */
  static of(source: ServerComparison, per: Normalisation, divisors: SideDivisors): ComparisonSource {
    const [before, after] = [divisorOf(per, divisors.before), divisorOf(per, divisors.after)]
    if (per === 'total' || before === undefined || after === undefined) return source
    return new NormalisedComparison(source, per, divisors, after / before)
  }

  async tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeResult> {
    const result = await this.#source.tree(order, absolute, signal)
    if (!absolute) return result
    const { tree } = result
    return { ...result, tree: { ...scaledBaseline(tree, this.#factor), unit: this.#unit(tree.unit) } }
  }

  async rows(signal: AbortSignal): Promise<DiffRows> {
    const found = await this.#source.rows(signal)
    const factor = this.#factor
    return {
      ...found,
      rows: found.rows.map(row => ({
        ...row,
        beforeSelf: row.beforeSelf * factor,
        beforeTotal: row.beforeTotal * factor,
      })),
      beforeSum: found.beforeSum * factor,
      unit: this.#unit(found.unit),
    }
  }

  rooted(roots: readonly string[], addresses = false): ComparisonSource {
    return new NormalisedComparison(this.#source.rooted(roots, addresses), this.#per, this.#divisors, this.#factor)
  }

  attributes(signal: AbortSignal): Promise<readonly string[]> {
    return this.#source.attributes(signal)
  }

  #unit(unit: string): string {
    return unitPer(unit, this.#per, this.#divisors.after)
  }
}
