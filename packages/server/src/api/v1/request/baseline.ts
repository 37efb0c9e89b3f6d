// The baseline of a comparison: its parameters, and the query of its side.
import type { z } from 'zod'
import { defined } from '../../../query/defined.ts'
import type { Query } from '../../../query/query.ts'
import { text } from './parameters.ts'
import type { CallerContext } from './request-context.ts'
import { parseTime } from './times.ts'

export const baseline = {
  beforeSelector: text('The selector of the baseline; default: `selector`'),
  beforeFrom: text('The start of the baseline range; default: a range of the same length'),
  beforeTo: text('The end of the baseline range; default: `from`'),
}

type BaselineRequest = z.infer<z.ZodObject<typeof baseline>> & { readonly selector?: string | undefined }

/** `after` is the query of the comparison. Without a range, the baseline is the time right before it. */
export function baselineOf({ now }: Pick<CallerContext, 'now'>, request: BaselineRequest, after: Query): Query {
  const to = request.beforeTo === undefined ? after.from : parseTime(request.beforeTo, now)
  const length = after.to - after.from
  const from = request.beforeFrom === undefined ? (to > length ? to - length : 0n) : parseTime(request.beforeFrom, now)
  return { ...after, from, to, ...defined({ selector: request.beforeSelector ?? request.selector }) }
}
