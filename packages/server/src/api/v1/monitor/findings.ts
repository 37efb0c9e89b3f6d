// Findings: functions that cost significantly more than before.
import { z } from 'zod'
import { FINDING_STATES, comparisonSchema } from '../../../monitor/findings/finding.ts'
import { defineEndpoint } from '../endpoint.ts'
import { nameSchema } from '../response/schema-names.ts'
import { shownFinding } from './finding.ts'

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
    findings: z.array(shownFinding).meta({ description: 'Latest first' }),
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
