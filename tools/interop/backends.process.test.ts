// Other backends accept what Hearth exports: Pyroscope over OTLP/HTTP, Parca over OTLP/gRPC. profilecli queries Hearth as it
// queries Pyroscope.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProfilesBuilder, difference, readProfile, writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentFolder } from '../../packages/agent/src/testing/agent-process.ts'
import type { Serving } from '../../packages/cli/src/testing/serving.ts'
import { startServing } from '../../packages/cli/src/testing/serving.ts'
import { addUnknownFields } from '../../packages/profile/src/formats/otlp/testing/add-unknown-fields.ts'
import { randomFrom } from '../../packages/profile/src/formats/testing/random.ts'
import { grpcExport } from './grpc-export.ts'
import { startParca, startPyroscope } from './backends.ts'
import type { RunningPeer } from './peer.ts'
import { PARCA, PROFILECLI, PYROSCOPE, findPeer, runPeer } from './peer.ts'

const [pyroscope, parca, profilecli] = [PYROSCOPE, PARCA, PROFILECLI].map(findPeer)
const SERVICE = 'interop'
const TYPE = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds'

let folder: string
let hearth: Serving
/** The profiles as Hearth exports them. */
let exported: Uint8Array
let agent: AgentFolder

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-backends-'))
  hearth = await startServing(join(folder, 'data'))
  const status = await grpcExport(hearth.grpc, sentProfiles())
  if (status !== '0') throw new Error(`Hearth rejected the profiles: ${status}`)
  exported = await exportOf(SERVICE)
  agent = new AgentFolder()
})
afterAll(async () => {
  agent.remove()
  await hearth.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function exportOf(service: string): Promise<Uint8Array> {
  const url = new URL('/api/v1/export', hearth.main)
  url.searchParams.set('selector', `{service.name="${service}"}`)
  let response = await fetch(url)
  // Accepted profiles are found a moment later.
  while (response.status === 404) response = await fetch(url)
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return new Uint8Array(await response.arrayBuffer())
}

function sentProfiles(service = SERVICE): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: service }] })
  builder.scope({ name: 'interop', version: '1' })
  const [main, work] = ['main', 'work'].map((name, i) => {
    const mapping = builder.mapping({ memoryStart: 4096, memoryLimit: 8192, filename: 'app' })
    const lines = [{ function: builder.function({ name, filename: 'app.go' }), line: i + 1 }]
    return builder.location({ mapping, address: 4096 + i, lines })
  })
  builder.profile({
    type: 'cpu',
    unit: 'nanoseconds',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    period: 10_000_000,
    timeUnixNano: BigInt(Date.now()) * 1_000_000n,
    durationNano: 10_000_000_000n,
    id: Uint8Array.from({ length: 16 }, (_, i) => i + 1),
  })
  builder.sample({ stack: builder.stack([work, main]), values: [30_000_000] })
  builder.sample({ stack: builder.stack([main]), values: [10_000_000] })
  return writeProfile(builder.build(), 'otlp').bytes
}

/** Runs a program with the agent, which sends samples without timestamps. A rejected export is reported on stderr. */
async function agentExports(endpoint: string, protocol: 'grpc' | 'http/protobuf'): Promise<void> {
  const program = `
    const until = process.cpuUsage().user + 500_000
    let sum = 0
    while (process.cpuUsage().user < until) for (let i = 0; i < 100_000; i++) sum += Math.sqrt(i)
  `
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_SERVICE_NAME: 'recorded',
    HEARTH_SAMPLE_TIMESTAMPS: 'false',
  }
  expect(await agent.run(program, { env })).toEqual({ by: 0, stdout: '', stderr: '' })
}

const hostOf = (address: string): string => new URL(address).host

async function json(url: string, request?: object): Promise<unknown> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) }
  const response = await fetch(url, request === undefined ? {} : post)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return await response.json()
}

/** A range in milliseconds around now. */
const around = (): { start: string; end: string } => ({
  start: String(Date.now() - 3_600_000),
  end: String(Date.now() + 3_600_000),
})

