// OTLP over HTTP: a POST for every payload, on a connection that is kept, and that never keeps the process.
import type { ClientRequest, IncomingMessage } from 'node:http'
import * as http from 'node:http'
import type * as https from 'node:https'
import type { Destination } from '../configuration/options.ts'
import type { AnswerEncoding } from './answers.ts'
import { partialSuccessIn, retryAfterMillis, rpcStatusIn } from './answers.ts'
import type { Outcome, Transport } from './transport.ts'
import { MAX_ANSWER_BYTES, reasonOf, tlsOptions } from './transport.ts'

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
          request.destroy(new Error(`no answer within ${timeoutMillis} ms`))
        }, timeoutMillis).unref()
        let isAnswered = false
        this.#running.add(request)
        request
          .on('socket', socket => socket.unref())
          // Stays after the answer too: an error that comes late must find a listener.
          .on('error', error => {
            // Kept connections end at some time, and a request may be on its way just then: nobody's fault, and a new one is
            // made at once. As there is one connection only, the next is never a kept one.
            if (request.reusedSocket && !isAnswered && !this.#isClosed && isReset(error)) resolve(this.send(body))
            else failed(error)
          })
          .on('close', () => {
            clearTimeout(timer)
            this.#running.delete(request)
            // With an answer, it comes before the last of it is read.
            if (!isAnswered) failed('the connection was closed')
          })
          .on('response', response => {
            isAnswered = true
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
      // Leaving the loop ends the connection.
      if (length > MAX_ANSWER_BYTES) break
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
    if (!RETRYABLE.has(statusCode)) return { kind: 'refused', why }
    const afterMillis = retryAfterMillis(headers['retry-after'], Date.now()) ?? status.retryAfterMillis
    return { kind: 'retry', why, afterMillis }
  }

  #encodingOf(contentType: string | undefined): AnswerEncoding {
    if (contentType?.includes('json') === true) return 'json'
    if (contentType?.includes('protobuf') === true) return 'protobuf'
    return this.#destination.protocol === 'http/json' ? 'json' : 'protobuf'
  }
}

/** Also of connections that were ended in good order, but before an answer. */
function isReset(error: Error & { readonly code?: string }): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE'
}

/** Loaded when it is needed. */
function secure(): typeof https {
  return process.getBuiltinModule('node:https')
}
