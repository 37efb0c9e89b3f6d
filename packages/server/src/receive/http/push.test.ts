import { gzipSync } from 'node:zlib'
import { nodeCodecs } from '@hearth/codecs'
import type { Profiles } from '@hearth/profile'
import { difference, readFolded, readJfr, readPprof, withResources } from '@hearth/profile'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fixtures as jfrFixtures } from '../../../../profile/src/formats/jfr/testing/fixtures.ts'
import { fixtures as pprofFixtures } from '../../../../profile/src/formats/pprof/testing/fixtures.ts'
import type { Receivers } from '../testing/receivers.ts'
import { startReceivers } from '../testing/receivers.ts'
import { post, JSON_TYPE } from '../testing/senders.ts'

const FOLDED = 'main;parse;read 12\nmain;run 7\n'
let at: Receivers
beforeAll(async () => {
  at = await startReceivers({ maxBody: 100_000 })
})
afterAll(() => at.close())
afterEach(() => {
  at.events.length = 0
})

const push = (query: string, body: Uint8Array | string, headers: Record<string, string> = {}) =>
  post(`${at.http}/v1/push${query}`, body, headers)

function keptProfiles(): Profiles {
  const { payload } = at.kept.last
  if (payload.signal !== 'profiles') throw new Error(payload.signal)
  return payload.profiles
}

function attributesKept(): Record<string, unknown> {
  return Object.fromEntries(
    keptProfiles()
      .resources.resource(0)
      .attributes.map(({ key, value }) => [key, value]),
  )
}

/** The expected profiles, with the service that the push names. */
function named(profiles: Profiles, service: string): Profiles {
  const attributes = [{ key: 'service.name', value: service }]
  return withResources(profiles, resource => ({
    ...resource,
    attributes: [...resource.attributes.filter(({ key }) => key !== 'service.name'), ...attributes],
  }))
}

describe('push', () => {
  test('detects the folded format', async () => {
    const response = await push('?service=shop', FOLDED, { 'user-agent': 'curl/8' })
    expect([response.status, response.type.split(';')[0]]).toEqual([200, JSON_TYPE])
    expect(JSON.parse(response.text)).toMatchObject({ format: 'folded', profiles: 1, samples: 2 })
    expect(difference(keptProfiles(), named(readFolded(Buffer.from(FOLDED)).profiles, 'shop'))).toBeUndefined()
    expect(at.kept.last).toMatchObject({ generation: 'folded', client: 'curl/8', tenant: 'default' })
    expect(at.events).toEqual(['received profiles folded'])
  })

  test('accepts pprof with any compression', async () => {
    const [{ bytes }] = pprofFixtures
    const expected = named(readPprof(bytes, {}).profiles, 'shop')
    for (const [sent, headers] of [
      [bytes, {}],
      [gzipSync(bytes), {}],
      [nodeCodecs.zstd!(bytes), {}],
      [gzipSync(bytes), { 'content-encoding': 'gzip' }],
    ] as const) {
      const response = await push('?service=shop&format=pprof', sent, headers)
      expect([response.status, JSON.parse(response.text)]).toMatchObject([200, { format: 'pprof' }])
      expect(difference(keptProfiles(), expected)).toBeUndefined()
    }
  })

  test('accepts JFR', async () => {
    const [{ bytes }] = jfrFixtures
    const response = await push('?service=shop', bytes)
    expect([response.status, JSON.parse(response.text)]).toMatchObject([200, { format: 'jfr' }])
    expect(difference(keptProfiles(), named(readJfr(bytes, {}).profiles, 'shop'))).toBeUndefined()
  })

  test('uses the file name if the content is ambiguous', async () => {
    expect((await push('?service=shop&name=stacks.folded', FOLDED)).status).toBe(200)
  })
})

describe('attributes of a push', () => {
  test('may contain equals signs', async () => {
    const query = '?service=shop&attribute=deployment.environment%3Dprod&attribute=a%3Db%3Dc'
    expect((await push(query, FOLDED)).status).toBe(200)
    expect(attributesKept()).toEqual({ 'service.name': 'shop', 'deployment.environment': 'prod', a: 'b=c' })
  })

  test('override those of the file', async () => {
    await push('?service=first', FOLDED)
    const first = at.kept.last.id
    await push('?service=second&attribute=service.version%3D2', FOLDED)
    expect(attributesKept()).toMatchObject({ 'service.name': 'second', 'service.version': '2' })
    expect(at.kept.last.id).not.toEqual(first)
    await push('?service=first', FOLDED)
    expect(at.kept.last.id).toEqual(first)
  })
})

describe('push refuses', () => {
  test.each([
    ['?', FOLDED, 'the profile has no service.name; add ?service=NAME'],
    ['?service=', FOLDED, 'the profile has no service.name; add ?service=NAME'],
    ['?service=a&service=b', FOLDED, "'service' is given more than once"],
    ['?service=a&sevrice=b', FOLDED, "unknown parameter 'sevrice'"],
    ['?service=a&attribute=x', FOLDED, "attribute 'x': write attribute=key=value"],
    ['?service=a&attribute==x', FOLDED, "attribute '=x': write attribute=key=value"],
    ['?service=a&format=nonsense', FOLDED, 'nonsense'],
    ['?service=a&format=svg', FOLDED, 'svg'],
    ['?service=a&format=otlp&generation=v9.9', FOLDED, 'v9.9'],
    ['?service=a', '', 'empty'],
    ['?service=a', Buffer.from([0, 1, 2, 3, 255, 254]), ''],
    ['?service=a&format=jfr', FOLDED, 'jfr'],
    ['?service=a&format=pprof', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'gzip'],
  ])('%s', async (query, body, message) => {
    const before = at.kept.requests.length
    const response = await push(query, body)
    expect([response.status, response.type]).toEqual([400, JSON_TYPE])
    expect(JSON.parse(response.text)).toMatchObject({ code: 3, message: expect.stringContaining(message) as string })
    expect(at.kept.requests.length).toBe(before)
    expect(at.events).toHaveLength(1)
    expect(at.errors).toEqual([])
  })

  test('too many attributes', async () => {
    const attributes = Array.from({ length: 65 }, (_, i) => `&attribute=k${i}%3D1`).join('')
    const response = await push(`?service=a${attributes}`, FOLDED)
    expect([response.status, JSON.parse(response.text)]).toMatchObject([
      400,
      { message: expect.stringContaining('66 attributes; the limit is 64 (max-attributes)') as string },
    ])
  })

  test('bodies that are too large, compressed or not', async () => {
    expect((await push('?service=a', Buffer.alloc(100_001))).status).toBe(413)
    expect((await push('?service=a', gzipSync(Buffer.alloc(100_001)))).status).toBe(413)
    expect((await push('?service=a', nodeCodecs.zstd!(Buffer.alloc(100_001)))).status).toBe(413)
  })
})
