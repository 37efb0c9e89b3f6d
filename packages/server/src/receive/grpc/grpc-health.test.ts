import type { ClientReadableStream } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codecOf } from '@hearth/signals'
import { HEALTH_CHECK_REQUEST, HEALTH_CHECK_RESPONSE } from './grpc-health.ts'
import type { Receivers } from '../testing/receivers.ts'
import { startReceivers } from '../testing/receivers.ts'
import { GrpcSender, SERVICES } from '../testing/senders.ts'

/** Enough for a busy machine. */
const [SERVING, NOT_SERVING, SERVICE_UNKNOWN] = [1, 2, 3]
const request = codecOf(HEALTH_CHECK_REQUEST, 'request')
const response = codecOf(HEALTH_CHECK_RESPONSE, 'response')
let ready = true
let at: Receivers
let sender: GrpcSender
beforeAll(async () => {
  at = await startReceivers({ ready: () => ready })
  sender = new GrpcSender(at.grpcPort)
})
afterAll(async () => {
  sender.close()
  await at.close()
})

async function check(service: string): Promise<number> {
  return response.decode(await sender.call('/grpc.health.v1.Health/Check', request.encode({ service }))).status
}

function watch(service: string, client = sender): { stream: ClientReadableStream<Buffer>; states: number[] } {
  const states: number[] = []
  const stream = client.client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes: Buffer) => bytes,
    request.encode({ service }),
  )
  stream.on('data', (bytes: Buffer) => states.push(response.decode(bytes).status))
  stream.on('error', () => {})
  return { stream, states }
}

test('Check reports the server and each of its services', async () => {
  for (const service of ['', ...Object.values(SERVICES)])
    expect([service, await check(service)]).toEqual([service, SERVING])
  ready = false
  expect(await check('')).toBe(NOT_SERVING)
  ready = true
})

test('Check fails for unknown services and invalid requests', async () => {
  await expect(check('some.Other')).rejects.toMatchObject({ code: status.NOT_FOUND })
  await expect(sender.call('/grpc.health.v1.Health/Check', Uint8Array.of(0x0a, 9))).rejects.toMatchObject({
    code: status.INVALID_ARGUMENT,
  })
})

test('Watch reports the current state and every change', async () => {
  const { stream, states } = watch('')
  const other = watch('some.Other')
  await expect.poll(() => states).toEqual([SERVING])
  await expect.poll(() => other.states).toEqual([SERVICE_UNKNOWN])
  ready = false
  await expect.poll(() => states).toEqual([SERVING, NOT_SERVING])
  ready = true
  stream.cancel()
  other.stream.cancel()
})

test('Watch ends with NOT_SERVING when the server stops', async () => {
  const ending = await startReceivers()
  const client = new GrpcSender(ending.grpcPort)
  const { stream, states } = watch('', client)
  await expect.poll(() => states).toEqual([SERVING])
  const ended = new Promise(resolve => stream.on('end', resolve))
  await ending.close()
  await ended
  expect(states).toEqual([SERVING, NOT_SERVING])
  client.close()
})
