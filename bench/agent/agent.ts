// The cost of profiling an application: npm run bench:agent. The same HTTP service runs without a profiler, with
// @hearth/agent, with Pyroscope's client, and with node --cpu-prof, all at 100 Hz. A pair is one run of each in new processes,
// because two processes of the same program differ by some percent for their whole life. Within a run, a client in another
// process sends requests to one service at a time, for about half a second each, in random order, so that all meet the same load of
// the machine. The ratio of a pair is the CPU time per request with and without a profiler. The table shows the typical ratio
// with its 95 % confidence interval. Profilers sample by wall time: on a busy machine a request gets more samples, and the
// ratio is too high. Run it on an idle machine. 30 pairs take fourteen minutes, and ten with `--turns=3`, which halves the requests of a
// run. `--write` updates docs/benchmarks.md; `--pairs=6` and `--only=hearth` are for quick trials. `--pairs=15 --continue` adds 15 pairs to
// those of the runs before.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Usage } from './agent-app.ts'
import type { LoadOrder } from './agent-load.ts'
import { MIN_PAIRS, estimate } from './paired-ratios.ts'
import { withEarlier } from '../kept-results.ts'
import { writeFigures } from '../write-figures.ts'

const APP = fileURLToPath(new URL('agent-app.js', import.meta.url))
const LOAD = fileURLToPath(new URL('agent-load.js', import.meta.url))
const REGISTER = new URL('../../../packages/agent/dist/register.js', import.meta.url).href
const AT_ONCE = 4
/** Requests, each about a millisecond. By number and not by time, so that every run has compiled the same code. */
const WARM_UP = 1500
const TURN = 500
/** When all profilers have exported once. That starts threads and loads code, which is no cost of a request. */
const FIRST_EXPORT_MILLIS = 11_000
const NOT_PROFILED = 'not profiled'

