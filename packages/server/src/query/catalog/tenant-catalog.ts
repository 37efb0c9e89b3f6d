// The catalog of a tenant in memory: its series, the times and forms of their profiles, and the attributes that they refer to.
// Rows come from the store when it is loaded, and from commits afterwards, in blocks with the same columns.
import type { Block } from '../../store/native/block.ts'
import { IdIndex } from '../../store/symbols/id-index.ts'
import { wordsOf } from '../../store/symbols/symbol-table.ts'
import type { AttributeColumnNames } from '../select/attribute-columns.ts'
import { CONTAINER_ATTRIBUTES, SET_ATTRIBUTES } from '../select/attribute-columns.ts'
import type { SeriesRow } from '../select/series-rows.ts'
import { seriesAt } from '../select/series-rows.ts'
import type { Temporality } from '../select/temporality-key.ts'
import { TEMPORALITY_KEY } from '../select/temporality-key.ts'
import type { HeldAttributes, HeldScope } from './held-attributes.ts'
import { NO_ATTRIBUTES, attributesAt, textOfKey, withService } from './held-attributes.ts'
import type { FormPresence, RunRange, StepSum } from './profile-runs.ts'
import { ProfileRuns, boundsOf } from './profile-runs.ts'

/** Properties that many profiles of a series share. */
export interface ProfileForm {
  /** Id of the profile's attribute set; 0 for none. */
  readonly attributes: bigint
  readonly period: bigint
  readonly overflowed: boolean
  /** The attribute sets of its samples. Undefined if they are not kept. */
  readonly sampleSets: readonly bigint[] | undefined
}

/** Profiles of one series and form. */
export interface Presence extends FormPresence {
  readonly row: SeriesRow
  readonly form: ProfileForm
}

/** Ids of rows that are referred to and not in memory. */
type Missing = Readonly<Record<'series' | 'resources' | 'scopes' | 'attribute_sets', Set<bigint>>>

export class TenantCatalog {
  readonly series = new Map<bigint, SeriesRow>()
  readonly resources = new Map<bigint, HeldAttributes>()
  readonly scopes = new Map<bigint, HeldScope>()
  readonly sets = new Map<bigint, HeldAttributes>()
  /** Attribute sets that state a temporality. */
  readonly temporalities = new Map<bigint, Temporality>()
  hasCumulative = false
  readonly missing: Missing = {
    series: new Set(),
    resources: new Set(),
    scopes: new Set(),
    attribute_sets: new Set(),
  }
  /** Whether the attribute sets of samples are kept. */
  readonly hasSampleSets: boolean
  readonly #runs = new Map<bigint, ProfileRuns>()
  readonly #setsByKey = new Map<string, bigint[]>()
  readonly #forms: ProfileForm[] = []
  readonly #formNumbers = new Map<string, number>()
  readonly #setIds = new IdIndex()
  #attributeKeys: ReadonlySet<string> | undefined
  #runCount = 0
  #attributeBytes = 0
  #latest = 0n

  constructor(hasSampleSets: boolean) {
    this.hasSampleSets = hasSampleSets
  }

  /** The number of runs, forms and attribute sets, and of 64 bytes of attributes: most of the memory. */
  get size(): number {
    return this.#runCount + this.#forms.length + this.#setIds.length + this.sets.size + this.#attributeBytes / 64
  }

  get isComplete(): boolean {
    return Object.values(this.missing).every(ids => ids.size === 0)
  }

