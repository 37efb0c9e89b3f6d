// The API over real sockets with the real engine. Responses are compared with the analysis of the same samples in memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callTree, exactSelf, exactTotal, overflows, readProfile, topTable } from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import { LiveAccess, NO_ACCESS, accessFileIn, writeAccess } from '../../access/access-file.ts'
import { Gatekeeper } from '../../access/gatekeeper.ts'
import { makeToken } from '../../access/tokens.ts'
import { Metrics } from '../../observe/metrics.ts'
import { parseSelector } from '../../query/selector/parse-selector.ts'
import { matchingSamples } from '../../query/testing/fits.ts'
import type { PlainProfile } from '../../query/testing/plain-profiles.ts'
import { NO_SCOPE, START, oneProfile, plainProfile } from '../../query/testing/plain-profiles.ts'
import type { QueryStore } from '../../query/testing/query-store.ts'
import { linesOf, openQueryStore } from '../../query/testing/query-store.ts'
import { sameThread } from '../../query/testing/same-thread.ts'
import { HttpServer } from '../http-server.ts'
import { addApiV1 } from './add-api-v1.ts'
import { schemas } from './testing/response-schemas.ts'
import { PREFIX, endpoints } from './endpoints.ts'
import { apiDocument } from './openapi.ts'
import { apiTasks } from './query-tasks.ts'
import { QueryGate } from './limits/query-gate.ts'
import { testStatus } from './testing/test-status.ts'
import type * as flameGraphModule from '../../query/trees/flame-graph.ts'
import { flameGraph } from '../../query/trees/flame-graph.ts'

/** Tests replace this query to block it or to make it fail. */
vi.mock(import('../../query/trees/flame-graph.ts'), async importOriginal => {
  const original = await importOriginal()
  return { ...original, flameGraph: vi.fn<typeof original.flameGraph>(original.flameGraph) }
})

const SECOND = 1_000_000_000n
const FROM = START
const TO = START + 60n * SECOND
const RANGE = { from: String(FROM), to: String(TO) }
const directory = mkdtempSync(join(tmpdir(), 'hearth-api-v1-'))
const errors: unknown[] = []
const [profiles] = fc.sample(fc.array(plainProfile, { minLength: 30, maxLength: 30 }), { seed: 11, numRuns: 1 })

let at: QueryStore
let server: HttpServer
let url: string
const routes: string[] = []
const mockedFlameGraph = vi.mocked(flameGraph)
const original = await vi.importActual<typeof flameGraphModule>('../../query/trees/flame-graph.ts')

