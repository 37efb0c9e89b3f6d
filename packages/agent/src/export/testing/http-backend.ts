// A backend on a real socket. It sends the given responses and keeps the decompressed requests.
import { once } from 'node:events'
import type { IncomingHttpHeaders, OutgoingHttpHeaders, Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { opened } from '@hearth/codecs'

export interface ReceivedRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export interface Reply {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: Uint8Array | string
}

export class HttpBackend {
  readonly received: ReceivedRequest[] = []
  /** Called after each request. */
  onReceived: () => void = () => {}
  readonly #server: Server
  /** Sent in order. Afterwards every request is accepted. */
  readonly #replies: Reply[]

  private constructor(replies: readonly Reply[]) {
    this.#replies = [...replies]
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks)
        const isPacked = request.headers['content-encoding'] !== undefined
        void (isPacked ? opened(body).then(({ bytes }) => bytes) : Promise.resolve(body)).then(bytes => {
          this.received.push({ url: request.url ?? '', headers: request.headers, body: bytes })
          const { status = 200, headers = {}, body: content = '' } = this.#replies.shift() ?? {}
          response.writeHead(status, headers).end(content)
          this.onReceived()
        })
      })
    })
  }

  static async start(replies: readonly Reply[] = [], port = 0): Promise<HttpBackend> {
    const backend = new HttpBackend(replies)
    backend.#server.listen(port, '127.0.0.1')
    await once(backend.#server, 'listening')
    return backend
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
