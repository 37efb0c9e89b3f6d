// The demo: loads data of an imaginary shop, and removes it.
import { z } from 'zod'
import { DEMO_STATES } from '../../../demo/demo.ts'
import { defineEndpoint } from '../endpoint.ts'

const response = z.strictObject({
  state: z.enum(DEMO_STATES).meta({
    description: 'none; loading: the history is being stored; live: new data is added every few seconds',
  }),
})

export const demo = defineEndpoint({
  name: 'demo',
  method: 'GET',
  path: '/demo',
  summary: 'Whether the tenant has demo data',
  request: z.strictObject({}),
  response,
  async handle({ demo: all, tenant }) {
    return { state: all.state(tenant) }
  },
})

export const loadDemo = defineEndpoint({
  name: 'loadDemo',
  method: 'POST',
  path: '/demo',
  summary: 'Adds an hour of data of an imaginary shop, and new data until it is removed. Returns at once',
  scope: 'admin',
  request: z.strictObject({}),
  response,
  status: 202,
  async handle({ demo: all, tenant, audit }) {
    all.load(tenant)
    audit('demo-loaded', {})
    return { state: all.state(tenant) }
  },
})

export const removeDemo = defineEndpoint({
  name: 'removeDemo',
  method: 'DELETE',
  path: '/demo',
  summary:
    'Stops the demo and deletes its data, which has the resource attribute hearth.demo, its findings, saved views, trigger and captures',
  scope: 'admin',
  request: z.strictObject({}),
  response,
  async handle({ demo: all, tenant, caller, audit }) {
    await all.remove(tenant, caller)
    audit('demo-removed', {})
    return { state: all.state(tenant) }
  },
})
