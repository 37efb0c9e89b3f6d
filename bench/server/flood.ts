// How long floods of one tenant delay others: npm run bench:flood. Sends each flood to a new server and measures the slowest
// health check and the slowest small query of another tenant until the flood ends. All requests go to loopback. `--write`
// updates docs/benchmarks.md.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { ProfilesBuilder, writeProfile } from '@hearth/profile'
import { quantilesOf } from '../quantiles.ts'
import { writeFigures } from '../write-figures.ts'
import { IngestServer } from './ingest-server.ts'

interface Flood {
  readonly name: string
  readonly path: string
  readonly body: () => Uint8Array
  readonly atOnce: number
  readonly headers?: Readonly<Record<string, string>>
  /** A query of the flooding tenant, after its push. */
  readonly nextQuery?: string
}

const TARGET_MS = 250
const MAX_SECONDS = 60
const AT_ONCE = 16
const OTLP_GZIP = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }

const FLOODS: readonly Flood[] = [
  ...(['traces', 'logs'] as const).map(signal => ({
    name: `${AT_ONCE} × 3 million empty ${signal === 'logs' ? 'log records' : 'spans'}`,
    path: `/v1/${signal}`,
    body: () => emptyItems([1, 2, 2], 3_000_000),
    atOnce: AT_ONCE,
    headers: OTLP_GZIP,
  })),
  {
    name: `${AT_ONCE} × 3 million empty data points`,
    path: '/v1/metrics',
    body: () => emptyItems([1, 2, 2, 5, 1], 3_000_000),
    atOnce: AT_ONCE,
    headers: OTLP_GZIP,
  },
  {
    name: `${AT_ONCE} × 6 million empty samples`,
    path: '/v1development/profiles',
    body: () => emptyItems([1, 2, 2, 2], 6_000_000),
    atOnce: AT_ONCE,
    headers: OTLP_GZIP,
  },
  {
    name: 'push with a million functions, then its table',
    path: '/v1/push?service=large',
    body: () => manyFunctions(1_000_000),
    atOnce: 1,
    nextQuery: `/api/v1/top?selector=${encodeURIComponent('{service.name="large"}')}`,
  },
]

/** Gzip of a message with `count` empty items, below the repeated fields of `path`. */
function emptyItems(path: readonly number[], count: number): Uint8Array {
  let content = Buffer.alloc(2 * count)
  for (let i = 0; i < content.length; i += 2) content[i] = (path.at(-1)! << 3) | 2
  for (const field of path.slice(0, -1).toReversed()) content = delimited(field, content)
  return gzipSync(content)
}

function delimited(field: number, content: Buffer): Buffer<ArrayBuffer> {
  const head = [(field << 3) | 2]
  let length = content.length
  for (; length >= 128; length = Math.floor(length / 128)) head.push((length % 128) | 128)
  return Buffer.concat([Buffer.from([...head, length]), content])
}

/** A gzipped pprof file. */
function manyFunctions(count: number): Uint8Array {
  const DEPTH = 100
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'samples', unit: 'count' })
  for (let from = 0; from < count; from += DEPTH) {
    const stack = Array.from({ length: DEPTH }, (_, i) =>
      builder.location({ lines: [{ function: builder.function({ name: `f${from + i}` }) }] }),
    )
    builder.sample({ stack: builder.stack(stack), values: [1n] })
  }
  return gzipSync(writeProfile(builder.build(), 'pprof').bytes)
}

/** Returns the status. Fails after {@link MAX_SECONDS}. */
async function call(url: string, headers: Readonly<Record<string, string>> = {}, body?: Uint8Array): Promise<number> {
  const signal = AbortSignal.timeout(MAX_SECONDS * 1000)
  const sending = request(url, { agent: false, method: body === undefined ? 'GET' : 'POST', headers, signal })
  sending.end(body)
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}

/** Repeats a request until `hasEnded`, every 10 ms, and returns the milliseconds of each. */
async function timesUntil(hasEnded: () => boolean, send: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = []
  do {
    const begun = performance.now()
    const status = await send()
    if (status !== 200) throw new Error(`another tenant's request got ${status}`)
    times.push(performance.now() - begun)
    await new Promise(resolve => setTimeout(resolve, 10))
  } while (!hasEnded())
  return times
}

async function measure(flood: Flood): Promise<string> {
  const body = flood.body()
  const server = await IngestServer.start([])
  try {
    const url = `http://127.0.0.1:${server.httpPort}`
    const other = { 'x-scope-orgid': 'other' }
    const query = (): Promise<number> => call(`${url}/api/v1/services`, other)
    const health = (): Promise<number> => call(`${url}/healthz`)
    // The first requests load code. They are not measured.
    for (let i = 0; i < 20; i++) await Promise.all([query(), health()])
    let hasEnded = false
    const run = async (): Promise<readonly number[]> => {
      const send = async (): Promise<number> => await call(`${server.otlp}${flood.path}`, flood.headers, body)
      const statuses = await Promise.all(Array.from({ length: flood.atOnce }, send))
      return flood.nextQuery === undefined ? statuses : [...statuses, await call(`${url}${flood.nextQuery}`)]
    }
    const begun = performance.now()
    let seconds = 0
    const running = run().finally(() => {
      hasEnded = true
      seconds = (performance.now() - begun) / 1000
    })
    const [statuses, checks, queries] = await Promise.all([
      running,
      timesUntil(() => hasEnded, health),
      timesUntil(() => hasEnded, query),
    ])
    const slowest = [checks, queries].map(
      times => `${quantilesOf(times).p50.toFixed(1)} / ${Math.max(...times).toFixed(0)} ms`,
    )
    const memory = `${(server.peakMemory / 1e6).toFixed(0)} MB`
    const cells = [flood.name, [...new Set(statuses)].join(', '), `${seconds.toFixed(1)} s`, ...slowest, memory]
    return `| ${cells.join(' | ')} |`
  } finally {
    await server.stop()
  }
}

const rows: string[] = []
for (const flood of FLOODS) rows.push(await measure(flood))
const head = `| flood of one tenant | status | took | health check, p50 / slowest (target ${TARGET_MS} ms) | query of another tenant, p50 / slowest | peak memory |`
const table = [head, '| --- | ---: | ---: | ---: | ---: | ---: |', ...rows].join('\n')
console.log(table)
writeFigures('bench:flood', table)
