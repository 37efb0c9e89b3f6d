// What profiling costs an application: npm run bench:agent. The same HTTP service several times, one not profiled, one with
// @hearth/agent, one with Pyroscope's client, one with node --cpu-prof, all running all the time and asked in turn for half a
// second each, in an order that changes, by a client in another process: so all of them meet the same neighbours. A round is ten
// seconds of such turns for each. Exports are every ten seconds, so that they fall into an application's own turns as often as they
// would if it were alone. Stated are medians over rounds: of CPU time a request, as a ratio to the one that is not profiled in the
// same round; and of the CPU time more that this is in a second, as a share of one CPU. Samples are
// taken by the clock, so where others take part of the machine there are more of them to a request, and the ratio tends to be too
// high; on a busy machine both numbers differ from run to run by more than what they tell. Run it on one that does nothing else.
// `--write` puts the table into the README; `--rounds=3`, `--seconds=5` and `--only=hearth` are for trying.
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
import { writeFigures } from './write-figures.ts'

const APP = fileURLToPath(new URL('agent-app.js', import.meta.url))
const LOAD = fileURLToPath(new URL('agent-load.js', import.meta.url))
const REGISTER = new URL('../../packages/agent/dist/register.js', import.meta.url).href
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
  /** CPU microseconds a request, by round. */
  readonly micros: number[]
  /** Requests in a millisecond, by round. */
  readonly perMilli: number[]
  readonly rss: number[]
}

function flag(name: string, fallback: string): string {
  return process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback
}

const folder = mkdtempSync(join(tmpdir(), 'hearth-bench-agent-'))
/** Takes whatever comes. */
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

async function ask(load: ChildProcess, order: LoadOrder): Promise<void> {
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
    for (const { port } of apps) await ask(load, { port, millis: 4000, atOnce: AT_ONCE })
    for (let round = 0; round < rounds; round++) {
      const sums = apps.map(() => ({ requests: 0, cpuMicros: 0, millis: 0 }))
      for (let turn = 0; turn < turns; turn++) {
        for (const i of shuffled(apps.length)) {
          const before = await usageOf(apps[i])
          const begin = performance.now()
          await ask(load, { port: apps[i].port, millis: TURN_MILLIS, atOnce: AT_ONCE })
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
    '| an HTTP service at 100 Hz | CPU a request | as a ratio (least to most) | of one CPU | memory | more |',
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
  // Microseconds more in a millisecond are per mille.
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
