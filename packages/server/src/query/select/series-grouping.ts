// Groups profiles and samples by attributes. Attributes of series are looked up here, those of attribute sets by the
// engine.
import type { AttributeKey } from './attribute-key.ts'
import { looksAt } from './attribute-key.ts'
import type { KnownValue, ValuesById } from './attribute-values.ts'
import { ValuePool, resourceValues, scopeValues, setValues } from './attribute-values.ts'
import type { RunningQuery } from '../query.ts'
import type { SeriesRow } from './series-rows.ts'
import type { Values } from '../statement.ts'

/** One value per key; undefined if the attribute is absent. */
export type GroupLabels = readonly (KnownValue | undefined)[]

export function labelText(labels: GroupLabels): string {
  return JSON.stringify(labels.map(value => (value === undefined ? '' : `${value.text} ${value.kind}`)))
}

export const NO_SERIES = 0xffff_ffff

/** Distinguishes groups by series, and by attribute set if samples or profiles have the attribute. */
export class Grouping {
  readonly keys: readonly AttributeKey[]
  /** Row in #own. */
  readonly #bySeries: ReadonlyMap<bigint, number>
  readonly #own: readonly GroupLabels[]
  readonly #sets: readonly ValuesById[]
  /** Values of attribute sets, numbered from 1 for the engine. */
  readonly #numbers = new Map<KnownValue, number>()
  readonly #values: (KnownValue | undefined)[] = [undefined]

  static async of(
    running: RunningQuery,
    keys: readonly AttributeKey[],
    series: readonly SeriesRow[],
  ): Promise<Grouping> {
    const pool = new ValuePool()
    const found: { readonly resources: ValuesById; readonly scopes: ValuesById; readonly sets: ValuesById }[] = []
    for (const key of keys) {
      const [resources, scopes, sets] = await Promise.all([
        resourceValues(running, key, series, pool),
        scopeValues(running, key, series, pool),
        setValues(running, key, pool),
      ])
      found.push({ resources, scopes, sets })
    }
    const bySeries = new Map<bigint, number>()
    const own: GroupLabels[] = []
    const numbers = new Map<string, number>()
    for (const row of series) {
      const labels = found.map(({ resources, scopes }) => scopes.get(row.scope) ?? resources.get(row.resource))
      const text = labelText(labels)
      let number = numbers.get(text)
      if (number === undefined) numbers.set(text, (number = own.push(labels) - 1))
      bySeries.set(row.id, number)
    }
    const sets = found.map(each => each.sets)
    return new Grouping(keys, bySeries, own, sets)
  }

  constructor(
    keys: readonly AttributeKey[],
    bySeries: ReadonlyMap<bigint, number>,
    own: readonly GroupLabels[],
    sets: readonly ValuesById[],
  ) {
    this.#own = own
    this.keys = keys
    this.#bySeries = bySeries
    this.#sets = sets
    for (const values of sets) {
      for (const value of values.values()) {
        if (!this.#numbers.has(value)) this.#numbers.set(value, this.#values.push(value) - 1)
      }
    }
  }

  get bySet(): boolean {
    return this.#sets.some(values => values.size > 0)
  }

  /** Columns g0, g1, … with the number of the value of a sample or its profile; 0 if neither has one. */
  columns(values: Values, bySpan: boolean): string[] {
    return this.keys.map((key, k) => {
      const sets = this.#sets[k]
      if (sets.size === 0) return `toUInt32(0) AS g${k}`
      const ids = values.ids(sets.keys())
      const numbers = values.add(
        'Array(UInt32)',
        Array.from(sets.values(), value => this.#numbers.get(value)!),
      )
      const of = (column: string) => `transform(${column}, ${ids}, ${numbers}, toUInt32(0))`
      const own = looksAt(key, 'sample') ? of('sample_set') : 'toUInt32(0)'
      const profiles = looksAt(key, 'profile') && !bySpan ? of('attributes') : 'toUInt32(0)'
      return `if(${own} != 0, ${own}, ${profiles}) AS g${k}`
    })
  }

  /** Whether all series are in one group, as far as series decide. */
  get isSingle(): boolean {
    return this.#own.length === 1
  }

  /** The same as `own` for a series of the selection. */
  ownOf(series: bigint): number {
    return this.#bySeries.get(series) ?? NO_SERIES
  }

  /** The number of the group values that a row's series has. NO_SERIES for series outside of the selection. */
  own(values: Values): string {
    const ids = values.ids(this.#bySeries.keys())
    const numbers = values.add('Array(UInt32)', [...this.#bySeries.values()])
    return `transform(series, ${ids}, ${numbers}, toUInt32(${NO_SERIES}))`
  }

  /** `own` is the value of the column of that name. */
  labels(own: number, numbers: readonly number[]): GroupLabels {
    return this.keys.map((_, k) => this.#values[numbers[k]] ?? this.#own[own]?.[k])
  }
}
