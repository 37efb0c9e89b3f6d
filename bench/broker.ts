// The Broker: npm run bench:broker. The built server in one process, components and askers in another: routed requests and
// answers over loopback, and what components that do nothing take. `--cpu-prof` keeps a profile of the server in bench/dist.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BrokerOrder, BrokerReport } from './broker-load.ts'
import { IngestServer } from './ingest-server.ts'

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

async function requests(port: number, server: IngestServer, atOnce: number, count: number): Promise<void> {
  const before = server.cpu
  const { seconds, p50, p99, cpuSeconds } = await load({ ...REQUESTS, port, atOnce, requests: count })
  const main = server.cpu.main - before.main
  console.log(
    `${REQUESTS.askers * atOnce} at a time: ${(count / seconds).toFixed(0)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms` +
      ` (server ${((main / count) * 1e6).toFixed(0)} µs of CPU a request, load ${((cpuSeconds / count) * 1e6).toFixed(0)} µs)`,
  )
}

const profile = process.argv.includes('--cpu-prof') ? ['--cpu-prof', '--cpu-prof-dir=bench/dist'] : []
const server = await IngestServer.start(['--self-profile', 'no'], profile)
try {
  const { subscriptions, rules, bytes } = REQUESTS
  console.log(`routed request and answer, ${bytes} bytes, ${subscriptions} components, ${rules} rules`)
  // Until the engine has compiled what there is to compile.
  await load({ ...REQUESTS, port: server.grpcPort, atOnce: 2, requests: 10_000 })
  await requests(server.grpcPort, server, 1, 30_000)
  await requests(server.grpcPort, server, 4, 50_000)
  await requests(server.grpcPort, server, 10, 50_000)
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
    console.log(`${IDLE} components that do nothing: ${grown.toFixed(0)} MiB more, ${kilobytes.toFixed(0)} KiB each`)
  })
} finally {
  await idle.stop()
}
