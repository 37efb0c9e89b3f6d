// Latency of time ledgers: npm run bench:ledger. The built server on an embedded store in one process, queried over HTTP from another.
// The data is an hour of an event loop with 10,000 requests of one operation and 5,000 of another, sampled 100 times a second by wall
// and CPU clock, and one trace of 1,000 spans with 5,000 samples.
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import { randomFrom } from '../library/inputs.ts'
import { writeFigures } from '../write-figures.ts'
import { IngestServer } from './ingest-server.ts'

const MS = 1_000_000n
const SECOND = 1_000_000_000n
/** 2026-11-15, at a full hour. */
const START = 1_794_700_800n * SECOND
const HOUR = 3600
const REQUESTS = 10_000
const OTHERS = 5000
const TIMES = 20
const TRACE = 'f'.repeat(32)
const SPANS = 1000
const SAMPLES = 5000

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly from: bigint
  readonly to: bigint
}

async function main(): Promise<void> {
  const server = await IngestServer.start(
    [],
    process.argv.includes('--cpu-prof') ? ['--cpu-prof', '--cpu-prof-dir=bench/dist'] : [],
  )
  try {
    const observations = await load(server)
    const lines = ['| over HTTP | p50 | p95 | target | CPU | response |', '| --- | ---: | ---: | ---: | ---: | ---: |']
    const hour = { operation: 'GET /search', from: String(START), to: String(START + BigInt(HOUR) * SECOND) }
    const queries: readonly (readonly [name: string, path: string, target: string])[] = [
      [
        `ledger of a trace with ${SPANS.toLocaleString('en')} spans and ${SAMPLES.toLocaleString('en')} samples`,
        `/traces/${TRACE}/ledger?`,
        '150 ms',
      ],
      [
        `ledger of an operation over an hour with ${REQUESTS.toLocaleString('en')} requests, ${observations.toLocaleString('en')} observations`,
        `/ledger?${new URLSearchParams(hour).toString()}&`,
        '1 s',
      ],
      [
        `interference of the same hour`,
        `/interference?${new URLSearchParams({ from: hour.from, to: hour.to }).toString()}&`,
        '–',
      ],
    ]
    for (const [name, path, target] of queries) {
      await measured(server, path, 3)
      const { p50, p95, cpu, bytes } = await measured(server, path, TIMES)
      lines.push(`| ${name} | ${ms(p50)} | ${ms(p95)} | ${target} | ${ms(cpu)} | ${(bytes / 1024).toFixed(0)} KiB |`)
    }
    console.log(lines.join('\n'))
    writeFigures('bench:ledger', lines.join('\n'))
  } finally {
    await server.stop()
  }
}

