// Reflection of a complete server, read by clients that validate descriptors: protobuf-es, and grpcurl where it is
// installed (on the PATH, or HEARTH_TEST_GRPCURL=/path/to/grpcurl). grpcurl uses Go's library, which is the strictest.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FileRegistry } from '@bufbuild/protobuf'
import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { FileDescriptor } from '@hearth/signals'
import { FILE_DESCRIPTOR, codecOf } from '@hearth/signals'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../testing/running-server.ts'
import { startServer } from '../testing/running-server.ts'
import { GrpcSender } from '../testing/senders.ts'
import type { ReflectionRequest, ReflectionResponse } from './grpc-reflection.ts'
import { REFLECTION_REQUEST, REFLECTION_RESPONSE } from './grpc-reflection.ts'

const GRPCURL = process.env['HEARTH_TEST_GRPCURL'] ?? 'grpcurl'
const hasGrpcurl = spawnSync(GRPCURL, ['-version']).status === 0
if (!hasGrpcurl)
  // oxlint-disable-next-line no-console -- a skipped test must be visible
  console.log(
    'skipped: grpcurl is neither on the PATH nor named by HEARTH_TEST_GRPCURL, so no test with a client in Go',
  )

const COLLECTOR = 'opentelemetry.proto.collector'
const SERVICES = [
  'grpc.health.v1.Health',
  'kubefox.proto.v1.Broker',
  `${COLLECTOR}.logs.v1.LogsService`,
  `${COLLECTOR}.metrics.v1.MetricsService`,
  `${COLLECTOR}.profiles.v1development.ProfilesService`,
  `${COLLECTOR}.trace.v1.TraceService`,
  'parca.debuginfo.v1alpha1.DebuginfoService',
  'push.v1.PusherService',
  'querier.v1.QuerierService',
]

const requests = codecOf(REFLECTION_REQUEST, 'request')
const files = codecOf(FILE_DESCRIPTOR, 'file')
const responses = codecOf(REFLECTION_RESPONSE, 'response')

let data: string
let running: RunningServer
let sender: GrpcSender
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'hearth-reflection-'))
  running = await startServer(data)
  sender = new GrpcSender(running.server.ports.otlpGrpc)
})
afterAll(async () => {
  sender.close()
  await running.server.close()
  rmSync(data, { recursive: true, force: true })
})

async function reflect(request: Partial<ReflectionRequest>): Promise<ReflectionResponse> {
  const empty = requests.decode(new Uint8Array(0))
  const stream = sender.stream('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')
  stream.end(requests.encode({ ...empty, ...request }))
  for await (const bytes of stream) return responses.decode(bytes as Buffer)
  throw new Error('the stream ended without a response')
}

/** The descriptors of every file that a service of the server needs, dependencies first. */
async function reflectedFiles(): Promise<Uint8Array[]> {
  const bytesOf = new Map<string, Uint8Array>()
  for (const service of SERVICES) {
    const { fileDescriptorResponse } = await reflect({ fileContainingSymbol: service })
    for (const bytes of fileDescriptorResponse?.fileDescriptorProto ?? []) bytesOf.set(files.decode(bytes).name, bytes)
  }
  const sorted = new Set<Uint8Array>()
  const add = (bytes: Uint8Array): void => {
    for (const name of files.decode(bytes).dependency) add(bytesOf.get(name)!)
    sorted.add(bytes)
  }
  for (const bytes of bytesOf.values()) add(bytes)
  return [...sorted]
}

type MessageDescriptor = FileDescriptor['messageType'][number]

function withNested(messages: readonly MessageDescriptor[]): MessageDescriptor[] {
  return messages.flatMap(message => [message, ...withNested(message.nestedType)])
}

