// A status for tests without a complete server.
import { retention } from '../../../config/retention.ts'
import type { QueryGate } from '../limits/query-gate.ts'
import type { ServerStatus, StatusSource } from '../status/status-source.ts'

export const TEST_SERVER_STATUS: ServerStatus = {
  traffic: [{ signal: 'profiles', requests: 3, bytes: 300, requestsPerSecond: 0.5, bytesPerSecond: 50 }],
  samples: { received: 30, perSecond: 5 },
  transports: [{ signal: 'profiles', transport: 'grpc', encoding: 'protobuf', requests: 3 }],
  generations: [{ client: 'otelcol/0.139.0', generation: 'v1.10', requests: 3 }],
  rejected: [{ signal: 'profiles', reason: 'attributes', items: 1 }],
  refused: [{ signal: 'profiles', reason: 'queue-full', requests: 1 }],
  duplicates: 1,
  store: { kind: 'embedded', bytes: 10, tables: [{ table: 'profiles', bytes: 10 }], freeDiskBytes: 1000 },
  queue: {
    receivingBytes: 0,
    inFlightBytes: 0,
    journalBytes: 0,
    journalGroups: 0,
    journalOldestSeconds: 0,
    asideGroups: 0,
  },
  queries: { running: 0, waiting: 0 },
  questions: { running: 0, waiting: 0 },
}

export function testStatus(gate: QueryGate): StatusSource {
  return {
    version: 'test',
    started: new Date(0),
    readiness: () => ({ ready: true, problems: [] }),
    receivers: () => [{ name: 'OTLP over gRPC', host: '127.0.0.1', port: 4317, tls: false }],
    retentionOf: () => retention('profiles=30d,50GiB traces=forever'),
    limitsOf: tenant => gate.limitsOf(tenant),
    server: async () => TEST_SERVER_STATUS,
  }
}
