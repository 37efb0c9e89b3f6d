// Queries trees over real sockets with the real engine, by clients that are generated from the .proto files. Compares
// them with the trees that analyze builds in memory from the same samples.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { callTree, readProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseSelector } from '../../query/selector/parse-selector.ts'
import { matchingSamples } from '../../query/testing/fits.ts'
import type { PlainProfile, PlainSample } from '../../query/testing/plain-profiles.ts'
import { NO_SCOPE, START, oneProfile } from '../../query/testing/plain-profiles.ts'
import { readStackCounts } from '../ingest/stack-counts.ts'
import type { Client, Clients, Json } from '../testing/connect-clients.ts'
import { clientsOf } from '../testing/connect-clients.ts'
import { pathsOfLevels, pathsOfProfiles } from '../testing/flame-paths.ts'
import type { Paths } from '../testing/flame-paths.ts'
import { CPU_ID, modestProfiles } from '../testing/modest-profiles.ts'
import { googleProfile } from '../testing/pprof-of.ts'
import type { QuerierServer } from '../testing/querier-server.ts'
import { startQuerier } from '../testing/querier-server.ts'

const SECOND = 1_000_000_000n
const FROM = START / 1_000_000n
const RANGE = { start: String(FROM), end: String(FROM + 59_999n) }
const WHOLE = { from: START, to: START + 60n * SECOND }
const profiles = modestProfiles(40, 21)
const named: PlainProfile[] = [
  { ...plain('mutex', [['main', 'lock']], 7n), attributes: { 'pyroscope.name': 'mutex' } },
  { ...plain('block', [['main', 'wait']], 9n), attributes: { 'pyroscope.name': 'block' } },
]

function plain(service: string, stacks: readonly (readonly string[])[], value: bigint): PlainProfile {
  return {
    resource: { 'service.name': service },
    scope: NO_SCOPE,
    type: 'contentions',
    unit: 'count',
    time: START + SECOND,
    attributes: {},
    samples: stacks.map(names => ({ frames: names.map(name => ({ name })), values: [value] })),
  }
}

let server: QuerierServer
let clients: Clients
let ask: Client

beforeAll(async () => {
  server = await startQuerier()
  await server.store.keep('default', [...profiles, ...named])
  clients = clientsOf(server.url, server.grpcUrl)
  ask = clients['Connect protobuf']
})
afterAll(async () => {
  await server.close()
})

function selected(selector: string): PlainSample[] {
  return matchingSamples(profiles, parseSelector(selector), WHOLE).filter(({ values, timestamps }) => {
    return values.length > 0 || (timestamps?.length ?? 0) > 0
  })
}

interface FlameJson {
  readonly names: readonly string[]
  readonly levels: readonly { readonly values: readonly string[] }[]
  readonly total: string
  readonly maxSelf: string
}

function pathsOf(flamegraph: unknown, sides = 1): Paths {
  const { names, levels } = flamegraph as FlameJson
  expect(names[0]).toBe('total')
  return pathsOfLevels(
    names,
    levels.map(({ values }) => values.map(BigInt)),
    sides,
  )
}

const request = (labelSelector: string, more: Json = {}): Json => ({
  profileTypeID: CPU_ID,
  labelSelector,
  ...RANGE,
  ...more,
})

const SELECTORS: readonly (readonly [selector: string, meant: string])[] = [
  ['{}', ''],
  ['', ''],
  ['{service_name="checkout"}', '{service.name="checkout"}'],
  ['{service_name!="checkout"}', '{service.name!="checkout"}'],
  ['{service_name=~"c.*", region="eu-1"}', '{service.name=~"c.*", region="eu-1"}'],
  ['{region=""}', '{!region}'],
  ['{region!=""}', '{region}'],
  ['{region=~".*"}', ''],
  ['{region!~"|eu-1"}', '{region, region!="eu-1"}'],
  ['{region="us\\n1"}', '{region="us\\n1"}'],
  ['{region=`us\\n1`}', '{region="none"}'],
  [`{__profile_type__="${CPU_ID}", debug="true"}`, '{debug="true"}'],
  [`${CPU_ID}{thread_id="2"}`, '{thread.id=2}'],
  ['{} | frame "gc"', '{} | frame "gc"'],
]