beforeAll(async () => {
  at = await openQueryStore()
  await at.keep('default', profiles)
  const gatekeeper = new Gatekeeper(new LiveAccess(accessFileIn(directory), () => {}), true)
  const onError = (error: unknown) => errors.push(error)
  server = new HttpServer({
    gatekeeper,
    metrics: new Metrics(),
    readiness: () => ({ ready: true, problems: [] }),
    version: 'test',
    site: { host: '127.0.0.1' },
    tls: undefined,
    onError,
    addRoutes: instance => {
      instance.addHook('onRoute', ({ url: path, method }) => {
        if (path.startsWith(PREFIX)) routes.push(...[method].flat().map(one => `${one} ${path}`))
      })
      const gate = new QueryGate({ limits: { running: 2, waiting: 2, exportSamples: 10_000 } })
      addApiV1(instance, {
        threads: sameThread(at.queries, apiTasks),
        gatekeeper,
        gate,
        status: testStatus(gate),
        onError,
      })
    },
  })
  url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}${PREFIX}`
})
afterAll(async () => {
  await server.close(1000)
  await at.close()
  rmSync(directory, { recursive: true })
})

type Parameters = Readonly<Record<string, string | readonly string[]>>

function get(path: string, parameters: Parameters = {}, headers: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) for (const one of [value].flat()) query.append(name, one)
  return fetch(`${url}${path}?${query.toString()}`, { headers })
}

/** The response, validated by its schema. */
async function ask<Schema extends z.ZodType>(schema: Schema, path: string, parameters: Parameters = {}) {
  const response = await get(path, { ...RANGE, ...parameters })
  const body: unknown = await response.json()
  expect([response.status, body]).toMatchObject([200, {}])
  return schema.parse(body)
}

async function refusal(path: string, parameters: Parameters) {
  const response = await get(path, parameters)
  const { error } = schemas.failure.parse(await response.json())
  return { status: response.status, ...error }
}

function serviceOf({ resource }: PlainProfile): string {
  const name = resource['service.name']
  return typeof name === 'string' ? name : ''
}

const selected = (selector: string, list: readonly PlainProfile[] = profiles) =>
  matchingSamples(list, parseSelector(selector), { from: FROM, to: TO })

interface ShownTree {
  readonly frames: readonly z.infer<typeof schemas.frame>[]
  readonly nodes: z.infer<typeof schemas.treeNodes>
}

function shownLines({ frames, nodes }: ShownTree): string[] {
  const depth: number[] = []
  nodes.parent.forEach((parent, i) => (depth[i] = parent === -1 ? 0 : depth[parent] + 1))
  return linesOf({
    length: depth.length,
    depth,
    label: i =>
      [frames[nodes.frame[i]].name, frames[nodes.frame[i]].file ?? '', frames[nodes.frame[i]].line ?? ''].join(),
    self: i => BigInt(nodes.self[i]),
    total: i => BigInt(nodes.total[i]),
  })
}

function labelIn({ frames, frame }: ReturnType<typeof callTree>, i: number): string {
  return [frames.name[frame[i]], frames.file[frame[i]], frames.line[frame[i]] ?? ''].join()
}

/** Each node by the labels on its path. */
function pathsOf(parents: ArrayLike<number>, label: (i: number) => string): string[] {
  const paths: string[] = []
  for (let i = 0; i < parents.length; i++) paths.push(`${paths[parents[i]] ?? ''}/${label(i)}`)
  return paths
}

function expectedLines(tree: ReturnType<typeof callTree>): string[] {
  return linesOf({
    ...tree,
    label: i => labelIn(tree, i),
    self: i => exactSelf(tree, i),
    total: i => exactTotal(tree, i),
  })
}

describe('responses equal the analysis in memory', () => {
  test('for flame graphs', async () => {
    for (const selector of ['', '{service.name="checkout"}', '{region=~"eu.*"} | !frame "gc"']) {
      const shown = await ask(schemas.flameGraph, '/flamegraph', { selector })
      const tree = callTree(oneProfile(selected(selector)), 0)
      expect(shownLines(shown)).toEqual(expectedLines(tree))
      expect([shown.sum, shown.overflow, shown.type, shown.order]).toEqual([
        String(tree.sum),
        overflows(tree),
        'cpu',
        'root-first',
      ])
    }
    const choice = { by: 'line', order: 'leaf-first', inlined: 'false' } as const
    const turned = await ask(schemas.flameGraph, '/flamegraph', choice)
    const expected = callTree(oneProfile(selected('')), 0, { ...choice, inlined: false })
    expect(shownLines(turned)).toEqual(expectedLines(expected))
    const whole = await ask(schemas.flameGraph, '/flamegraph')
    const few = await ask(schemas.flameGraph, '/flamegraph', { nodes: '5' })
    expect(few.nodes.parent.length).toBe(5)
    expect(few.hidden.nodes).toBe(whole.nodes.parent.length - 5)
    const selfs = few.nodes.self.reduce((sum, self) => sum + BigInt(self), 0n)
    expect(selfs + BigInt(few.hidden.self)).toBe(BigInt(whole.sum))
  })

  test('for POST requests', async () => {
    const body = { ...RANGE, selector: '{service.name="cart"}', nodes: 100, inlined: false }
    const response = await fetch(`${url}/flamegraph`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const shown = schemas.flameGraph.parse(await response.json())
    expect(shown).toEqual(await ask(schemas.flameGraph, '/flamegraph', { ...body, nodes: '100', inlined: 'false' }))
    expect(shown.frames.length).toBeGreaterThan(0)
  })

  test('for top tables', async () => {
    const shown = await ask(schemas.top, '/top', { selector: '{region}' })
    const rows = topTable(oneProfile(selected('{region}')), 0)
    const expected = Array.from({ length: rows.length }, (_, i) =>
      [rows.frames.name[rows.frame[i]], exactSelf(rows, i), exactTotal(rows, i)].join(),
    )
    expect(shown.rows.map(row => [row.frame.name, row.self, row.total].join()).sort()).toEqual(expected.sort())
    expect([shown.sum, shown.allFrames]).toEqual([String(rows.sum), rows.length])
    const two = await ask(schemas.top, '/top', { selector: '{region}', limit: '2', sort: 'total' })
    expect([two.rows.length, two.allFrames]).toEqual([2, rows.length])
  })

  test('for a sandwich', async () => {
    const shown = await ask(schemas.sandwich, '/sandwich', { function: 'gc', by: 'function' })
    const { file = '' } = shown.frame
    const isIt = (frame: { name: string; file?: string }) => frame.name === 'gc' && (frame.file ?? '') === file
    const held = selected('').filter(({ frames }) => frames.some(isIt))
    const total = callTree(oneProfile(held), 0).sum
    expect(shown.total).toBe(String(total))
    const callees = callTree(
      oneProfile(held.map(sample => ({ ...sample, frames: sample.frames.slice(sample.frames.findIndex(isIt)) }))),
      0,
    )
    expect(shownLines(shown.callees)).toEqual(expectedLines(callees))
    expect(shown.callers.frames[shown.callers.nodes.frame[0]]).toEqual(shown.frame)
  })

  test('for a diff', async () => {
    const [selector, beforeSelector] = ['{service.name="checkout"}', '{service.name="cart"}']
    const ranges = { beforeFrom: RANGE.from, beforeTo: RANGE.to }
    const shown = await ask(schemas.diff, '/diff', { selector, beforeSelector, ...ranges })
    const label = (i: number) => {
      const { name, file = '', line = '' } = shown.frames[shown.nodes.frame[i]]
      return [name, file, line].join()
    }
    const paths = pathsOf(shown.nodes.parent, label)
    for (const [side, text, bit] of [
      [shown.before, beforeSelector, 1],
      [shown.after, selector, 2],
    ] as const) {
      const tree = callTree(oneProfile(selected(text)), 0)
      const expected = pathsOf(tree.parent, i => labelIn(tree, i)).map((path, i) => [path, String(exactTotal(tree, i))])
      const found = paths.map((path, i) => [path, side.total[i]]).filter((_, i) => shown.nodes.presence[i] & bit)
      expect(new Map(found as [string, string][])).toEqual(new Map(expected as [string, string][]))
      expect(side.sum).toBe(String(tree.sum))
    }
    expect(shown.scale).toBe(1)
    shown.nodes.totalDelta.forEach((delta, i) => {
      expect(BigInt(delta)).toBe(BigInt(shown.after.total[i]) - BigInt(shown.before.total[i]))
    })
    const scaled = await ask(schemas.diff, '/diff', { selector, beforeSelector, ...ranges, normalise: 'true' })
    expect(scaled.nodes.parent).toEqual(shown.nodes.parent)
    // The default range of `before` has the same length and ends where the range starts.
    const none = await ask(schemas.diff, '/diff', { selector })
    expect([none.before.profiles, none.before.sum]).toEqual([0, '0'])
  })

  test('series have the sums of each group and step', async () => {
    const shown = await ask(schemas.series, '/series', { step: '10s', groupBy: ['service.name'], exemplars: '1' })
    const expected = new Map<string, bigint>()
    for (const profile of profiles) {
      // Groups consist of samples. A profile without samples is in none.
      if (profile.samples.length === 0) continue
      const step = FROM + ((profile.time - FROM) / (10n * SECOND)) * 10n * SECOND
      const key = `${serviceOf(profile)} ${step}`
      const { sum } = callTree(oneProfile(profile.samples), 0)
      expected.set(key, (expected.get(key) ?? 0n) + sum)
    }
    const found = shown.groups.flatMap(({ labels, points }) =>
      points.map(({ time, sum }) => [`${labels[0].stringValue ?? ''} ${time}`, BigInt(sum)] as const),
    )
    expect(new Map(found)).toEqual(expected)
    expect(shown.groups.every(({ exemplars }) => exemplars.length === 1)).toBe(true)
    // A hundredth of the range, at least a second.
    expect((await ask(schemas.series, '/series')).step).toBe('1000000000')
  })
})

describe('lists', () => {
  test('return types, services, attributes and their values', async () => {
    const { profileTypes } = await ask(schemas.profileTypes, '/profile-types')
    expect(new Set(profileTypes.map(({ type, unit }) => `${type}:${unit}`))).toEqual(
      new Set(profiles.map(({ type, unit }) => `${type}:${unit}`)),
    )
    expect(profileTypes.reduce((sum, row) => sum + row.profiles, 0)).toBe(profiles.length)
    const { services } = await ask(schemas.services, '/services')
    const names = new Set(profiles.map(serviceOf))
    expect(services.map(({ service }) => service)).toEqual([...names].sort())
    const { attributes, truncated } = await ask(schemas.attributes, '/attributes')
    expect(attributes.map(({ key }) => key)).toEqual(expect.arrayContaining(['region', 'service.name', 'thread.id']))
    expect(truncated).toBe(false)
    const one = await ask(schemas.attributes, '/attributes', { limit: '1', prefix: 're' })
    expect(one.attributes.map(({ key }) => key)).toEqual(['region'])
    const { values } = await ask(schemas.attributeValues, '/attributes/thread.id/values')
    expect(values).toEqual([
      { text: '1', value: { intValue: '1' } },
      { text: '2', value: { intValue: '2' } },
      { text: '9007199254740993', value: { intValue: '9007199254740993' } },
    ])
    const regions = await ask(schemas.attributeValues, '/attributes/resource%3Aregion/values', { prefix: 'eu' })
    expect(regions.values.map(({ text }) => text)).toEqual(['eu-1', 'eu-2'])
    const long = await ask(schemas.attributeValues, `/attributes/${'k'.repeat(1000)}/values`)
    expect(long).toEqual({ values: [], truncated: false })
  })

  test('return profiles in pages, and each one as a file', async () => {
    const list: z.infer<typeof schemas.profileRow>[] = []
    let after: string | undefined
    do {
      const page = await ask(schemas.profiles, '/profiles', { limit: '7', ...(after === undefined ? {} : { after }) })
      expect(page.profiles.length).toBeLessThanOrEqual(7)
      list.push(...page.profiles)
      after = page.next
    } while (after !== undefined)
    expect(new Set(list.map(({ profile }) => profile)).size).toBe(profiles.length)
    expect(list.map(({ time }) => BigInt(time))).toEqual(profiles.map(({ time }) => time).sort((a, b) => Number(b - a)))
    const response = await get(`/profiles/${list[0].profile}`, { format: 'otlp-json' })
    expect(response.headers.get('content-disposition')).toContain(`filename="${list[0].profile}.`)
    const read = readProfile(new Uint8Array(await response.arrayBuffer()))
    expect([read.format.name, read.profiles.profiles.length]).toEqual(['otlp-json', 1])
    expect(read.profiles.samples.length).toBe(list[0].samples)
  })

  test('return an export in any format', async () => {
    const selector = '{service.name="checkout"}'
    const response = await get('/export', { ...RANGE, selector })
    const read = readProfile(new Uint8Array(await response.arrayBuffer()))
    const count = profiles.filter(profile => profile.resource['service.name'] === 'checkout').length
    expect([read.format.name, read.profiles.profiles.length]).toEqual(['otlp', count])
    expect(response.headers.get('hearth-notes')).toBe('%5B%5D')
    const folded = await get('/export', { ...RANGE, selector, format: 'folded' })
    expect(await folded.text()).toMatch(/^\S.* -?\d+$/m)
    expect(decodeURIComponent(folded.headers.get('hearth-notes') ?? '')).toContain('"code":"resource')
    const typed = { ...RANGE, selector: 'cpu' }
    const { sum } = await ask(schemas.flameGraph, '/flamegraph', { selector: 'cpu' })
    const merged = await get('/export', { ...typed, merged: 'true', snapshots: 'latest' })
    const whole = readProfile(new Uint8Array(await merged.arrayBuffer())).profiles
    expect([whole.profiles.length, topTable(whole, 0).sum]).toEqual([1, BigInt(sum)])
    for (const wrong of [{ snapshots: 'latest' }, { merged: 'true', stream: 'true' }, { merged: 'true', root: 'a' }]) {
      expect(await refusal('/export', { ...typed, ...wrong })).toMatchObject({ status: 400, code: 'argument' })
    }
    expect(await refusal('/export', { ...RANGE, format: 'jfr' })).toMatchObject({ status: 400, code: 'argument' })
    expect(await refusal('/export', { from: '0', to: '1' })).toMatchObject({ status: 404, code: 'not-found' })
  })

  test('return events and heat maps', async () => {
    const events = await ask(schemas.events, '/events', { selector: '{service.name="checkout"}' })
    const map = await ask(schemas.heatMap, '/heatmap', { selector: '{service.name="checkout"}', rows: '10' })
    expect(events.time.length).toBeGreaterThan(0)
    expect(map.count.reduce((sum, count) => sum + count, 0)).toBe(events.time.length)
  })

  test('return samples of a trace', async () => {
    const traceId = '01'.repeat(16)
    const range = { from: '0', to: String(2n ** 63n - 1n) }
    const shown = await ask(schemas.flameGraph, '/flamegraph', { ...range, traceId })
    const same = await ask(schemas.flameGraph, '/flamegraph', { ...range, selector: `{trace.id="${traceId}"}` })
    expect(shownLines(shown)).toEqual(shownLines(same))
    expect(shown.nodes.self.length).toBeGreaterThan(0)
    expect(await refusal('/flamegraph', { ...RANGE, spanId: 'aa'.repeat(8) })).toMatchObject({ status: 400 })
    expect(await refusal('/flamegraph', { ...RANGE, traceId: 'xyz' })).toMatchObject({ status: 400 })
  })
})

