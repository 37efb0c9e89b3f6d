// A small HTTP service. Each request has a route, a span, a metric and a log record, and a failure another one. Calls to other
// services continue the trace.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Attributes, Span } from '@opentelemetry/api'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, propagation, trace } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import type { Telemetry } from './telemetry.ts'

export interface Request {
  readonly url: URL
  readonly body: string
}

/** Returns the response body, which is sent as JSON. */
export type Handler = (request: Request) => Promise<unknown>

/** A mistake of the customer, or an order that the shop cannot fulfil. Any other error is a fault of the shop. */
export class RequestError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Service {
  readonly telemetry: Telemetry
  /** Handlers by method and first part of the path, such as `GET /search`. */
  readonly routes: Readonly<Record<string, Handler>>
}

/** Serves on 127.0.0.1 until the parent process or a signal ends it. Sends the address to the parent. */
export async function runService({ telemetry, routes }: Service): Promise<void> {
  const duration = telemetry.meter.createHistogram('http.server.request.duration', {
    unit: 's',
    // The buckets of the semantic conventions. The default ones are for milliseconds.
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
  })
  const server = createServer((request, response) => void serve(request, response))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://shop')
    const route = `${request.method} /${url.pathname.split('/')[1]}`
    const attributes = { 'http.request.method': request.method, 'http.route': route.split(' ')[1] }
    const parent = propagation.extract(ROOT_CONTEXT, request.headers)
    const span = telemetry.tracer.startSpan(route, { kind: SpanKind.SERVER, attributes }, parent)
    const begin = performance.now()
    const { status, content } = await context.with(trace.setSpan(parent, span), () =>
      respondTo(request, url, route, span),
    )
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    span.setAttribute('http.response.status_code', status)
    const seconds = (performance.now() - begin) / 1000
    telemetry.logger.emit({
      context: trace.setSpan(parent, span),
      severityNumber: SeverityNumber.INFO,
      severityText: 'INFO',
      body: `${route} responded with ${status} in ${Math.round(1000 * seconds)} ms`,
      attributes: { ...attributes, 'http.response.status_code': status },
    })
    span.end()
    duration.record(seconds, { ...attributes, 'http.response.status_code': status })
  }

  async function respondTo(
    request: IncomingMessage,
    url: URL,
    route: string,
    span: Span,
  ): Promise<{ status: number; content: unknown }> {
    try {
      const handler = routes[route]
      if (handler === undefined) throw new RequestError(404, `there is no ${route}`)
      return { status: 200, content: await handler({ url, body: await bodyOf(request) }) }
    } catch (error) {
      const status = error instanceof RequestError ? error.status : 500
      const { name, message, stack } = error as Error
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message })
      span.recordException(error as Error)
      telemetry.logger.emit({
        severityNumber: status >= 500 ? SeverityNumber.ERROR : SeverityNumber.WARN,
        severityText: status >= 500 ? 'ERROR' : 'WARN',
        body: `${route} failed: ${message}`,
        attributes: { 'exception.type': name, 'exception.message': message, 'exception.stacktrace': stack ?? '' },
      })
      return { status, content: { error: message } }
    }
  }

  server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1')
  await once(server, 'listening')
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  await Promise.race(['SIGTERM', 'SIGINT', 'disconnect'].map(event => once(process, event)))
  server.close()
  server.closeAllConnections()
  await telemetry.shutdown()
  if (process.connected) process.disconnect()
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) {
    body += String(chunk)
    if (body.length > 65_536) throw new RequestError(413, 'the order is too large')
  }
  return body
}

/** Runs work in its own span. */
export function inSpan<T>({ tracer }: Telemetry, name: string, attributes: Attributes, work: () => T): T {
  return tracer.startActiveSpan(name, { attributes }, span => {
    const end = (error?: unknown): void => {
      if (error instanceof Error) span.setStatus({ code: SpanStatusCode.ERROR, message: error.message })
      span.end()
    }
    try {
      const result = work()
      if (!(result instanceof Promise)) {
        end()
        return result
      }
      void result.then(() => end(), end)
      return result
    } catch (error) {
      end(error)
      throw error
    }
  })
}

/** Calls another service in a span and continues the trace there. */
export async function call(telemetry: Telemetry, method: string, url: string, content?: unknown): Promise<unknown> {
  const { pathname } = new URL(url)
  return telemetry.tracer.startActiveSpan(`${method} ${pathname}`, { kind: SpanKind.CLIENT }, async span => {
    const headers: Record<string, string> = {}
    propagation.inject(context.active(), headers)
    try {
      const body = content === undefined ? {} : { body: JSON.stringify(content) }
      const response = await fetch(url, { method, headers, ...body })
      const received: unknown = await response.json()
      span.setAttribute('http.response.status_code', response.status)
      if (response.ok) return received
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw new RequestError(response.status, (received as { readonly error: string }).error)
    } finally {
      span.end()
    }
  })
}
