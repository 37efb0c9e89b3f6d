// Sends every kind of content over real sockets into the real engine, and reads it back equal.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { compressionAlgorithms } from '@grpc/grpc-js'
import { nodeCodecs } from '@hearth/codecs'
import type { Profiles } from '@hearth/profile'
import {
  difference,
  encodeOtlp,
  readFolded,
  readOtlp,
  readOtlpJson,
  withResources,
  writeOtlpJson,
} from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Codec, Message } from '@hearth/signals'
import {
  EXPORT_SERVICES,
  logs,
  logsResponse,
  metrics,
  metricsResponse,
  plainProfiles,
  profilesResponse,
  traces,
  tracesResponse,
} from '@hearth/signals'
import { encodeGeneration } from '../../../profile/src/formats/otlp/testing/encode-generation.ts'
import { generationJson } from '../../../profile/src/formats/otlp-json/testing/generation-json.ts'
import { arbitraryProfiles } from '../../../profile/src/model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../../profile/src/model/testing/rich-profiles.ts'
import { withUnknownFields } from '../../../signals/src/testing/unknown-fields.ts'
import { arbitraryLogs, arbitraryMetrics, arbitraryTraces } from './testing/arbitrary-requests.ts'
import * as requests from './testing/requests.ts'
import type { RunningServer } from './testing/running-server.ts'
import { idOf, startServer } from './testing/running-server.ts'
import type { ReceivedResponse } from './testing/senders.ts'
import { GrpcSender, JSON_TYPE, PROTOBUF, post } from './testing/senders.ts'
import { storedLogs, storedMetrics, storedTraces } from './testing/stored-content.ts'
import type { Engine } from '../store/engine.ts'
import type { Signal } from '../store/keeper.ts'
import { readProfiles } from '../store/profiles/read-profiles.ts'
import {
  UnknownRequestError,
  readRequestLogs,
  readRequestMetrics,
  readRequestProfiles,
  readRequestTraces,
} from '../store/testing/read-request.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-server-'))
let at: RunningServer
let engine: Engine
let sender: GrpcSender
let zippingSender: GrpcSender
beforeAll(async () => {
  at = await startServer(directory)
  engine = at.server.store.engine
  sender = new GrpcSender(at.server.ports.otlpGrpc)
  zippingSender = new GrpcSender(at.server.ports.otlpGrpc, {
    'grpc.default_compression_algorithm': compressionAlgorithms.gzip,
  })
})
afterAll(async () => {
  sender.close()
  zippingSender.close()
  await at.server.close()
  rmSync(directory, { recursive: true })
})

const PATHS = {
  profiles: '/v1development/profiles',
  traces: '/v1/traces',
  logs: '/v1/logs',
  metrics: '/v1/metrics',
} as const

async function sent(signal: Signal, body: Uint8Array, type = PROTOBUF): Promise<ReceivedResponse> {
  return post(`${at.otlp}${PATHS[signal]}`, body, { 'content-type': type })
}

/** These generations require ids (v1.3) and temporalities. The rich profiles lack some, and the server warns of it. */
const STRICTER: readonly string[] = ['v1.3', 'v1.4', 'v1.5', 'v1.6', 'v1.7']

const GENERATIONS = ['v1.3', 'v1.4', 'v1.5', 'v1.6', 'v1.7', 'v1.8', 'v1.9', 'v1.11'] as const

