// The latest points of the tenant's recording rules, for Prometheus.
import type { FastifyInstance } from 'fastify'
import type { Gatekeeper } from '../access/gatekeeper.ts'
import { headerCredentials } from '../access/gatekeeper.ts'
import type { Monitor } from '../monitor/monitor.ts'
import { prometheusText } from '../monitor/rules/recording-rule.ts'

export function addRuleMetrics(
  app: FastifyInstance,
  { monitor, gatekeeper }: { readonly monitor: Monitor; readonly gatekeeper: Gatekeeper },
): void {
  app.get('/metrics/rules', async (request, reply) => {
    const { tenant } = gatekeeper.identify(headerCredentials(request.headers), 'read')
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(prometheusText(monitor.recorder.latest(tenant)))
  })
}
