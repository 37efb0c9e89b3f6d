// SelectMergeProfile returns everything that was sent of a stack, as the Go compiler needs it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ProfilesBuilder, readProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { START } from '../../query/testing/plain-profiles.ts'
import { GroupRows } from '../../store/group-rows.ts'
import { keepProfiles, newContext } from '../../store/profiles/testing/profile-store.ts'
import { googleProfile } from '../testing/pprof-of.ts'
import type { Client } from '../testing/connect-clients.ts'
import { clientsOf } from '../testing/connect-clients.ts'
import type { QuerierServer } from '../testing/querier-server.ts'
import { startQuerier } from '../testing/querier-server.ts'

const PERIOD = 10_000_000n
const MILLIS = START / 1_000_000n
const REQUEST = {
  profileTypeID: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
  labelSelector: '{}',
  start: String(MILLIS),
  end: String(MILLIS + 60_000n),
}
const BUILD_ID = '0123456789abcdef'

let server: QuerierServer
let client: Client
beforeAll(async () => {
  server = await startQuerier()
  client = clientsOf(server.url, server.grpcUrl)['Connect protobuf']
  const rows = new GroupRows()
  for (const at of [0n, 1n]) keepProfiles(rows, newContext('default'), goProfile(START + at), server.store.ledger)
  await server.store.store.commit(rows)
})
afterAll(() => server.close())

/** main calls run, into which step is inlined, at two lines. */
function goProfile(time: bigint) {
  const builder = new ProfilesBuilder()
  builder.profile({
    type: 'cpu',
    unit: 'nanoseconds',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    period: PERIOD,
    timeUnixNano: time,
  })
  const mapping = builder.mapping({
    memoryStart: 0x400000n,
    memoryLimit: 0x500000n,
    filename: '/app/server',
    attributes: [builder.attribute('process.executable.build_id.gnu', BUILD_ID)],
  })
  const named = (name: string, startLine: bigint) =>
    builder.function({ name, systemName: name, filename: '/app/main.go', startLine })
  const main = builder.location({
    mapping,
    address: 0x401000n,
    lines: [{ function: named('main.main', 10n), line: 14n }],
  })
  const run = (address: bigint, line: bigint) =>
    builder.location({
      mapping,
      address,
      lines: [
        { function: named('main.step', 30n), line },
        { function: named('main.run', 20n), line: 25n },
      ],
    })
  builder.sample({ stack: builder.stack([run(0x402000n, 31n), main]), values: [3n * PERIOD] })
  builder.sample({ stack: builder.stack([run(0x402008n, 33n), main]), values: [2n * PERIOD] })
  return builder.build()
}

async function merged(more: object = {}): Promise<Uint8Array> {
  const json = await client('SelectMergeProfile', { ...REQUEST, ...more })
  return googleProfile.encode(googleProfile.decodeJson(Buffer.from(JSON.stringify(json))))
}