describe('Hearth', () => {
  it('exports one file that it accepts again', async () => {
    expect(readProfile(exported).profiles.samples.length).toBe(2)
    expect(await grpcExport(hearth.grpc, exported)).toBe('0')
  })

  it('returns the fields of a newer version in its export', async () => {
    // The fields of a payload itself and of its zero rows belong to no profile, so that a query does not return them.
    const added = ['Profile', 'ValueType', 'Sample', 'Line', 'Resource', 'ScopeProfiles']
    const sent = addUnknownFields(sentProfiles('newer'), randomFrom(1), name => added.includes(name))
    expect(await grpcExport(hearth.grpc, sent)).toBe('0')
    const [first, second] = [sent, await exportOf('newer')].map(bytes => readProfile(bytes).profiles)
    expect(first.unknown?.samples?.size).toBe(2)
    expect(difference(first, second)).toBeUndefined()
  })

  it.each(['grpc', 'http/protobuf'] as const)('accepts aggregated exports of the agent over %s', async protocol => {
    await agentExports(protocol === 'grpc' ? `http://${hearth.grpc}` : hearth.otlp, protocol)
    const services = async (): Promise<string> => JSON.stringify(await json(`${hearth.main}/api/v1/services`))
    await expect.poll(services).toContain('recorded')
  })
})

describe.skipIf(pyroscope === undefined)('Pyroscope', () => {
  let running: RunningPeer
  let address: string

  beforeAll(async () => {
    ;({ running, address } = await startPyroscope(pyroscope!, folder))
  })
  afterAll(async () => {
    await running.stop()
  })

  it('accepts an export of Hearth', async () => {
    const response = await fetch(`${address}/v1development/profiles`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      body: new Uint8Array(exported),
    })
    expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, ''])
    const types = async (): Promise<string> =>
      JSON.stringify(await json(`${address}/querier.v1.QuerierService/ProfileTypes`, around()))
    await expect.poll(types).toContain('nanoseconds')
  })

  it('accepts aggregated exports of the agent', async () => {
    await agentExports(address, 'http/protobuf')
  })
})

describe.skipIf(parca === undefined)('Parca', () => {
  let running: RunningPeer
  let address: string

  beforeAll(async () => {
    ;({ running, address } = await startParca(parca!, folder))
  })
  afterAll(async () => {
    await running.stop()
  })

  it('accepts an export of Hearth', async () => {
    expect(await grpcExport(hostOf(address), exported)).toBe('0')
    const types = async (): Promise<string> => JSON.stringify(await json(`${address}/api/profiles/types`))
    await expect.poll(types).toContain('nanoseconds')
  })

  it('accepts aggregated exports of the agent', async () => {
    await agentExports(address, 'grpc')
  })
})

describe.skipIf(profilecli === undefined)('profilecli', () => {
  const query = async (...args: readonly string[]): Promise<string> => {
    const range = ['--from', 'now-1h', '--to', 'now']
    const { status, text } = await runPeer(profilecli!, ['query', ...args, `--url=${hearth.main}`, ...range])
    expect([status, text]).toEqual([0, text])
    return text
  }

  it('lists the series of Hearth', async () => {
    expect(await query('series', `--query={service_name="${SERVICE}"}`)).toContain(SERVICE)
  })

  it('reads a merged profile of Hearth', async () => {
    const file = join(folder, 'merged.pprof')
    await query('profile', `--profile-type=${TYPE}`, `--query={service_name="${SERVICE}"}`, `--output=pprof=${file}`)
    expect(readProfile(readFileSync(file)).profiles.samples.length).toBe(2)
  })

  it('uploads a profile to Hearth', async () => {
    const file = join(folder, 'upload.pprof')
    writeFileSync(file, writeProfile(readProfile(exported).profiles, 'pprof').bytes)
    const labels = ['--extra-labels', 'service_name=uploaded']
    const { status, text } = await runPeer(profilecli!, ['upload', `--url=${hearth.main}`, ...labels, file])
    expect([status, text]).toEqual([0, text])
    // An accepted profile is found a moment later.
    await expect.poll(() => query('series', '--query={service_name="uploaded"}')).toContain('uploaded')
  })
})
