// What every HTTP port has in common: how it is opened, with or without certificates, and how it ends without cutting
// anybody off who is still being answered.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { fastify } from 'fastify'

export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

export type ListenerOptions = Pick<
  FastifyServerOptions,
  'exposeHeadRoutes' | 'requestTimeout' | 'routerOptions' | 'frameworkErrors' | 'clientErrorHandler'
>

const IDLE_CHECK_MS = 50

/** An application without routes. */
export function newListener(tls: Certificate | undefined, options: ListenerOptions): FastifyInstance {
  const common = { ...options, logger: false, forceCloseConnections: 'idle' } as const
  return (tls === undefined ? fastify(common) : fastify({ ...common, https: { ...tls } })) as FastifyInstance
}

/** Returns the port, which is another than asked for where that is 0. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  await app.listen({ host, port })
  return (app.server.address() as AddressInfo).port
}

/** Answers what has come in; what has not ended after `timeoutMs` is cut. */
export async function closeListener(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const { server } = app
  // Connections that had a request when the end began would be kept alive after its answer.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const last = setTimeout(() => server.closeAllConnections(), timeoutMs)
  await app.close().finally(() => {
    clearInterval(idle)
    clearTimeout(last)
  })
}