describe('profiles', () => {
  const rich = richProfiles()
  const OPENERS = [
    ['identity', (bytes: Uint8Array) => bytes],
    ['gzip', (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes))],
    ['zstd', (bytes: Uint8Array) => nodeCodecs.zstd!(bytes)],
  ] as const

  test('are equal in every generation after every transport and compression', async () => {
    interface Way {
      readonly tenant: string
      readonly body: Uint8Array
      readonly json: boolean
      readonly generation: string
    }
    const warning = expect.stringMatching(
      /accepted with problems: .*(?:emporality: it is unspecified|: the id is missing)/,
    ) as unknown
    const responseTo = (generation: string, empty: string) => (STRICTER.includes(generation) ? warning : empty)
    const ways: Way[] = []
    const sending: Promise<unknown>[] = []
    for (const [g, generation] of GENERATIONS.entries()) {
      const protobuf = encodeGeneration(rich, generation)
      const json = generationJson(protobuf, generation)
      for (const [p, version] of ['v1development', 'v1experimental'].entries()) {
        for (const [j, body] of [protobuf, json].entries()) {
          // All twelve combinations of path, type and compression are used, but not each with every generation.
          const [encoding, compress] = OPENERS[(g + p + j) % OPENERS.length]
          const tenant = `${version}-${j === 0 ? 'protobuf' : 'json'}-${encoding}`
          ways.push({ tenant, body, json: j === 1, generation })
          sending.push(
            post(`${at.otlp}/${version}/profiles`, compress(body), {
              'content-type': j === 0 ? PROTOBUF : JSON_TYPE,
              'content-encoding': encoding,
              'x-scope-orgid': tenant,
            }).then(({ status, text }) =>
              expect([status, text]).toEqual([200, responseTo(generation, j === 0 ? '' : '{}')]),
            ),
          )
        }
        const service = p === 0 ? 'profiles' : 'oldProfiles'
        const client = g % 2 === 0 ? sender : zippingSender
        ways.push({ tenant: `grpc-${service}`, body: protobuf, json: false, generation })
        sending.push(
          client
            .export(service, protobuf, { 'x-scope-orgid': `grpc-${service}` })
            .then(response => expect(Buffer.from(response).toString()).toEqual(responseTo(generation, ''))),
        )
      }
    }
    await Promise.all(sending)
    await at.server.store.settled()
    for (const { tenant, body, json, generation } of ways) {
      const read = json ? readOtlpJson(body) : readOtlp(body)
      const back = await readRequestProfiles(engine, tenant, idOf('profiles', body))
      expect([tenant, generation, difference(read.profiles, back)]).toEqual([tenant, generation, undefined])
    }
    const kept = await engine.select(
      "SELECT DISTINCT generation FROM requests WHERE tenant = 'grpc-profiles' ORDER BY generation",
    )
    expect(Array.from({ length: kept.rows }, (_, row) => kept.column('generation').text(row)).toSorted()).toEqual(
      GENERATIONS.map(generation => readOtlp(encodeGeneration(rich, generation)).generation).toSorted(),
    )
  })
})

describe('random requests are equal after the store', () => {
  /** Sends ten at a time, alternately as protobuf and as JSON, and reads them back. */
  async function goRound<Content>(
    signal: Signal,
    content: fc.Arbitrary<Content>,
    encode: readonly ((content: Content) => Uint8Array)[],
    check: (content: Content, id: Uint8Array) => Promise<void>,
  ): Promise<void> {
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 10, maxLength: 10 }), async list => {
        const bodies = list.map((one, i) => encode[i % encode.length](one))
        const types = [PROTOBUF, JSON_TYPE]
        const responses = await Promise.all(bodies.map((body, i) => sent(signal, body, types[i % encode.length])))
        // Random content may get warnings, but nothing is rejected: everything is read back.
        expect(responses.map(({ status }) => status)).toEqual(list.map(() => 200))
        await at.server.store.settled()
        for (const [i, one] of list.entries()) await check(one, idOf(signal, bodies[i]))
      }),
    )
  }

  test('traces', async () =>
    goRound('traces', arbitraryTraces, [traces.encode, traces.encodeJson], async (content, id) =>
      expect(await readRequestTraces(engine, 'default', id)).toEqual(storedTraces(content)),
    ))
  test('logs', async () =>
    goRound('logs', arbitraryLogs, [logs.encode, logs.encodeJson], async (content, id) =>
      expect(await readRequestLogs(engine, 'default', id)).toEqual(storedLogs(content)),
    ))
  test('metrics', async () =>
    goRound('metrics', arbitraryMetrics, [metrics.encode, metrics.encodeJson], async (content, id) =>
      expect(await readRequestMetrics(engine, 'default', id)).toEqual(storedMetrics(content)),
    ))
  test('profiles', async () =>
    goRound(
      'profiles',
      arbitraryProfiles({ repeats: true }),
      [encodeOtlp, content => writeOtlpJson(content).bytes],
      async (content, id) =>
        expect(difference(content, await readRequestProfiles(engine, 'default', id))).toBeUndefined(),
    ))
})

