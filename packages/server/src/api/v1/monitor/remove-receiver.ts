// Deletes a receiver.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { remove } from './rule-requests.ts'

export const removeReceiver = defineEndpoint({
  name: 'removeReceiver',
  method: 'DELETE',
  path: '/receivers/{receiver}',
  summary: 'Deletes a receiver',
  scope: 'admin',
  request: z.strictObject({}),
  response: removed(),
  handle: context => remove(context, 'receivers'),
})
