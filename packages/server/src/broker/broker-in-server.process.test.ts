// The Broker as part of a complete server, with the real engine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { status } from '@grpc/grpc-js'
import { BROKER_SERVICE, Category, createComponent, telemetry as codec } from '@hearth/broker'
import { codecOf, traces } from '@hearth/signals'
import { afterAll, expect, test } from 'vitest'
import { HEALTH_CHECK_REQUEST, HEALTH_CHECK_RESPONSE } from '../receive/grpc/grpc-health.ts'
import type { ReflectionRequest } from '../receive/grpc/grpc-reflection.ts'
import { REFLECTION_REQUEST, REFLECTION_RESPONSE } from '../receive/grpc/grpc-reflection.ts'
import { span, tracesProtobuf } from '../receive/testing/requests.ts'
import { startServer } from '../receive/testing/running-server.ts'
import { GrpcSender } from '../receive/testing/senders.ts'
import { ComponentStream } from './testing/component-stream.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-broker-server-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('the server stores telemetry on shutdown and lists the Broker service in gRPC reflection', async () => {
  // Longer than the test takes: shutdown must not wait for the commit window.
  const { server, main } = await startServer(directory, { 'commit-window': '300s' })
  const sender = new GrpcSender(server.ports.otlpGrpc)
  const listed = await services(sender)
  expect(listed).toEqual(expect.arrayContaining([BROKER_SERVICE, 'push.v1.PusherService', 'querier.v1.QuerierService']))
  const request = codecOf(HEALTH_CHECK_REQUEST, 'request').encode({ service: BROKER_SERVICE })
  const health = async (): Promise<unknown> =>
    codecOf(HEALTH_CHECK_RESPONSE, 'response').decode(await sender.call('/grpc.health.v1.Health/Check', request))
  // A started server serves when the data of the first queries is read.
  await expect.poll(health).toEqual({ status: 1 })

  const component = { app: 'shop', name: 'checkout', hash: 'v7', id: 'one' }
  const stream = await ComponentStream.subscribe(server.ports.otlpGrpc, { component, environment: 'eu' })
  const [{ scopeSpans }] = traces.decode(tracesProtobuf(span('GET /cart'), span('query'))).resourceSpans
  const content = codec.encode({
    traceId: new Uint8Array(0),
    logRecords: [],
    metrics: [],
    spans: scopeSpans[0].spans,
  })
  const target = createComponent({ type: 'Broker' })
  stream.send({ category: Category.MESSAGE, type: 'io.kubefox.telemetry', target, content })
  await stream.request({})
  const metrics = await (await fetch(`${main}/metrics`)).text()
  expect(metrics).toContain('hearth_broker_components{where="here"} 1')
  expect(metrics).toContain('hearth_broker_events_total{category="MESSAGE",outcome="kept"} 1')
  expect(metrics).toContain('hearth_broker_events_total{category="REQUEST",outcome="routeNotFound"} 1')
  expect(metrics).toContain('hearth_broker_mesh_connected 1')
  await server.close()
  expect((await stream.ended).code).toBe(status.UNAVAILABLE)
  stream.destroy()
  sender.close()

  const again = await startServer(directory, { broker: 'no' })
  await again.server.store.settled()
  const { engine } = again.server.store
  const block = await engine.select(`SELECT name, service FROM spans WHERE tenant = 'default' ORDER BY name`)
  const rows = Array.from({ length: block.rows }, (_, row) => [
    block.column('name').text(row),
    block.column('service').text(row),
  ])
  expect(rows).toEqual([
    ['GET /cart', 'checkout'],
    ['query', 'checkout'],
  ])
  const nobody = new ComponentStream(again.server.ports.otlpGrpc)
  nobody.register()
  expect((await nobody.ended).code).toBe(status.UNIMPLEMENTED)
  nobody.destroy()
  await again.server.close()
})

async function services(sender: GrpcSender): Promise<(string | undefined)[]> {
  const empty = Object.fromEntries(Object.entries(REFLECTION_REQUEST.fields).map(([name, f]) => [name, f.initial]))
  const stream = sender.stream('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')
  const request = (parts: Partial<ReflectionRequest>): Promise<Buffer> => {
    const response = new Promise<Buffer>(resolve => stream.once('data', resolve))
    stream.write(codecOf(REFLECTION_REQUEST, 'request').encode({ ...empty, ...parts } as ReflectionRequest))
    return response
  }
  const responses = codecOf(REFLECTION_RESPONSE, 'response')
  const list = responses.decode(await request({ listServices: '*' })).listServicesResponse?.service ?? []
  for (const { name } of list) {
    const { fileDescriptorResponse } = responses.decode(await request({ fileContainingSymbol: name }))
    expect(fileDescriptorResponse?.fileDescriptorProto.length).toBeGreaterThan(0)
  }
  stream.end()
  return list.map(({ name }) => name)
}
