// The traffic of many hosts at a stated rate: npm run bench:hosts. Each host sends a request of timestamped samples every five seconds,
// at its own time, whether or not the server keeps up. `--hosts=100,1000 --rate=80 --seconds=60` sets the numbers of hosts, the samples a
// second of each, and the duration; `--write` updates docs/benchmarks.md.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { writeFigures } from '../write-figures.ts'
import type { HostsOrder, HostsReport } from './hosts-load.ts'
import { IngestServer } from './ingest-server.ts'

const LOAD = fileURLToPath(new URL('hosts-load.js', import.meta.url))
/** Interval of the gauge of bytes on disk, and a little more. */
const MEASURED_EVERY_MS = 10_500
/** Each number of hosts starts with a new server. */
const HOSTS = [100, 300, 1000]

function option(name: string, byDefault: readonly number[]): readonly number[] {
  const given = process.argv.find(argument => argument.startsWith(`--${name}=`))
  const values =
    given === undefined
      ? byDefault
      : given
          .slice(name.length + 3)
          .split(',')
          .map(Number)
  if (!values.every(value => value > 0)) throw new Error(`--${name} is not a list of positive numbers`)
  return values
}

type Load = Omit<HostsOrder, 'port'>

/** A row of the table. */
async function measure(load: Load): Promise<string> {
  const server = await IngestServer.start([])
  try {
    const bytesBefore = await server.metric('hearth_store_bytes')
    const before = server.cpu
    const child = fork(LOAD)
    child.send({ ...load, port: server.grpcPort } satisfies HostsOrder)
    const response = once(child, 'message')
    await once(child, 'exit')
    const [report] = (await response) as [HostsReport]
    await server.settled()
    const after = server.cpu
    await sleep(MEASURED_EVERY_MS)
    const bytes = (await server.metric('hearth_store_bytes')) - bytesBefore
    const cpu = after.main - before.main + (after.others - before.others)
    const cores = cpu / load.seconds
    const cells = [
      `${load.hosts.toLocaleString('en-US')} × ${load.rate}/s`,
      String(report.requests),
      `${report.p50.toFixed(0)} / ${report.p99.toFixed(0)} ms`,
      `${report.late} / ${report.refused}`,
      cores.toFixed(2),
      `${((1000 * cores) / load.hosts).toFixed(2)} m`,
      `${((1000 * cpu) / report.requests).toFixed(1)} ms`,
      `${((1e6 * cpu) / report.samples).toFixed(1)} µs`,
      `${(server.peakMemory / 2 ** 20).toFixed(0)} MiB`,
      `${(bytes / report.samples).toFixed(1)} B`,
      `${(report.gzipBytes / (report.samples / report.requests)).toFixed(1)} B`,
    ]
    return `| ${cells.join(' | ')} |`
  } finally {
    await server.stop()
  }
}

const [rate] = option('rate', [80])
const [seconds] = option('seconds', [60])
const rows = [
  '| hosts × samples | requests | p50 / p99 | late / rejected | cores | cores a host | CPU a request | CPU a sample | peak memory | disk a sample | network a sample |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
]
for (const hosts of option('hosts', HOSTS)) {
  rows.push(await measure({ hosts, rate, seconds }))
  console.log(rows.at(-1))
}
writeFigures('bench:hosts', rows.join('\n'))
