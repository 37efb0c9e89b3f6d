// The traffic of many hosts at a stated rate: npm run bench:hosts. Each host sends a request of timestamped samples every five seconds,
// at its own time, whether or not the server keeps up. `--hosts=1000 --rate=80 --seconds=60` sets the number of hosts, the samples a
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

function option(name: string, byDefault: number): number {
  const given = process.argv.find(argument => argument.startsWith(`--${name}=`))
  const value = given === undefined ? byDefault : Number(given.slice(name.length + 3))
  if (!(value > 0)) throw new Error(`--${name} is not a positive number`)
  return value
}

const order = { hosts: option('hosts', 1000), rate: option('rate', 80), seconds: option('seconds', 60) }
const server = await IngestServer.start([])
try {
  const bytesBefore = await server.metric('hearth_store_bytes')
  const before = server.cpu
  const child = fork(LOAD)
  child.send({ ...order, port: server.grpcPort } satisfies HostsOrder)
  const response = once(child, 'message')
  await once(child, 'exit')
  const [report] = (await response) as [HostsReport]
  await server.settled()
  const after = server.cpu
  await sleep(MEASURED_EVERY_MS)
  const bytes = (await server.metric('hearth_store_bytes')) - bytesBefore
  const cpu = after.main - before.main + (after.others - before.others)
  const cells = [
    `${order.hosts} × ${order.rate} samples/s`,
    `${report.requests} in ${order.seconds} s`,
    String(report.late),
    `${report.p50.toFixed(0)} / ${report.p99.toFixed(0)} ms`,
    `${(cpu / order.seconds).toFixed(2)} cores`,
    `${((1000 * cpu) / report.requests).toFixed(2)} ms`,
    `${(server.peakMemory / 2 ** 20).toFixed(0)} MiB`,
    `${(bytes / report.samples).toFixed(1)}`,
    String(report.refused),
  ]
  const text = [
    '| hosts | requests | late | p50 / p99 | CPU | CPU a request | peak memory | bytes on disk, a sample | rejected |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    `| ${cells.join(' | ')} |`,
  ].join('\n')
  console.log(text)
  writeFigures('bench:hosts', text)
} finally {
  await server.stop()
}
