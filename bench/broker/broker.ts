// The Broker: npm run bench:broker. The built server runs in one process, components and requesters in another. It measures
// routed requests and responses over loopback next to NATS, and the memory of idle components. `--cpu-prof` keeps a profile of
// the server in bench/dist.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BrokerOrder, BrokerReport } from './broker-load.ts'
import { freePort } from '../free-port.ts'
import { IngestServer } from '../server/ingest-server.ts'
import { cpuSeconds } from '../server/process-usage.ts'
import { writeFigures } from '../write-figures.ts'

const BROKER = fileURLToPath(new URL('broker-load.js', import.meta.url))
const NATS = fileURLToPath(new URL('nats-load.js', import.meta.url))
const NATS_SERVER = ['/usr/sbin/nats-server', '/usr/bin/nats-server', '/usr/local/bin/nats-server'].find(existsSync)
const REQUESTS = { kind: 'requests', subscriptions: 100, rules: 50, requesters: 10, bytes: 1024 } as const
/** Concurrent requests per requester, and the number of requests in total. */
const ROUNDS = [
  [1, 30_000],
  [4, 50_000],
  [10, 50_000],
] as const
const IDLE = 2000
const MEBIBYTE = 2 ** 20

async function load(
  program: string,
  order: BrokerOrder,
  meanwhile: () => Promise<void> = async () => {},
): Promise<BrokerReport> {
  const child = fork(program)
  child.send(order)
  const [report] = (await once(child, 'message')) as [BrokerReport]
  await meanwhile()
  if (child.connected) child.disconnect()
  if (child.exitCode === null) await once(child, 'exit')
  return report
}

/** `serverCpu` returns the CPU seconds of the server so far. */
async function rounds(program: string, port: number, serverCpu: () => number): Promise<Round[]> {
  // Warms up the compiler.
  await load(program, { ...REQUESTS, port, atOnce: 2, requests: 10_000 })
  const found: Round[] = []
  for (const [atOnce, count] of ROUNDS) {
    const before = serverCpu()
    const report = await load(program, { ...REQUESTS, port, atOnce, requests: count })
    const { seconds, cpuSeconds } = report
    const [server, ends] = [serverCpu() - before, cpuSeconds].map(all => (all / count) * 1e6)
    found.push({ ...report, perSecond: count / seconds, serverMicros: server, endsMicros: ends })
  }
  return found
}

interface Round extends BrokerReport {
  readonly perSecond: number
  readonly serverMicros: number
  readonly endsMicros: number
}

/** The same load on Debian's NATS server, which forwards by subject and checks nothing else. Undefined if it is not installed. */
async function natsRounds(): Promise<Round[] | undefined> {
  if (NATS_SERVER === undefined) {
    console.error('nats-server is not installed: no comparison')
    return undefined
  }
  const port = await freePort()
  const child = spawn(NATS_SERVER, ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  try {
    await sleep(1000)
    return await rounds(NATS, port, () => cpuSeconds(child.pid ?? 0))
  } finally {
    child.kill()
  }
}

function row(by: string, [atOnce]: (typeof ROUNDS)[number], round: Round, peer: Round | undefined): string {
  const { perSecond, p50, p99, serverMicros, endsMicros } = round
  const cells = [
    by,
    REQUESTS.requesters * atOnce,
    Math.round(perSecond).toLocaleString('en'),
    peer === undefined ? '' : `${(perSecond / peer.perSecond).toFixed(2)}×`,
    `${p50.toFixed(1)} ms`,
    `${p99.toFixed(1)} ms`,
    `${serverMicros.toFixed(0)} µs`,
    `${endsMicros.toFixed(0)} µs`,
  ]
  return `| ${cells.join(' | ')} |`
}

const { subscriptions, rules, bytes } = REQUESTS
const lines = [
  `| ${bytes} bytes to one of ${subscriptions} by ${rules} rules or subjects, and back | concurrency | requests per second | of NATS | p50 | p99 | server CPU | client CPU |`,
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
]
const peers = await natsRounds()
const profile = process.argv.includes('--cpu-prof') ? ['--cpu-prof', '--cpu-prof-dir=bench/dist'] : []
const server = await IngestServer.start(['--self-profile', 'no'], profile)
try {
  const found = await rounds(BROKER, server.grpcPort, () => server.cpu.main)
  for (const [i, round] of ROUNDS.entries()) {
    lines.push(row('Hearth', round, found[i], peers?.[i]))
    if (peers !== undefined) lines.push(row('NATS, one subject each', round, peers[i], undefined))
  }
} finally {
  await server.stop()
}

const idle = await IngestServer.start(['--self-profile', 'no'])
try {
  await sleep(3000)
  const before = idle.memory
  await load(BROKER, { kind: 'idle', port: idle.grpcPort, subscriptions: IDLE }, async () => {
    await sleep(3000)
    const grown = (idle.memory - before) / MEBIBYTE
    const kilobytes = (grown * 1024) / IDLE
    const text = `${IDLE.toLocaleString('en')} idle components use ${grown.toFixed(0)} MiB, ${kilobytes.toFixed(0)} KiB each.`
    lines.push('', text)
  })
} finally {
  await idle.stop()
}

console.log(lines.join('\n'))
writeFigures('bench:broker', lines.join('\n'))
