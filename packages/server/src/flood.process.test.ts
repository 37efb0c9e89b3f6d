// The real server while senders flood it: small bodies with millions of items, and large profiles. It refuses what its memory
// cannot hold, and responds to health checks and other tenants in the meantime.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ProfilesBuilder, writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compressedItems } from './receive/testing/empty-items.ts'
import { span, tracesProtobuf } from './receive/testing/requests.ts'
import type { Signal } from './store/keeper.ts'
import { ServerProcess } from './testing/server-process.ts'

const CONTENT_TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const
/** The goal with default settings. */
const MAX_MEMORY = 1.2e9
/** Decoded without a limit, these would take more than the goal: 6 million samples take 150 MB. */
const AT_ONCE = 12

let directory: string
let server: ServerProcess

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-flood-'))
  server = await ServerProcess.start({ data: directory })
})
afterAll(async () => {
  await server.kill()
  await rm(directory, { recursive: true, force: true })
})

/** Returns the status. Each request has its own connection: an idle one may be closed while the test makes a body. */
function send(path: string, body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<number> {
  return call(server.ports.otlpHttp, { method: 'POST', path, headers }, body)
}

async function call(port: number, options: RequestOptions, body?: Uint8Array): Promise<number> {
  const sending = request({ host: '127.0.0.1', port, agent: false, ...options })
  sending.end(body)
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}

function sendItems(signal: Signal, encoding: 'protobuf' | 'json', body: Uint8Array): Promise<number> {
  const path = signal === 'profiles' ? '/v1development/profiles' : `/v1/${signal}`
  return send(path, body, { 'content-type': CONTENT_TYPES[encoding], 'content-encoding': 'gzip' })
}

let others = 0

/** A request of another tenant, and a health check. */
async function sendOther(): Promise<void> {
  const body = tracesProtobuf(span(`other ${others++}`))
  const headers = { 'content-type': CONTENT_TYPES.protobuf, 'x-scope-orgid': 'other' }
  expect(await send('/v1/traces', body, headers)).toBe(200)
  expect(await call(server.ports.http, { path: '/healthz' })).toBe(200)
}

/** Sends other requests until `flood` ends. Returns how many were answered before. */
async function othersDuring(flood: Promise<unknown>): Promise<number> {
  let answered = 0
  let hasEnded = false
  const ended = flood.finally(() => (hasEnded = true))
  for (;;) {
    await sendOther()
    if (hasEnded) break
    answered++
  }
  await ended
  return answered
}

describe('a flood of small bodies with millions of items', { timeout: 300_000 }, () => {
  // Samples take the least memory.
  const FLOODS = [
    ['profiles', 'protobuf', 6_000_000],
    ['traces', 'protobuf', 3_000_000],
    ['logs', 'protobuf', 3_000_000],
    ['metrics', 'protobuf', 3_000_000],
    ['logs', 'json', 3_000_000],
  ] as const

  it.each(FLOODS)('refuses %s in %s and keeps the memory bounded', async (signal, encoding, count) => {
    const body = compressedItems(signal, encoding, count)
    expect(body.length).toBeLessThan(100_000)
    const flood = Promise.all(Array.from({ length: AT_ONCE }, () => sendItems(signal, encoding, body)))
    await othersDuring(flood)
    expect(new Set(await flood)).toEqual(new Set([413]))
    expect(server.memory('VmHWM')).toBeLessThan(MAX_MEMORY)
  })
})

describe('a large request', { timeout: 300_000 }, () => {
  it('with 600,000 log records is stored without delaying others', async () => {
    const body = compressedItems('logs', 'protobuf', 600_000)
    const large = sendItems('logs', 'protobuf', body)
    expect(await othersDuring(large)).toBeGreaterThan(2)
    expect(await large).toBe(200)
    expect(server.memory('VmHWM')).toBeLessThan(MAX_MEMORY)
  })

  it('with 300,000 functions is stored without delaying others', async () => {
    const large = send('/v1/push?service=large', manyFunctions(300_000), {})
    expect(await othersDuring(large)).toBeGreaterThan(2)
    expect(await large).toBe(200)
    expect(server.memory('VmHWM')).toBeLessThan(MAX_MEMORY)
  })
})

/** A gzipped pprof file. */
function manyFunctions(count: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'samples', unit: 'count' })
  const DEPTH = 100
  for (let from = 0; from < count; from += DEPTH) {
    const stack = Array.from({ length: DEPTH }, (_, i) =>
      builder.location({ lines: [{ function: builder.function({ name: `f${from + i}` }) }] }),
    )
    builder.sample({ stack: builder.stack(stack), values: [1n] })
  }
  return gzipSync(writeProfile(builder.build(), 'pprof').bytes)
}
