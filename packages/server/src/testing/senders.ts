// Concurrent senders that behave like exporters: each retries a request until it is acknowledged, also at the next server
// when the previous one is gone.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, credentials } from '@grpc/grpc-js'
import { rawMethod } from '../receive/grpc/raw-method.ts'
import type { SentRequest } from './sent-request.ts'
import type { ServerProcess } from './server-process.ts'

const EXPORT = rawMethod('/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export')
const PATHS = {
  profiles: 'v1development/profiles',
  traces: 'v1/traces',
  logs: 'v1/logs',
  metrics: 'v1/metrics',
} as const

export interface HttpResponse {
  readonly status: number
  readonly retryAfter: number | undefined
  readonly text: string
}

/** Rejects if the server is gone. */
export async function sendHttp(
  server: ServerProcess,
  request: Pick<SentRequest, 'signal' | 'body' | 'type'>,
): Promise<HttpResponse> {
  const response = await fetch(`http://127.0.0.1:${server.ports.otlpHttp}/${PATHS[request.signal]}`, {
    method: 'POST',
    headers: { 'content-type': request.type },
    body: new Uint8Array(request.body),
  })
  const retryAfter = response.headers.get('retry-after')
  const text = await response.text()
  return { status: response.status, retryAfter: retryAfter === null ? undefined : Number(retryAfter), text }
}

export class Senders {
  readonly acknowledged: SentRequest[] = []
  /** Responses that were neither an acknowledgement nor a request to retry. */
  readonly faults: string[] = []
  retries = 0
  readonly #make: (n: number) => SentRequest
  readonly #pauseMs: number
  #sent = 0
  #server: ServerProcess | undefined
  #grpc: Client | undefined
  #stopping = false
  readonly #running: Promise<unknown>

  /** `pauseMs` is the time from an acknowledgement to the sender's next request. */
  constructor(concurrency: number, make: (n: number) => SentRequest, pauseMs = 0) {
    this.#make = make
    this.#pauseMs = pauseMs
    this.#running = Promise.all(Array.from({ length: concurrency }, () => this.#run()))
  }

  /** Sets the server to send to. Undefined pauses. */
  aim(server: ServerProcess | undefined): void {
    this.#grpc?.close()
    this.#server = server
    this.#grpc =
      server === undefined ? undefined : new Client(`127.0.0.1:${server.ports.otlpGrpc}`, credentials.createInsecure())
  }

  /** Starts no more requests. Resolves when all started ones are acknowledged. */
  async finish(): Promise<void> {
    this.#stopping = true
    await this.#running
    this.#grpc?.close()
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      if (this.#server === undefined) {
        await sleep(5)
        continue
      }
      const request = this.#make(this.#sent++)
      while (!(await this.#send(request))) {
        this.retries++
        do await sleep(5)
        while (this.#server === undefined)
      }
      this.acknowledged.push(request)
      if (this.#pauseMs > 0) await sleep(this.#pauseMs)
    }
  }

  /** Returns false if the request must be sent again. */
  async #send(request: SentRequest): Promise<boolean> {
    const server = this.#server
    if (server === undefined) return false
    try {
      if (request.signal === 'profiles') return await this.#sendGrpc(request)
      const { status, text } = await sendHttp(server, request)
      if (status !== 200 && status !== 429 && status !== 503) this.faults.push(`${status} ${text}`)
      return status === 200
    } catch {
      return false
    }
  }

  #sendGrpc(request: SentRequest): Promise<boolean> {
    const client = this.#grpc
    if (client === undefined) return Promise.resolve(false)
    const { path, requestSerialize, responseDeserialize } = EXPORT
    return new Promise(resolve => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, Buffer.from(request.body), error => {
        // Unavailable, cancelled or exhausted: the server is gone or full.
        if (error !== null && ![1, 8, 14].includes(error.code)) this.faults.push(`${error.code} ${error.message}`)
        resolve(error === null)
      })
    })
  }
}