describe('reflection', () => {
  it('lists every service of the server', async () => {
    const { listServicesResponse } = await reflect({ listServices: '*' })
    expect(listServicesResponse?.service.map(({ name }) => name).toSorted()).toEqual(SERVICES)
  })

  it('declares the fields of a oneof consecutively', async () => {
    const messages = (await reflectedFiles()).flatMap(bytes => withNested(files.decode(bytes).messageType))
    const withOneof = messages.filter(({ oneofDecl }) => oneofDecl.length > 0)
    expect(withOneof.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['NumberDataPoint', 'Exemplar', 'AnyValue']),
    )
    for (const { name, field } of withOneof) {
      const runs = field
        .map(each => each.oneofIndex ?? -1)
        .filter((index, i, all) => index >= 0 && (i === 0 || all[i - 1] !== index))
      expect([name, ...runs]).toEqual([name, ...new Set(runs)])
    }
  })

  it('is accepted by the registry of protobuf-es', async () => {
    const file = (await reflectedFiles()).map(bytes => fromBinary(FileDescriptorProtoSchema, bytes))
    const registry: FileRegistry = createFileRegistry(create(FileDescriptorSetSchema, { file }))
    for (const service of SERVICES) {
      const methods = registry.getService(service)?.methods ?? []
      expect([service, methods.length > 0]).toEqual([service, true])
      for (const { input, output } of methods) expect([input.kind, output.kind]).toEqual(['message', 'message'])
    }
  })
})

describe.skipIf(!hasGrpcurl)('grpcurl', () => {
  const run = promisify(execFile)
  async function grpcurl(input: string | undefined, ...words: readonly string[]): Promise<string> {
    const address = `127.0.0.1:${running.server.ports.otlpGrpc}`
    const data = input === undefined ? [] : ['-d', input]
    const { stdout } = await run(GRPCURL, ['-plaintext', '-max-time', '20', ...data, address, ...words])
    return stdout
  }
  const called = async (method: string, request: object): Promise<unknown> =>
    JSON.parse(await grpcurl(JSON.stringify(request), method))

  it('lists and describes every service with its messages', async () => {
    expect((await grpcurl(undefined, 'list')).trim().split('\n').toSorted()).toEqual(SERVICES)
    for (const service of SERVICES) {
      const text = await grpcurl(undefined, 'describe', service)
      expect(text).toContain(`${service} is a service`)
      for (const [, type] of text.matchAll(/\( (?:stream )?\.([\w.]+) \)/g))
        expect(await grpcurl(undefined, 'describe', type)).toContain(`${type} is a message`)
    }
  })

  it('calls the Export method of each signal', async () => {
    const attribute = { key: 'a', value: { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'x' }] } } }
    const span = { traceId: 'AQIDBAUGBwgJCgsMDQ4PEA==', spanId: 'AQIDBAUGBwg=', name: 's', attributes: [attribute] }
    const point = { timeUnixNano: '1', asDouble: 0.5, attributes: [attribute] }
    const metric = { name: 'm', gauge: { dataPoints: [point] } }
    const record = { timeUnixNano: '1', body: { stringValue: 'text' }, attributes: [attribute] }
    expect(
      await called(`${COLLECTOR}.trace.v1.TraceService/Export`, {
        resourceSpans: [{ scopeSpans: [{ spans: [span] }] }],
      }),
    ).toEqual({})
    expect(
      await called(`${COLLECTOR}.metrics.v1.MetricsService/Export`, {
        resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }],
      }),
    ).toEqual({})
    expect(
      await called(`${COLLECTOR}.logs.v1.LogsService/Export`, {
        resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }],
      }),
    ).toEqual({})
    expect(await called(`${COLLECTOR}.profiles.v1development.ProfilesService/Export`, {})).toEqual({})
  })

  it('calls the health check, and methods of Pyroscope', async () => {
    // A started server serves when the data of the first queries is read.
    const health = (): Promise<unknown> => called('grpc.health.v1.Health/Check', {})
    await expect.poll(health).toEqual({ status: 'SERVING' })
    expect(await called('push.v1.PusherService/Push', {})).toEqual({})
    const types = await called('querier.v1.QuerierService/ProfileTypes', { start: '0', end: '1' })
    expect(types).toEqual({})
  })

  it('opens a stream to the Broker', async () => {
    const failure = await grpcurl(
      '{"type":"io.kubefox.register","ttl":"1000000000"}',
      'kubefox.proto.v1.Broker/Subscribe',
    ).then(
      text => text,
      (error: Error) => error.message,
    )
    // The Broker rejects a component without a name. The test checks that the event was encoded and understood.
    expect(failure).not.toMatch(/Failed to process proto source|not found|consecutive/)
    expect(failure).toMatch(/component|register|Unauthenticated|InvalidArgument|io\.kubefox/i)
  })
})
