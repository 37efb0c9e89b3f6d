// The history of triggers.
import { z } from 'zod'
import { firedItem, historyEntry } from '../../../broker/triggers/history.ts'
import { defineEndpoint } from '../endpoint.ts'
import { limit } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { nameSchema } from '../response/schema-names.ts'
import { name } from './parameters.ts'

nameSchema('FiredItem', firedItem)
nameSchema('HistoryEntry', historyEntry)

export const triggerHistory = defineEndpoint({
  name: 'triggerHistory',
  method: 'GET',
  path: '/triggers/history',
  summary: 'What triggers did, with the results, and what guards prevented',
  request: z.strictObject({
    trigger: name('Only this trigger'),
    limit: limit(500, 'Maximum number of entries; default: 100'),
    before: z.int().optional().meta({ description: '`next` of the previous page' }),
  }),
  response: z.strictObject({
    entries: z.array(historyEntry).meta({ description: 'The latest first' }),
    next: z.int().optional().meta({ description: '`before` for the next page' }),
  }),
  async handle({ broker, tenant }, { trigger, limit: max = 100, before }) {
    const entries = broker.triggers.history(tenant, { limit: max + 1, ...defined({ trigger, before }) })
    const page = entries.slice(0, max)
    const next = entries.length > max ? page.at(-1)?.id : undefined
    return { entries: [...page], ...defined({ next }) }
  },
})
