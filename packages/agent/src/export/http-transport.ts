// OTLP over HTTP: one POST per payload, on a keep-alive connection that does not keep the process running.
import type { ClientRequest, IncomingMessage } from 'node:http'
import * as http from 'node:http'
import type * as https from 'node:https'
import type { Destination } from '../configuration/options.ts'
import type { ResponseEncoding } from './responses.ts'
import { partialSuccessIn, retryAfterMillis, rpcStatusIn } from './responses.ts'
import type { Outcome, Transport } from './transport.ts'
import { reasonOf } from '../record/reason-of.ts'
import { MAX_RESPONSE_BYTES, VERSION_HEADERS, tlsOptions } from './transport.ts'

const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

export class HttpTransport implements Transport {
  readonly #destination: Destination
  readonly #agent: http.Agent
  readonly #headers: Readonly<Record<string, string>>
  readonly #running = new Set<ClientRequest>()
  #isClosed = false

  constructor(destination: Destination, userAgent: string, onProblem: (problem: string) => void) {
    this.#destination = destination
    const { url, protocol, compression, headers } = destination
    const kept = { keepAlive: true, maxSockets: 1 }
    this.#agent =
      url.protocol === 'https:'
        ? new (secure().Agent)({ ...kept, ...tlsOptions(destination, onProblem) })
        : new http.Agent(kept)
    this.#headers = {
      'user-agent': userAgent,
      ...VERSION_HEADERS,
      ...headers,
      'content-type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
      ...(compression === 'none' ? {} : { 'content-encoding': compression }),
    }
  }

  send(body: Uint8Array): Promise<Outcome> {
    return new Promise(resolve => {
      const { url, timeoutMillis } = this.#destination
      const failed = (error: unknown): void => resolve({ kind: 'retry', why: reasonOf(error), afterMillis: undefined })
      try {
        const request = (url.protocol === 'https:' ? secure() : http).request(url, {
          method: 'POST',
          agent: this.#agent,
          headers: { ...this.#headers, 'content-length': String(body.length) },
        })
        const timer = setTimeout(() => {
          request.destroy(new Error(`no response within ${timeoutMillis} ms`))
        }, timeoutMillis).unref()
        let hasResponse = false
        this.#running.add(request)
        request
          .on('socket', socket => socket.unref())
          // Stays after the response too: a late error must find a listener.
          .on('error', error => {
            // A keep-alive connection may close while a request is on its way. That is not a failure: retry at once on a new
            // connection. There is only one connection, so the next one is never a reused one.
            if (request.reusedSocket && !hasResponse && !this.#isClosed && isReset(error)) resolve(this.send(body))
            else failed(error)
          })
          .on('close', () => {
            clearTimeout(timer)
            this.#running.delete(request)
            // After a response, 'close' may come before its body is read.
            if (!hasResponse) failed('the connection was closed')
          })
          .on('response', response => {
            hasResponse = true
            this.#read(response).then(resolve, failed)
          })
        request.end(body)
      } catch (error) {
        failed(error)
      }
    })
  }

  close(): void {
    this.#isClosed = true
    for (const request of this.#running) request.destroy()
    this.#agent.destroy()
  }

  async #read(response: IncomingMessage): Promise<Outcome> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      length += chunk.length
      // Leaving the loop closes the connection.
      if (length > MAX_RESPONSE_BYTES) break
      chunks.push(chunk)
    }
    return this.#outcome(response, Buffer.concat(chunks))
  }

  #outcome({ statusCode = 0, headers }: IncomingMessage, body: Uint8Array): Outcome {
    const encoding = this.#encodingOf(headers['content-type'])
    if (statusCode >= 200 && statusCode < 300) {
      const partial = partialSuccessIn(body, encoding)
      return partial === undefined ? { kind: 'accepted' } : { kind: 'partial', ...partial }
    }
    const status = rpcStatusIn(body, encoding)
    const why = `status ${statusCode}${status.message === '' ? '' : `: ${status.message}`}`
    if (!RETRYABLE.has(statusCode)) return { kind: 'rejected', why }
    const afterMillis = retryAfterMillis(headers['retry-after'], Date.now()) ?? status.retryAfterMillis
    return { kind: 'retry', why, afterMillis }
  }

  #encodingOf(contentType: string | undefined): ResponseEncoding {
    if (contentType?.includes('json') === true) return 'json'
    if (contentType?.includes('protobuf') === true) return 'protobuf'
    return this.#destination.protocol === 'http/json' ? 'json' : 'protobuf'
  }
}

/** True also for a connection that was closed properly, but before a response. */
function isReset(error: Error & { readonly code?: string }): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE'
}

/** Loaded on demand. */
function secure(): typeof https {
  return process.getBuiltinModule('node:https')
}