  /**
   * Adds rows with `series`, `attributes`, `period`, `overflowed`, `total`, `sets`, and either `time` and `received`, or the
   * same as ranges with a count and any of the totals.
   */
  addProfiles(block: Block, rows = everyRow(block)): void {
    if (rows.length === 0) return
    const isRun = block.names.includes('profiles')
    const words = (name: string): Int32Array => wordsOf(block.column(name))
    const total = words('total')
    const columns = isRun
      ? {
          first: words('first'),
          last: words('last'),
          receivedFirst: words('received_first'),
          receivedLast: words('received_last'),
          total,
        }
      : {
          first: words('time'),
          last: words('time'),
          receivedFirst: words('received'),
          receivedLast: words('received'),
          total,
        }
    const series = block.column('series')
    for (const row of rows) {
      const id = series.bigint(row)
      let runs = this.#runs.get(id)
      if (runs === undefined) {
        this.#runs.set(id, (runs = new ProfileRuns()))
        if (!this.series.has(id)) this.missing.series.add(id)
      }
      runs.add(this.#formAt(block, row), isRun ? block.column('profiles').number(row) : 1, row, columns)
      this.#runCount++
      const last = block.column(isRun ? 'last' : 'time').bigint(row)
      if (last > this.#latest) this.#latest = last
    }
  }

  /** Adds those rows of a symbol table that are missing. */
  addSymbols(table: keyof Missing, block: Block, rows = everyRow(block)): void {
    const missing = this.missing[table]
    if (missing.size === 0) return
    for (const row of rows) {
      const id = block.column('id').bigint(row)
      if (!missing.delete(id)) continue
      this.#attributeKeys = undefined
      switch (table) {
        case 'series':
          this.#addSeries(seriesAt(block, row))
          break
        case 'resources':
          this.resources.set(id, withService(this.#attributesAt(block, row, CONTAINER_ATTRIBUTES)))
          break
        case 'scopes': {
          const [name, version] = [block.column('name').text(row), block.column('version').text(row)]
          this.scopes.set(id, { ...this.#attributesAt(block, row, CONTAINER_ATTRIBUTES), name, version })
          break
        }
        case 'attribute_sets':
          this.#addSet(id, this.#attributesAt(block, row, SET_ATTRIBUTES))
          break
      }
    }
  }

  #attributesAt(block: Block, row: number, columns: AttributeColumnNames): HeldAttributes {
    const attributes = attributesAt(block, row, columns)
    for (const value of attributes.values) this.#attributeBytes += value.length
    return attributes
  }

  #addSeries(row: SeriesRow): void {
    this.series.set(row.id, row)
    if (row.resource !== 0n && !this.resources.has(row.resource)) this.missing.resources.add(row.resource)
    if (row.scope !== 0n && !this.scopes.has(row.scope)) this.missing.scopes.add(row.scope)
  }

  #addSet(id: bigint, attributes: HeldAttributes): void {
    this.sets.set(id, attributes)
    for (const key of attributes.keys) {
      const ids = this.#setsByKey.get(key)
      if (ids === undefined) this.#setsByKey.set(key, [id])
      else ids.push(id)
    }
    const temporality = textOfKey(attributes, TEMPORALITY_KEY)
    if (temporality === 'delta' || temporality === 'cumulative') this.temporalities.set(id, temporality)
    if (temporality === 'cumulative') this.hasCumulative = true
  }

  /** The attribute sets that have any of the keys. There may be 100,000 sets, few of which have a key. */
  setsWith(keys: Iterable<string>): ReadonlyMap<bigint, HeldAttributes> {
    const found = new Map<bigint, HeldAttributes>()
    for (const key of keys)
      for (const id of this.#setsByKey.get(key) ?? []) found.set(id, this.sets.get(id) ?? NO_ATTRIBUTES)
    return found
  }

  /** The names of all attributes. */
  attributeKeys(): ReadonlySet<string> {
    this.#attributeKeys ??= new Set([
      ...[this.resources, this.scopes].flatMap(all => [...all.values()].flatMap(({ keys }) => keys)),
      ...this.#setsByKey.keys(),
    ])
    return this.#attributeKeys
  }

  /** The profiles of the series in the range, once for each form. Undefined if memory is not exact enough. */
  within(series: Iterable<SeriesRow>, range: RunRange): Presence[] | undefined {
    const found: Presence[] = []
    const bounds = boundsOf(range)
    for (const row of series) {
      const forms = this.#runs.get(row.id)?.within(bounds)
      if (forms === undefined) {
        if (this.#runs.has(row.id)) return undefined
        continue
      }
      for (const [form, presence] of forms) found.push({ row, form: this.#forms[form], ...presence })
    }
    return found
  }

  /**
   * Adds the totals of the profiles of a series to sums by step. Steps begin at the start of the range. False if memory is
   * not exact enough.
   */
  addTotals(
    { id }: SeriesRow,
    range: RunRange,
    step: number,
    fits: (form: ProfileForm) => boolean,
    sums: Map<number, StepSum>,
  ): boolean {
    const isSelected = (form: number): boolean => fits(this.#forms[form])
    return this.#runs.get(id)?.addTotals({ range, step, isSelected }, sums) ?? true
  }

  /** Merges the older half of the time of all profiles into hours. */
  coarsen(since: bigint): void {
    this.#runCount = 0
    for (const runs of this.#runs.values()) {
      runs.coarsen(since)
      this.#runCount += runs.length
    }
  }

  /** The time of the last profile. */
  get latest(): bigint {
    return this.#latest
  }

  #formAt(block: Block, row: number): number {
    const attributes = block.column('attributes').bigint(row)
    const period = block.column('period').bigint(row)
    const overflowed = block.column('overflowed').number(row) !== 0
    this.#refer(attributes)
    const numbers: number[] = []
    if (this.hasSampleSets) {
      const lists = block.column('sets')
      const words = wordsOf(lists.values)
      for (let k = lists.from(row); k < lists.to(row); k++) {
        const number = this.#setIds.add(words[2 * k], words[2 * k + 1])
        if (number !== 0) numbers.push(number)
      }
      numbers.sort((a, b) => a - b)
    }
    const key = `${attributes} ${period} ${overflowed} ${numbers.join(' ')}`
    let form = this.#formNumbers.get(key)
    if (form === undefined) {
      const sampleSets = this.hasSampleSets ? numbers.map(number => this.#setIds.bigint(number)) : undefined
      for (const id of sampleSets ?? []) this.#refer(id)
      form = this.#forms.push({ attributes, period, overflowed, sampleSets }) - 1
      this.#formNumbers.set(key, form)
    }
    return form
  }

  #refer(set: bigint): void {
    if (set !== 0n && !this.sets.has(set)) this.missing.attribute_sets.add(set)
  }
}

function everyRow({ rows }: Block): readonly number[] {
  return Array.from({ length: rows }, (_, row) => row)
}
