// Ingest over gRPC with acknowledged commits: npm run bench:ingest. The built server with its default settings and an
// embedded store in one process, the load in another. `--full` continues to 100 million samples, `--write` updates
// docs/benchmarks.md. For a closer look: `--cpu-prof` keeps profiles of the server in bench/dist, `--only=timestamped` runs one
// shape, `--millions=5` other sizes. `--continue` adds the rows of the runs before: the shapes take four and eight minutes with `--full`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadReport } from './ingest-load.ts'
import type { Shape } from './ingest-payloads.ts'
import type { CpuSeconds } from './ingest-server.ts'
import { IngestServer } from './ingest-server.ts'
import { withEarlier } from '../kept-results.ts'
import { writeFigures } from '../write-figures.ts'

const LOAD = fileURLToPath(new URL('ingest-load.js', import.meta.url))
const MILLION = 1_000_000
const WINDOW_MS = 100
/** Interval of the gauge of bytes on disk, and a little more. */
const MEASURED_EVERY_MS = 10_500
/** Keeps the server busy while responses still arrive in time. */
const AT_ONCE: Readonly<Record<Shape, number>> = { aggregated: 20, timestamped: 10 }
const NAMES: Readonly<Record<Shape, string>> = {
  aggregated: 'aggregated, 100 a request',
  timestamped: 'with timestamps, threads, spans',
}

interface Measured extends LoadReport {
  readonly name: string
  readonly cpu: CpuSeconds
  readonly peakMemory: number
  readonly bytesOnDisk: number
  /** Seconds from the last acknowledgement until everything is in the store. */
  readonly behindSeconds: number
}

async function measure(shape: Shape, samples: number, durable: boolean): Promise<Measured> {
  const profile = process.argv.includes('--cpu-prof') ? ['--cpu-prof', '--cpu-prof-dir=bench/dist'] : []
  const server = await IngestServer.start(durable ? ['--durable'] : [], profile)
  try {
    // Warms up the server with a tenth of a second of requests.
    await load({ shape, samples: 100_000, port: server.grpcPort, atOnce: 2 })
    await server.settled()
    const bytesBefore = await server.metric('hearth_store_bytes')
    const finished = performance.now()
    const before = server.cpu
    const report = await load({ shape, samples, port: server.grpcPort, atOnce: AT_ONCE[shape] })
    const acknowledged = performance.now()
    await server.settled()
    const behindSeconds = (performance.now() - acknowledged) / 1000
    const after = server.cpu
    // By then the first merges are done, and the gauge has been measured again.
    await sleep(Math.max(3000, MEASURED_EVERY_MS - (performance.now() - finished)))
    const bytesOnDisk = (await server.metric('hearth_store_bytes')) - bytesBefore
    const cpu = { main: after.main - before.main, others: after.others - before.others }
    const name = `${NAMES[shape]}${durable ? ', durable' : ''}`
    return { ...report, name, cpu, behindSeconds, bytesOnDisk, peakMemory: server.peakMemory }
  } finally {
    await server.stop()
  }
}

async function load(order: LoadOrder): Promise<LoadReport> {
  const child = fork(LOAD)
  child.send(order)
  const response = once(child, 'message')
  await once(child, 'exit')
  const [report] = (await response) as [LoadReport]
  return report
}

function row(m: Measured): string {
  const perMillion = (seconds: number): string => ((seconds / m.samples) * MILLION).toFixed(2)
  const cells = [
    m.name,
    `${(m.samples / MILLION).toFixed(0)} M`,
    `${(m.samples / m.seconds / MILLION).toFixed(2)} M/s`,
    `${m.p50.toFixed(0)} / ${m.p99.toFixed(0)} ms (${(m.p99 / WINDOW_MS).toFixed(1)}×)`,
    `${m.behindSeconds.toFixed(1)} s`,
    `${perMillion(m.cpu.main)} + ${perMillion(m.cpu.others)} s`,
    `${(m.peakMemory / 2 ** 20).toFixed(0)} MiB`,
    `${(m.bytesOnDisk / m.samples).toFixed(1)} / ${m.gzipPerSample.toFixed(1)}`,
    String(m.refused),
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = [
  '| ingest over gRPC | samples | acknowledged | p50 / p99 (of the commit window) | lag | CPU per million: main thread + others | peak memory | bytes on disk / OTLP gzip, per sample | rejected |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
]

async function main(): Promise<void> {
  const only = flag('only')
  const sizes = (flag('millions') ?? (process.argv.includes('--full') ? '1,10,100' : '1,10')).split(',').map(Number)
  const measured: Measured[] = []
  console.log(HEAD.join('\n'))
  const run = async (shape: Shape, samples: number, durable: boolean): Promise<void> => {
    if (only !== undefined && only !== shape) return
    const found = await measure(shape, samples * MILLION, durable)
    measured.push(found)
    console.log(row(found))
  }
  for (const shape of ['aggregated', 'timestamped'] as const) {
    for (const samples of sizes) await run(shape, samples, false)
    if (flag('millions') === undefined) await run(shape, 10, true)
  }
  const all = withEarlier('ingest', measured, ({ name, samples }) => `${name} ${samples}`)
  writeFigures('bench:ingest', [...HEAD, ...all.map(row)].join('\n'))
}

function flag(name: string): string | undefined {
  return process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
}

await main()
