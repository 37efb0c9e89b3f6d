// A complete server with the OTLP endpoints of each signal, and a client for its responses.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, HearthClient } from '@hearth/client'
import { encodeOtlp } from '@hearth/profile'
import { vi } from 'vitest'
import type { PlainProfile } from '../../../query/testing/plain-profiles.ts'
import { profilesOf } from '../../../query/testing/plain-profiles.ts'
import { PREFIX, endpoints } from '../endpoints.ts'
import { startServer } from '../../../receive/testing/running-server.ts'
import { JSON_TYPE, PROTOBUF, post } from '../../../receive/testing/senders.ts'

export interface SignalServer {
  readonly client: HearthClient
  readonly url: string
  /** Sends OTLP/JSON to `/v1/traces`, `/v1/logs` or `/v1/metrics`. */
  send(signal: 'traces' | 'logs' | 'metrics', content: object): Promise<void>
  sendProfiles(profiles: readonly PlainProfile[]): Promise<void>
  close(): Promise<void>
}

export async function openSignalServer(): Promise<SignalServer> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-signals-'))
  const { server, otlp, main } = await startServer(directory)
  const sent = async (path: string, body: Uint8Array, type: string): Promise<void> => {
    const response = await post(`${otlp}${path}`, body, { 'content-type': type })
    if (response.status !== 200 || response.text.includes('artial'))
      throw new Error(`${response.status} ${response.text}`)
  }
  return {
    client: new HearthClient({ server: main, fetch: checkedFetch }),
    url: main,
    send: (signal, content) => sent(`/v1/${signal}`, Buffer.from(JSON.stringify(content)), JSON_TYPE),
    sendProfiles: profiles => sent('/v1development/profiles', encodeOtlp(profilesOf(profiles)), PROTOBUF),
    async close() {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Every response, validated by its schema. */
const checkedFetch: typeof fetch = async (input, init) => {
  const found = await fetch(input, init)
  const path = new URL(input instanceof Request ? input.url : input).pathname
  const endpoint = endpoints.find(({ path: pattern }) => {
    const parts = `${PREFIX}${pattern}`.split('/')
    const given = path.split('/')
    return parts.length === given.length && parts.every((part, i) => part.startsWith('{') || part === given[i])
  })
  const isJson = found.headers.get('content-type')?.startsWith('application/json') === true
  if (found.ok && isJson) endpoint?.response?.parse(await found.clone().json())
  return found
}

/** Waits until committed rows are in the engine. */
export async function settled(read: () => Promise<number>, wanted: number): Promise<void> {
  const wait = async () => {
    const found = await read()
    if (found !== wanted) throw new Error(`${found} instead of ${wanted}`)
  }
  await vi.waitFor(wait, { timeout: 30_000, interval: 100 })
}

/** In the form of OTLP/JSON. */
export function attributesJson(attributes: Readonly<Record<string, string | number | bigint | boolean>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : typeof value === 'bigint'
            ? { intValue: String(value) }
            : { doubleValue: value },
  }))
}

/** `400 argument` for a rejected query, and `none` for a successful one. */
export async function faultOf(result: Promise<unknown>): Promise<string> {
  return await result.then(
    () => 'none',
    (error: unknown) => (error instanceof ApiError ? `${error.status} ${error.code}` : String(error)),
  )
}
