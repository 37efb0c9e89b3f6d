// A program that serves pprof profiles on a free port. Tests set the response of each path.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Respond = (request: IncomingMessage, response: ServerResponse) => void

export interface PprofServer {
  readonly address: string
  readonly requests: IncomingMessage[]
  /** By path, without the query. */
  readonly responses: Map<string, Respond>
  close(): Promise<void>
}

export async function startPprofServer(): Promise<PprofServer> {
  const responses = new Map<string, Respond>()
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const respond = responses.get(new URL(request.url ?? '/', 'http://target').pathname)
    if (respond !== undefined) return respond(request, response)
    response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    requests,
    responses,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const body =
  (bytes: Uint8Array | string): Respond =>
  (_, response) =>
    void response.end(bytes)
