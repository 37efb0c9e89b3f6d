// Deletes an alert rule.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { remove } from './rule-requests.ts'

export const removeAlertRule = defineEndpoint({
  name: 'removeAlertRule',
  method: 'DELETE',
  path: '/alert-rules/{rule}',
  summary: 'Deletes an alert rule; its alerts end',
  scope: 'capture',
  request: z.strictObject({}),
  response: removed(),
  handle: context => remove(context, 'alerts'),
})