describe('SelectMergeStacktraces', () => {
  test.each(['Connect JSON', 'Connect protobuf', 'gRPC'] as const)(
    'returns the tree of all profiles by %s',
    async transport => {
      const { flamegraph } = await clients[transport]('SelectMergeStacktraces', request('{}'))
      const expected = oneProfile(selected(''))
      expect(pathsOf(flamegraph)).toEqual(pathsOfProfiles(expected))
      const tree = callTree(expected, 0)
      expect((flamegraph as unknown as FlameJson).total).toBe(String(tree.sum))
      const selves = Object.values(pathsOfProfiles(expected)).map(text => Number(text.split('/')[0]))
      expect((flamegraph as unknown as FlameJson).maxSelf).toBe(String(Math.max(...selves)))
    },
  )

  test.each(SELECTORS)('selects by %s', async (selector, meant) => {
    const { flamegraph } = await ask('SelectMergeStacktraces', request(selector))
    expect(pathsOf(flamegraph)).toEqual(pathsOfProfiles(oneProfile(selected(meant))))
  })

  test('returns a graph without nodes for no data', async () => {
    for (const labelSelector of ['{service_name="nobody"}', '{__profile_type__="a:b:c:d:e"}']) {
      const { flamegraph } = await ask('SelectMergeStacktraces', request(labelSelector))
      const levels = [{ values: ['0', '0', '0', '0'] }]
      expect(flamegraph).toEqual({ names: ['total'], levels, total: '0', maxSelf: '0' })
    }
  })

  test('sums nodes beyond max_nodes in children named other', async () => {
    const whole = pathsOfProfiles(oneProfile(selected('')))
    for (const maxNodes of [1, 3, 10, 25]) {
      const { flamegraph } = await ask('SelectMergeStacktraces', request('{}', { maxNodes: String(maxNodes) }))
      const paths = pathsOf(flamegraph)
      const shown = Object.keys(paths).filter(path => !/(^|;)other$/.test(path))
      expect(shown.length).toBe(Math.min(maxNodes, Object.keys(whole).length))
      for (const path of shown) expect(paths[path]).toBe(whole[path])
      let selves = 0n
      for (const text of Object.values(paths)) selves += BigInt(text.split('/')[0])
      expect(String(selves)).toBe((flamegraph as unknown as FlameJson).total)
      const totals = (path: string) => Number(whole[path].split('/')[1])
      const least = Math.min(...shown.map(totals))
      const hidden = Object.keys(whole).filter(path => !shown.includes(path))
      expect(Math.max(0, ...hidden.map(totals))).toBeLessThanOrEqual(least)
    }
  })

  test('keeps the first of equal nodes by name, whatever the order of arrival', async () => {
    const stacks = ['d', 'b', 'e', 'a', 'c'].map(name => ['main', name, 'leaf'])
    const tied = (order: typeof stacks) => [{ ...plain('tied', order, 5n), attributes: { 'pyroscope.name': 'mutex' } }]
    await server.store.keep('one-way', tied(stacks))
    await server.store.keep('other-way', tied(stacks.toReversed()))
    const kept = async (tenant: string, maxNodes: string, method = 'SelectMergeStacktraces') => {
      const headers = new Headers({ 'x-scope-orgid': tenant })
      const profileTypeID = 'mutex:contentions:count::'
      return await ask(method, request('{}', { profileTypeID, maxNodes }), { headers })
    }
    for (const maxNodes of ['1', '2', '4', '5', '8']) {
      const { flamegraph } = await kept('one-way', maxNodes)
      expect((await kept('other-way', maxNodes))['flamegraph']).toEqual(flamegraph)
      if (maxNodes === '4') {
        expect(pathsOf(flamegraph)).toMatchObject({ 'main;a;leaf': '5/5', 'main;b': '0/5', 'main;other': '15/15' })
      }
      const pprof = await kept('one-way', maxNodes, 'SelectMergeProfile')
      expect(await kept('other-way', maxNodes, 'SelectMergeProfile')).toEqual(pprof)
    }
  })

  test('selects stacks that begin with a call site', async () => {
    const callSite = [{ name: 'main' }, { name: 'run' }]
    for (const names of [callSite.slice(0, 1), callSite, [...callSite, { name: 'no such' }]]) {
      const { flamegraph } = await ask(
        'SelectMergeStacktraces',
        request('{}', { stackTraceSelector: { callSite: names } }),
      )
      const samples = selected('').filter(({ frames }) => names.every(({ name }, i) => frames[i]?.name === name))
      expect(pathsOf(flamegraph)).toEqual(pathsOfProfiles(oneProfile(samples)))
    }
  })

  test('selects traces, spans and profiles', async () => {
    const [traces, spans] = [['01'.repeat(16)], ['AA'.repeat(8), 'bb'.repeat(8)]]
    const linked = selected('').filter(({ link }) => link?.[0] === traces[0])
    const byTrace = await ask('SelectMergeStacktraces', request('{}', { traceIdSelector: traces }))
    expect(pathsOf(byTrace['flamegraph'])).toEqual(pathsOfProfiles(oneProfile(linked)))
    const inSpans = selected('').filter(({ link }) => link !== undefined)
    const bySpan = await ask('SelectMergeStacktraces', request('{}', { spanSelector: spans }))
    expect(pathsOf(bySpan['flamegraph'])).toEqual(pathsOfProfiles(oneProfile(inSpans)))
    const spanProfile = await ask('SelectMergeSpanProfile', request('{}', { spanSelector: spans }))
    expect(spanProfile['flamegraph']).toEqual(bySpan['flamegraph'])
    const one = await ask('SelectMergeStacktraces', request('{span_id="aaaaaaaaaaaaaaaa"}'))
    const inOne = selected('').filter(({ link }) => link?.[1] === 'aa'.repeat(8))
    expect(pathsOf(one['flamegraph'])).toEqual(pathsOfProfiles(oneProfile(inOne)))
  })

  test('distinguishes two types that differ only in their name', async () => {
    for (const [name, path] of [
      ['mutex', { main: '0/7', 'main;lock': '7/7' }],
      ['block', { main: '0/9', 'main;wait': '9/9' }],
      ['memory', {}],
    ] as const) {
      const profileTypeID = `${name}:contentions:count::`
      const { flamegraph } = await ask('SelectMergeStacktraces', request('{}', { profileTypeID }))
      expect(pathsOf(flamegraph)).toEqual(path)
    }
  })

  test('returns a tree that /ingest accepts', async () => {
    const { tree } = await ask('SelectMergeStacktraces', request('{}', { format: 'PROFILE_FORMAT_TREE' }))
    const { counts } = readStackCounts('tree', Buffer.from(tree as string, 'base64'), 1 << 24)
    const found = Object.fromEntries([...counts].map(([path, value]) => [path.replaceAll('\0', ';'), value]))
    const expected = Object.entries(pathsOfProfiles(oneProfile(selected(''))))
      .map(([path, text]) => [path, BigInt(text.split('/')[0])] as const)
      .filter(([, self]) => self > 0n)
    expect(found).toEqual(Object.fromEntries(expected))
  })

  test('returns DOT', async () => {
    const { dot } = await ask('SelectMergeStacktraces', request('{}', { format: 'PROFILE_FORMAT_DOT' }))
    expect(dot).toMatch(/^digraph "cpu" \{\n/)
    const { sum } = callTree(oneProfile(selected('')), 0)
    expect(dot).toContain(`Total: ${sum < 1000n ? `${sum} ns` : `${(Number(sum) / 1000).toPrecision(3)}`}`.slice(0, 8))
  })
})

describe('pprof', () => {
  async function files(): Promise<Uint8Array[]> {
    const wrapped = await ask('SelectMergeStacktraces', request('{}', { format: 'PROFILE_FORMAT_PPROF' }))
    const found = [(wrapped['pprof'] as Json)['profile'] as Json]
    for (const client of Object.values(clients) as Client[])
      found.push(await client('SelectMergeProfile', request('{}')))
    return found.map(json => googleProfile.encode(googleProfile.decodeJson(Buffer.from(JSON.stringify(json)))))
  }

  test('contains every stack, and is the same by all transports', async () => {
    const [first, ...others] = await files()
    for (const other of others) expect(other).toEqual(first)
    const { profiles: read } = readProfile(first)
    expect(pathsOfProfiles(read)).toEqual(pathsOfProfiles(oneProfile(selected(''))))
    const tree = (from: typeof read, line: boolean) => {
      const { frames, frame, length } = callTree(from, 0, { by: 'line' })
      const lines = Array.from({ length }, (_, i) => frame[i]).map(
        f => `${frames.file[f]}:${line ? frames.line[f] : ''}`,
      )
      return lines.toSorted()
    }
    expect(tree(read, true)).toEqual(tree(oneProfile(selected('')), true))
  })

  test('has the sums that go tool pprof shows', async context => {
    try {
      execFileSync('go', ['version'], { stdio: 'ignore' })
    } catch {
      process.stdout.write('Skipped: no go in the path to read pprof with.\n')
      return context.skip()
    }
    const [file] = await files()
    const directory = mkdtempSync(join(tmpdir(), 'hearth-pprof-'))
    const path = join(directory, 'profile.pb')
    writeFileSync(path, file)
    try {
      // Asynchronous: Go builds the tool on first use, for a minute in which the server of this process must respond.
      const run = async (...args: readonly string[]) => {
        const env = { ...process.env, PPROF_TMPDIR: directory }
        return (await promisify(execFile)('go', ['tool', 'pprof', ...args, path], { env })).stdout
      }
      const raw = await run('-raw')
      const values = [...raw.slice(raw.indexOf('Samples:'), raw.indexOf('Locations')).matchAll(/^\s+(\d+): /gm)]
      const { sum } = callTree(oneProfile(selected('')), 0)
      expect(values.reduce((all, [, value]) => all + BigInt(value), 0n)).toBe(sum)
      const top = await run('-top', '-unit=nanoseconds', '-nodecount=1000')
      const flat = new Map<string, number>()
      for (const [path_, text] of Object.entries(pathsOfProfiles(oneProfile(selected(''))))) {
        const name = path_.slice(path_.lastIndexOf(';') + 1)
        flat.set(name, (flat.get(name) ?? 0) + Number(text.split('/')[0]))
      }
      for (const [name, value] of flat) {
        const line = new RegExp(`^\\s*(\\d+)ns .* ${name}$`, 'm').exec(top)
        expect([name, Number(line?.[1] ?? 0)]).toEqual([name, value])
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})

describe('Diff', () => {
  test('has both sides of every node', async () => {
    const [left, right] = [request('{service_name="checkout"}'), request('{service_name!="checkout"}')]
    const { flamegraph } = await ask('Diff', { left, right })
    const sides = ['{service.name="checkout"}', '{service.name!="checkout"}'].map(text => oneProfile(selected(text)))
    expect(pathsOf(flamegraph, 2)).toEqual(pathsOfProfiles(...sides))
    const [leftTicks, rightTicks] = sides.map(side => callTree(side, 0).sum)
    expect(flamegraph).toMatchObject({
      leftTicks: String(leftTicks),
      rightTicks: String(rightTicks),
      total: String(leftTicks + rightTicks),
    })
  })

  test('compares equal sides, and a side without data', async () => {
    const same = await ask('Diff', { left: request('{}'), right: request('{}') })
    const all = oneProfile(selected(''))
    expect(pathsOf(same['flamegraph'], 2)).toEqual(pathsOfProfiles(all, all))
    const nothing = await ask('Diff', { left: request('{}'), right: request('{service_name="nobody"}') })
    const paths = pathsOf(nothing['flamegraph'], 2)
    for (const text of Object.values(paths)) expect(text).toMatch(/ 0\/0$/)
  })
})

test('no query failed with an internal error', () => expect(server.errors).toEqual([]))
