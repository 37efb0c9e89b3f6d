// Deletes a recording rule.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { removed } from '../response/fields.ts'
import { remove } from './rule-requests.ts'

export const removeRecordingRule = defineEndpoint({
  name: 'removeRecordingRule',
  method: 'DELETE',
  path: '/recording-rules/{rule}',
  summary: 'Deletes a recording rule; its points stay',
  scope: 'capture',
  request: z.strictObject({}),
  response: removed(),
  handle: context => remove(context, 'recording'),
})
