import { status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileDescriptor } from '@hearth/signals'
import { FILE_DESCRIPTOR, codecOf } from '@hearth/signals'
import type { ReflectionRequest, ReflectionResponse } from './grpc-reflection.ts'
import { REFLECTION_REQUEST, REFLECTION_RESPONSE } from './grpc-reflection.ts'
import type { Receivers } from '../testing/receivers.ts'
import { startReceivers } from '../testing/receivers.ts'
import { GrpcSender, SERVICES } from '../testing/senders.ts'

const request = codecOf(REFLECTION_REQUEST, 'request')
const responseCodec = codecOf(REFLECTION_RESPONSE, 'response')
const file = codecOf(FILE_DESCRIPTOR, 'file')
let at: Receivers
let sender: GrpcSender
beforeAll(async () => {
  at = await startReceivers()
  sender = new GrpcSender(at.grpcPort)
})
afterAll(async () => {
  sender.close()
  await at.close()
})

const NOTHING: ReflectionRequest = {
  host: '',
  fileByFilename: undefined,
  fileContainingSymbol: undefined,
  fileContainingExtension: undefined,
  allExtensionNumbersOfType: undefined,
  listServices: undefined,
}

/** Sends all requests over one stream and returns their responses. */
async function ask(version: string, ...requests: readonly Partial<ReflectionRequest>[]): Promise<ReflectionResponse[]> {
  const stream = sender.stream(`/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`)
  for (const each of requests) stream.write(request.encode({ ...NOTHING, ...each }))
  stream.end()
  const responses: ReflectionResponse[] = []
  for await (const bytes of stream) responses.push(responseCodec.decode(bytes as Buffer))
  return responses
}

function files(response: ReflectionResponse): FileDescriptor[] {
  return (response.fileDescriptorResponse?.fileDescriptorProto ?? []).map(bytes => file.decode(bytes))
}

// Senders may still use the old name of the service for profiles, but reflection does not list it.
const current = Object.values(SERVICES).filter(name => name !== SERVICES.oldProfiles)

describe.each(['v1', 'v1alpha'])('reflection %s', version => {
  test('lists the services', async () => {
    const [response] = await ask(version, { listServices: '*', host: 'here' })
    const names = response.listServicesResponse?.service.map(({ name }) => name)
    expect(names?.toSorted()).toEqual([...current, 'grpc.health.v1.Health'].toSorted())
    expect([response.validHost, response.originalRequest?.listServices]).toEqual(['here', '*'])
  })

  test('returns files by symbol and by name, with their imports', async () => {
    const [bySymbol, byMethod, byName] = await ask(
      version,
      { fileContainingSymbol: SERVICES.logs },
      { fileContainingSymbol: `${SERVICES.logs}.Export` },
      { fileByFilename: 'opentelemetry/proto/collector/logs/v1/logs_service.proto' },
    )
    const found = files(bySymbol)
    expect(found.map(({ name }) => name)).toEqual([
      'opentelemetry/proto/collector/logs/v1/logs_service.proto',
      'opentelemetry/proto/logs/v1/logs.proto',
      'opentelemetry/proto/common/v1/common.proto',
      'opentelemetry/proto/resource/v1/resource.proto',
    ])
    expect(found[0].service[0]).toMatchObject({ name: 'LogsService', method: [{ name: 'Export' }] })
    expect(files(byMethod)).toEqual(found)
    expect(files(byName)).toEqual(found)
  })
})

test('reflection describes every listed service with all its types', async () => {
  const [list] = await ask('v1', { listServices: '' })
  for (const { name } of list.listServicesResponse?.service ?? []) {
    const [response] = await ask('v1', { fileContainingSymbol: name })
    const found = files(response)
    const names = new Set(found.map(({ name: known }) => known))
    for (const { dependency } of found) for (const needed of dependency) expect(names).toContain(needed)
  }
})

test('reflection describes the health service', async () => {
  const [response] = await ask('v1', { fileContainingSymbol: 'grpc.health.v1.HealthCheckResponse.ServingStatus' })
  const [health] = files(response)
  expect(health).toMatchObject({
    name: 'grpc/health/v1/health.proto',
    package: 'grpc.health.v1',
    service: [
      {
        name: 'Health',
        method: [
          { name: 'Check', inputType: '.grpc.health.v1.HealthCheckRequest', serverStreaming: false },
          { name: 'Watch', outputType: '.grpc.health.v1.HealthCheckResponse', serverStreaming: true },
        ],
      },
    ],
  })
  expect(health.messageType.map(({ name }) => name)).toEqual(['HealthCheckRequest', 'HealthCheckResponse'])
  expect(health.messageType[1].enumType[0].value).toHaveLength(4)
})

test('reflection reports symbols, files and extensions that do not exist', async () => {
  const responses = await ask(
    'v1',
    { fileContainingSymbol: 'opentelemetry.Nothing' },
    { fileByFilename: 'nothing.proto' },
    { allExtensionNumbersOfType: 'google.protobuf.Any' },
    {},
  )
  expect(responses.map(response => response.errorResponse?.errorCode)).toEqual(Array(4).fill(status.NOT_FOUND))
  const stream = sender.stream('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')
  const failed = new Promise<unknown>(resolve => stream.on('error', resolve).resume())
  stream.write(Uint8Array.of(0x0a, 9))
  expect(await failed).toMatchObject({ code: status.INVALID_ARGUMENT })
})

test('open streams do not delay the shutdown', async () => {
  const ending = await startReceivers()
  const client = new GrpcSender(ending.grpcPort)
  const stream = client.stream('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')
  stream.write(request.encode({ ...NOTHING, listServices: '' }))
  await new Promise(resolve => stream.once('data', resolve))
  const ended = new Promise(resolve => stream.on('end', resolve).resume())
  await ending.close()
  await ended
  client.close()
})
