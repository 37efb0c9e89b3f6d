import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fixture as jfrFixture, labelsSnapshot } from '../../../../profile/src/formats/jfr/testing/fixtures.ts'
import { makeToken } from '../../access/tokens.ts'
import type { ReceivedResponse } from '../../receive/testing/senders.ts'
import { receivedResponse, post } from '../../receive/testing/senders.ts'
import { profilesProtobuf } from '../../receive/testing/requests.ts'
import { RefusedError } from '../../store/keeper.ts'
import type { IngestServer } from '../testing/ingest-server.ts'
import { NOW, startIngest } from '../testing/ingest-server.ts'
import { treeOf, trieOf } from '../testing/node-bytes.ts'
import { CPU_TYPES, pprofOf } from '../testing/pprof-of.ts'
import type { ShownProfile } from '../testing/show-profiles.ts'
import { showProfiles } from '../testing/show-profiles.ts'

const FROM = 1_700_000_000n
const FROM_NANOS = FROM * 1_000_000_000n
const TIMES = { from: String(FROM), until: String(FROM + 10n) }
const TEN_SECONDS = 10_000_000_000n

let server: IngestServer

beforeEach(async () => {
  server = await startIngest()
})

afterEach(async () => {
  const { admission, errors } = server
  await server.close()
  if (admission.inFlightBytes !== 0 || errors.length > 0)
    throw new Error(`${admission.inFlightBytes} bytes were not released, ${errors.length} errors`)
})

type Query = Readonly<Record<string, string>>

async function send(
  query: Query,
  body: Uint8Array | string,
  headers: Query = {},
  path = '/ingest',
): Promise<ReceivedResponse> {
  return post(`${server.url}${path}?${new URLSearchParams(query).toString()}`, body, headers)
}

async function sendForm(query: Query, parts: Readonly<Record<string, Uint8Array | string>>): Promise<ReceivedResponse> {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts)) form.append(name, new Blob([Buffer.from(part)]), `${name}.bin`)
  return receivedResponse(
    await fetch(`${server.url}/ingest?${new URLSearchParams(query).toString()}`, { method: 'POST', body: form }),
  )
}

function kept(): ShownProfile[] {
  const { payload } = server.kept.last
  if (payload.signal !== 'profiles') throw new Error('no profiles')
  return showProfiles(payload.profiles)
}

/** The keys of all attributes of samples. */
function sampleKeys(): string[] {
  const { payload } = server.kept.last
  if (payload.signal !== 'profiles') throw new Error('no profiles')
  const { samples, dictionary } = payload.profiles
  const { strings, attributes } = dictionary
  const rows = Array.from({ length: samples.length }, (_, i) => samples.attributesOf(i)).flat()
  return rows.map(row => strings.text(attributes.key(row)))
}

async function taken(response: Promise<ReceivedResponse>): Promise<ShownProfile[]> {
  const { status, text } = await response
  expect([status, text]).toEqual([200, ''])
  return kept()
}

