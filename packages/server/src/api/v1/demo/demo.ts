// Whether the tenant has demo data.
import { z } from 'zod'
import { DEMO_STATES } from '../../../demo/demo.ts'
import { defineEndpoint } from '../endpoint.ts'

export const demoState = z.strictObject({
  state: z.enum(DEMO_STATES).meta({
    description:
      'none; loading: the history is being stored; live: new data is added every few seconds; removing: the data is being deleted',
  }),
})

export const demo = defineEndpoint({
  name: 'demo',
  method: 'GET',
  path: '/demo',
  summary: 'Whether the tenant has demo data',
  request: z.strictObject({}),
  response: demoState,
  async handle({ demo: all, tenant }) {
    return { state: all.state(tenant) }
  },
})
