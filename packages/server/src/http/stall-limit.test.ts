import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_OPEN_REQUESTS } from './pipeline-limit.ts'
import { closeListener, listen, newListener } from './listener.ts'

const TIMEOUT_MS = 600
/** More than the buffers of the system hold. */
const LARGE = Buffer.alloc(32 * 2 ** 20)

let app: FastifyInstance
let port = 0
let handled = 0
let release = (): void => undefined
beforeAll(async () => {
  app = newListener(undefined, { host: '127.0.0.1' }, { clientTimeoutMs: TIMEOUT_MS })
  app.get('/large', async () => LARGE)
  app.get('/part', async () => {
    handled++
    return LARGE.subarray(0, 2 ** 18)
  })
  app.get('/begun', async (_request, reply) => {
    reply.hijack()
    reply.raw.write(LARGE)
  })
  app.get('/late', async () => {
    await new Promise<void>(resolve => (release = resolve))
    return 'late'
  })
  app.post('/', async () => 'received')
  port = await listen(app, '127.0.0.1', 0)
})
afterAll(async () => {
  app.server.closeAllConnections()
  await closeListener(app, 0)
})

/** Sends text and reads nothing until `resume`. Resolves with the client and the server's side of the connection. */
async function sendUnread(text: string): Promise<{ readonly client: Socket; readonly accepted: Socket }> {
  const connection = once(app.server, 'connection')
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  client.pause()
  client.write(text)
  const [accepted] = (await connection) as [Socket]
  return { client, accepted }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`

/** Resolves when the server has closed the connection, with or without an error. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>(resolve => socket.once('close', () => resolve()))
}

describe('a client that reads nothing', () => {
  it.each([
    ['a complete response', get('/large')],
    ['a response that is not complete', get('/begun')],
    ['the responses of many requests that it sent at once', get('/part').repeat(MAX_OPEN_REQUESTS)],
  ])('of %s is disconnected after the time limit', async (_what, text) => {
    const begun = performance.now()
    const { client, accepted } = await sendUnread(text)
    await closed(accepted)
    expect(performance.now() - begun).toBeGreaterThanOrEqual(TIMEOUT_MS)
    client.destroy()
  })

  it('stays connected while the server has nothing to send', async () => {
    const { client, accepted } = await sendUnread(get('/late'))
    const other = await sendUnread(get('/large'))
    await closed(other.accepted)
    expect(accepted.destroyed).toBe(false)
    client.resume()
    release()
    const [bytes] = (await once(client, 'data')) as [Buffer]
    expect(bytes.toString()).toContain('late')
    for (const socket of [client, other.client]) socket.destroy()
  })
})

describe('a client that sends too many requests at once', () => {
  it('is disconnected before most of them are handled', async () => {
    const before = handled
    const { client, accepted } = await sendUnread(get('/part').repeat(10 * MAX_OPEN_REQUESTS))
    await closed(accepted)
    expect(handled - before).toBeLessThanOrEqual(MAX_OPEN_REQUESTS)
    client.destroy()
  })

  it('stays connected if it waits for some of the responses', async () => {
    const { client, accepted } = await sendUnread('')
    client.resume()
    for (let sent = 0; sent < 3 * MAX_OPEN_REQUESTS; sent += MAX_OPEN_REQUESTS / 2) {
      client.write(get('/part').repeat(MAX_OPEN_REQUESTS / 2))
      await expect.poll(() => client.bytesRead).toBeGreaterThan((sent + MAX_OPEN_REQUESTS / 2) * 2 ** 18)
    }
    expect(accepted.destroyed).toBe(false)
    client.destroy()
  })
})

describe('a client that reads slowly', () => {
  it('gets its complete response, however long it takes', async () => {
    const { client } = await sendUnread(get('/large'))
    const begun = performance.now()
    let bytes = 0
    // Reads a part in a fraction of the limit, and all of it in several times the limit.
    while (bytes < LARGE.length) {
      const chunk = client.read() as Buffer | null
      bytes += chunk?.length ?? 0
      if (chunk === null) await once(client, 'readable')
      else if (performance.now() - begun < 3 * TIMEOUT_MS) await new Promise(resolve => setTimeout(resolve, 5))
      expect(client.destroyed).toBe(false)
    }
    client.destroy()
  })
})

describe('a client that sends its request slowly', () => {
  it('is disconnected when the request is not complete after the time limit', async () => {
    const { client, accepted } = await sendUnread(
      `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: text/plain\r\ncontent-length: 1000\r\n\r\n`,
    )
    const timer = setInterval(() => client.write(' '), 20)
    client.resume()
    await closed(accepted)
    clearInterval(timer)
  })
})
