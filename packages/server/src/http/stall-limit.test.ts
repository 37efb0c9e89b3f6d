import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { limitStalls } from './stall-limit.ts'

let responses: ServerResponse[] = []
const server = createServer((_request, response) => {
  responses.push(response)
  limitStalls(response, { stallMs: 300, stepMs: 50 })
})
afterEach(() => {
  responses = []
  server.closeAllConnections()
  server.close()
})

async function request(): Promise<{ readonly response: ServerResponse; readonly client: ReturnType<typeof connect> }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.pause()
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  return { response, client }
}

describe('limitStalls', () => {
  it('disconnects a client that stops reading, whether the response is complete or not', async () => {
    for (const isComplete of [false, true]) {
      const { response, client } = await request()
      // More than the buffers of the system hold.
      const bytes = Buffer.alloc(32 * 2 ** 20)
      const begun = Date.now()
      if (isComplete) response.end(bytes)
      else response.write(bytes)
      await once(response, 'close')
      expect(client.bytesRead).toBeLessThan(bytes.length)
      expect(Date.now() - begun).toBeGreaterThanOrEqual(299)
      client.destroy()
      server.close()
    }
  })

  it('waits for a server that has nothing to send yet', async () => {
    const { response, client } = await request()
    let timeouts = 0
    response.socket?.on('timeout', () => timeouts++)
    await expect.poll(() => timeouts).toBeGreaterThan(10)
    client.resume()
    response.end('late')
    await once(response, 'finish')
    client.destroy()
  })
})
