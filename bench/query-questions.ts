// The questions of the query bench, each new every time: another service, another hour, another trace.
import type { IngestServer } from './ingest-server.ts'
import { randomFrom } from './inputs.ts'
import { BATCHES, MINUTE, SERVICES, START, TRACED_EVERY, batchOf, serviceName, traceId } from './query-payloads.ts'

export interface QuestionKind {
  readonly name: string
  /** Milliseconds that it may take, and which share of the answers has to come within. */
  readonly target: number
  readonly share: 0.5 | 0.95
  /** How often it is asked. */
  readonly times: number
  /** Path and query below /api/v1. */
  path(random: () => number, minutes: number): string
}

/** Named, since the server keeps profiles of itself too, of several types. */
const TYPE = 'cpu:nanoseconds'

function ranged(path: string, from: bigint, to: bigint, rest: Readonly<Record<string, string>> = {}): string {
  return `/${path}?${new URLSearchParams({ from: String(from), to: String(to), ...rest }).toString()}`
}

/** A range of some minutes somewhere in what there is. */
function somewhere(random: () => number, minutes: number, length: number): readonly [bigint, bigint] {
  const first = Math.floor(random() * Math.max(1, minutes - length))
  const from = START + BigInt(first) * MINUTE
  return [from, from + BigInt(length) * MINUTE]
}

export function oneService(random: () => number): string {
  return `${TYPE} {service.name="${serviceName(Math.floor(random() * SERVICES))}"}`
}

export const kinds: readonly QuestionKind[] = [
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
      // By another nanosecond each time, so that nothing is asked twice.
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
  /** Milliseconds that the server was busy with one of them, on both cores. */
  readonly cpu: number
  /** Bytes of an answer, on the average. */
  readonly bytes: number
}

/** Asks one after the other; throws where an answer is none, or is empty. */
export async function latencyOf(
  kind: QuestionKind,
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
    const begun = performance.now()
    bytes += (await ask(server.httpPort, path)).length
    times[i] = performance.now() - begun
  }
  const { main, others } = server.cpu
  const cpu = ((main - before.main + others - before.others) * 1000) / times.length
  times.sort()
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  return { p50: at(0.5), p95: at(0.95), cpu, bytes: bytes / times.length }
}

export async function ask(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  if (text.includes('"profiles":0,')) throw new Error(`${path}: nothing was found`)
  return text
}
