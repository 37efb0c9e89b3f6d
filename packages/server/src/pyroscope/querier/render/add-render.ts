// The older GET endpoints: /render, /render-diff and /label-values, with and without the prefix /pyroscope.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { identifyClient } from '../../admit-request.ts'
import { disconnectSignal } from '../../../http/disconnect-signal.ts'
import { showMissingData } from '../../../http/missing-data.ts'
import { sendError } from '../../connect.ts'
import { querierRefusal } from '../querier-failure.ts'
import type { QuerierOptions } from '../querier-service.ts'
import { runQuery } from '../querier-service.ts'
import type { RenderPage, RenderQuery } from './render-pages.ts'
import { RENDER_PAGES } from './render-pages.ts'

export function addRender(app: FastifyInstance, options: QuerierOptions): void {
  void app.register(async scope => {
    scope.setErrorHandler((error, _request, reply) => {
      const refusal = querierRefusal(error, options.onError)
      return sendError(reply, refusal.http, refusal)
    })
    for (const page of Object.keys(RENDER_PAGES) as RenderPage[])
      for (const prefix of ['', '/pyroscope'])
        scope.get(prefix + page, async (request, reply) => send(options, request, reply, page))
  })
}

async function send(
  options: QuerierOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  page: RenderPage,
): Promise<FastifyReply> {
  const { authorization, 'x-scope-orgid': orgId } = request.headers
  const scopeOrgId = Array.isArray(orgId) ? orgId[0] : orgId
  const { tenant } = identifyClient(options.gatekeeper, { authorization, scopeOrgId }, 'read')
  const caller = { tenant, signal: disconnectSignal(reply), timeoutMs: undefined }
  const { threads, now = Date.now } = options
  const query = request.query as RenderQuery
  const { type, body } = await runQuery(options, caller, (plain, signal) =>
    threads.call('renderPage', { caller: plain, page, query, now: now() }, { tenant, signal }),
  )
  showMissingData(reply, tenant, options.missingData)
  return reply.type(type).send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
}
