// Changes the state of a finding.
import { z } from 'zod'
import { FINDING_STATES } from '../../../monitor/findings/finding.ts'
import { defineEndpoint } from '../endpoint.ts'
import { unknownName } from '../response/request-error.ts'
import { shownFinding } from './finding.ts'

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
  response: shownFinding,
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
