// The changes of every function between two ranges or selectors, with their significance.
import { z } from 'zod'
import type { ComparedFunction, ComparedValue } from '../../../query/compare/compare-ranges.ts'
import { compareRanges } from '../../../query/compare/compare-ranges.ts'
import { defined } from '../../../query/defined.ts'
import { defineQuery } from '../endpoint.ts'
import { baseline, baselineOf } from '../request/baseline.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { count } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const changedValue = nameSchema(
  'ChangedValue',
  z.strictObject({
    before: z.number().meta({ description: 'Share of the sum, from 0 to 1' }),
    after: z.number(),
    margin: z.number().meta({ description: 'Half the width of the 95 % confidence interval of the change' }),
    p: z.number().meta({ description: 'The probability of such a change by chance' }),
    q: z.number().meta({ description: 'The false discovery rate of all changes at least as significant' }),
  }),
)

const changedFunction = nameSchema(
  'ChangedFunction',
  z.strictObject({
    name: z.string(),
    file: z.string(),
    line: z.string(),
    mapping: z.string(),
    self: changedValue,
    total: changedValue,
  }),
)

const pair = (description: string) => z.strictObject({ before: z.number(), after: z.number() }).meta({ description })

export const changes = defineQuery({
  name: 'changes',
  path: '/changes',
  summary: 'The changes of every function between two ranges or selectors, with their significance',
  request: z.strictObject({
    ...parameters.selection,
    snapshots: parameters.snapshots,
    ...baseline,
    ...parameters.frames,
    reference: z.enum(['sum', 'typical']).optional().meta({
      description:
        'typical: shares are scaled so that the typical function has the same share on both sides. sum (the default): plain shares',
    }),
    limit: parameters.limit(100_000, 'Maximum number of functions, largest change of self first; default 1000'),
  }),
  response: z.strictObject({
    type: z.string(),
    unit: z.string(),
    sums: pair('The sum of all values'),
    observations: pair('The number of samples, estimated from their values and periods'),
    instances: pair('The number of instances'),
    runs: pair('The number of runs: instances, or instances in blocks of time'),
    variation: z.number().meta({
      description: 'The standard deviation between runs beyond sampling, relative to the value of a function',
    }),
    functions: count,
    detectable: z.number().optional().meta({
      description:
        'The smallest change of a function with 1 % of the sum that is found in four of five cases, as a share',
    }),
    rows: z.array(changedFunction),
    found: z
      .array(
        z.strictObject({
          causes: z.array(changedFunction).meta({ description: 'Where the change enters, then its callers' }),
          functions: z.array(changedFunction),
          decreased: z.array(changedFunction),
          change: z.number().meta({ description: 'In the unit of the profiles, summed over the range' }),
          margin: z.number(),
          before: z.number(),
          q: z.number(),
        }),
      )
      .meta({ description: 'Significant increases, grouped by cause' }),
  }),
  async handle(context, request) {
    const { by, inlined, addresses, reference = 'sum', limit: maxRows } = request
    const after = queryOf(context, request)
    const before = baselineOf(context, request, after)
    const choice = { reference, ...defined({ by, inlined, addresses, maxRows }) }
    const found = await compareRanges(context.queries, before, after, choice)
    if (found.observations[0] + found.observations[1] === 0) await rejectUnknownKeys(context, after)
    const sides = ([was, is]: readonly [number, number]) => ({ before: was, after: is })
    const { detectable } = found
    return {
      type: found.type,
      unit: found.unit,
      sums: sides(found.sums),
      observations: sides(found.observations),
      instances: sides(found.instances),
      runs: sides(found.runs),
      variation: found.variation,
      functions: found.functions,
      ...(detectable === undefined ? {} : { detectable }),
      rows: found.rows.map(functionJson),
      found: found.found.map(group => ({
        ...group,
        causes: group.causes.map(functionJson),
        functions: group.functions.map(functionJson),
        decreased: group.decreased.map(functionJson),
      })),
    }
  },
})

function functionJson({ self, total, ...rest }: ComparedFunction): z.infer<typeof changedFunction> {
  const value = (each: ComparedValue): ComparedValue => ({ ...each })
  return { ...rest, self: value(self), total: value(total) }
}
