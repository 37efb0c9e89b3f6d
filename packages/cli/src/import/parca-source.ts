// Reads a Parca server through the HTTP form of its query API, which its own UI uses.
import { isGaugeType } from '@hearth/profile'
import { NotFoundError, SourceError, requestJson, selectorOf, sortedLabels, withSelectors } from './stored-source.ts'
import type { SeriesKind, SourceAddress, StoredSeries, StoredSource, Window } from './stored-source.ts'

interface ParcaType {
  readonly name: string
  readonly sampleType: string
  readonly sampleUnit: string
  readonly periodType: string
  readonly periodUnit: string
  readonly delta?: boolean
}

interface ParcaSeries {
  readonly labelset?: { readonly labels?: readonly { readonly name: string; readonly value: string }[] }
  readonly samples?: readonly { readonly timestamp: string; readonly value?: string }[]
}

/** Types that Go counts since the start of the program. Parca stores them as they come, and its merges add the readings up. */
const COUNTERS: ReadonlySet<string> = new Set(['alloc_objects', 'alloc_space', 'contentions', 'delay'])

export class ParcaSource implements StoredSource {
  readonly #address: SourceAddress
  readonly #matchers: string

  constructor(address: SourceAddress, matchers: string) {
    this.#address = address
    this.#matchers = matchers
  }

  async series(range: Window): Promise<readonly StoredSeries[]> {
    const times = timesOf(range)
    const { types: all = [] } = (await this.#get('types', times)) as { readonly types?: readonly ParcaType[] }
    // Counts of samples come last, because they are skipped if the measured type is there.
    const types = all.toSorted((a, b) => Number(isCount(a)) - Number(isCount(b)))
    const { labelNames = [] } = (await this.#get('labels', times)) as { readonly labelNames?: readonly string[] }
    const found = new Map<string, Omit<StoredSeries, 'selector'>>()
    const copies: string[] = []
    for (const type of types) {
      const { name, sampleType } = type
      const id = idOf(type)
      // One point is enough to find the labels.
      const step = range.to - range.from
      for (const { labelset } of await this.#range(`${id}{${this.#matchers}}`, range, step, labelNames)) {
        const labels = sortedLabels(labelset?.labels ?? [])
        const key = id + selectorOf(labels)
        found.set(key, { key, name, type: sampleType, kind: kindOf(type), labels })
        const measured = measuredType(type)
        if (measured !== undefined && found.has(idOf(measured) + selectorOf(labels))) copies.push(key)
      }
    }
    for (const key of copies) found.delete(key)
    return withSelectors([...found.values()])
  }

  async windows(series: StoredSeries, range: Window, stepMs: number): Promise<readonly Window[]> {
    // Parca places points where it wants, so only the window of a point counts.
    const starts = (await this.#range(queryOf(series), range, stepMs)).flatMap(({ samples = [] }) =>
      samples.map(({ timestamp }) => range.from + stepMs * Math.floor((Date.parse(timestamp) - range.from) / stepMs)),
    )
    return [...new Set(starts)]
      .sort((a, b) => a - b)
      .filter(from => from >= range.from && from < range.to)
      .map(from => ({ from, to: from + stepMs }))
  }

  async snapshots(series: StoredSeries, range: Window): Promise<readonly Window[]> {
    // Types without a duration have the times of their profiles as points, at most one per step.
    if (!series.key.includes(':delta{')) {
      const found = (await this.#range(queryOf(series), range, 1000)).flatMap(({ samples = [] }) =>
        samples.map(({ timestamp }) => Date.parse(timestamp)),
      )
      return [...new Set(found)].sort((a, b) => a - b).map(from => ({ from, to: from + 1 }))
    }
    return await this.windows(series, range, 1000)
  }

  async profile(series: StoredSeries, { from, to }: Window): Promise<Uint8Array> {
    const { pprof } = (await this.#get('query', {
      mode: 'MODE_MERGE',
      report_type: 'REPORT_TYPE_PPROF',
      'merge.query': queryOf(series),
      'merge.start': new Date(from).toISOString(),
      // Both ends are part of Parca's ranges.
      'merge.end': lastOf(to),
    })) as { readonly pprof?: string }
    if (pprof === undefined) throw new SourceError(`the server returned no profile of ${series.key}`)
    return Buffer.from(pprof, 'base64')
  }

  /** Adds up series that differ only in other labels than these. */
  async #range(
    query: string,
    range: Window,
    stepMs: number,
    labels: readonly string[] = [],
  ): Promise<readonly ParcaSeries[]> {
    const step = `${Math.max(1, Math.floor(stepMs / 1000))}s`
    try {
      const { series = [] } = (await this.#get('query_range', { query, step, ...timesOf(range) }, labels)) as {
        readonly series?: readonly ParcaSeries[]
      }
      return series
    } catch (error) {
      if (error instanceof NotFoundError) return []
      throw error
    }
  }

  async #get(
    path: string,
    parameters: Readonly<Record<string, string>>,
    sumBy: readonly string[] = [],
  ): Promise<unknown> {
    const query = new URLSearchParams([
      ...Object.entries(parameters),
      ...sumBy.map((name): [string, string] => ['sum_by', name]),
    ])
    return await requestJson(this.#address, `/api/profiles/${path}?${query.toString()}`)
  }
}

function queryOf({ key, selector }: StoredSeries): string {
  return key.slice(0, key.indexOf('{')) + selector
}

function timesOf({ from, to }: Window): { readonly start: string; readonly end: string } {
  return { start: new Date(from).toISOString(), end: lastOf(to) }
}

/** The last nanosecond before a time. */
function lastOf(time: number): string {
  return new Date(time - 1).toISOString().replace('Z', '999999Z')
}

function idOf({ name, sampleType, sampleUnit, periodType, periodUnit, delta = false }: ParcaType): string {
  return [name, sampleType, sampleUnit, periodType, periodUnit, ...(delta ? ['delta'] : [])].join(':')
}

function isCount({ sampleType, sampleUnit }: ParcaType): boolean {
  return sampleType === 'samples' && sampleUnit === 'count'
}

/** The type that Parca's merge of a count of samples has: it multiplies by the period, so that `samples` becomes `cpu`. */
function measuredType(type: ParcaType): ParcaType | undefined {
  return isCount(type) ? { ...type, sampleType: type.periodType, sampleUnit: type.periodUnit } : undefined
}

function kindOf({ sampleType, delta = false }: ParcaType): SeriesKind {
  if (isGaugeType(sampleType)) return 'state'
  return !delta && COUNTERS.has(sampleType) ? 'counter' : 'events'
}
