// The data that a deletion selects, for the endpoints that count it and delete it.
import { z } from 'zod'
import { SIGNALS } from '@hearth/signals'
import { TIME } from '../request/parameters.ts'
import type { RequestContext } from '../request/request-context.ts'
import { parseTime } from '../request/times.ts'

export const selected = {
  selector: z.string().max(10_000).meta({
    description: 'Selects the data, e.g. `{user.id="42"}`. `{}` selects everything. A profile is deleted as a whole',
  }),
  from: z.string().meta({ description: `The start of the range: ${TIME}` }),
  to: z.string().meta({ description: 'The end of the range' }),
  signals: z.array(z.enum(SIGNALS)).min(1).optional().meta({ description: 'Only these signals; default: all' }),
}

type Selected = z.infer<z.ZodObject<typeof selected>>

export function deletionOf({ tenant, caller, now }: RequestContext, { selector, from, to, signals }: Selected) {
  const [start, end] = [parseTime(from, now), parseTime(to, now)]
  return { tenant, by: caller, signals: signals ?? [...SIGNALS], selector, from: String(start), to: String(end) }
}
