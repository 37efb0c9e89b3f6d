// The kinds of events: their profile types and processes, by series, in the order of their first event.
import type { SampleClock } from '@hearth/profile'
import { clockOf } from '@hearth/profile'
import { IdIndex } from '../../store/symbols/id-index.ts'
import { attributeKey } from '../select/attribute-key.ts'
import { ValuePool, resourceValues, scopeValues } from '../select/attribute-values.ts'
import type { RunningQuery } from '../query.ts'
import type { SeriesRow } from '../select/series-rows.ts'

export interface EventKind {
  readonly type: string
  readonly unit: string
  /** The clock of the samples. */
  readonly clock: SampleClock
  readonly periodType: string
  readonly periodUnit: string
  /** The longest period of the profiles; 0 if unknown. */
  readonly period: bigint
}

export interface EventResource {
  readonly id: bigint
  readonly service: string
  /** The attributes that distinguish processes. */
  readonly attributes: readonly { readonly key: string; readonly text: string }[]
}

const RESOURCE_KEYS = ['service.instance.id', 'host.name', 'k8s.pod.name', 'container.id', 'process.pid'] as const

interface SeriesKind {
  readonly number: number
  /** Row in the response's resources, and its id. */
  readonly resource: number
  readonly resourceId: bigint
}

export class Kinds {
  readonly all: EventKind[] = []
  readonly resources: bigint[] = []
  readonly #series: ReadonlyMap<bigint, SeriesRow>
  readonly #periods: ReadonlyMap<bigint, bigint>
  readonly #scopeNames: ReadonlyMap<bigint, string>
  readonly #index = new IdIndex()
  readonly #known: (SeriesKind | undefined)[] = []

  constructor(
    series: readonly SeriesRow[],
    periods: ReadonlyMap<bigint, bigint>,
    scopeNames: ReadonlyMap<bigint, string>,
  ) {
    this.#series = new Map(series.map(row => [row.id, row]))
    this.#periods = periods
    this.#scopeNames = scopeNames
  }

  of(lo: number, hi: number): SeriesKind {
    const number = this.#index.add(lo, hi)
    return (this.#known[number] ??= this.#make(this.#index.bigint(number)))
  }

  #make(id: bigint): SeriesKind {
    const {
      resource = 0n,
      scope = 0n,
      type = '',
      unit = '',
      periodType = '',
      periodUnit = '',
    } = this.#series.get(id) ?? {}
    const clock = clockOf(type, this.#scopeNames.get(scope))
    const period = this.#periods.get(id) ?? 0n
    const same = (kind: EventKind) =>
      kind.type === type &&
      kind.unit === unit &&
      kind.clock === clock &&
      kind.periodType === periodType &&
      kind.periodUnit === periodUnit
    let number = this.all.findIndex(same)
    if (number < 0) number = this.all.push({ type, unit, clock, periodType, periodUnit, period }) - 1
    else if (period > this.all[number].period) this.all[number] = { ...this.all[number], period }
    let row = this.resources.indexOf(resource)
    if (row < 0) row = this.resources.push(resource) - 1
    return { number, resource: row, resourceId: resource }
  }
}

/** Names by scope id. */
export async function scopeNamesOf(
  running: RunningQuery,
  series: readonly SeriesRow[],
): Promise<ReadonlyMap<bigint, string>> {
  if (series.length === 0) return new Map()
  const found = await scopeValues(running, attributeKey('scope.name'), series, new ValuePool())
  return new Map([...found].map(([id, { text }]) => [id, text]))
}

export async function resourcesOf(
  running: RunningQuery,
  ids: readonly bigint[],
  series: readonly SeriesRow[],
): Promise<EventResource[]> {
  const ofThese = new Set(ids)
  const rows = series.filter(({ resource }) => ofThese.has(resource))
  const services = new Map(rows.map(({ resource, service }) => [resource, service]))
  const pool = new ValuePool()
  const found = await Promise.all(
    RESOURCE_KEYS.map(async key => ({
      key,
      values:
        rows.length === 0 ? new Map<bigint, never>() : await resourceValues(running, attributeKey(key), rows, pool),
    })),
  )
  return ids.map(id => ({
    id,
    service: services.get(id) ?? '',
    attributes: found.flatMap(({ key, values }) => {
      const value = values.get(id)
      return value === undefined ? [] : [{ key, text: value.text }]
    }),
  }))
}
