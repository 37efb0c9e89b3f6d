// The Broker: npm run bench:broker. The built server in one process, components and askers in another: routed requests and
// answers over loopback, and what components that do nothing take. `--cpu-prof` keeps a profile of the server in bench/dist.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BrokerOrder, BrokerReport } from './broker-load.ts'
import { IngestServer } from './ingest-server.ts'
import { writeFigures } from './write-figures.ts'

const LOAD = fileURLToPath(new URL('broker-load.js', import.meta.url))
const REQUESTS = { kind: 'ask', subscriptions: 100, rules: 50, askers: 10, bytes: 1024 } as const
const IDLE = 2000
const MEBIBYTE = 2 ** 20

async function load(order: BrokerOrder, meanwhile: () => Promise<void> = async () => {}): Promise<BrokerReport> {
  const child = fork(LOAD)
  child.send(order)
  const [report] = (await once(child, 'message')) as [BrokerReport]
  await meanwhile()
  if (child.connected) child.disconnect()
  if (child.exitCode === null) await once(child, 'exit')
  return report
}

async function requests(port: number, server: IngestServer, atOnce: number, count: number): Promise<string> {
  const before = server.cpu
  const { seconds, p50, p99, cpuSeconds } = await load({ ...REQUESTS, port, atOnce, requests: count })
  const main = server.cpu.main - before.main
  const cells = [
    REQUESTS.askers * atOnce,
    Math.round(count / seconds).toLocaleString('en'),
    `${p50.toFixed(1)} ms`,
    `${p99.toFixed(1)} ms`,
    `${((main / count) * 1e6).toFixed(0)} µs`,
    `${((cpuSeconds / count) * 1e6).toFixed(0)} µs`,
  ]
  return `| ${cells.join(' | ')} |`
}

const { subscriptions, rules, bytes } = REQUESTS
const lines = [
  `| ${bytes} bytes to one of ${subscriptions} components by ${rules} rules, and back: at a time | a second | p50 | p99 | CPU of the server | of both ends |`,
  '| ---: | ---: | ---: | ---: | ---: | ---: |',
]
const profile = process.argv.includes('--cpu-prof') ? ['--cpu-prof', '--cpu-prof-dir=bench/dist'] : []
const server = await IngestServer.start(['--self-profile', 'no'], profile)
try {
  // Until the engine has compiled what there is to compile.
  await load({ ...REQUESTS, port: server.grpcPort, atOnce: 2, requests: 10_000 })
  lines.push(await requests(server.grpcPort, server, 1, 30_000))
  lines.push(await requests(server.grpcPort, server, 4, 50_000))
  lines.push(await requests(server.grpcPort, server, 10, 50_000))
} finally {
  await server.stop()
}

const idle = await IngestServer.start(['--self-profile', 'no'])
try {
  await sleep(3000)
  const before = idle.memory
  await load({ kind: 'idle', port: idle.grpcPort, subscriptions: IDLE }, async () => {
    await sleep(3000)
    const grown = (idle.memory - before) / MEBIBYTE
    const kilobytes = (grown * 1024) / IDLE
    const idly = `${IDLE.toLocaleString('en')} components that do nothing take ${grown.toFixed(0)} MiB, ${kilobytes.toFixed(0)} KiB each.`
    lines.push('', idly)
  })
} finally {
  await idle.stop()
}

console.log(lines.join('\n'))
writeFigures('bench:broker', lines.join('\n'))
