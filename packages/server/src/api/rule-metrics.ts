// The latest points of the tenant's recording rules, for Prometheus.
import type { FastifyInstance } from 'fastify'
import type { Gatekeeper } from '../access/gatekeeper.ts'
import { AccessError } from '../access/gatekeeper.ts'
import type { Monitor } from '../monitor/monitor.ts'
import { prometheusText } from '../monitor/rules/recording-rule.ts'

export function addRuleMetrics(
  app: FastifyInstance,
  { monitor, gatekeeper }: { readonly monitor: Monitor; readonly gatekeeper: Gatekeeper },
): void {
  app.get('/metrics/rules', async (request, reply) => {
    const scopeOrgId = request.headers['x-scope-orgid']
    try {
      const { tenant } = gatekeeper.identify(
        {
          authorization: request.headers.authorization,
          scopeOrgId: Array.isArray(scopeOrgId) ? scopeOrgId[0] : scopeOrgId,
        },
        'read',
      )
      return await reply
        .type('text/plain; version=0.0.4; charset=utf-8')
        .send(prometheusText(monitor.recorder.latest(tenant)))
    } catch (error) {
      if (!(error instanceof AccessError)) throw error
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: error.message })
    }
  })
}