describe('unknown fields are equal after the store', () => {
  const SUBJECTS = [
    { signal: 'traces', read: readRequestTraces, content: arbitraryTraces, normalize: storedTraces },
    { signal: 'logs', read: readRequestLogs, content: arbitraryLogs, normalize: storedLogs },
    { signal: 'metrics', read: readRequestMetrics, content: arbitraryMetrics, normalize: storedMetrics },
  ] as const

  test.each(SUBJECTS)('$signal', async ({ signal, read, content, normalize }) => {
    const codec = { traces, logs, metrics }[signal] as Codec<unknown>
    const { request } = EXPORT_SERVICES[signal]
    const bodies = fc
      .sample(content as fc.Arbitrary<unknown>, { seed: 5, numRuns: 8 })
      .map((one, seed) => withUnknownFields(codec.encode(one), request as Message, seed))
    const responses = await Promise.all(bodies.map(body => sent(signal, body)))
    expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    await at.server.store.settled()
    for (const body of bodies) {
      const found = await read(engine, 'default', idOf(signal, body))
      // The stored content marks only items, and not the resources around them.
      const normal = (data: unknown): Buffer =>
        Buffer.from(codec.encode((normalize as (data: unknown) => unknown)(data)))
      expect(normal(found).equals(normal(codec.decode(body)))).toBe(true)
    }
  })

  test('members of JSON, which the exported JSON has', async () => {
    const span = { ...requests.span('named'), new1: [1, { a: 'é' }], status: { code: 1, new2: '2' } }
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'named' }, new3: 0 }] }
    const json = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span], new4: {} }] }], new5: true }
    const response = await sent('traces', Buffer.from(JSON.stringify(json)), JSON_TYPE)
    expect([response.status, response.text]).toEqual([200, '{}'])
    await at.server.store.settled()
    const query = `signal=traces&from=0&to=9223372036854775807&selector=${encodeURIComponent('{service.name="named"}')}`
    const exported = await fetch(`${at.main}/api/v1/export?${query}&format=otlp-json`)
    const found = (await exported.json()) as typeof json
    const { new1, status } = found.resourceSpans[0].scopeSpans[0].spans[0]
    const [{ resource: foundResource, scopeSpans }] = found.resourceSpans
    expect([new1, status, foundResource.attributes, scopeSpans[0].new4, found.new5]).toEqual([
      span.new1,
      span.status,
      resource.attributes,
      {},
      true,
    ])
    const notes = JSON.parse(decodeURIComponent(exported.headers.get('hearth-notes') ?? '')) as unknown
    expect(notes).toMatchObject([{ code: 'unknown-fields-kept', count: 1 }])
    const protobuf = new Uint8Array(await (await fetch(`${at.main}/api/v1/export?${query}`)).arrayBuffer())
    traces.decode(protobuf, { onUnknownFields: () => expect.fail('protobuf has members of JSON') })
    const counted = await (await fetch(`${at.main}/metrics`)).text()
    expect(counted).toContain('hearth_unknown_fields_total{signal="traces",outcome="kept"}')
  })
})

