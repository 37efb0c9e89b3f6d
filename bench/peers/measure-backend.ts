// Fills one server, queries it, restarts it, and returns its figures.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { quantilesOf } from '../quantiles.ts'
import { cpuSeconds, memoryOf } from '../server/process-usage.ts'
import type { Backend, Query, QueryName, Range, RunningBackend } from './backend.ts'
import type { PushOrder, PushReport } from './push-load.ts'
import type { PushedProfile } from './requests.ts'
import { SERVICES, serviceName } from './requests.ts'

const LOAD = fileURLToPath(new URL('push-load.js', import.meta.url))
const AT_ONCE = 128
/** Requests before the measured ones: ten for each service. */
const WARM_UP = 400
/** Pyroscope rejects profiles that are older than an hour. */
const SPAN_MS = 45 * 60_000
const STEP_MS = 10_000
const MAX_LOAD_SECONDS = 60
const MAX_IDLE_SECONDS = 15
const VISIBLE_SECONDS = 30
/** No query is sent more often when its repetitions have taken this long. */
const MAX_QUERY_SECONDS = 20
/** How often each query is sent, after three that warm up. */
const TIMES: Readonly<Record<QueryName, number>> = {
  everything: 15,
  service: 41,
  pprof: 41,
  series: 41,
  'label values': 41,
  'profile types': 41,
}

export interface Latency {
  readonly p50: number
  /** CPU milliseconds of the server per query. */
  readonly cpu: number
  /** The share of the pushed values in the result. Pyroscope finds new profiles only by the name of their service. */
  readonly share: number
}

export interface Ingest {
  /** CPU milliseconds per request, of the server and of the client. */
  readonly cpuMillis: number
  readonly clientMillis: number
  readonly perSecond: number
  readonly bytes: number
  readonly refused: number
}

export interface Figures {
  readonly name: string
  /** Profiles that the server acknowledged. */
  readonly profiles: number
  readonly pprof: Ingest
  readonly otlp?: Ingest
  /** Bytes on disk for each profile. */
  readonly diskPerProfile: number
  readonly memory: number
  /** Without queries that failed. */
  readonly queries: Readonly<Partial<Record<QueryName, Latency>>>
  /** Milliseconds of the first flame graph after a restart. Undefined if the server lost the profiles. */
  readonly first?: number
}

interface Filled {
  readonly ingest: Ingest
  readonly acknowledged: number
  readonly range: Range
}

export async function measureBackend(backend: Backend, profile: PushedProfile, requests: number): Promise<Figures> {
  const count = Math.min(requests, backend.maxProfiles ?? requests)
  const pprof = await inFolder(async folder => {
    const server = await backend.start(folder)
    let figures
    let range: Range
    try {
      const form = backend.name === 'Parca' ? 'write raw' : 'push'
      const filled = await fill(server, { form, target: server.pprof }, count)
      range = filled.range
      const profiles = filled.acknowledged
      const [disk, memory] = [bytesIn(folder), memoryOf(server.pid, 'VmRSS')]
      await untilVisible(server, range, BigInt(Math.ceil(profiles / SERVICES)) * profile.total)
      const queries = await latencies(server, range, BigInt(profiles) * profile.total)
      figures = { name: backend.name, profiles, pprof: filled.ingest, diskPerProfile: disk / profiles, memory, queries }
    } finally {
      await server.stop()
    }
    const first = await firstFlameGraph(backend, folder, range)
    return { ...figures, ...(first === undefined ? {} : { first }) }
  })
  const otlp = await inFolder(async folder => {
    const server = await backend.start(folder)
    try {
      return server.otlp && (await fill(server, { form: 'otlp', target: server.otlp }, count)).ingest
    } finally {
      await server.stop()
    }
  })
  return { ...pprof, ...(otlp === undefined ? {} : { otlp }) }
}

