// Loads data of an imaginary shop.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { demoState } from './demo.ts'

export const loadDemo = defineEndpoint({
  name: 'loadDemo',
  method: 'POST',
  path: '/demo',
  summary: 'Adds an hour of data of an imaginary shop, and new data until it is removed. Returns at once',
  scope: 'admin',
  request: z.strictObject({}),
  response: demoState,
  status: 202,
  async handle({ demo: all, tenant, audit }) {
    all.load(tenant)
    audit('demo-loaded', {})
    return { state: all.state(tenant) }
  },
})
