// Pyroscope's Node client and clients generated from the .proto files send to a whole server. Grafana's requests read
// the data back.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../../receive/testing/running-server.ts'
import { startServer } from '../../receive/testing/running-server.ts'
import type { Client, Clients, Json } from '../testing/connect-clients.ts'
import { clientsOf } from '../testing/connect-clients.ts'
import { pathsOfLevels } from '../testing/flame-paths.ts'
import { CPU_TYPES, pprofOf } from '../testing/pprof-of.ts'

const run = promisify(execFile)

/** Works for two seconds and sends its profile. */
const PROGRAM = `
  const Pyroscope = require(process.argv[1])
  const serverAddress = process.argv[2]
  const wall = { collectCpuTime: true }
  Pyroscope.init({ serverAddress, appName: 'worker', tags: { region: 'eu' }, tenantID: 'anonymous', flushIntervalMs: 1000, wall })
  Pyroscope.start()
  const fibonacci = n => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2))
  const made = []
  const end = Date.now() + 2000
  const work = () => {
    fibonacci(28)
    made.push(Buffer.alloc(2000).toString())
    if (Date.now() < end) setTimeout(work, 2)
    else Pyroscope.stop().then(() => process.exit(0))
  }
  work()
`

const directory = mkdtempSync(join(tmpdir(), 'hearth-pyroscope-'))
let at: RunningServer
let queriers: Clients

beforeAll(async () => {
  at = await startServer(directory)
  queriers = clientsOf(at.main, `http://127.0.0.1:${at.server.ports.otlpGrpc}`)
})
afterAll(async () => {
  await at.server.close()
  rmSync(directory, { recursive: true, force: true })
})

function flamePaths(response: Json): Readonly<Record<string, string>> {
  const { names, levels } = response['flamegraph'] as unknown as { names: string[]; levels: { values: string[] }[] }
  return pathsOfLevels(
    names,
    levels.map(({ values }) => values.map(BigInt)),
  )
}

test('@pyroscope/nodejs', async () => {
  const client = createRequire(import.meta.url).resolve('@pyroscope/nodejs')
  // The profiler's native part ends with its process.
  await run(process.execPath, ['-e', PROGRAM, client, at.main], { timeout: 60_000 })
  await at.server.store.settled()
  const ask = queriers['Connect protobuf']
  const { profileTypes } = await ask('ProfileTypes', {})
  const ids = (profileTypes as unknown as readonly { readonly ID: string }[]).map(({ ID }) => ID)
  const wall = 'wall:wall:nanoseconds:wall:nanoseconds'
  expect(ids).toContain(wall)
  expect(ids).toContain('wall:cpu:nanoseconds:wall:nanoseconds')
  expect(ids).toContain('memory:inuse_space:bytes:inuse_space:bytes')
  const { labelsSet } = await ask('Series', { labelNames: ['service_name', 'region', 'pyroscope_spy'] })
  expect(labelsSet).toEqual([
    {
      labels: [
        { name: 'pyroscope_spy', value: 'nodespy' },
        { name: 'region', value: 'eu' },
        { name: 'service_name', value: 'worker' },
      ],
    },
  ])
  const now = BigInt(Date.now())
  const range = { start: String(now - 60_000n), end: String(now) }
  const selected = { profileTypeID: wall, labelSelector: '{service_name="worker"}', ...range }
  for (const client of Object.values(queriers) as Client[]) {
    const paths = flamePaths(await client('SelectMergeStacktraces', selected))
    expect(Object.keys(paths).some(path => path.includes('fibonacci'))).toBe(true)
  }
  const { series } = await ask('SelectSeries', { ...selected, step: 60, groupBy: ['region'] })
  expect(series).toMatchObject([{ labels: [{ name: 'region', value: 'eu' }] }])
})

test('push stores profiles that queries find again', async () => {
  const grpcUrl = `http://127.0.0.1:${at.server.ports.otlpGrpc}`
  const pushers = clientsOf(at.main, grpcUrl, 'push.v1.PusherService')
  const time = BigInt(Date.now())
  for (const [i, [name, push]] of (Object.entries(pushers) as [string, Client][]).entries()) {
    const service = `pushed by ${name}`
    const file = pprofOf({
      types: CPU_TYPES,
      stacks: { 'main;run': [2n, 20n + BigInt(i)], main: [1n, 5n] },
      time: time * 1_000_000n,
      period: ['cpu', 'nanoseconds', 10n],
    })
    const labels = { __name__: 'process_cpu', service_name: service }
    await push('Push', {
      series: [
        {
          labels: Object.entries(labels).map(([label, value]) => ({ name: label, value })),
          samples: [{ rawProfile: Buffer.from(gzipSync(file)).toString('base64'), ID: '' }],
        },
      ],
    })
    await at.server.store.settled()
    const selected = { labelSelector: `{service_name="${service}"}`, start: String(time), end: String(time) }
    const ask = (queriers as unknown as Readonly<Record<string, Client>>)[name]
    const times = await ask('SelectMergeStacktraces', {
      ...selected,
      profileTypeID: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
    })
    expect(flamePaths(times)).toEqual({ main: `5/${25 + i}`, 'main;run': `${20 + i}/${20 + i}` })
    const counted = await ask('SelectMergeStacktraces', {
      ...selected,
      profileTypeID: 'process_cpu:samples:count:cpu:nanoseconds',
    })
    expect(flamePaths(counted)).toEqual({ main: '1/3', 'main;run': '2/2' })
  }
})
