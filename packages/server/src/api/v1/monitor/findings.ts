// Findings: functions that cost significantly more than before.
import { z } from 'zod'
import {
  FINDING_STATES,
  comparisonSchema,
  deploymentSchema,
  findingFunction,
  findingSchema,
} from '../../../monitor/findings/finding.ts'
import { defineEndpoint } from '../endpoint.ts'
import { unknownName } from '../broker/parameters.ts'
import { nameSchema } from '../response/schema-names.ts'

nameSchema('Finding', findingSchema)
nameSchema('FindingFunction', findingFunction)
nameSchema('ServiceComparison', comparisonSchema)

export const findings = defineEndpoint({
  name: 'findings',
  method: 'GET',
  path: '/findings',
  summary: 'Functions that cost significantly more than before, and the comparisons that were made',
  request: z.strictObject({
    service: z.string().optional().meta({ description: 'Only findings of this service' }),
    state: z.enum(FINDING_STATES).optional().meta({ description: 'Default: all' }),
  }),
  response: z.strictObject({
    findings: z.array(findingSchema).meta({ description: 'Latest first' }),
    comparisons: z.array(comparisonSchema).meta({
      description: 'The last comparison of each service and type: what it could have found',
    }),
  }),
  async handle({ monitor, tenant }, { service, state }) {
    const isOf = (each: { readonly service: string }): boolean => service === undefined || each.service === service
    return {
      findings: monitor.findings
        .list(tenant)
        .filter(each => isOf(each) && (state === undefined || each.state === state)),
      comparisons: monitor.findings.comparisons(tenant).filter(isOf),
    }
  },
})

export const finding = defineEndpoint({
  name: 'finding',
  method: 'GET',
  path: '/findings/{finding}',
  summary: 'One finding',
  request: z.strictObject({}),
  response: findingSchema,
  async handle({ monitor, tenant, pathParameter: id }) {
    const found = monitor.findings.get(tenant, id)
    if (found === undefined) throw unknownName('finding', id)
    return found
  },
})

export const changeFinding = defineEndpoint({
  name: 'changeFinding',
  method: 'PUT',
  path: '/findings/{finding}',
  summary: 'Accepts a finding, marks it as fixed, or opens it again',
  scope: 'capture',
  request: z.strictObject({
    state: z.enum(FINDING_STATES),
    note: z.string().max(1024).optional(),
  }),
  response: findingSchema,
  async handle({ monitor, tenant, pathParameter: id, caller, audit }, { state, note }) {
    const changed = await monitor.findings.setState(tenant, id, state, {
      by: caller,
      ...(note === undefined ? {} : { note }),
    })
    if (changed === undefined) throw unknownName('finding', id)
    audit('finding-changed', { finding: id, state })
    return changed
  },
})

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