describe('partial success stores the valid items', () => {
  const { span, record, point } = requests

  test('traces', async () => {
    const body = requests.tracesProtobuf(span('one'), span('bad', true), span('two'))
    const response = await sent('traces', body)
    expect([response.status, response.type]).toEqual([200, PROTOBUF])
    expect(tracesResponse.decode(response.body).partialSuccess).toEqual({
      rejectedSpans: 1n,
      errorMessage: 'resourceSpans[0].scopeSpans[0].spans[1]: traceId must be 16 bytes that are not all zero',
    })
    await at.server.store.settled()
    const back = await readRequestTraces(engine, 'default', idOf('traces', body))
    expect(back).toEqual(storedTraces(traces.decode(requests.tracesProtobuf(span('one'), span('two')))))
  })

  test('logs', async () => {
    const body = requests.logsJson(record('bad', true), record('one'))
    const response = await sent('logs', body, JSON_TYPE)
    expect([response.status, response.type]).toEqual([200, JSON_TYPE])
    expect(logsResponse.decodeJson(response.body).partialSuccess).toMatchObject({
      rejectedLogRecords: 0n,
      errorMessage: expect.stringContaining('logRecords[0]: traceId') as string,
    })
    await at.server.store.settled()
    const back = await readRequestLogs(engine, 'default', idOf('logs', body))
    const withoutId = { ...record('bad'), traceId: '' }
    expect(back).toEqual(storedLogs(logs.decodeJson(requests.logsJson(withoutId, record('one')))))
  })

  test('metrics', async () => {
    const body = requests.metricsProtobuf(point(1), point(2, true), point(3))
    const response = metricsResponse.decode(await sender.export('metrics', body))
    expect(response.partialSuccess).toMatchObject({
      rejectedDataPoints: 1n,
      errorMessage: expect.stringContaining('dataPoints[1]: exemplars') as string,
    })
    await at.server.store.settled()
    const back = await readRequestMetrics(engine, 'default', idOf('metrics', body))
    expect(back).toEqual(storedMetrics(metrics.decode(requests.metricsProtobuf(point(1), point(3)))))
  })

  test('profiles', async () => {
    const profile = (stackIndex: number, value: number): object => ({
      sampleType: { typeStrindex: 1, unitStrindex: 2 },
      samples: [{ stackIndex, values: [String(value)] }],
    })
    const json = (...profiles: readonly object[]): Uint8Array =>
      Buffer.from(
        JSON.stringify({
          resourceProfiles: [{ scopeProfiles: [{ profiles }] }],
          dictionary: {
            stringTable: ['', 'cpu', 'ns'],
            mappingTable: [{}],
            locationTable: [{}, { address: '16' }],
            functionTable: [{}],
            linkTable: [{}],
            attributeTable: [{}],
            stackTable: [{}, { locationIndices: [1] }],
          },
        }),
      )
    const good = [profile(1, 5), profile(0, 7)]
    const some = json(good[0], profile(99, 6), good[1])
    const expected = readOtlpJson(json(...good)).profiles
    for (const [body, type] of [
      [some, JSON_TYPE],
      [plainProfiles.encode(plainProfiles.decodeJson(some)), PROTOBUF],
    ] as const) {
      const response = await sent('profiles', body, type)
      expect([response.status, response.type]).toEqual([200, type])
      const { partialSuccess } = profilesResponse[type === PROTOBUF ? 'decode' : 'decodeJson'](response.body)
      expect(partialSuccess?.rejectedProfiles).toBe(1n)
      expect(partialSuccess?.errorMessage).toMatch(/profiles\[1\].*99/)
      await at.server.store.settled()
      const back = await readRequestProfiles(engine, 'default', idOf('profiles', body))
      expect(difference(expected, back)).toBeUndefined()
    }
  })

  test('accepts profiles that break a MUST, and warns', async () => {
    const json = Buffer.from(
      JSON.stringify({
        resourceProfiles: [
          {
            resource: { attributes: [{ key: 'a' }, { key: 'a' }] },
            scopeProfiles: [{ profiles: [{ profileId: '00ff', samples: [{}] }] }],
          },
        ],
        dictionary: {
          stringTable: ['x'],
          mappingTable: [{}],
          locationTable: [{}],
          functionTable: [{}],
          linkTable: [{}],
          attributeTable: [{}],
        },
      }),
    )
    for (const [body, type] of [
      [json, JSON_TYPE],
      [plainProfiles.encode(plainProfiles.decodeJson(json)), PROTOBUF],
    ] as const) {
      const response = await sent('profiles', body, type)
      expect([response.status, response.type]).toEqual([200, type])
      const { partialSuccess } = profilesResponse[type === PROTOBUF ? 'decode' : 'decodeJson'](response.body)
      expect(partialSuccess?.rejectedProfiles).toBe(0n)
      expect(partialSuccess?.errorMessage).toBe(
        'accepted with problems: dictionary.stack_table: the table is empty; it must have its zero row; ' +
          'dictionary.string_table[0]: row 0 must be the zero value; ' +
          'resource_profiles[0].resource.attributes[1]: the key "a" is already used at [0]; and 2 more',
      )
      await at.server.store.settled()
      const back = await readRequestProfiles(engine, 'default', idOf('profiles', body))
      expect(back.profiles.length).toBe(1)
    }
    const grpc = await sender.export('profiles', plainProfiles.encode(plainProfiles.decodeJson(json)))
    expect(profilesResponse.decode(grpc).partialSuccess?.errorMessage).toMatch(/^accepted with problems/)
  })

  test('succeeds with nothing to store if all items are invalid', async () => {
    const body = requests.tracesProtobuf(span('bad', true), span('worse', true))
    const response = await sent('traces', body)
    expect([response.status, tracesResponse.decode(response.body).partialSuccess?.rejectedSpans]).toEqual([200, 2n])
    await at.server.store.settled()
    const back = await readRequestTraces(engine, 'default', idOf('traces', body))
    expect(back.resourceSpans[0].scopeSpans[0].spans).toEqual([])
    const row = await engine.select(
      "SELECT rejected, accepted FROM requests WHERE tenant = 'default' AND request = {id:FixedString(16)}",
      { parameters: { id: idOf('traces', body) } },
    )
    expect([row.column('rejected').number(0), row.column('accepted').number(0)]).toEqual([2, 0])
  })
})

