// One finding: a function that costs significantly more than before.
import { z } from 'zod'
import { findingFunction, findingSchema } from '../../../monitor/findings/finding.ts'
import { defineEndpoint } from '../endpoint.ts'
import { unknownName } from '../response/request-error.ts'
import { nameSchema } from '../response/schema-names.ts'

nameSchema('FindingFunction', findingFunction)
export const shownFinding = nameSchema('Finding', findingSchema)

export const finding = defineEndpoint({
  name: 'finding',
  method: 'GET',
  path: '/findings/{finding}',
  summary: 'One finding',
  request: z.strictObject({}),
  response: shownFinding,
  async handle({ monitor, tenant, pathParameter: id }) {
    const found = monitor.findings.get(tenant, id)
    if (found === undefined) throw unknownName('finding', id)
    return found
  },
})