interface Variant {
  readonly name: string
  readonly nodeFlags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

interface Running {
  readonly child: ChildProcess
  readonly port: number
}

/** One run of a service. */
interface Run {
  /** CPU microseconds per request. */
  readonly micros: number
  readonly requestsPerMilli: number
  readonly rss: number
}

/** One run of each variant. */
interface Pair {
  readonly time: number
  readonly names: string
  readonly runs: readonly Run[]
}

function flag(name: string, fallback: string): string {
  return process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback
}

const folder = mkdtempSync(join(tmpdir(), 'hearth-bench-agent-'))
/** Accepts every request. */
const sink = createServer((request, response) => void request.resume().on('end', () => response.end()))

function variants(sinkUrl: string): readonly Variant[] {
  const hearth = {
    OTEL_EXPORTER_OTLP_ENDPOINT: sinkUrl,
    OTEL_SERVICE_NAME: 'bench',
    HEARTH_SAMPLE_RATE_HZ: '100',
    HEARTH_EXPORT_INTERVAL: '10s',
  }
  return [
    { name: NOT_PROFILED, nodeFlags: [], env: {} },
    { name: '@hearth/agent', nodeFlags: ['--import', REGISTER], env: hearth },
    { name: '@pyroscope/nodejs', nodeFlags: [], env: { PYROSCOPE_URL: sinkUrl } },
    {
      name: 'node --cpu-prof',
      nodeFlags: ['--cpu-prof', '--cpu-prof-interval=10000', `--cpu-prof-dir=${folder}`],
      env: {},
    },
  ]
}

async function start({ nodeFlags, env }: Variant): Promise<Running> {
  const child = fork(APP, { execArgv: [...nodeFlags], env: { ...process.env, ...env } })
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  return { child, port }
}

async function usageOf({ child }: Running): Promise<Usage> {
  child.send('usage')
  const [usage] = (await once(child, 'message')) as [Usage]
  return usage
}

async function runLoad(load: ChildProcess, order: LoadOrder): Promise<void> {
  load.send(order)
  await once(load, 'message')
}

function shuffled(length: number): readonly number[] {
  const keys = Array.from({ length }, () => Math.random())
  return keys.map((_, i) => i).toSorted((a, b) => keys[a] - keys[b])
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/** Runs every variant once. */
async function runAll(variants: readonly Variant[], load: ChildProcess, turns: number): Promise<Run[]> {
  const apps: Running[] = []
  try {
    for (const variant of variants) apps.push(await start(variant))
    const started = performance.now()
    for (const i of shuffled(apps.length))
      await runLoad(load, { port: apps[i].port, requests: WARM_UP, atOnce: AT_ONCE })
    await sleep(Math.max(0, FIRST_EXPORT_MILLIS - (performance.now() - started)))
    for (const i of shuffled(apps.length)) await runLoad(load, { port: apps[i].port, requests: TURN, atOnce: AT_ONCE })
    const sums = apps.map(() => ({ requests: 0, cpuMicros: 0, millis: 0, rss: 0 }))
    for (let turn = 0; turn < turns; turn++) {
      for (const i of shuffled(apps.length)) {
        const before = await usageOf(apps[i])
        const begun = performance.now()
        await runLoad(load, { port: apps[i].port, requests: TURN, atOnce: AT_ONCE })
        const after = await usageOf(apps[i])
        sums[i].millis += performance.now() - begun
        sums[i].requests += after.requests - before.requests
        sums[i].cpuMicros += after.cpuMicros - before.cpuMicros
        sums[i].rss = after.rss
      }
    }
    return sums.map(({ requests, cpuMicros, millis, rss }) => ({
      micros: cpuMicros / requests,
      requestsPerMilli: requests / millis,
      rss,
    }))
  } finally {
    for (const { child } of apps) await end(child)
  }
}

async function end(child: ChildProcess): Promise<void> {
  child.disconnect()
  await once(child, 'exit')
}

async function main(): Promise<void> {
  const pairs = Number(flag('pairs', '30'))
  const turns = Number(flag('turns', '6'))
  if (!(turns >= 1)) throw new Error(`--turns must be at least 1, not ${turns}`)
  if (!(pairs >= MIN_PAIRS)) throw new Error(`--pairs must be at least ${MIN_PAIRS}, not ${pairs}`)
  sink.listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`
  const isChosen = ({ name }: Variant): boolean => name === NOT_PROFILED || name.includes(flag('only', ''))
  const chosen = variants(sinkUrl).filter(isChosen)
  const names = chosen.map(({ name }) => name).join(', ')
  const measured: Pair[] = []
  const load = fork(LOAD)
  try {
    for (let pair = 0; pair < pairs; pair++) {
      const runs = await runAll(chosen, load, turns)
      measured.push({ time: Date.now(), names, runs })
      const micros = runs.map(run => run.micros.toFixed(0))
      console.error(`pair ${pair + 1} of ${pairs}: ${micros.join(' ')} µs`)
    }
  } finally {
    await end(load)
    sink.close()
    sink.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
  const all = withEarlier('agent', measured, ({ time }) => String(time)).filter(pair => pair.names === names)
  const runs = all.map(pair => pair.runs)
  const table = [
    `| an HTTP service at 100 Hz, ${runs.length} pairs of ${(turns * TURN).toLocaleString('en')} requests | CPU per request | ratio (95 % confidence) | share of one CPU | memory | extra memory |`,
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...chosen.map(({ name }, v) =>
      row(
        name,
        runs.map(pair => pair[v]),
        runs.map(([plain]) => plain),
      ),
    ),
  ].join('\n')
  console.log(table)
  writeFigures('bench:agent', table)
}

function row(name: string, runs: readonly Run[], plain: readonly Run[]): string {
  const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  const rss = median(runs.map(run => run.rss))
  const cells = [name, `${median(runs.map(run => run.micros)).toFixed(0)} µs`]
  if (name === NOT_PROFILED) return `| ${[...cells, '1', '', mebibytes(rss), ''].join(' | ')} |`
  const { ratio, from, to } = estimate(runs.map(({ micros }, pair) => micros / plain[pair].micros))
  // Extra microseconds per millisecond are per mille.
  const shares = runs.map(({ micros, requestsPerMilli }, i) => ((micros - plain[i].micros) * requestsPerMilli) / 10)
  cells.push(`${ratio.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`, `${median(shares).toFixed(1)} %`)
  return `| ${[...cells, mebibytes(rss), mebibytes(rss - median(plain.map(run => run.rss)))].join(' | ')} |`
}

await main()
