import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codecOf } from '@hearth/signals'
import { GrpcSender, post } from '../../receive/testing/senders.ts'
import { PUSH_REQUEST } from '../messages/push-messages.ts'
import type { PushRequest } from '../messages/push-messages.ts'
import type { IngestServer } from '../testing/ingest-server.ts'
import { NOW, startIngest } from '../testing/ingest-server.ts'
import { CPU_TYPES, pprofOf } from '../testing/pprof-of.ts'
import type { ShownProfile } from '../testing/show-profiles.ts'
import { showProfiles } from '../testing/show-profiles.ts'

const PATH = '/push.v1.PusherService/Push'
const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const requests = codecOf(PUSH_REQUEST, 'push')

const cpu = pprofOf({
  types: CPU_TYPES,
  stacks: { 'main;run': [2n, 20n] },
  time: 1_700_000_000_000_000_000n,
  period: ['cpu', 'nanoseconds', 10n],
})
const heap = pprofOf({ types: [['inuse_space', 'bytes']], stacks: { 'main;new': [64n] } })

const labels = (name: string, ...more: readonly (readonly [string, string])[]) =>
  [['__name__', name], ['service_name', 'shop'], ...more].map(([label, value]) => ({ name: label, value }))

const request: PushRequest = {
  series: [
    {
      labels: labels('process_cpu', ['pod', 'a'], ['__delta__', 'false']),
      samples: [{ rawProfile: gzipSync(cpu), ID: UUID }],
    },
    { labels: labels('memory', ['pod', 'b']), samples: [{ rawProfile: heap, ID: 'not-a-uuid' }] },
  ],
}

let server: IngestServer

beforeAll(async () => {
  server = await startIngest()
})
afterAll(() => server.close())

const JSON_TYPE = { 'content-type': 'application/json' }
const PROTO = { 'content-type': 'application/proto' }

function kept(): ShownProfile[] {
  const { payload } = server.kept.last
  if (payload.signal !== 'profiles') throw new Error('no profiles')
  return showProfiles(payload.profiles)
}

function expectRequest(): void {
  const profiles = kept()
  expect(profiles.map(({ type, id, stacks, resource }) => ({ type, id, stacks, pod: resource['pod'] }))).toEqual([
    {
      type: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
      id: UUID.replaceAll('-', ''),
      stacks: { 'main;run': 20n },
      pod: 'a',
    },
    {
      type: 'process_cpu:samples:count:cpu:nanoseconds',
      id: UUID.replaceAll('-', ''),
      stacks: { 'main;run': 2n },
      pod: 'a',
    },
    { type: 'memory:inuse_space:bytes::', id: '', stacks: { 'main;new': 64n }, pod: 'b' },
  ])
  expect(profiles.map(({ time }) => time)).toEqual([
    1_700_000_000_000_000_000n,
    1_700_000_000_000_000_000n,
    BigInt(NOW) * 1_000_000n,
  ])
  expect(profiles[0].resource).toEqual({ 'service.name': 'shop', pod: 'a' })
  expect(profiles[0].attributes).toMatchObject({ 'pyroscope.label.__delta__': 'false' })
  expect(profiles[2].attributes).toMatchObject({ 'pyroscope.id': 'not-a-uuid' })
}