describe('stack counts', () => {
  const stacks = { 'main;run': 2n, 'main;rest': 3n }
  const text = 'main;run 2\nmain;rest 3\n'
  const expected = { 'main;run': 20_000_000n, 'main;rest': 30_000_000n }

  test('reads groups and converts counts to CPU time by the rate', async () => {
    const query = { name: 'shop{region=eu,__session_id__=9}', ...TIMES, sampleRate: '100', spyName: 'rbspy' }
    const [profile, ...others] = await taken(send(query, text, { 'content-type': 'text/plain' }))
    expect(others).toEqual([])
    expect(profile).toEqual({
      type: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
      period: 10_000_000n,
      time: FROM_NANOS,
      duration: TEN_SECONDS,
      id: '',
      resource: { 'service.name': 'shop', pyroscope_spy: 'rbspy', region: 'eu' },
      scope: 'rbspy',
      attributes: { 'pyroscope.name': 'process_cpu', 'pyroscope.label.__session_id__': '9' },
      stacks: expected,
      timestamps: [],
    })
    expect(server.kept.last).toMatchObject({ tenant: 'default', generation: 'pyroscope-groups', rejected: 0 })
  })

  test.each([
    ['lines', {}, 'main;run\nmain;rest\nmain;rest\nmain;run\nmain;rest\n'],
    ['reads a trie by its format', { format: 'trie' }, trieOf(stacks)],
    ['reads a tree by its format', { format: 'tree' }, treeOf(stacks)],
  ])('%s', async (name, query, body) => {
    const format = name === 'lines' ? { format: 'lines' } : query
    const [profile] = await taken(send({ name: 'shop', ...format }, body))
    expect(profile.stacks).toEqual(expected)
    expect(profile.time).toBe(BigInt(NOW) * 1_000_000n)
  })

  test.each([
    ['trie', trieOf(stacks)],
    ['tree', treeOf(stacks)],
  ])('recognises %s by its content type', async (format, body) => {
    const [profile] = await taken(send({ name: 'shop' }, body, { 'content-type': `binary/octet-stream+${format}` }))
    expect(profile.stacks).toEqual(expected)
  })

  test.each([
    ['shop.alloc_space', 'memory:alloc_space:bytes::', 'shop'],
    ['shop.mutex_duration', 'mutex:delay:nanoseconds::', 'shop'],
    ['my.shop.wall', 'wall:wall:nanoseconds:cpu:nanoseconds', 'my.shop'],
    ['shop.exceptions', 'exceptions:samples:count::', 'shop'],
  ])('stores %s as %s', async (name, type, service) => {
    const [profile] = await taken(send({ name, units: 'x', aggregationType: 'average' }, text))
    expect([profile.type, profile.resource['service.name']]).toEqual([type, service])
    expect(profile.attributes).toMatchObject({ 'pyroscope.units': 'x', 'pyroscope.aggregation_type': 'average' })
  })

  test('counts samples if there is no rate', async () => {
    const [profile] = await taken(send({ name: 'shop', sampleRate: '0' }, text))
    expect([profile.type, profile.stacks]).toEqual(['process_cpu:samples:count::', stacks])
  })

  test('accepts gzip, and the path of older clients', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const [profile] = await taken(send({ name: 'shop' }, gzipSync(text), headers, '/pyroscope/ingest'))
    expect(profile.stacks).toEqual(expected)
  })

  test('stores nothing for an empty body or for the profile of a single request', async () => {
    expect((await send({ name: 'shop' }, '')).status).toBe(200)
    expect((await send({ name: 'shop' }, '\n\n')).status).toBe(200)
    expect((await send({ name: 'shop{profile_id=abc}' }, text)).status).toBe(200)
    expect(server.kept.requests).toEqual([])
  })

  test('gives a retry the same id, and another time or label another id', async () => {
    for (const query of [{ ...TIMES }, { ...TIMES }, { ...TIMES, until: String(FROM + 11n) }])
      await send({ name: 'shop', ...query }, text)
    await send({ name: 'shop{a=b}', ...TIMES }, text)
    const ids = server.kept.requests.map(({ id }) => Buffer.from(id).toString('hex'))
    expect(ids[1]).toBe(ids[0])
    expect(new Set(ids).size).toBe(3)
  })
})

describe('pprof', () => {
  const content = { types: CPU_TYPES, stacks: { 'main;run': [2n, 20_000_000n] } } as const
  const cpu = pprofOf({ ...content, period: ['cpu', 'nanoseconds', 10_000_000n] })

  test('reads plain and gzipped files as the Node client sends them', async () => {
    const query = { name: 'my.app{region=eu}', format: 'pprof', spyName: 'nodespy', ...TIMES }
    const headers = { 'content-type': 'application/octet-stream' }
    const profiles = await taken(send(query, gzipSync(cpu), headers))
    expect(profiles.map(({ type, stacks }) => [type, stacks])).toEqual([
      ['process_cpu:cpu:nanoseconds:cpu:nanoseconds', { 'main;run': 20_000_000n }],
      ['process_cpu:samples:count:cpu:nanoseconds', { 'main;run': 2n }],
    ])
    expect(profiles[0]).toMatchObject({
      resource: { 'service.name': 'my.app', region: 'eu' },
      scope: 'nodespy',
      time: FROM_NANOS,
      duration: TEN_SECONDS,
      period: 10_000_000n,
    })
  })

  test('uses the time of the file', async () => {
    const timed = pprofOf({ ...content, time: 1_699_999_999_000_000_001n, duration: 5n })
    const [profile] = await taken(send({ name: 'app', format: 'pprof', ...TIMES }, timed))
    expect([profile.time, profile.duration]).toEqual([1_699_999_999_000_000_001n, 5n])
  })

  test('reads multipart bodies without a format, with the names of their types', async () => {
    const delay = pprofOf({ types: [['contentions', 'count']], stacks: { lock: [7n] } })
    const config = { contentions: { 'display-name': 'block_count', units: 'lock_samples', aggregation: 'sum' } }
    const query = { name: 'app{service_name=shop}', ...TIMES }
    const [profile] = await taken(sendForm(query, { profile: delay, sample_type_config: JSON.stringify(config) }))
    expect(profile).toMatchObject({
      type: 'block:contentions:count::',
      resource: { 'service.name': 'shop', app_name: 'app' },
      attributes: { 'pyroscope.display_name': 'block_count', 'pyroscope.units': 'lock_samples' },
    })
  })

  test('recognises a form that is sent again as a duplicate request', async () => {
    for (let times = 0; times < 2; times++) await taken(sendForm({ name: 'app', ...TIMES }, { profile: cpu }))
    const [first, second] = server.kept.requests
    expect(second.id).toEqual(first.id)
  })

  test('converts cumulative counts to increments', async () => {
    const types = [
      ['alloc_space', 'bytes'],
      ['inuse_space', 'bytes'],
    ] as const
    const previous = pprofOf({ types, stacks: { a: [10n, 1n], b: [5n, 2n], same: [4n, 4n] } })
    const profile = pprofOf({ types, stacks: { a: [30n, 3n], b: [2n, 2n], same: [4n, 4n], fresh: [1n, 1n] } })
    const sample_type_config = JSON.stringify({ alloc_space: { cumulative: true }, inuse_space: {} })
    const [inuse, alloc] = await taken(
      sendForm({ name: 'app' }, { profile, prev_profile: previous, sample_type_config }),
    )
    expect(alloc.stacks).toEqual({ a: 20n, b: 2n, fresh: 1n })
    expect(inuse.stacks).toEqual({ a: 3n, b: 2n, same: 4n, fresh: 1n })
    const [, alone] = await taken(sendForm({ name: 'app' }, { profile, sample_type_config }))
    expect(alone.attributes).toMatchObject({ 'hearth.profile.aggregation_temporality': 'cumulative' })
  })

  test('spells the types of .NET like those of other clients', async () => {
    const bytes = pprofOf({ types: [['inuse-space', 'bytes']], stacks: { a: [1n] } })
    const [profile] = await taken(send({ name: 'app', format: 'pprof', spyName: 'dotnetspy' }, bytes))
    expect(profile.type.split(':')[1]).toBe('inuse_space')
  })
})

