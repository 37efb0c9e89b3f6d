// Four signals through the OpenTelemetry Collector to Hearth, over gRPC and HTTP, with each compression of its exporters.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProfilesBuilder, writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Serving } from '../../packages/cli/src/testing/serving.ts'
import { startServing } from '../../packages/cli/src/testing/serving.ts'
import { COLLECTOR, RunningPeer, findPeer, freePort } from './peer.ts'

const collector = findPeer(COLLECTOR)

/** The compressions that the Collector's exporters offer. */
const COMPRESSIONS = {
  grpc: ['none', 'gzip', 'zstd', 'snappy'],
  http: ['none', 'gzip', 'zstd', 'snappy', 'x-snappy-framed', 'zlib', 'deflate', 'lz4'],
} as const
const ROUTES = (['grpc', 'http'] as const).flatMap(protocol =>
  COMPRESSIONS[protocol].map(compression => ({ protocol, compression, name: `${protocol}-${compression}` })),
)
const SIGNALS = ['traces', 'logs', 'metrics', 'profiles'] as const

describe.skipIf(collector === undefined)('the Collector', () => {
  let folder: string
  let hearth: Serving
  let running: RunningPeer
  const ports = new Map<string, number>()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hearth-collector-'))
    hearth = await startServing(join(folder, 'data'))
    for (const { name } of ROUTES) ports.set(name, await freePort())
    const file = join(folder, 'collector.json')
    writeFileSync(file, JSON.stringify(configuration(hearth, ports)))
    running = new RunningPeer(collector!, ['--config', file, '--feature-gates', 'service.profilesSupport'])
    await running.until(
      async () => await Promise.all([...ports.values()].map(responds)).then(all => all.every(Boolean)),
    )
  })
  afterAll(async () => {
    await running.stop()
    await hearth.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(ROUTES)('delivers four signals over $protocol with compression $compression', async ({ name }) => {
    for (const signal of SIGNALS) await send(ports.get(name)!, signal, name)
    const arrived = async (): Promise<string[]> => {
      const services = await Promise.all(SIGNALS.map(async signal => await servicesWith(hearth, signal)))
      return SIGNALS.filter((_, i) => services[i].includes(name))
    }
    // A failed export is final, so that there is nothing to wait for.
    await running.until(async () => (await arrived()).length === SIGNALS.length || failures(running, name).length > 0)
    expect([await arrived(), failures(running, name)]).toEqual([[...SIGNALS], []])
  })
})

/** The lines in which the Collector gives up on an export. */
function failures({ output }: RunningPeer, name: string): string[] {
  const lines = output.split('\n').filter(line => line.includes(`/${name}"`))
  return lines.filter(line => /Dropping data|Permanent error|not retryable/.test(line))
}

function configuration(hearth: Serving, ports: ReadonlyMap<string, number>): object {
  const receivers: Record<string, object> = {}
  const exporters: Record<string, object> = {}
  const pipelines: Record<string, object> = {}
  for (const { protocol, compression, name } of ROUTES) {
    receivers[`otlp/${name}`] = { protocols: { http: { endpoint: `127.0.0.1:${ports.get(name)}` } } }
    const exporter = `${protocol === 'grpc' ? 'otlp' : 'otlphttp'}/${name}`
    exporters[exporter] =
      protocol === 'grpc'
        ? { endpoint: hearth.grpc, compression, tls: { insecure: true } }
        : { endpoint: hearth.otlp, compression }
    for (const signal of SIGNALS) {
      pipelines[`${signal}/${name}`] = { receivers: [`otlp/${name}`], exporters: [exporter] }
    }
  }
  return { receivers, exporters, service: { telemetry: { metrics: { level: 'none' } }, pipelines } }
}

async function responds(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return response.ok
}

async function send(port: number, signal: (typeof SIGNALS)[number], service: string): Promise<void> {
  const isProfiles = signal === 'profiles'
  const response = await fetch(`http://127.0.0.1:${port}/${isProfiles ? 'v1development' : 'v1'}/${signal}`, {
    method: 'POST',
    headers: { 'content-type': isProfiles ? 'application/x-protobuf' : 'application/json' },
    body: isProfiles ? new Uint8Array(profilesOf(service)) : JSON.stringify(itemsOf(signal, service)),
  })
  expect([response.status, await response.text().then(text => (response.ok ? '' : text))]).toEqual([200, ''])
}

function itemsOf(signal: 'traces' | 'logs' | 'metrics', service: string): object {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] }
  const now = String(BigInt(Date.now()) * 1_000_000n)
  if (signal === 'logs') {
    const logRecords = [{ timeUnixNano: now, body: { stringValue: 'hello' } }]
    return { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }
  }
  if (signal === 'metrics') {
    const metrics = [{ name: 'requests', gauge: { dataPoints: [{ timeUnixNano: now, asInt: '1' }] } }]
    return { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }
  }
  const ids = { traceId: '0102030405060708090a0b0c0d0e0f10', spanId: '0102030405060708' }
  const spans = [{ ...ids, name: 'span', kind: 1, startTimeUnixNano: now, endTimeUnixNano: now }]
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }
}

function profilesOf(service: string): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: service }] })
  const timeUnixNano = BigInt(Date.now()) * 1_000_000n
  builder.profile({ type: 'cpu', unit: 'nanoseconds', timeUnixNano, durationNano: 1_000_000_000n })
  const location = builder.location({ lines: [{ function: builder.function({ name: service }) }] })
  builder.sample({ stack: builder.stack([location]), values: [1] })
  return writeProfile(builder.build(), 'otlp').bytes
}

async function servicesWith(hearth: Serving, signal: (typeof SIGNALS)[number]): Promise<string[]> {
  const path = signal === 'profiles' ? 'attributes/service.name/values' : 'signal-attributes/service.name/values'
  const url = new URL(`/api/v1/${path}`, hearth.main)
  if (signal !== 'profiles') url.searchParams.set('signal', signal)
  const { values } = (await (await fetch(url)).json()) as { values: readonly { readonly text: string }[] }
  return values.map(({ text }) => text)
}