describe('duplicate requests', () => {
  async function spansKept(tenant: string, body: Uint8Array): Promise<number> {
    await at.server.store.settled()
    const block = await engine.select(
      'SELECT count() AS n FROM spans WHERE tenant = {tenant:String} AND request = {id:FixedString(16)}',
      { parameters: { tenant, id: idOf('traces', body) } },
    )
    return Number(block.column('n').bigint(0))
  }

  test('are stored once and get the same response', async () => {
    const body = requests.tracesProtobuf(requests.span('again'), requests.span('bad', true))
    const first = await sent('traces', body)
    const second = await sent('traces', body)
    expect([second.status, second.text]).toEqual([200, first.text])
    expect(await spansKept('default', body)).toBe(1)
  })

  test('are recognized when concurrent and over other transports', async () => {
    const body = requests.tracesProtobuf(requests.span('at once'))
    const responses = await Promise.all([
      ...Array.from({ length: 8 }, () => sent('traces', body).then(({ status }) => status)),
      sender.export('traces', body).then(() => 200),
      zippingSender.export('traces', body).then(() => 200),
    ])
    expect(new Set(responses)).toEqual(new Set([200]))
    expect(await spansKept('default', body)).toBe(1)
  })

  test('are separate for another tenant and visible to that tenant only', async () => {
    const body = requests.tracesProtobuf(requests.span('mine'))
    for (const tenant of ['one', 'two'])
      await post(`${at.otlp}/v1/traces`, body, { 'content-type': PROTOBUF, 'x-scope-orgid': tenant })
    expect([await spansKept('one', body), await spansKept('two', body)]).toEqual([1, 1])
    const alone = requests.tracesProtobuf(requests.span('only mine'))
    await post(`${at.otlp}/v1/traces`, alone, { 'content-type': PROTOBUF, 'x-scope-orgid': 'one' })
    expect(await spansKept('one', alone)).toBe(1)
    for (const tenant of ['two', 'default', 'one%', ''])
      await expect(readRequestTraces(engine, tenant, idOf('traces', alone))).rejects.toThrow(UnknownRequestError)
  })
})

test('a push is stored with its format', async () => {
  const folded = 'main;parse;read 12\nmain;run 7\n'
  const response = await post(`${at.otlp}/v1/push?service=pushed&attribute=zone%3Deu`, folded)
  expect([response.status, response.type.split(';')[0]]).toEqual([200, JSON_TYPE])
  await at.server.store.settled()
  const query = { where: 'service = {service:String}', parameters: { service: 'pushed' } }
  const found: Profiles[] = []
  for await (const profiles of readProfiles(engine, 'default', query)) found.push(profiles)
  const expected = withResources(readFolded(Buffer.from(folded)).profiles, resource => ({
    ...resource,
    attributes: [
      { key: 'service.name', value: 'pushed' },
      { key: 'zone', value: 'eu' },
    ],
  }))
  expect(found.map(profiles => difference(expected, profiles))).toEqual([undefined])
})