/** `receivedBefore` differs in every query, so that no cache has its response. */
async function measured(server: IngestServer, path: string, times: number) {
  const took = new Float64Array(times)
  let bytes = 0
  const before = server.cpu
  const until = BigInt(Date.now()) * MS
  for (let i = 0; i < times; i++) {
    const begun = performance.now()
    const response = await fetch(`http://127.0.0.1:${server.httpPort}/api/v1${path}receivedBefore=${until + BigInt(i)}`)
    const body = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`)
    bytes += body.length
    took[i] = performance.now() - begun
  }
  const { main: own, others } = server.cpu
  took.sort()
  const at = (share: number): number => took[Math.min(times - 1, Math.floor(times * share))]
  const cpu = ((own - before.main + others - before.others) * 1000) / times
  return { p50: at(0.5), p95: at(0.95), cpu, bytes: bytes / times }
}

async function load(server: IngestServer): Promise<number> {
  const requests = requestSpans()
  for (let from = 0; from < requests.length; from += 5000) await sendSpans(server, requests.slice(from, from + 5000))
  await sendSpans(server, traceSpans())
  let observations = 0
  for (let minute = 0; minute < HOUR / 60; minute++) {
    const { body, count } = samplesOf(minute, requests)
    observations += count
    await send(server, '/v1development/profiles', body, 'application/x-protobuf')
  }
  await send(server, '/v1development/profiles', traceSamples(), 'application/x-protobuf')
  await server.settled()
  return observations
}

async function send(server: IngestServer, path: string, body: Uint8Array | string, type: string): Promise<void> {
  const response = await fetch(`${server.otlp}${path}`, { method: 'POST', body, headers: { 'content-type': type } })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
}

/** Requests one after another and overlapping: each takes 100 to 500 ms. Two of three are searches. */
function requestSpans(): Span[] {
  const random = randomFrom(7)
  return Array.from({ length: REQUESTS + OTHERS }, (_, i) => {
    const from = START + BigInt(Math.floor(random() * (HOUR - 1) * 1e9))
    const name = i < REQUESTS ? 'GET /search' : 'POST /orders'
    return {
      traceId: hex(i + 1, 32),
      spanId: hex(i + 1, 16),
      parentSpanId: '',
      name,
      from,
      to: from + BigInt(100 + Math.floor(random() * 400)) * MS,
    }
  }).sort((a, b) => (a.from < b.from ? -1 : 1))
}

/** A trace of an hour later: a root with spans one after another, on the same event loop. */
function traceSpans(): Span[] {
  const begun = START + BigInt(HOUR + 60) * SECOND
  const root = {
    traceId: TRACE,
    spanId: hex(1, 16),
    parentSpanId: '',
    name: 'POST /import',
    from: begun,
    to: begun + 50n * SECOND,
  }
  const children = Array.from({ length: SPANS - 1 }, (_, i) => {
    const from = begun + BigInt(i) * 50n * MS
    return {
      traceId: TRACE,
      spanId: hex(i + 2, 16),
      parentSpanId: root.spanId,
      name: `step ${i % 20}`,
      from,
      to: from + 45n * MS,
    }
  })
  return [root, ...children]
}

async function sendSpans(server: IngestServer, spans: readonly Span[]): Promise<void> {
  const attributes = [{ key: 'service.name', value: { stringValue: 'storefront' } }]
  const content = {
    resourceSpans: [
      {
        resource: { attributes },
        scopeSpans: [
          {
            spans: spans.map(({ from, to, ...span }, i) => ({
              ...span,
              kind: 2,
              startTimeUnixNano: String(from),
              endTimeUnixNano: String(to),
              attributes: [
                { key: 'http.route', value: { stringValue: span.name } },
                { key: 'query.length', value: { intValue: String(i % 40) } },
                { key: 'customer.tier', value: { stringValue: i % 3 === 0 ? 'free' : 'paid' } },
              ],
            })),
          },
        ],
      },
    ],
  }
  await send(server, '/v1/traces', JSON.stringify(content), 'application/json')
}

/** A minute of samples: the first request that is open has the event loop; without one, it is idle. */
function samplesOf(minute: number, spans: readonly Span[]): { readonly body: Uint8Array; readonly count: number } {
  const begun = START + BigInt(minute * 60) * SECOND
  const near = spans.filter(({ from, to }) => to > begun && from < begun + 60n * SECOND)
  const at = Array.from({ length: 6000 }, (_, k) => begun + BigInt(k + 1) * 10n * MS)
  return profiles(
    begun,
    60n * SECOND,
    at.map(time => [time, near.find(({ from, to }) => from < time && to >= time)]),
  )
}

function traceSamples(): Uint8Array {
  const [root, ...children] = traceSpans()
  const at = Array.from({ length: SAMPLES }, (_, k) => root.from + BigInt(k + 1) * 10n * MS)
  return profiles(
    root.from,
    50n * SECOND,
    at.map((time, k) => [time, children[Math.min(children.length - 1, Math.floor(k / 5))]]),
  ).body
}

/** Wall and CPU samples of 10 ms. */
function profiles(
  begun: bigint,
  length: bigint,
  moments: readonly (readonly [time: bigint, span: Span | undefined])[],
): { readonly body: Uint8Array; readonly count: number } {
  const b = new ProfilesBuilder()
  b.resource({ attributes: [{ key: 'service.name', value: 'storefront' }] })
  b.scope({ name: '@hearth/agent' })
  const frame = (name: string) =>
    b.location({ lines: [{ function: b.function({ name, filename: 'search.ts' }), line: 1 }] })
  const root = frame('main')
  const stacks = Array.from({ length: 200 }, (_, k) => b.stack([frame(`step${k}`), frame(`rank${k % 20}`), root]))
  const idle = b.stack([frame('(idle)')])
  const attributes = [b.attribute('thread.id', 1n), b.attribute('thread.name', 'main')]
  let count = 0
  for (const type of ['cpu', 'wall']) {
    b.profile({
      type,
      unit: 'nanoseconds',
      periodType: type,
      periodUnit: 'nanoseconds',
      period: 10_000_000,
      timeUnixNano: begun,
      durationNano: length,
    })
    for (const [k, [time, span]] of moments.entries()) {
      if (span === undefined && type === 'cpu') continue
      const common = { attributes, timestamps: [time], values: [10_000_000n] }
      if (span === undefined) b.sample({ stack: idle, ...common })
      else {
        const link = b.link(Buffer.from(span.traceId, 'hex'), Buffer.from(span.spanId, 'hex'))
        b.sample({ stack: stacks[k % stacks.length], link, ...common })
      }
      count++
    }
  }
  return { body: encodeOtlp(b.build()), count }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function ms(milliseconds: number): string {
  return `${milliseconds < 100 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`
}

await main()
