// The health of the server, the caller's tenant and its limits. Only administrators see what concerns all tenants.
import { z } from 'zod'
import { SIGNALS } from '@hearth/signals'
import { defineEndpoint } from '../endpoint.ts'
import { count } from '../response/fields.ts'
import { serverStatus } from './status-source.ts'

export const status = defineEndpoint({
  name: 'status',
  path: '/status',
  summary: 'Health, retention and query limits; data about all tenants only for administrators',
  request: z.strictObject({}),
  response: z.strictObject({
    version: z.string(),
    started: z.iso.datetime(),
    ready: z.boolean().meta({ description: 'Whether the server accepts requests' }),
    problems: z.array(z.strictObject({ code: z.string(), message: z.string(), since: z.string() })),
    receivers: z
      .array(z.strictObject({ name: z.string(), host: z.string(), port: count, tls: z.boolean() }))
      .meta({ description: 'Addresses that profiles and other signals are sent to' }),
    tenant: z.string(),
    retention: z
      .array(
        z.strictObject({
          signal: z.string(),
          seconds: z.number().optional().meta({ description: 'Maximum age' }),
          bytes: z.number().optional().meta({ description: 'Maximum size' }),
        }),
      )
      .meta({ description: 'Retention of the tenant; a missing limit means no limit' }),
    limits: z
      .strictObject({
        seconds: z.number(),
        memoryBytes: count,
        rows: count,
        nodes: count,
        exportSamples: count,
        running: count,
        waiting: count,
      })
      .meta({ description: 'Query limits of the tenant' }),
    server: serverStatus.optional(),
  }),
  async handle({ status: source, tenant, isAdmin }) {
    const { ready, problems } = source.readiness()
    const retention = source.retentionOf(tenant)
    return {
      version: source.version,
      started: source.started.toISOString(),
      ready,
      problems: [...problems],
      receivers: [...source.receivers()],
      tenant,
      retention: SIGNALS.map(signal => {
        const { ageMs, bytes } = retention[signal] ?? {}
        return {
          signal,
          ...(ageMs === undefined ? {} : { seconds: ageMs / 1000 }),
          ...(bytes === undefined ? {} : { bytes }),
        }
      }),
      limits: source.limitsOf(tenant),
      ...(isAdmin ? { server: await source.server() } : {}),
    }
  },
})
