// The audit log, for administrators. An administrator of some tenants sees the entries of these tenants only.
import { z } from 'zod'
import { AUDIT_ACTIONS, auditEntry } from '../../../access/audit-log.ts'
import { defineEndpoint } from '../endpoint.ts'
import { TIME, text } from '../request/parameters.ts'
import { parseTime } from '../request/times.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 10_000
const NANO_PER_MS = 1_000_000n

export const audit = defineEndpoint({
  name: 'audit',
  method: 'GET',
  path: '/audit',
  summary: 'The audit log, latest entries first',
  scope: 'admin',
  request: z.strictObject({
    from: text(`Only entries from this time: ${TIME}`),
    to: text('Only entries until this time'),
    action: z.enum(AUDIT_ACTIONS).optional().meta({ description: 'Only this action' }),
    limit: z.int().min(1).max(MAX_LIMIT).optional().meta({ description: 'Maximum number of entries; default: 100' }),
  }),
  response: z.strictObject({ entries: z.array(auditEntry) }),
  async handle({ signIn, now, readAudit }, { from, to, action, limit = DEFAULT_LIMIT }) {
    const { tenants } = signIn.grant()
    const all = tenants.includes('*')
    const ms = (time: string | undefined): number | undefined =>
      time === undefined ? undefined : Number(parseTime(time, now) / NANO_PER_MS)
    const entries = await readAudit({
      from: ms(from),
      to: ms(to),
      action,
      limit,
      isVisible: ({ tenant }) => all || (tenant !== undefined && tenants.includes(tenant)),
    })
    return { entries }
  },
})
