// Removes the data of the demo.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { demoState } from './demo.ts'

export const removeDemo = defineEndpoint({
  name: 'removeDemo',
  method: 'DELETE',
  path: '/demo',
  summary:
    'Stops the demo and deletes its data, which has the resource attribute hearth.demo, its findings, saved views, trigger and captures',
  scope: 'admin',
  request: z.strictObject({}),
  response: demoState,
  async handle({ demo: all, tenant, caller, audit }) {
    await all.remove(tenant, caller)
    audit('demo-removed', {})
    return { state: all.state(tenant) }
  },
})
