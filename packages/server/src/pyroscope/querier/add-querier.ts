// The routes on the main port for queries of Grafana and Pyroscope's clients: querier.v1.QuerierService by Connect, and
// the older /render.
import type { FastifyInstance } from 'fastify'
import { Code, Refusal } from '../../receive/refusal.ts'
import { leaveBodies } from '../ingest/add-ingest.ts'
import { addConnectRoute, sendConnectError } from '../connect.ts'
import { QUERIER_SERVICE } from '../messages/querier-messages.ts'
import { addRender } from './render/add-render.ts'
import { querierRefusal } from './querier-failure.ts'
import { QUERIER_METHODS } from './querier-methods.ts'
import type { QuerierOptions } from './querier-service.ts'
import { callQuerier } from './querier-service.ts'

/** Services of Pyroscope that Hearth does not have. Clients get an error in their own protocol. */
const OTHER_SERVICES = [
  'settings.v1.SettingsService',
  'settings.v1.RecordingRulesService',
  'adhocprofiles.v1.AdHocProfileService',
  'vcs.v1.VCSService',
  'version.v1.Version',
  'capabilities.v1.FeatureFlagsService',
]

/** Adds the routes in a context of their own, in which bodies stay unread until the sender is identified. */
export function addPyroscopeQuerier(app: FastifyInstance, options: QuerierOptions): void {
  void app.register(async scope => {
    leaveBodies(scope)
    scope.setErrorHandler((error, _request, reply) => sendConnectError(reply, querierRefusal(error, options.onError)))
    for (const { name: method } of QUERIER_METHODS) {
      addConnectRoute(scope, options, {
        path: `/${QUERIER_SERVICE}/${method}`,
        scope: 'read',
        handle: ({ identity, signal, timeoutMs, encoding, body }) =>
          callQuerier(options, { tenant: identity.tenant, signal, timeoutMs }, { method, encoding, body }),
      })
    }
    for (const service of [QUERIER_SERVICE, ...OTHER_SERVICES]) {
      scope.post(`/${service}/:method`, async request => {
        const { method } = request.params as { readonly method: string }
        throw new Refusal(501, Code.unimplemented, 'query', `${service} has no ${method.slice(0, 100)} here`)
      })
    }
  })
  addRender(app, options)
}
