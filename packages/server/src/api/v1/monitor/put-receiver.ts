// Adds or replaces a receiver.
import { receiverSpec } from '../../../monitor/alerts/alert-rule.ts'
import { defineEndpoint } from '../endpoint.ts'
import { RequestError } from '../response/request-error.ts'
import { shownReceiver, withoutSecrets } from './receivers.ts'
import { changed, checkedName } from './rule-requests.ts'

export const putReceiver = defineEndpoint({
  name: 'putReceiver',
  method: 'PUT',
  path: '/receivers/{receiver}',
  summary: 'Adds or replaces a receiver; the server sends requests to its address',
  scope: 'admin',
  request: receiverSpec,
  response: shownReceiver,
  async handle({ monitor, tenant, pathParameter, audit }, spec) {
    if (spec.url === undefined && spec.kind !== 'otlp-logs')
      throw new RequestError(400, 'argument', `a receiver of kind ${spec.kind} needs a url`)
    const added = { ...spec, name: checkedName(pathParameter) }
    await changed(() => monitor.rules.put(tenant, 'receivers', added))
    audit('receiver-changed', { receiver: added.name, kind: spec.kind })
    return withoutSecrets({ ...added, source: 'api' })
  },
})