describe('invalid requests', () => {
  test.each<[string, string, Parameters, object]>([
    ['a selector', '/top', { selector: '{a="b"' }, { status: 400, code: 'syntax', position: 6 }],
    ['a regular expression', '/top', { selector: '{region=~"("}' }, { status: 400, code: 'regex' }],
    ['a time', '/top', { from: 'yesterday' }, { status: 400, code: 'argument' }],
    ['a range', '/top', { from: '20', to: '10' }, { status: 400, code: 'argument' }],
    ['a node budget', '/flamegraph', { nodes: '1000000000' }, { status: 400, code: 'argument' }],
    ['a number', '/flamegraph', { nodes: 'many' }, { status: 400, code: 'argument' }],
    ['a grouping', '/flamegraph', { by: 'colour' }, { status: 400, code: 'argument' }],
    ['two of one', '/flamegraph', { by: ['line', 'file'] }, { status: 400, code: 'argument' }],
    ['an unknown parameter', '/top', { selektor: 'x' }, { status: 400, code: 'argument' }],
    ['a name of every object', '/top', { constructor: 'x' }, { status: 400 }],
    ['a function that is nowhere', '/sandwich', { ...RANGE, function: 'nope' }, { status: 404, code: 'not-found' }],
    ['no function', '/sandwich', RANGE, { status: 400, code: 'argument' }],
    ['a step', '/series', { ...RANGE, step: '1ns' }, { status: 400, code: 'argument' }],
    ['a profile', '/profiles/none', {}, { status: 400 }],
    ['a page', '/profiles', { ...RANGE, after: 'x' }, { status: 400 }],
    ['a path', '/nothing', {}, { status: 404, code: 'not-found' }],
  ])('%s', async (_what, path, parameters, expected) => {
    expect(await refusal(path, parameters)).toMatchObject(expected)
  })

  test('name the parameter', async () => {
    expect((await refusal('/top', { selektor: 'x' })).message).toMatch(/^unknown parameter "selektor"; use sel/)
    expect((await refusal('/sandwich', RANGE)).message).toMatch(/^function: /)
    expect((await refusal('/flamegraph', { nodes: '0' })).message).toMatch(/^nodes: /)
  })

  test('rejects bodies that are broken, too large or of another type', async () => {
    const post = async (body: string, type = 'application/json') => {
      const response = await fetch(`${url}/top`, { method: 'POST', headers: { 'content-type': type }, body })
      return [response.status, schemas.failure.parse(await response.json()).error.code]
    }
    expect(await post('{')).toEqual([400, 'request'])
    expect(await post('[]')).toEqual([400, 'argument'])
    expect(await post('{"limit":"5"}')).toEqual([400, 'argument'])
    expect(await post('{}', 'text/csv')).toEqual([415, 'request'])
    expect(await post(`{"selector":"${'x'.repeat(2 ** 20)}"}`)).toEqual([413, 'request'])
  })

  test('include types that cannot be summed', async () => {
    const plain: PlainProfile = {
      resource: {},
      scope: NO_SCOPE,
      type: 'wall',
      unit: 'ns',
      time: FROM,
      attributes: {},
      samples: [],
    }
    const sample = { frames: [{ name: 'main' }], values: [1n] }
    await at.keep('mixed', [
      { ...plain, samples: [sample] },
      { ...plain, type: 'heap', unit: 'bytes', samples: [sample] },
    ])
    const response = await get('/top', RANGE, { 'x-scope-orgid': 'mixed' })
    const { error } = schemas.failure.parse(await response.json())
    expect([response.status, error.code]).toEqual([422, 'mixed-types'])
    expect(error.message).toContain('heap:bytes')
  })
})