async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(process.env['HEARTH_BENCH_DIR'] ?? tmpdir(), 'hearth-peers-'))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sends requests, and counts the server's CPU time until it has nothing left to do. */
async function fill(server: RunningBackend, to: Pick<PushOrder, 'form' | 'target'>, count: number): Promise<Filled> {
  const end = Date.now()
  const perService = Math.ceil((WARM_UP + count) / SERVICES)
  const step = Math.min(STEP_MS, Math.floor(SPAN_MS / perService))
  const range = { start: end - step * perService, end: end + 1000 }
  const order = {
    ...to,
    start: `${range.start}000000`,
    step: `${step}000000`,
    atOnce: AT_ONCE,
    maxSeconds: MAX_LOAD_SECONDS,
  }
  const warm = await load({ ...order, from: 0, to: WARM_UP })
  await untilIdle(server.pid)
  const before = cpuSeconds(server.pid)
  const report = await load({ ...order, from: WARM_UP, to: WARM_UP + count })
  await untilIdle(server.pid)
  const cpuMillis = ((cpuSeconds(server.pid) - before) * 1000) / report.acknowledged
  const { acknowledged, seconds, bytes, refused } = report
  const clientMillis = report.clientMillis / acknowledged
  const ingest = { cpuMillis, clientMillis, perSecond: acknowledged / seconds, bytes, refused }
  return { ingest, acknowledged: warm.acknowledged + acknowledged, range }
}

async function load(order: PushOrder): Promise<PushReport> {
  const child = fork(LOAD)
  child.send(order)
  const report = new Promise<PushReport>((resolve, reject) => {
    child.once('message', message => resolve(message as PushReport))
    child.once('exit', code => reject(new Error(`the load ended with ${code}`)))
  })
  const ended = once(child, 'exit')
  try {
    return await report
  } finally {
    await ended
  }
}

/** Waits until the process uses less than a tenth of a CPU for a second. */
async function untilIdle(pid: number): Promise<void> {
  for (let second = 0; second < MAX_IDLE_SECONDS; second++) {
    const before = cpuSeconds(pid)
    await sleep(1000)
    if (cpuSeconds(pid) - before < 0.1) return
  }
}

/** Throws if the flame graph of the first service does not contain every acknowledged profile. */
async function untilVisible({ queries }: RunningBackend, range: Range, total: bigint): Promise<void> {
  let found = 0n
  for (const until = performance.now() + VISIBLE_SECONDS * 1000; performance.now() < until; await sleep(200)) {
    found = await queries.service(range, serviceName(0))
    if (found === total) return
  }
  throw new Error(`the flame graph of a service has ${found} ns instead of ${total} ns`)
}

async function latencies({ pid, queries }: RunningBackend, range: Range, total: bigint): Promise<Figures['queries']> {
  const measured: Partial<Record<QueryName, Latency>> = {}
  for (const [name, query] of Object.entries(queries) as [QueryName, Query][]) {
    const times: number[] = []
    let before = 0
    let problem: string | undefined
    let share = 1
    const until = performance.now() + MAX_QUERY_SECONDS * 1000
    for (let i = -3; i < TIMES[name] && problem === undefined && performance.now() < until; i++) {
      if (i === 0) before = cpuSeconds(pid)
      const begun = performance.now()
      // The range starts at another millisecond each time, so that no cache has the response.
      const selected = { start: range.start - 4 - i, end: range.end }
      const found = await query(selected, serviceName(i + 3)).catch((error: unknown) => String(error))
      if (i >= 0) times.push(performance.now() - begun)
      if (typeof found === 'string') problem = found
      else if (found === 0n) problem = 'the result was empty'
      else if (name === 'everything') share = Math.min(share, Number((found * 1000n) / total) / 1000)
    }
    if (times.length === 0) problem ??= `fewer than four results in ${MAX_QUERY_SECONDS} s`
    const cpu = ((cpuSeconds(pid) - before) * 1000) / times.length
    if (problem === undefined) measured[name] = { p50: quantilesOf(times).p50, cpu, share }
    else console.error(`skipped the query for ${name}: ${problem}`)
  }
  return measured
}

async function firstFlameGraph(backend: Backend, folder: string, range: Range): Promise<number | undefined> {
  const server = await backend.start(folder)
  try {
    const begun = performance.now()
    const found = await server.queries.service(range, serviceName(0))
    const millis = performance.now() - begun
    return found === 0n ? undefined : millis
  } finally {
    await server.stop()
  }
}

/** The unit in which stat counts blocks. */
const BLOCK_BYTES = 512

/** The allocated bytes. Parca's files have holes. */
function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks * BLOCK_BYTES, 0)
}
