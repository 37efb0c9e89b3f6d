// Reads a Parca server through the HTTP form of its query API, which its own UI uses.
import { SourceError, requestJson, selectorOf, sortedLabels, withSelectors } from './stored-source.ts'
import type { SourceAddress, StoredSeries, StoredSource, Window } from './stored-source.ts'

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

export class ParcaSource implements StoredSource {
  readonly #address: SourceAddress
  readonly #matchers: string

  constructor(address: SourceAddress, matchers: string) {
    this.#address = address
    this.#matchers = matchers
  }

  async series(range: Window): Promise<readonly StoredSeries[]> {
    const times = timesOf(range)
    const { types = [] } = (await this.#get('types', times)) as { readonly types?: readonly ParcaType[] }
    const { labelNames = [] } = (await this.#get('labels', times)) as { readonly labelNames?: readonly string[] }
    const found: Omit<StoredSeries, 'selector'>[] = []
    for (const type of types) {
      const { name, sampleType, sampleUnit, periodType, periodUnit, delta = false } = type
      const id = [name, sampleType, sampleUnit, periodType, periodUnit, ...(delta ? ['delta'] : [])].join(':')
      // One point is enough to find the labels.
      const step = range.to - range.from
      for (const { labelset } of await this.#range(`${id}{${this.#matchers}}`, range, step, labelNames)) {
        const labels = sortedLabels(labelset?.labels ?? [])
        found.push({ key: `${id}${selectorOf(labels)}`, name, type: sampleType, labels })
      }
    }
    return withSelectors(found)
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

  async profile(series: StoredSeries, { from, to }: Window): Promise<Uint8Array> {
    const { pprof } = (await this.#get('query', {
      mode: 'MODE_MERGE',
      report_type: 'REPORT_TYPE_PPROF',
      'merge.query': queryOf(series),
      'merge.start': new Date(from).toISOString(),
      // Both ends are part of Parca's ranges.
      'merge.end': new Date(to - 1).toISOString(),
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
      // Parca's response if there is no data.
      if (error instanceof SourceError && error.message.includes(': 404 ')) return []
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
  return { start: new Date(from).toISOString(), end: new Date(to - 1).toISOString() }
}
