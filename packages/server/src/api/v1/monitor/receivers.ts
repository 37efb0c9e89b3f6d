// The receivers of alerts and reports.
import { z } from 'zod'
import { receiver } from '../../../monitor/alerts/alert-rule.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'
import { source } from './rule-requests.ts'

export const shownReceiver = nameSchema(
  'Receiver',
  z.strictObject({ ...receiver.omit({ secret: true, headers: true }).shape, signed: z.boolean(), source }),
)

export const receivers = defineEndpoint({
  name: 'receivers',
  method: 'GET',
  path: '/receivers',
  summary: 'Receivers of alerts and reports',
  request: z.strictObject({}),
  response: z.strictObject({ receivers: z.array(shownReceiver) }),
  async handle({ monitor, tenant }) {
    return { receivers: monitor.rules.list(tenant, 'receivers').map(withoutSecrets) }
  },
})

/** Secrets and headers are never returned. */
export function withoutSecrets({
  secret,
  headers: _,
  ...rest
}: z.infer<typeof receiver> & { readonly source: 'file' | 'api' }): z.infer<typeof shownReceiver> {
  return { ...rest, signed: secret !== undefined }
}
