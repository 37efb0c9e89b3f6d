// The queries of the query benchmark, each different every time: another service, another hour, another trace.
import type { IngestServer } from './ingest-server.ts'
import { randomFrom } from '../library/inputs.ts'
import { BATCHES, MINUTE, SERVICES, START, TRACED_EVERY, batchOf, serviceName, traceId } from './query-payloads.ts'

export interface QueryKind {
  readonly name: string
  /** Target in milliseconds, and the share of responses that must meet it. */
  readonly target: number
  readonly share: 0.5 | 0.95
  /** Number of measured queries. */
  readonly times: number
  /** Path and query below /api/v1. */
  path(random: () => number, minutes: number): string
}

/** Named, because the server also stores profiles of itself, of several types. */
const TYPE = 'cpu:nanoseconds'

function ranged(path: string, from: bigint, to: bigint, rest: Readonly<Record<string, string>> = {}): string {
  return `/${path}?${new URLSearchParams({ from: String(from), to: String(to), ...rest }).toString()}`
}

/** A range of some minutes within the stored data. */
function somewhere(random: () => number, minutes: number, length: number): readonly [bigint, bigint] {
  const first = Math.floor(random() * Math.max(1, minutes - length))
  const from = START + BigInt(first) * MINUTE
  return [from, from + BigInt(length) * MINUTE]
}

function oneService(random: () => number): string {
  return `${TYPE} {service.name="${serviceName(Math.floor(random() * SERVICES))}"}`
}

export const kinds: readonly QueryKind[] = [
  {
    name: 'flame graph of one service, an hour',
    target: 100,
    share: 0.95,
    times: 60,
    path: (random, minutes) =>
      ranged('flamegraph', ...somewhere(random, minutes, 60), { selector: oneService(random) }),
  },
  {
    name: 'flame graph of everything, 15 minutes',
    target: 1000,
    share: 0.95,
    times: 20,
    path: (random, minutes) => ranged('flamegraph', ...somewhere(random, minutes, 15), { selector: TYPE }),
  },
  {
    name: 'flame graph of a trace, in a day',
    target: 30,
    share: 0.95,
    times: 60,
    path: (random, minutes) => {
      const service = TRACED_EVERY * Math.floor((random() * SERVICES) / TRACED_EVERY)
      const n = Math.floor(random() * minutes) * BATCHES + batchOf(service)
      const trace = traceId(n, Math.floor(random() * 10)).toString('hex')
      return ranged('flamegraph', START, START + BigInt(minutes + 1) * MINUTE, { traceId: trace })
    },
  },
  {
    name: 'series by service, a day',
    target: 200,
    share: 0.95,
    times: 20,
    path: (random, minutes) => {
      // Starts at another nanosecond each time, so that no cache has the result.
      const from = START - BigInt(Math.floor(random() * 1000))
      return ranged('series', from, START + BigInt(minutes + 1) * MINUTE, {
        selector: TYPE,
        groupBy: 'service.name',
        step: '10m',
      })
    },
  },
]

export interface Latency {
  readonly p50: number
  readonly p95: number
  /** CPU milliseconds of the server per query, on both cores. */
  readonly cpu: number
  /** Average size of a response in bytes. */
  readonly bytes: number
}

/** Sends one query after the other. Throws if a response is an error or empty. */
export async function latencyOf(
  kind: QueryKind,
  server: IngestServer,
  minutes: number,
  seed: number,
): Promise<Latency> {
  const random = randomFrom(seed)
  const times = new Float64Array(kind.times)
  let bytes = 0
  const before = server.cpu
  for (let i = 0; i < times.length; i++) {
    const path = kind.path(random, minutes)
    const start = performance.now()
    bytes += (await sendQuery(server.httpPort, path)).length
    times[i] = performance.now() - start
  }
  const { main, others } = server.cpu
  const cpu = ((main - before.main + others - before.others) * 1000) / times.length
  times.sort()
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  return { p50: at(0.5), p95: at(0.95), cpu, bytes: bytes / times.length }
}

export async function sendQuery(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`)
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  if (text.includes('"profiles":0,')) throw new Error(`${path}: no results`)
  return text
}
