// `/mcp`: the tools for assistants over streamable HTTP. They use the API in this process with the caller's own credentials, so that
// access, limits and the audit log are those of the API.
import { HearthClient } from '@hearth/client'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Gatekeeper } from '../access/gatekeeper.ts'
import { headerCredentials } from '../access/gatekeeper.ts'

export interface McpRouteOptions {
  readonly gatekeeper: Gatekeeper
  readonly version: string
}

const MAX_BODY_BYTES = 2 ** 20
/** Requests stay in the process; the name is not resolved. */
const HOST = 'http://localhost'

export function addMcp(app: FastifyInstance, { gatekeeper, version }: McpRouteOptions): void {
  app.post('/mcp', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const credentials = headerCredentials(request.headers)
    gatekeeper.identify(credentials, 'read')
    const client = new HearthClient({ server: HOST, fetch: inProcess(app, request) })
    // Loaded on demand: most servers have no assistants, and the SDK has many modules.
    const { handleMcpRequest } = await import('@hearth/mcp')
    reply.hijack()
    await handleMcpRequest(
      { client, version, mayCapture: gatekeeper.allows(credentials, 'capture') },
      request.raw,
      reply.raw,
      request.body,
    )
    return reply
  })
  // Without sessions there is nothing to listen to or to end.
  app.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    handler: async (_request, reply) => reply.code(405).header('allow', 'POST').send({ error: 'use POST' }),
  })
}

/** A fetch that calls the routes of the app with the credentials of the request. */
function inProcess(app: FastifyInstance, { headers, raw }: FastifyRequest): typeof fetch {
  const { authorization, 'x-scope-orgid': tenant, host } = headers
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const own = Object.fromEntries(new Headers(init.headers).entries())
    const response = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: `${url.pathname}${url.search}`,
      headers: {
        ...own,
        ...(host === undefined ? {} : { host }),
        ...(authorization === undefined ? {} : { authorization }),
        ...(tenant === undefined ? {} : { 'x-scope-orgid': tenant }),
      },
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
      remoteAddress: raw.socket.remoteAddress ?? '127.0.0.1',
    })
    return new Response(new Uint8Array(response.rawPayload), {
      status: response.statusCode,
      headers: Object.entries(response.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      ),
    })
  }
}
