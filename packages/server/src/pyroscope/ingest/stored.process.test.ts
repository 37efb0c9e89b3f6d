// Sends profiles like Pyroscope's clients and reads them from the real store.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codecOf } from '@hearth/signals'
import { fixture as jfrFixture } from '../../../../profile/src/formats/jfr/testing/fixtures.ts'
import { openLog } from '../../observe/log.ts'
import { post } from '../../receive/testing/senders.ts'
import { readRequestProfiles } from '../../store/testing/read-request.ts'
import { Store } from '../../store/store.ts'
import { PUSH_REQUEST } from '../messages/push-messages.ts'
import type { IngestServer } from '../testing/ingest-server.ts'
import { startIngest } from '../testing/ingest-server.ts'
import { CPU_TYPES, pprofOf } from '../testing/pprof-of.ts'
import type { ShownProfile } from '../testing/show-profiles.ts'
import { showProfiles } from '../testing/show-profiles.ts'

let directory: string
let store: Store
let server: IngestServer

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-pyroscope-'))
  const log = openLog({ level: 'error', format: 'json', write: () => {} })
  store = await Store.open({ dataDirectory: directory, windowMs: 5, log })
  server = await startIngest({ keeper: store })
})

afterAll(async () => {
  await server.close()
  await store.close(10_000)
  await rm(directory, { recursive: true, force: true })
})

/** The last request as stored, and as passed to the store. */
async function storedAndKept(): Promise<readonly [stored: ShownProfile[], kept: ShownProfile[]]> {
  const { payload, tenant, id } = server.kept.last
  if (payload.signal !== 'profiles') throw new Error('no profiles')
  await store.settled()
  return [showProfiles(await readRequestProfiles(store.engine, tenant, id)), showProfiles(payload.profiles)]
}

test.each([
  [
    'groups',
    'name=shop.alloc_space{region=eu}&from=1700000000&until=1700000010',
    'main;run 2\nmain;rest 9007199254740993',
  ],
  ['jfr', 'name=shop&format=jfr', jfrFixture('events with a count and measures')],
  ['pprof', 'name=shop&format=pprof', pprofOf({ types: CPU_TYPES, stacks: { 'main;run': [2n, 20n] } })],
])('%s', async (_name, query, body) => {
  expect((await post(`${server.url}/ingest?${query}`, body)).status).toBe(200)
  const [stored, kept] = await storedAndKept()
  expect(stored.length).toBeGreaterThan(0)
  expect(stored).toEqual(kept)
})

test('stores a push of several series as one request, and ignores a retry', async () => {
  const series = ['a', 'b'].map(pod => ({
    labels: [
      { name: '__name__', value: 'process_cpu' },
      { name: 'service_name', value: 'pushed' },
      { name: 'pod', value: pod },
    ],
    samples: [
      {
        rawProfile: pprofOf({ types: CPU_TYPES, stacks: { [pod]: [1n, 10n] }, time: 1_700_000_000_000_000_000n }),
        ID: '',
      },
    ],
  }))
  const body = codecOf(PUSH_REQUEST, 'push').encode({ series })
  const url = `${server.url}/push.v1.PusherService/Push`
  for (let times = 0; times < 2; times++)
    expect((await post(url, body, { 'content-type': 'application/proto' })).status).toBe(200)
  const [stored, kept] = await storedAndKept()
  expect(stored).toEqual(kept)
  expect(stored.map(({ resource }) => resource['pod'])).toEqual(['a', 'a', 'b', 'b'])
  const block = await store.engine.select(
    "SELECT count() AS n FROM profiles WHERE type = 'cpu' AND time_unix_nano = 1700000000000000000",
  )
  expect(block.column('n').bigint(0)).toBe(2n)
})