describe('limits and cancellation', () => {
  const aborted: boolean[] = []
  /** Responses that wait until released, or forever if the client disconnects. */
  function held() {
    const letGo: (() => void)[] = []
    mockedFlameGraph.mockImplementation(
      (context, query, choice) =>
        new Promise((resolve, reject) => {
          letGo.push(() => resolve(original.flameGraph(context, query, choice)))
          query.signal?.addEventListener('abort', () => {
            aborted.push(true)
            reject(new Error('aborted'))
          })
        }),
    )
    return letGo
  }

  test('cancel the query when the client disconnects', async () => {
    const letGo = held()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`GET ${PREFIX}/flamegraph HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    await expect.poll(() => letGo.length).toBe(1)
    socket.destroy()
    await expect.poll(() => aborted.length).toBe(1)
    mockedFlameGraph.mockReset()
    expect((await get('/flamegraph', RANGE)).status).toBe(200)
  })

  test('reject queries of a tenant beyond its queue', async () => {
    const letGo = held()
    // Two run, two wait, and the one that arrives last is rejected.
    const responses = [1, 2, 3, 4, 5].map(() => get('/flamegraph', RANGE, { 'x-scope-orgid': 'default' }))
    expect((await Promise.race(responses)).status).toBe(429)
    await expect.poll(() => letGo.length).toBe(2)
    mockedFlameGraph.mockReset()
    for (const go of letGo) go()
    expect((await Promise.all(responses)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 200, 429,
    ])
  })
})

test('sets entity tags and cache times', async () => {
  const past = { from: '1600000000', to: '1600000060' }
  const first = await get('/top', past)
  const tag = first.headers.get('etag') ?? ''
  expect([tag.length > 20, first.headers.get('cache-control')]).toEqual([true, 'private, max-age=60'])
  const again = await get('/top', past, { 'if-none-match': `W/"x", ${tag}` })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await get('/top', past, { 'if-none-match': '"x"' })).status).toBe(200)
  for (const open of [{ from: 'now-1h', to: 'now' }, {}, { ...past, to: 'now' }]) {
    expect((await get('/top', open)).headers.get('cache-control')).toBe('private, no-cache')
  }
})

test('separates tenants by token', async () => {
  const other = await get('/top', RANGE, { 'x-scope-orgid': 'other' })
  expect(schemas.top.parse(await other.json()).profiles).toBe(0)
  const reader = makeToken({ name: 'reader', tenants: ['default'], scopes: ['read'] })
  const writer = makeToken({ name: 'writer', tenants: ['default'], scopes: ['write'] })
  const rows = [reader, writer].map(({ row }) => ({ ...row, tenants: [...row.tenants], scopes: [...row.scopes] }))
  writeAccess(accessFileIn(directory), { ...NO_ACCESS, tokens: rows })
  const statusOf = async (headers: Record<string, string>) => {
    const response = await get('/services', RANGE, headers)
    const body = (await response.json()) as { error?: { code: string } }
    return [response.status, body.error?.code]
  }
  await expect.poll(() => statusOf({})).toEqual([401, 'unauthenticated'])
  expect(await statusOf({ authorization: `Bearer ${writer.token}` })).toEqual([403, 'forbidden'])
  const bearer = { authorization: `Bearer ${reader.token}` }
  expect(await statusOf(bearer)).toEqual([200, undefined])
  expect(await statusOf({ ...bearer, 'x-scope-orgid': 'other' })).toEqual([403, 'forbidden'])
  writeAccess(accessFileIn(directory), NO_ACCESS)
})

describe('the OpenAPI document', () => {
  test('is served', async () => {
    const response = await get('/openapi.json')
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(apiDocument())))
  })

  test('has exactly the routes of the server', () => {
    const listed = Object.entries(apiDocument().paths).flatMap(([path, operations]) => {
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1')
      return Object.keys(operations).map(method => `${method.toUpperCase()} ${route}`)
    })
    // Each GET has a HEAD, which need not be documented. The document does not describe itself.
    const served = routes.filter(route => !route.startsWith('HEAD ') && !route.endsWith('/openapi.json'))
    expect(new Set(served)).toEqual(new Set(listed))
    const queries = endpoints.filter(({ method }) => method === undefined)
    expect(listed.length).toBe(endpoints.length + queries.length)
    expect(new Set(endpoints.map(({ name }) => name)).size).toBe(endpoints.length)
  })

  test('refers only to schemas that it contains', () => {
    const document = apiDocument()
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(match => match[1])
    expect(refs.length).toBeGreaterThan(30)
    const known = Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`)
    expect(refs.filter(ref => !known.includes(ref))).toEqual([])
    // The parameters of a GET are documented one by one, and as one schema for client generators.
    expect(known.filter(ref => !refs.includes(ref) && !ref.endsWith('Request'))).toEqual([])
  })
})

test('nothing above is logged as a server error', () => {
  expect(errors).toEqual([])
})