describe('SelectMergeProfile', () => {
  it('returns start lines, system names, addresses, build ids, mappings, inlined calls and the period', async () => {
    const { profiles } = readProfile(await merged())
    const { stacks, locations, functions, mappings, strings } = profiles.dictionary
    expect([profiles.profiles.length, profiles.profiles.period(0)]).toEqual([1, PERIOD])
    expect(profiles.samples.length).toBe(2)
    const leaves = [0, 1].map(sample => stacks.locations.at(stacks.from(profiles.samples.stack(sample))))
    const leaf = leaves.find(each => locations.address(each) === 0x402000n)!
    expect(leaf).toBeDefined()
    const from = locations.linesFrom(leaf)
    const lines = [from, from + 1].map(at => {
      const called = locations.lines.function(at)
      return [
        strings.text(functions.name(called)),
        strings.text(functions.systemName(called)),
        functions.startLine(called),
        locations.lines.line(at),
      ]
    })
    expect(lines).toEqual([
      ['main.step', 'main.step', 30n, 31n],
      ['main.run', 'main.run', 20n, 25n],
    ])
    const mapping = locations.mapping(leaf)
    expect([strings.text(mappings.filename(mapping)), mappings.memoryStart(mapping)]).toEqual([
      '/app/server',
      0x400000n,
    ])
    expect(JSON.stringify(await client('SelectMergeProfile', REQUEST))).toContain(BUILD_ID)
  })

  it('keeps the largest nodes with everything that was sent of them, and sums the others as other', async () => {
    const { profiles } = readProfile(await merged({ maxNodes: '2' }))
    const { stacks, locations, functions, strings } = profiles.dictionary
    const found = Array.from({ length: profiles.samples.length }, (_, sample) => {
      const stack = profiles.samples.stack(sample)
      const names = stacks.locations.slice(stacks.from(stack), stacks.to(stack)).map(location => {
        const called = locations.lines.function(locations.linesFrom(location))
        return `${strings.text(functions.name(called))}@${locations.address(location).toString(16)}`
      })
      return `${names.join(' < ')}: ${profiles.samples.values.signed()[profiles.samples.valuesFrom(sample)]}`
    })
    // Two profiles with 30 ms at one line of step and 20 ms at the other.
    expect(found.sort()).toEqual([
      'main.step@402000 < main.main@401000: 60000000',
      'other@0 < main.main@401000: 40000000',
    ])
    expect(locations.length - 1).toBe(3)
    expect(profiles.profiles.period(0)).toBe(PERIOD)
  })

  it('reduces stacks for the Go compiler', async () => {
    const goPgo = { keepLocations: 1, aggregateCallees: true }
    const { profiles } = readProfile(await merged({ stackTraceSelector: { goPgo } }))
    expect(profiles.samples.length).toBe(1)
    const { stacks } = profiles.dictionary
    const stack = profiles.samples.stack(0)
    expect(stacks.to(stack) - stacks.from(stack)).toBe(1)
  })

  it('has the edges of a real Go profile for go tool preprofile', async context => {
    const profile = realGoProfile()
    if (profile === undefined) {
      process.stdout.write('Skipped: there is no go tool preprofile, or no profile of the compiler beside it.\n')
      return context.skip()
    }
    const { profiles } = readProfile(gunzipSync(profile))
    const rows = new GroupRows()
    keepProfiles(rows, newContext('compiler'), profiles, server.store.ledger)
    await server.store.store.commit(rows)
    const millis = profiles.profiles.time(0) / 1_000_000n
    const request = {
      profileTypeID: 'process_cpu:samples:count:cpu:nanoseconds',
      labelSelector: '{}',
      start: String(millis),
      end: String(millis + 1n),
    }
    const headers = new Headers({ 'x-scope-orgid': 'compiler' })
    const json = await client('SelectMergeProfile', request, { headers })
    const exported = googleProfile.encode(googleProfile.decodeJson(Buffer.from(JSON.stringify(json))))
    const edges = edgesOf(exported)
    expect(edges.length).toBeGreaterThan(1000)
    expect(edges).toEqual(edgesOf(profile))
    const goPgo = { keepLocations: 5, aggregateCallees: true }
    const reduced = await client('SelectMergeProfile', { ...request, stackTraceSelector: { goPgo } }, { headers })
    const forCompiler = googleProfile.encode(googleProfile.decodeJson(Buffer.from(JSON.stringify(reduced))))
    expect(forCompiler.length).toBeLessThan(exported.length)
    expect(edgesOf(forCompiler).length).toBeGreaterThan(100)
  })
})

/** The profile with which the Go compiler itself is built; undefined without Go. */
function realGoProfile(): Uint8Array | undefined {
  try {
    execFileSync('go', ['tool', '-n', 'preprofile'], { stdio: 'ignore' })
    const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim()
    return readFileSync(join(root, 'src/cmd/compile/default.pgo'))
  } catch {
    return undefined
  }
}

/** The call edges with their weights that the Go compiler reads from a profile, sorted. */
function edgesOf(profile: Uint8Array): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-pgo-'))
  try {
    const path = join(directory, 'cpu.pprof')
    writeFileSync(path, profile)
    execFileSync('go', ['tool', 'preprofile', '-i', path, '-o', join(directory, 'out')])
    const [, ...lines] = readFileSync(join(directory, 'out'), 'utf8').trimEnd().split('\n')
    return Array.from({ length: lines.length / 3 }, (_, i) => lines.slice(3 * i, 3 * i + 3).join(' ')).sort()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe('AnalyzeQuery', () => {
  it('counts the series, profiles and samples of a query', async () => {
    const { start, end } = REQUEST
    const found = await client('AnalyzeQuery', { start, end, query: `${REQUEST.profileTypeID}{}` })
    expect(found['queryScopes']).toMatchObject([{ seriesCount: '1', profileCount: '2', sampleCount: '4' }])
    expect(found['queryImpact']).toMatchObject({ totalQueriedSeries: '1' })
  })
})
