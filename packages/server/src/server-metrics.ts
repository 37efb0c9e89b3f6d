// Connects the receivers, the store, queries and the Broker with the metrics.
import type { QueryGate } from './api/v1/limits/query-gate.ts'
import type { Broker } from './broker/broker.ts'
import type { Metrics } from './observe/metrics.ts'
import type { Admission } from './receive/admission.ts'
import type { ReceiveEvents } from './receive/receiver.ts'
import type { CommitEvents } from './store/commit/commit-state.ts'
import type { QueryThreads } from './query/threads/query-threads.ts'
import type { Store } from './store/store.ts'
import type { PoolState } from './workers/worker-pool.ts'

/** How often the store's size is queried, and the timeout. */
const MEASURE_MS = 10_000
const MEASURE_TIMEOUT_MS = 2000

export function receiveEvents(metrics: Metrics): ReceiveEvents {
  return {
    received: ({ signal, transport, encoding, client, version }, generation, bytes, samples) => {
      metrics.requests.inc({ signal, transport, encoding })
      metrics.requestBytes.inc({ signal }, bytes)
      metrics.samples.inc(samples)
      if (signal !== 'profiles') return
      const stated = version === '' ? {} : { version }
      metrics.generations.inc({ generation, client: metrics.client(client), ...stated })
    },
    rejected: (signal, reason, count) => metrics.rejected.inc({ signal, reason }, count),
    unknownFields: (signal, outcome, count) => metrics.unknownFields.inc({ signal, outcome }, count),
    redacted: (signal, rule, count) => metrics.redactions.inc({ signal, rule }, count),
    refused: (signal, { reason }) => metrics.refused.inc({ signal, reason }),
  }
}

export function commitEvents(metrics: Metrics): CommitEvents {
  return {
    committed: ({ waitSeconds }) => metrics.commitSeconds.observe(waitSeconds),
    applied: ({ rows, insertSeconds }) => {
      metrics.applySeconds.observe(insertSeconds)
      for (const [table, count] of rows) metrics.rows.inc({ table }, count)
    },
    insertFailed: (table, fault) => metrics.insertFailures.inc({ table, fault }),
    duplicate: () => metrics.duplicates.inc(),
  }
}

/** Updates the gauges from the current state. */
export function watchState(metrics: Metrics, store: Store, admission: Admission, gate: QueryGate): void {
  metrics.watch(() => {
    const state = store.state()
    metrics.ready.set(state.ready ? 1 : 0)
    metrics.receiving.set(admission.inFlightBytes)
    for (const gauge of [metrics.queries, metrics.questions]) {
      gauge.set({ state: 'running' }, gate.state.running)
      gauge.set({ state: 'waiting' }, gate.state.waiting)
    }
    metrics.inFlight.set(state.inFlightBytes)
    metrics.backlogBytes.set(state.backlogBytes)
    metrics.backlogGroups.set(state.backlogGroups)
    metrics.backlogAge.set(state.oldestUnappliedSeconds)
    metrics.asideGroups.set(state.quarantinedGroups)
    metrics.diskFree.set(state.freeDiskBytes)
    metrics.problems.reset()
    for (const { code } of state.problems) metrics.problems.set({ code }, 1)
  })
  let measured = 0
  metrics.watch(async () => {
    // Measuring takes a query, so limit how often, and do not let a scrape wait for an unresponsive store.
    if (Date.now() - measured < MEASURE_MS || !store.state().ready) return
    measured = Date.now()
    const bytes = await store.bytesByTable(AbortSignal.timeout(MEASURE_TIMEOUT_MS))
    metrics.diskUsed.reset()
    for (const [table, count] of bytes) metrics.diskUsed.set({ table }, count)
  })
}

export function watchQueryThreads(
  metrics: Metrics,
  threads: Pick<QueryThreads<never>, 'state' | 'residentBytes'>,
): void {
  watchThreads(metrics, 'query', threads)
  metrics.watch(() => metrics.resident.set(threads.residentBytes))
}

/** Worker threads of a pool. */
function watchThreads(metrics: Metrics, pool: string, threads: { readonly state: PoolState }): void {
  metrics.watch(() => {
    const { threads: started, busy, waiting } = threads.state
    metrics.threads.set({ pool, state: 'started' }, started)
    metrics.threads.set({ pool, state: 'busy' }, busy)
    metrics.threadQueue.set({ pool }, waiting)
  })
}

/** The Broker has its own counters, which avoids a label lookup per event. */
export function watchBroker(metrics: Metrics, broker: Broker): void {
  metrics.watch(() => {
    const { components, remoteComponents, events, queued, queuedBytes, inFlight, telemetry, mesh } = broker.state()
    metrics.brokerComponents.set({ where: 'here' }, components)
    metrics.brokerComponents.set({ where: 'elsewhere' }, remoteComponents)
    metrics.brokerQueued.set(queued)
    metrics.brokerMemory.set(queuedBytes)
    metrics.brokerInFlight.set(inFlight)
    metrics.brokerPeers.set(mesh.peers.length)
    metrics.brokerMesh.set(mesh.connected ? 1 : 0)
    metrics.brokerEvents.reset()
    for (const { category, outcome, count } of events) metrics.brokerEvents.inc({ category, outcome }, count)
    metrics.brokerTelemetry.reset()
    metrics.brokerTelemetry.inc({ outcome: 'kept' }, telemetry.kept)
    metrics.brokerTelemetry.inc({ outcome: 'dropped' }, telemetry.dropped)
  })
}
