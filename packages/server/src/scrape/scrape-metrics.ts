// The scrapes of targets as metrics: up, scrape_duration_seconds and scrape_body_size_bytes, with the resource of the target. They wait
// for each other for a while, so that many targets share one request.
import type { Metric, MetricsData } from '@hearth/signals'
import type { Receiver } from '../receive/receiver.ts'
import { batchId } from '../receive/request-id.ts'
import type { Identity } from '../access/gatekeeper.ts'
import { targetAttributes } from './scrape-content.ts'
import type { Scrape } from './scrape-loop.ts'
import type { Target } from './targets.ts'

const SCOPE = { name: 'hearth.scrape', version: '', attributes: [], droppedAttributesCount: 0 }
const CLIENT = 'hearth-scrape'
const NANOS = 1_000_000n
const WINDOW_MS = 5000
/** About the size of a point with its resource. */
const SCRAPE_BYTES = 600

interface Waiting {
  readonly identity: Identity
  readonly scrapes: { readonly target: Target; readonly scrape: Scrape }[]
}

export class ScrapeMetrics {
  readonly #receiver: Pick<Receiver, 'receive'>
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Map<string, Waiting>()
  #timer: NodeJS.Timeout | undefined
  #storing: Promise<void> = Promise.resolve()

  constructor(receiver: Pick<Receiver, 'receive'>, onError: (error: unknown) => void) {
    this.#receiver = receiver
    this.#onError = onError
  }

  add(identity: Identity, target: Target, scrape: Scrape): void {
    const waiting = this.#waiting.get(identity.tenant) ?? { identity, scrapes: [] }
    this.#waiting.set(identity.tenant, waiting)
    waiting.scrapes.push({ target, scrape })
    this.#timer ??= setTimeout(() => void this.flush(), WINDOW_MS).unref()
  }

  /** Stores what waits. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    return (this.#storing = Promise.all([this.#storing, ...all.map(waiting => this.#store(waiting))]).then(() => {}))
  }

  async #store({ identity, scrapes }: Waiting): Promise<void> {
    const ids = scrapes.map(({ target, scrape }) => `${target.id} ${scrape.start}`)
    try {
      await this.#receiver.receive({
        identity,
        client: CLIENT,
        transport: 'in-process',
        encoding: 'none',
        payload: { signal: 'metrics', metrics: metricsOf(scrapes) },
        id: batchId('scrape metrics', ids),
        bytes: scrapes.length * SCRAPE_BYTES,
      })
    } catch (error) {
      this.#onError(error)
    }
  }
}

function metricsOf(scrapes: Waiting['scrapes']): MetricsData {
  return {
    resourceMetrics: scrapes.map(({ target, scrape }) => ({
      resource: { attributes: targetAttributes(target.labels), droppedAttributesCount: 0, entityRefs: [] },
      scopeMetrics: [{ scope: SCOPE, metrics: metricsOfScrape(target, scrape), schemaUrl: '' }],
      schemaUrl: '',
    })),
  }
}

function metricsOfScrape({ endpoint }: Target, { start, durationMs, bytes, error }: Scrape): Metric[] {
  const time = BigInt(start + durationMs) * NANOS
  const gauge = (name: string, description: string, unit: string, value: number): Metric => ({
    name,
    description,
    unit,
    metadata: [],
    sum: undefined,
    histogram: undefined,
    exponentialHistogram: undefined,
    summary: undefined,
    gauge: {
      dataPoints: [
        {
          startTimeUnixNano: 0n,
          timeUnixNano: time,
          asDouble: value,
          asInt: undefined,
          exemplars: [],
          attributes: [{ key: 'profile', value: endpoint.name }],
          flags: 0,
        },
      ],
    },
  })
  return [
    gauge('up', '1 if the last scrape succeeded', '1', error === undefined ? 1 : 0),
    gauge('scrape_duration_seconds', 'Duration of the scrape', 's', durationMs / 1000),
    gauge('scrape_body_size_bytes', 'Size of the response', 'By', bytes),
  ]
}