describe('recordings and files', () => {
  test('reads JFR, plain and with labels', async () => {
    const bare = gzipSync(jfrFixture('samples of the JDK'))
    const [profile] = await taken(send({ name: 'app', format: 'jfr', ...TIMES }, bare))
    expect(profile).toMatchObject({
      type: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
      resource: { 'service.name': 'app', 'process.pid': 42n },
      scope: 'jdk.jfr',
      attributes: { 'jfr.event': 'jdk.ExecutionSample' },
    })
    expect(profile.timestamps.length).toBeGreaterThan(2)
    const jfr = gzipSync(jfrFixture('span contexts, and fields of all kinds to skip'))
    await taken(sendForm({ name: 'app', format: 'jfr' }, { jfr, labels: gzipSync(labelsSnapshot()) }))
    expect(sampleKeys()).toContain('region')
    await taken(sendForm({ name: 'app', format: 'jfr' }, { jfr }))
    expect(sampleKeys()).not.toContain('region')
  })

  test('names the types of recordings as Pyroscope does', async () => {
    const profiles = await taken(send({ name: 'app', format: 'jfr' }, jfrFixture('events with a count and measures')))
    expect(profiles.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'memory:alloc_in_new_tlab_objects:count:space:bytes',
        'memory:alloc_in_new_tlab_bytes:bytes:space:bytes',
        'mutex:contentions:count:mutex:count',
        'mutex:delay:nanoseconds:mutex:count',
      ]),
    )
  })

  test('counts times of speedscope from the start of the recording', async () => {
    const file = {
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      shared: { frames: [{ name: 'a' }, { name: 'b' }] },
      profiles: [
        {
          type: 'sampled',
          name: 'p',
          unit: 'milliseconds',
          startValue: 0,
          endValue: 3,
          samples: [[0, 1], [0]],
          weights: [1, 2],
        },
      ],
    }
    const [profile] = await taken(send({ name: 'app', format: 'speedscope', ...TIMES }, JSON.stringify(file)))
    expect(profile).toMatchObject({
      type: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
      time: FROM_NANOS,
      duration: 3_000_000n,
      stacks: { 'a;b': 1_000_000n, a: 2_000_000n },
      timestamps: [FROM_NANOS, FROM_NANOS + 1_000_000n],
      attributes: { 'speedscope.profile.name': 'p' },
    })
  })
})

