// Reads a Pyroscope server through its querier API, which Grafana uses too. A point of SelectSeries at T covers the step before T.
import { isGaugeType } from '@hearth/profile'
import { codecOf, defineMessage, int64, text } from '@hearth/signals'
import type { SourceAddress, StoredSeries, StoredSource, Window } from './stored-source.ts'
import { SourceError, request, requestJson, selectorOf, sortedLabels, withSelectors } from './stored-source.ts'

interface LabelPair {
  readonly name: string
  readonly value: string
}

/** A window that usually has one snapshot: Pyroscope's API does not return the times of its profiles. */
const SNAPSHOT_MS = 15_000
const TYPE_LABEL = '__profile_type__'
/** Pyroscope folds the smallest nodes above the limit. It allows 1,048,576, and Hearth allows 1,000,000. */
const MAX_NODES = 1_000_000n
const SELECT_MERGE_PROFILE = codecOf(
  defineMessage('SelectMergeProfileRequest', {
    profileTypeID: text(1),
    labelSelector: text(2),
    start: int64(3),
    end: int64(4),
    maxNodes: int64(5),
  }),
  'select merge profile',
)
const SERVICE = '/querier.v1.QuerierService'

export class PyroscopeSource implements StoredSource {
  readonly #address: SourceAddress
  /** Matchers without braces that select what is read; empty for everything. */
  readonly #matchers: string

  constructor(address: SourceAddress, matchers: string) {
    this.#address = address
    this.#matchers = matchers
  }

  async series({ from, to }: Window): Promise<readonly StoredSeries[]> {
    const { labelsSet = [] } = (await this.#call('Series', {
      matchers: [`{${this.#matchers}}`],
      labelNames: [],
      start: String(from),
      end: String(to),
    })) as { readonly labelsSet?: readonly { readonly labels?: readonly LabelPair[] }[] }
    const found = new Map<string, Omit<StoredSeries, 'selector'>>()
    for (const { labels = [] } of labelsSet) {
      const type = labels.find(({ name }) => name === TYPE_LABEL)?.value
      if (type === undefined) throw new SourceError(`the server returned a series without ${TYPE_LABEL}`)
      const [name = '', sampleType = ''] = type.split(':')
      const own = sortedLabels(labels.filter(each => !each.name.startsWith('__')))
      const key = `${type}${selectorOf(own)}`
      // Pyroscope stores the increments of counters.
      found.set(key, { key, name, type: sampleType, kind: isGaugeType(sampleType) ? 'state' : 'events', labels: own })
    }
    return withSelectors([...found.values()])
  }

  async windows(series: StoredSeries, { from, to }: Window, stepMs: number): Promise<readonly Window[]> {
    const { series: found = [] } = (await this.#call('SelectSeries', {
      ...selection(series),
      start: String(from),
      end: String(to),
      step: stepMs / 1000,
    })) as {
      readonly series?: readonly {
        readonly points?: readonly { readonly timestamp: string; readonly value?: number }[]
      }[]
    }
    const ends = found.flatMap(({ points = [] }) =>
      points.filter(({ value = 0 }) => value !== 0).map(({ timestamp }) => Number(timestamp)),
    )
    return [...new Set(ends)]
      .sort((a, b) => a - b)
      .filter(end => end > from && end <= to)
      .map(end => ({ from: end - stepMs, to: end }))
  }

  async snapshots(series: StoredSeries, range: Window): Promise<readonly Window[]> {
    return await this.windows(series, range, SNAPSHOT_MS)
  }

  async profile(series: StoredSeries, { from, to }: Window): Promise<Uint8Array> {
    const message = SELECT_MERGE_PROFILE.encode({
      ...selection(series),
      start: BigInt(from + 1),
      end: BigInt(to),
      maxNodes: MAX_NODES,
    })
    return await request(this.#address, `${SERVICE}/SelectMergeProfile`, message)
  }

  async #call(method: string, body: object): Promise<unknown> {
    return await requestJson(this.#address, `${SERVICE}/${method}`, body)
  }
}

function selection({ key, selector }: StoredSeries): {
  readonly profileTypeID: string
  readonly labelSelector: string
} {
  return { profileTypeID: key.slice(0, key.indexOf('{')), labelSelector: selector }
}
