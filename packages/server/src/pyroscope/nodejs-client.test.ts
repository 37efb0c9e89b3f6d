// Pyroscope's own client for Node as the sender, where it is installed.
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IngestServer } from './testing/ingest-server.ts'
import { startIngest } from './testing/ingest-server.ts'
import { showProfiles } from './testing/show-profiles.ts'

const run = promisify(execFile)

/** Works for two seconds, and sends what it did. */
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
    fibonacci(22)
    made.push(Buffer.alloc(2000).toString())
    if (Date.now() < end) setTimeout(work, 2)
    else Pyroscope.stop().then(() => process.exit(0))
  }
  work()
`

let server: IngestServer

beforeAll(async () => {
  server = await startIngest({ maxBody: 1 << 24, maxInFlight: 1 << 26 })
})
afterAll(() => server.close())

function clientPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@pyroscope/nodejs')
  } catch {
    return undefined
  }
}

const client = clientPath()

test.skipIf(client === undefined)('@pyroscope/nodejs', async () => {
  await run(process.execPath, ['-e', PROGRAM, client ?? '', server.url], { timeout: 30_000 })
  expect(server.events.filter(event => !event.startsWith('received pprof'))).toEqual([])
  const profiles = server.kept.requests.flatMap(({ payload }) =>
    payload.signal === 'profiles' ? showProfiles(payload.profiles) : [],
  )
  const types = new Set(profiles.map(({ type }) => type))
  expect(types).toContain('wall:wall:nanoseconds:wall:nanoseconds')
  expect(types).toContain('wall:cpu:nanoseconds:wall:nanoseconds')
  expect(types).toContain('memory:inuse_space:bytes:inuse_space:bytes')
  expect(profiles[0].resource).toMatchObject({ 'service.name': 'worker', region: 'eu', pyroscope_spy: 'nodespy' })
  expect(server.kept.last.tenant).toBe('default')
  expect(profiles.flatMap(({ stacks }) => Object.keys(stacks)).join('\n')).toMatch(/fibonacci/)
})
