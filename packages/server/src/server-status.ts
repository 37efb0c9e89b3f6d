// The server's state from its metrics, as the Status screen shows it.
import { SIGNALS } from '@hearth/signals'
import type { QueryGate } from './api/v1/limits/query-gate.ts'
import type { ServerStatus } from './api/v1/status/status-source.ts'
import type { Metrics } from './observe/metrics.ts'
import { Rates } from './observe/rates.ts'
import type { Admission } from './receive/admission.ts'
import type { Store } from './store/store.ts'

export interface StatusParts {
  readonly metrics: Metrics
  readonly store: Store
  readonly admission: Admission
  readonly gate: QueryGate
}

type LabelValues = Readonly<Partial<Record<string, string | number>>>

/** A counter or gauge of prom-client. */
interface Counted {
  get(): Promise<{ readonly values: readonly { readonly value: number; readonly labels: LabelValues }[] }>
}

/** Growth rates of requests, bytes and samples. */
export function trafficRates(metrics: Metrics): Rates {
  return new Rates(async () => {
    const counts = new Map<string, number>()
    const add = async (name: string, counter: Counted) => {
      for (const { value, labels } of (await counter.get()).values) {
        const key = `${name} ${labels['signal'] ?? ''}`
        counts.set(key, (counts.get(key) ?? 0) + value)
      }
    }
    await Promise.all([
      add('requests', metrics.requests),
      add('bytes', metrics.requestBytes),
      add('samples', metrics.samples),
    ])
    return counts
  })
}

export async function serverStatus(parts: StatusParts, rates: Rates): Promise<ServerStatus> {
  const { metrics, store, admission, gate } = parts
  const { counts, perSecond } = await rates.read()
  await metrics.update()
  const state = store.state()
  const [tables, duplicates] = await Promise.all([rowsOf(metrics.diskUsed), rowsOf(metrics.duplicates)])
  const sum = (rows: typeof tables) => rows.reduce((all, { value }) => all + value, 0)
  return {
    traffic: SIGNALS.map(signal => ({
      signal,
      requests: counts.get(`requests ${signal}`) ?? 0,
      bytes: counts.get(`bytes ${signal}`) ?? 0,
      requestsPerSecond: perSecond(`requests ${signal}`),
      bytesPerSecond: perSecond(`bytes ${signal}`),
    })),
    samples: { received: counts.get('samples ') ?? 0, perSecond: perSecond('samples ') },
    transports: (await rowsOf(metrics.requests)).map(({ value: requests, text }) => ({
      signal: text('signal'),
      transport: text('transport'),
      encoding: text('encoding'),
      requests,
    })),
    generations: (await rowsOf(metrics.generations)).map(({ value: requests, text }) => ({
      client: text('client'),
      generation: text('generation'),
      ...(text('version') === '' ? {} : { version: text('version') }),
      requests,
    })),
    rejected: (await rowsOf(metrics.rejected)).map(({ value: items, text }) => ({
      signal: text('signal'),
      reason: text('reason'),
      items,
    })),
    refused: (await rowsOf(metrics.refused)).map(({ value: requests, text }) => ({
      signal: text('signal'),
      reason: text('reason'),
      requests,
    })),
    duplicates: sum(duplicates),
    store: {
      kind: store.engine.kind,
      // Undefined until the store has been measured.
      ...(tables.length === 0 ? {} : { bytes: sum(tables) }),
      tables: tables.map(({ value: bytes, text }) => ({ table: text('table'), bytes })),
      freeDiskBytes: state.freeDiskBytes,
    },
    queue: {
      receivingBytes: admission.inFlightBytes,
      inFlightBytes: state.inFlightBytes,
      journalBytes: state.backlogBytes,
      journalGroups: state.backlogGroups,
      journalOldestSeconds: state.oldestUnappliedSeconds,
      asideGroups: state.quarantinedGroups,
    },
    queries: gate.state,
    questions: gate.state,
  }
}

async function rowsOf(counter: Counted) {
  const { values } = await counter.get()
  return values.map(({ value, labels }) => ({ value, text: (name: string) => String(labels[name] ?? '') }))
}