describe('rejected requests', () => {
  test.each([
    [{}, 'a 1', 400],
    [{ name: 'app.v2' }, 'a 1', 400],
    [{ name: 'app', from: 'x' }, 'a 1', 400],
    [{ name: 'app' }, 'a', 422],
    [{ name: 'app' }, 'a 9223372036854775807', 422],
    [{ name: 'app', format: 'pprof' }, 'nonsense', 422],
    [{ name: 'app', format: 'jfr' }, 'nonsense', 422],
    [{ name: 'app', format: 'speedscope' }, '{', 422],
    [{ name: 'app', format: 'tree' }, '\u0000\u0000\u0005', 422],
    [{ name: `app{${Array.from({ length: 9 }, (_, i) => `k${i}=v`).join(',')}}` }, 'a 1', 400],
  ])('%j with %j is answered with %i', async (query, body, status) => {
    const response = await send(query, body)
    expect(response.status).toBe(status)
    expect(response.type).toMatch(/^application\/json/)
    expect(JSON.parse(response.text)).toMatchObject({ code: 'invalid_argument' })
    expect(server.kept.requests).toEqual([])
  })

  test('rejects bodies that are too large before or after decompression', async () => {
    expect((await send({ name: 'app' }, 'a'.repeat((1 << 20) + 1))).status).toBe(413)
    const bomb = gzipSync(Buffer.alloc(4 << 20))
    expect((await send({ name: 'app' }, bomb, { 'content-encoding': 'gzip' })).status).toBe(413)
    expect((await send({ name: 'app', format: 'pprof' }, bomb)).status).toBe(413)
    const chain = Buffer.concat(
      Array.from({ length: 20_000 }, (_, i) => Buffer.from([1, 0x61, 1, i === 19_999 ? 0 : 1])),
    )
    expect((await send({ name: 'app', format: 'trie' }, chain)).status).toBe(413)
  })

  test('rejects a form without a profile, and a form with a broken part', async () => {
    expect(await sendForm({ name: 'app' }, { other: 'x' })).toMatchObject({ status: 422 })
    const profile = pprofOf({ types: CPU_TYPES, stacks: {} })
    expect(await sendForm({ name: 'app' }, { profile, sample_type_config: '[' })).toMatchObject({ status: 422 })
    expect(await sendForm({ name: 'app' }, { profile, sample_type_config: '{"a":1}' })).toMatchObject({ status: 422 })
  })

  test('reports when to retry if the store is full', async () => {
    server.kept.before = () => Promise.reject(new RefusedError('queue-full', 2.5, 'the queue is full'))
    const response = await send({ name: 'app' }, 'a 1')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3'])
    expect(JSON.parse(response.text)).toEqual({ code: 'unavailable', message: 'the queue is full' })
  })

  test('GET is not found', async () => {
    expect((await fetch(`${server.url}/ingest?name=a`)).status).toBe(404)
  })
})

describe('tenants', () => {
  test('treats the anonymous tenant as the default tenant', async () => {
    for (const tenant of ['anonymous', '', 'other']) await send({ name: 'app' }, 'a 1', { 'x-scope-orgid': tenant })
    expect(server.kept.requests.map(({ tenant }) => tenant)).toEqual(['default', 'default', 'other'])
    expect((await send({ name: 'app' }, 'a 1', { 'x-scope-orgid': 'a/b' })).status).toBe(400)
  })

  test('requires a token with the right to write if tokens are configured', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-'))
    const accessFile = join(folder, 'access.json')
    const writer = makeToken({ name: 'w', tenants: ['shop'], scopes: ['write'] })
    const reader = makeToken({ name: 'r', tenants: ['*'], scopes: ['read'] })
    writeFileSync(accessFile, JSON.stringify({ tokens: [writer.row, reader.row], retention: {} }))
    await server.close()
    server = await startIngest({ accessFile })
    const basic = Buffer.from(`user:${writer.token}`).toString('base64')
    const statuses = []
    for (const authorization of ['', `Bearer ${reader.token}`, `Bearer ${writer.token}`, `Basic ${basic}`])
      statuses.push((await send({ name: 'app' }, 'a 1', { authorization, 'x-scope-orgid': 'anonymous' })).status)
    expect(statuses).toEqual([401, 403, 200, 200])
    expect(server.kept.last.tenant).toBe('shop')
    rmSync(folder, { recursive: true })
  })
})

describe('routes on the main port', () => {
  test('leaves JSON bodies of other routes readable', async () => {
    const response = await post(`${server.url}/echo`, '{"a":1}', { 'content-type': 'application/json' })
    expect(response.text).toBe('{"a":1}')
  })

  test.each([
    '/v1development/profiles',
    '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
  ])('accepts OTLP at %s', async path => {
    const type = { 'content-type': 'application/x-protobuf' }
    const response = await post(server.url + path, profilesProtobuf(), type)
    expect([response.status, response.type]).toEqual([200, 'application/x-protobuf'])
    expect(server.kept.last.payload.signal).toBe('profiles')
    expect((await post(server.url + path, 'junk', type)).status).toBe(400)
    expect((await post(server.url + path, 'junk', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})
