// Records a deployment.
import { z } from 'zod'
import { deploymentSchema } from '../../../monitor/findings/finding.ts'
import { defineEndpoint } from '../endpoint.ts'

export const addDeployment = defineEndpoint({
  name: 'addDeployment',
  method: 'POST',
  path: '/deployments',
  summary: 'Records a deployment of a service without service.version: profiles before and after it are compared',
  scope: 'capture',
  request: z.strictObject({
    service: deploymentSchema.shape.service,
    time: z.iso.datetime().optional().meta({ description: 'Default: now' }),
    version: z.string().max(1024).optional(),
  }),
  response: deploymentSchema,
  status: 201,
  async handle({ monitor, tenant, now }, { service, time, version = '' }) {
    const added = { service, version, time: time ?? new Date(Number(now / 1_000_000n)).toISOString() }
    await monitor.findings.addDeployment(tenant, added)
    return added
  },
})
