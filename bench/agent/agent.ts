// The cost of profiling an application: npm run bench:agent. The same HTTP service runs several times: without a profiler,
// with @hearth/agent, with Pyroscope's client, and with node --cpu-prof. A client in another process sends requests to one
// at a time, for half a second each, in random order, so that all meet the same load of the machine. A round is ten seconds
// of such turns for each service. Exports run every ten seconds, so they fall into a service's own turns as often as if it
// ran alone. The table shows medians over rounds: the CPU time per request as a ratio to the unprofiled service of the same
// round, and the extra CPU time per second as a share of one CPU. Profilers sample by wall time: on a busy machine a request
// gets more samples and the ratio is too high. Run it on an idle machine. `--write` updates docs/benchmarks.md;
// `--rounds=3`, `--seconds=5` and `--only=hearth` are for quick trials.
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Usage } from './agent-app.ts'
import type { LoadOrder } from './agent-load.ts'
import { writeFigures } from '../write-figures.ts'

const APP = fileURLToPath(new URL('agent-app.js', import.meta.url))
const LOAD = fileURLToPath(new URL('agent-load.js', import.meta.url))
const REGISTER = new URL('../../../packages/agent/dist/register.js', import.meta.url).href
const AT_ONCE = 4
const TURN_MILLIS = 500
const NOT_PROFILED = 'not profiled'

interface Variant {
  readonly name: string
  readonly nodeFlags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

interface Running {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
  /** CPU microseconds per request, by round. */
  readonly micros: number[]
  /** Requests per millisecond, by round. */
  readonly perMilli: number[]
  readonly rss: number[]
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
    {
      name: '@hearth/agent, cpu and wall only',
      nodeFlags: ['--import', REGISTER],
      env: { ...hearth, HEARTH_PROFILE_TYPES: 'cpu,wall' },
    },
    {
      name: '@pyroscope/nodejs',
      nodeFlags: [],
      env: { PYROSCOPE_URL: sinkUrl },
    },
    {
      name: 'node --cpu-prof',
      nodeFlags: ['--cpu-prof', '--cpu-prof-interval=10000', `--cpu-prof-dir=${folder}`],
      env: {},
    },
  ]
}

async function start({ name, nodeFlags, env }: Variant): Promise<Running> {
  const child = fork(APP, { execArgv: [...nodeFlags], env: { ...process.env, ...env } })
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  return { name, child, port, micros: [], perMilli: [], rss: [] }
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

async function main(): Promise<void> {
  sink.listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const rounds = Number(flag('rounds', '9'))
  const turns = Math.ceil((Number(flag('seconds', '10')) * 1000) / TURN_MILLIS)
  const sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`
  const isChosen = ({ name }: Variant): boolean => name === NOT_PROFILED || name.includes(flag('only', ''))
  const chosen = variants(sinkUrl).filter(isChosen)
  const apps: Running[] = []
  const load = fork(LOAD)
  try {
    for (const variant of chosen) apps.push(await start(variant))
    for (const { port } of apps) await runLoad(load, { port, millis: 4000, atOnce: AT_ONCE })
    for (let round = 0; round < rounds; round++) {
      const sums = apps.map(() => ({ requests: 0, cpuMicros: 0, millis: 0 }))
      for (let turn = 0; turn < turns; turn++) {
        for (const i of shuffled(apps.length)) {
          const before = await usageOf(apps[i])
          const begin = performance.now()
          await runLoad(load, { port: apps[i].port, millis: TURN_MILLIS, atOnce: AT_ONCE })
          const after = await usageOf(apps[i])
          sums[i].millis += performance.now() - begin
          sums[i].requests += after.requests - before.requests
          sums[i].cpuMicros += after.cpuMicros - before.cpuMicros
          if (turn % 4 === 3) apps[i].rss.push(after.rss)
        }
      }
      for (const [i, { requests, cpuMicros, millis }] of sums.entries()) {
        apps[i].micros.push(cpuMicros / requests)
        apps[i].perMilli.push(requests / millis)
      }
      console.error(`round ${round + 1}: ${apps.map(({ micros }) => micros.at(-1)!.toFixed(0)).join(' ')} µs`)
    }
  } finally {
    for (const { child } of [...apps, { child: load }]) {
      child.disconnect()
      await once(child, 'exit')
    }
    sink.close()
    sink.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
  const table = [
    '| an HTTP service at 100 Hz | CPU per request | ratio (min to max) | share of one CPU | memory | extra memory |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...apps.map(app => row(app, apps[0])),
  ].join('\n')
  console.log(table)
  writeFigures('bench:agent', table)
}

function row(app: Running, plain: Running): string {
  const ratios = app.micros.map((micros, round) => micros / plain.micros[round])
  const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  const ratio = `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`
  // Extra microseconds per millisecond are per mille.
  const shares = app.micros.map((micros, round) => ((micros - plain.micros[round]) * app.perMilli[round]) / 10)
  const cells = [
    app.name,
    `${median(app.micros).toFixed(0)} µs`,
    app === plain ? '1' : ratio,
    app === plain ? '' : `${median(shares).toFixed(1)} %`,
    mebibytes(median(app.rss)),
    app === plain ? '' : mebibytes(median(app.rss) - median(plain.rss)),
  ]
  return `| ${cells.join(' | ')} |`
}

await main()
