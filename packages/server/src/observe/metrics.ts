// The server's own Prometheus metrics. Labels have few values: clients are named by product and version, and their number
// is limited.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Further clients count as `other`, because senders choose their User-Agent freely. */
const MAX_CLIENTS = 100

export class Metrics {
  readonly registry = new Registry()
  readonly #watched: (() => void | Promise<void>)[] = []
  readonly #clients = new Set<string>()

  readonly requests = this.#counter('hearth_requests_total', 'requests received', ['signal', 'transport', 'encoding'])
  readonly requestBytes = this.#counter('hearth_request_bytes_total', 'uncompressed bytes received', ['signal'])
  readonly generations = this.#counter(
    'hearth_profile_generations_total',
    'profile requests by OTLP version or format',
    ['generation', 'client', 'version'],
  )
  readonly samples = this.#counter('hearth_profile_samples_total', 'profile samples received', [])
  readonly rejected = this.#counter('hearth_rejected_items_total', 'rejected items of accepted requests', [
    'signal',
    'reason',
  ])
  readonly unknownFields = this.#counter('hearth_unknown_fields_total', 'fields that OTLP does not define', [
    'signal',
    'outcome',
  ])
  readonly redactions = this.#counter('hearth_redactions_total', 'values that a redaction rule removed or hashed', [
    'signal',
    'rule',
  ])
  readonly refused = this.#counter('hearth_refused_requests_total', 'rejected requests', ['signal', 'reason'])
  readonly duplicates = this.#counter('hearth_duplicate_requests_total', 'duplicate requests', [])
  readonly insertFailures = this.#counter('hearth_insert_failures_total', 'failed inserts into the store', [
    'table',
    'fault',
  ])
  readonly rows = this.#counter('hearth_rows_total', 'rows committed', ['table'])
  readonly receiving = this.#gauge('hearth_receiving_bytes', 'bytes of requests in progress', [])
  readonly inFlight = this.#gauge('hearth_in_flight_bytes', 'bytes of requests and rows that are not committed yet', [])
  readonly backlogBytes = this.#gauge('hearth_journal_bytes', 'committed bytes that are not in the store yet', [])
  readonly backlogGroups = this.#gauge('hearth_journal_groups', 'commits that are not in the store yet', [])
  readonly backlogAge = this.#gauge(
    'hearth_journal_oldest_seconds',
    'age of the oldest commit that is not in the store yet',
    [],
  )
  readonly asideGroups = this.#gauge('hearth_journal_aside_groups', 'quarantined commits: rejected or damaged', [])
  readonly queries = this.#gauge('hearth_queries', 'queries that are running or waiting', ['state'])
  /** The former name. */
  readonly questions = this.#gauge('hearth_questions', 'same as hearth_queries', ['state'])
  readonly threads = this.#gauge('hearth_threads', 'worker threads', ['pool', 'state'])
  readonly threadQueue = this.#gauge('hearth_thread_queue', 'calls that wait for a worker thread', ['pool'])
  readonly threadDeaths = this.#counter('hearth_thread_deaths_total', 'worker threads that died', ['pool'])
  readonly resident = this.#gauge('hearth_resident_bytes', 'memory of stacks and their names between queries', [])
  readonly scrapes = this.#counter('hearth_scrapes_total', 'profiles fetched from targets', ['job', 'outcome'])
  readonly ready = this.#gauge('hearth_ready', '1 while the server accepts requests', [])
  readonly problems = this.#gauge('hearth_problem', '1 for each current problem', ['code'])
  readonly housekeeping = this.#gauge(
    'hearth_housekeeping',
    '1 on the server that does retention, rules and alerts; 0 on the others of a shared store',
    [],
  )
  readonly diskFree = this.#gauge('hearth_disk_free_bytes', 'free bytes on the disk of the data directory', [])
  readonly diskUsed = this.#gauge('hearth_store_bytes', 'bytes used by the store', ['table'])
  readonly retained = this.#counter('hearth_retention_dropped_bytes_total', 'bytes dropped by retention', ['signal'])
  readonly commitSeconds = this.#histogram(
    'hearth_commit_seconds',
    'time from the first request of a commit to its end',
  )
  readonly applySeconds = this.#histogram('hearth_apply_seconds', 'time to insert a commit into the store')
  readonly brokerComponents = this.#gauge('hearth_broker_components', 'subscribed components', ['where'])
  readonly brokerEvents = this.#counter('hearth_broker_events_total', 'events by outcome', ['category', 'outcome'])
  readonly brokerQueued = this.#gauge('hearth_broker_queued_events', 'events that wait for slow components', [])
  readonly brokerMemory = this.#gauge('hearth_broker_queued_bytes', 'bytes of events that wait for components', [])
  readonly brokerInFlight = this.#gauge('hearth_broker_requests', 'unanswered requests of components', [])
  readonly brokerTelemetry = this.#counter('hearth_broker_telemetry_total', 'telemetry of components', ['outcome'])
  readonly brokerPeers = this.#gauge('hearth_broker_peers', 'connected other Brokers', [])
  readonly brokerMesh = this.#gauge('hearth_broker_mesh_connected', '0 if the connection to other Brokers is lost', [])

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'hearth_' })
  }

  /** Calls `update` before every read, to set gauges. If it fails, they keep their values. */
  watch(update: () => void | Promise<void>): void {
    this.#watched.push(update)
  }

  /** Returns all metrics in the Prometheus text format. */
  async text(): Promise<string> {
    await this.update()
    return this.registry.metrics()
  }

  /** Updates the gauges. */
  async update(): Promise<void> {
    await Promise.allSettled(this.#watched.map(async update => update()))
  }

  /** The first product and version of a User-Agent, e.g. `OpenTelemetry Collector/0.139.0`, or `other` if there are too many. */
  client(userAgent: string): string {
    const [product] = /^[^/(]*\/[^\s(]*/.exec(userAgent) ?? userAgent.split(/[\s(]/)
    const name = product.trim().slice(0, 64)
    if (name === '') return 'unknown'
    if (this.#clients.has(name)) return name
    if (this.#clients.size >= MAX_CLIENTS) return 'other'
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