describe('Push', () => {
  test('accepts gzipped protobuf by Connect', async () => {
    const headers = { ...PROTO, 'content-encoding': 'gzip', 'connect-protocol-version': '1' }
    const response = await post(server.url + PATH, gzipSync(requests.encode(request)), headers)
    expect([response.status, response.type, response.text]).toEqual([200, 'application/proto', ''])
    expectRequest()
  })

  test('accepts JSON by Connect', async () => {
    const response = await post(server.url + PATH, requests.encodeJson(request), JSON_TYPE)
    expect([response.status, response.type, response.text]).toEqual([200, 'application/json', '{}'])
    expectRequest()
  })

  test('accepts the field names of the .proto file in JSON', async () => {
    const raw_profile = Buffer.from(heap).toString('base64')
    const body = { series: [{ labels: labels('memory'), samples: [{ raw_profile, ID: UUID, unknown: 1 }] }] }
    expect((await post(server.url + PATH, JSON.stringify(body), JSON_TYPE)).status).toBe(200)
    expect(kept().map(({ id }) => id)).toEqual([UUID.replaceAll('-', '')])
  })

  test('works over gRPC and rejects broken messages', async () => {
    const sender = new GrpcSender(server.grpcPort)
    expect((await sender.call(PATH, requests.encode(request), { 'x-scope-orgid': 'anonymous' })).length).toBe(0)
    expectRequest()
    expect(server.kept.last.tenant).toBe('default')
    const refused = sender.call(PATH, Buffer.from([0xff]))
    await expect(refused).rejects.toMatchObject({ code: 3 })
    await expect(refused).rejects.toThrow(/push\.v1\.PushRequest/)
    await expect(sender.call(PATH, requests.encode(request), { 'x-scope-orgid': '/' })).rejects.toMatchObject({
      code: 3,
    })
    sender.close()
  })

  test('accepts an empty request', async () => {
    const before = server.kept.requests.length
    expect((await post(server.url + PATH, '{}', JSON_TYPE)).status).toBe(200)
    expect(server.kept.requests.length).toBe(before)
  })
})

describe('Push errors in JSON', () => {
  const one = (content: object): string => JSON.stringify({ series: [content] })
  const sample = { rawProfile: Buffer.from(heap).toString('base64') }

  test.each([
    ['not JSON', '{', JSON_TYPE, 400, 'invalid_argument'],
    ['not protobuf', '\u00ff', PROTO, 400, 'invalid_argument'],
    ['no __name__', one({ labels: [{ name: 'service_name', value: 'a' }] }), JSON_TYPE, 400, 'invalid_argument'],
    ['no service_name', one({ labels: [{ name: '__name__', value: 'a' }] }), JSON_TYPE, 400, 'invalid_argument'],
    ['a label twice', one({ labels: labels('a', ['x', '1'], ['x', '2']) }), JSON_TYPE, 400, 'invalid_argument'],
    ['a nameless label', one({ labels: labels('a', ['', '1']) }), JSON_TYPE, 400, 'invalid_argument'],
    ['no pprof', one({ labels: labels('a'), samples: [{ rawProfile: 'AAAA' }] }), JSON_TYPE, 400, 'invalid_argument'],
    [
      'too many labels',
      one({ labels: labels('a', ...Array.from({ length: 9 }, (_, i) => [`k${i}`, ''] as const)), samples: [sample] }),
      JSON_TYPE,
      400,
      'invalid_argument',
    ],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415, 'unimplemented'],
    ['another tenant', '{}', { ...JSON_TYPE, 'x-scope-orgid': '/' }, 400, 'invalid_argument'],
    ['too large', 'a'.repeat((1 << 20) + 1), JSON_TYPE, 429, 'resource_exhausted'],
  ])('%s', async (_name, body, headers: Record<string, string>, status, code) => {
    const before = server.kept.requests.length
    const response = await post(server.url + PATH, body, headers)
    expect(response.status).toBe(status)
    expect(response.type).toMatch(/^application\/json/)
    expect(JSON.parse(response.text)).toMatchObject({ code })
    expect(response.text).toMatch(/"message":"[^"]/)
    expect(server.kept.requests.length).toBe(before)
    expect(server.errors).toEqual([])
  })

  test('limits the decompressed size of all profiles together', async () => {
    const large = gzipSync(pprofOf({ types: [['a', 'b']], stacks: { ['x'.repeat(400_000)]: [1n] } }))
    const samples = Array.from({ length: 3 }, () => ({ rawProfile: large, ID: '' }))
    const body = requests.encode({ series: [{ labels: labels('a'), samples }] })
    expect(body.length).toBeLessThan(10_000)
    const response = await post(server.url + PATH, body, PROTO)
    expect([response.status, JSON.parse(response.text)]).toMatchObject([429, { code: 'resource_exhausted' }])
  })

  test('releases all memory', () => {
    expect(server.admission.inFlightBytes).toBe(0)
  })
})
