// The server's own metrics, for Prometheus. Everything that can go wrong has a number here. Labels have few values: clients
// are named by product and version, and at most so many of them.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Clients beyond this many are counted together as `other`: a User-Agent is the sender's to choose. */
const MOST_CLIENTS = 100

export class Metrics {
  readonly registry = new Registry()
  readonly #watched: (() => void | Promise<void>)[] = []
  readonly #clients = new Set<string>()

  readonly requests = this.#counter('hearth_requests_total', 'requests received', ['signal', 'transport', 'encoding'])
  readonly requestBytes = this.#counter('hearth_request_bytes_total', 'uncompressed bytes received', ['signal'])
  readonly generations = this.#counter(
    'hearth_profile_generations_total',
    'profile requests by generation of the format',
    ['generation', 'client'],
  )
  readonly samples = this.#counter('hearth_profile_samples_total', 'samples of profiles received', [])
  readonly rejected = this.#counter('hearth_rejected_items_total', 'items of requests that could not be kept', [
    'signal',
    'reason',
  ])
  readonly refused = this.#counter('hearth_refused_requests_total', 'requests that were not taken', [
    'signal',
    'reason',
  ])
  readonly duplicates = this.#counter('hearth_duplicate_requests_total', 'requests that had been committed before', [])
  readonly insertFailures = this.#counter('hearth_insert_failures_total', 'inserts that the store did not take', [
    'table',
    'fault',
  ])
  readonly rows = this.#counter('hearth_rows_total', 'rows committed', ['table'])
  readonly receiving = this.#gauge('hearth_receiving_bytes', 'bytes of requests that are not answered yet', [])
  readonly inFlight = this.#gauge('hearth_in_flight_bytes', 'bytes of requests and their rows, not committed yet', [])
  readonly backlogBytes = this.#gauge('hearth_journal_bytes', 'committed bytes that the store has not taken yet', [])
  readonly backlogGroups = this.#gauge('hearth_journal_groups', 'commits that the store has not taken yet', [])
  readonly backlogAge = this.#gauge(
    'hearth_journal_oldest_seconds',
    'age of the oldest commit that the store has not taken',
    [],
  )
  readonly asideGroups = this.#gauge('hearth_journal_aside_groups', 'commits set aside: refused or damaged', [])
  readonly questions = this.#gauge('hearth_questions', 'questions that are being answered, and that wait', ['state'])
  readonly ready = this.#gauge('hearth_ready', '1 while requests are taken', [])
  readonly problems = this.#gauge('hearth_problem', '1 for each thing that is wrong now', ['code'])
  readonly diskFree = this.#gauge('hearth_disk_free_bytes', 'free space where the data is', [])
  readonly diskUsed = this.#gauge('hearth_store_bytes', 'bytes that the store takes', ['table'])
  readonly retained = this.#counter('hearth_retention_dropped_bytes_total', 'bytes dropped by retention', ['signal'])
  readonly commitSeconds = this.#histogram('hearth_commit_seconds', 'from the first request of a commit to its end')
  readonly applySeconds = this.#histogram('hearth_apply_seconds', 'time for the store to take a commit')
  readonly brokerComponents = this.#gauge('hearth_broker_components', 'components that are subscribed', ['where'])
  readonly brokerEvents = this.#counter('hearth_broker_events_total', 'events, and what became of them', [
    'category',
    'outcome',
  ])
  readonly brokerQueued = this.#gauge('hearth_broker_queued_events', 'events that wait for slow components', [])
  readonly brokerMemory = this.#gauge('hearth_broker_queued_bytes', 'bytes of events on their way to components', [])
  readonly brokerInFlight = this.#gauge('hearth_broker_requests', 'requests of components that are not answered', [])
  readonly brokerTelemetry = this.#counter('hearth_broker_telemetry_total', 'telemetry of components', ['outcome'])
  readonly brokerPeers = this.#gauge('hearth_broker_peers', 'other Brokers that can be reached', [])
  readonly brokerMesh = this.#gauge('hearth_broker_mesh_connected', '1 unless the way to other Brokers is lost', [])

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'hearth_' })
  }

  /** Sets gauges, whenever the metrics are asked for. A failure leaves them as they were. */
  watch(look: () => void | Promise<void>): void {
    this.#watched.push(look)
  }

  /** All of them, as Prometheus reads it. */
  async text(): Promise<string> {
    await this.look()
    return this.registry.metrics()
  }

  /** Sets the gauges. */
  async look(): Promise<void> {
    await Promise.allSettled(this.#watched.map(async look => look()))
  }

  /** The first product and its version in a User-Agent, as `OpenTelemetry Collector/0.139.0`, or `other` when there are too many of them. */
  client(userAgent: string): string {
    const [product] = /^[^/(]*\/[^\s(]*/.exec(userAgent) ?? userAgent.split(/[\s(]/)
    const name = product.trim().slice(0, 64)
    if (name === '') return 'unknown'
    if (this.#clients.has(name)) return name
    if (this.#clients.size >= MOST_CLIENTS) return 'other'
    this.#clients.add(name)
    return name
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.registry] })
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.registry] })
  }

  #histogram(name: string, help: string): Histogram {
    const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30]
    return new Histogram({ name, help, buckets, registers: [this.registry] })
  }
}
