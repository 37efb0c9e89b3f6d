// Latency of queries: npm run bench:query. The built server on an embedded store in one process, queried over HTTP from
// another, with a day of 2,000 series and 50,000 stacks. The default is 10 million samples; `--full` means 100 million,
// `--millions=N` another number. `--data=DIR` keeps the store and reuses it; `--write` updates docs/benchmarks.md.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { IngestServer } from './ingest-server.ts'
import type { QueryLoadOrder, QueryLoadReport } from './query-load.ts'
import { BATCHES, SAMPLES_A_REQUEST } from './query-payloads.ts'
import type { Latency } from './queries.ts'
import { kinds, latencyOf, sendQuery } from './queries.ts'
import { randomFrom } from '../library/inputs.ts'
import type { SymbolsReport } from './query-symbols.ts'
import { writeFigures } from '../write-figures.ts'

const LOAD = fileURLToPath(new URL('query-load.js', import.meta.url))
const SYMBOLS = fileURLToPath(new URL('query-symbols.js', import.meta.url))
const MILLION = 1_000_000

/** The state of the load, stored next to the data. */
interface Loaded {
  /** Number of the first request that was not sent. */
  readonly next: number
  readonly minutes: number
}

async function main(): Promise<void> {
  const millions = Number(flag('millions') ?? (process.argv.includes('--full') ? 100 : 10))
  const given = flag('data')
  const directory =
    given === undefined
      ? mkdtempSync(join(process.env['HEARTH_BENCH_DIR'] ?? tmpdir(), 'hearth-query-'))
      : resolve(given)
  mkdirSync(directory, { recursive: true })
  try {
    const lines = await measured(directory, millions)
    writeFigures('bench:query', lines.join('\n'))
  } finally {
    if (given === undefined) rmSync(directory, { recursive: true, force: true })
  }
}

async function measured(directory: string, millions: number): Promise<string[]> {
  const lines: string[] = []
  const say = (...more: readonly string[]): void => {
    lines.push(...more)
    console.log(more.join('\n'))
  }
  const loaded = await loadedStore(directory, millions)
  const { minutes } = loaded
  const cold = await coldStart(directory, minutes)
  const server = await IngestServer.start([], profiling(), directory)
  try {
    const idle: Latency[] = []
    for (const kind of kinds) {
      // The first run warms up code and symbols; the second one counts.
      await latencyOf(kind, server, minutes, 1)
      idle.push(await latencyOf(kind, server, minutes, 2))
    }
    const busy = process.argv.includes('--idle') ? undefined : await whileLoading(server, loaded, directory)
    say(
      `| ${((minutes * BATCHES * SAMPLES_A_REQUEST) / MILLION).toFixed(0)} M samples, over HTTP | p50 | p95 | target | CPU | response | p50 while ingesting at half speed | times idle |`,
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    )
    for (const [k, kind] of kinds.entries()) {
      const { p50, p95, cpu, bytes } = idle[k]
      const during = busy?.[k]
      say(
        `| ${kind.name} | ${ms(p50)} | ${ms(p95)} | ${kind.target} ms | ${ms(cpu)} | ${(bytes / 1024).toFixed(0)} KiB | ` +
          (during === undefined ? '– | – |' : `${ms(during.p50)} | ${(during.p50 / p50).toFixed(1)}× |`),
      )
    }
    say(`| from the start of the process to the first response | ${ms(cold)} | – | 3000 ms | – | – | – | – |`)
  } finally {
    await server.stop()
  }
  const symbols = await symbolsReport(directory, minutes)
  say(
    '',
    `| ${symbols.stacks.toLocaleString('en')} stacks, by function | Hearth | target | joins in SQL | times as fast |`,
    '| --- | ---: | ---: | ---: | ---: |',
    `| symbols fetched and merged, first of the process | ${ms(symbols.first)} | – | ${ms(symbols.joins)} | ${(symbols.joins / symbols.first).toFixed(1)}× |`,
    `| symbols fetched and merged, cold | ${ms(symbols.cold)} | 300 ms | ${ms(symbols.joins)} | ${(symbols.joins / symbols.cold).toFixed(1)}× |`,
    `| merged, warm | ${ms(symbols.warm)} | 20 ms | ${ms(symbols.joins)} | ${(symbols.joins / symbols.warm).toFixed(1)}× |`,
  )
  return lines
}

function ms(milliseconds: number): string {
  return `${milliseconds < 100 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`
}

function profiling(): string[] {
  return process.argv.includes('--cpu-prof') ? ['--cpu-prof', '--cpu-prof-dir=bench/dist'] : []
}

/** Sends the part of the data that the store does not have yet. */
async function loadedStore(directory: string, millions: number): Promise<Loaded> {
  const file = join(directory, 'bench.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Loaded
  const minutes = Math.max(1, Math.round((millions * MILLION) / SAMPLES_A_REQUEST / BATCHES))
  const server = await IngestServer.start([], [], directory)
  try {
    const report = await load({ port: server.grpcPort, from: 0, to: minutes * BATCHES }).report
    await server.settled()
    const { next, seconds, samplesASecond } = report
    console.error(`loaded in ${seconds.toFixed(0)} s, ${(samplesASecond / MILLION).toFixed(2)} M samples/s`)
    // Leaves time for the larger merges, which a day's data would have had.
    await sleep(Math.min(60_000, minutes * 40))
    const loaded = { next, minutes }
    writeFileSync(file, JSON.stringify(loaded))
    return loaded
  } finally {
    await server.stop()
  }
}

function load(order: QueryLoadOrder): {
  readonly child: ChildProcess
  readonly ready: Promise<unknown>
  readonly report: Promise<QueryLoadReport>
} {
  const child = fork(LOAD)
  child.send(order)
  const report = new Promise<QueryLoadReport>((done, failed) => {
    child.on('message', message => {
      if (message !== 'ready') done(message as QueryLoadReport)
    })
    child.once('exit', code => failed(new Error(`the load ended with ${code}`)))
  })
  return { child, ready: once(child, 'message'), report }
}

async function coldStart(directory: string, minutes: number): Promise<number> {
  const begun = performance.now()
  const server = await IngestServer.start([], [], directory)
  try {
    await sendQuery(server.httpPort, kinds[0].path(randomFrom(7), minutes))
    return performance.now() - begun
  } finally {
    await server.stop()
  }
}

/** Milliseconds for which ingest runs alone, to measure its maximum. */
const ALONE_MS = 10_000

/** The same queries while ingest runs at half of its maximum. */
async function whileLoading(server: IngestServer, loaded: Loaded, directory: string): Promise<Latency[]> {
  const { minutes } = loaded
  const begin = async (from: number, rate?: number): Promise<() => Promise<QueryLoadReport>> => {
    const order = { port: server.grpcPort, from, to: Number.MAX_SAFE_INTEGER }
    const { child, ready, report } = load(rate === undefined ? order : { ...order, rate })
    await ready
    return async () => {
      child.send('stop')
      const ended = await report
      writeFileSync(join(directory, 'bench.json'), JSON.stringify({ ...loaded, next: ended.next }))
      return ended
    }
  }
  const stopAlone = await begin(loaded.next)
  await sleep(ALONE_MS)
  const { next, samplesASecond } = await stopAlone()
  await server.settled()
  const stop = await begin(next, samplesASecond / 2)
  await sleep(2000)
  const latencies: Latency[] = []
  for (const kind of kinds) latencies.push(await latencyOf(kind, server, minutes, 2))
  const held = (await stop()).samplesASecond / samplesASecond
  if (held < 0.45) console.error(`ingest ran at ${(held * 100).toFixed(0)} % of its maximum, not at half`)
  return latencies
}

async function symbolsReport(directory: string, minutes: number): Promise<SymbolsReport> {
  const child = fork(SYMBOLS, [directory, String(minutes)], {
    execArgv: [...profiling(), '--conditions=hearth-source', '--import', 'tsx'],
  })
  const [report] = (await once(child, 'message')) as [SymbolsReport]
  await once(child, 'exit')
  return report
}

function flag(name: string): string | undefined {
  return process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
}

await main()
