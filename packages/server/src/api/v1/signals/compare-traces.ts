// The diff of the profiles of slow and fast traces of an operation.
import { z } from 'zod'
import type { ComparedTraces } from '../../../query/signals/compare-traces.ts'
import { compareTraces as queryCompareTraces } from '../../../query/signals/compare-traces.ts'
import { defineQuery } from '../endpoint.ts'
import { checkedNodes } from '../limits/query-gate.ts'
import { diffJson, diffSchema } from '../profiles/diff-json.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { signalQueryOf, spanFilter, spanFilterOf } from '../request/signal-parameters.ts'
import { parseDuration } from '../request/times.ts'
import { count, nanoseconds } from '../response/fields.ts'
import { NumberColumn } from '../response/response-columns.ts'

const traceIds = (description: string) => z.array(z.string().max(64)).max(2000).optional().meta({ description })

const traceSet = z.strictObject({
  found: count.meta({ description: 'The number of traces with samples' }),
  traceIds: z.array(z.string()).meta({ description: 'The traces that are compared' }),
  traces: count.meta({ description: 'The number of traces that are compared' }),
  sampled: count.meta({ description: 'The number of compared traces with a selected sample' }),
  samples: count.meta({
    description: 'The number of selected samples in these traces, as often as the profiler took each',
  }),
  perTrace: z.number().meta({ description: 'The sum of the values per compared trace' }),
})

export const compareTraces = defineQuery({
  name: 'compareTraces',
  path: '/compare-traces',
  summary: 'The diff between the profiles of slow and fast traces of an operation',
  request: z.strictObject({
    ...spanFilter,
    profiles: parameters.text('The profiles to compare, such as cpu; they must have one type'),
    threshold: parameters.text('Traces in which the operation takes at least this long are slow, such as 500ms'),
    quantile: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: 'Instead of threshold: the quantile of the durations to use; default: 0.9' }),
    slow: traceIds('Instead of both: the ids of the slow traces'),
    fast: traceIds('The ids of the fast traces'),
    limit: parameters.limit(2000, 'Maximum number of traces per set, the latest first; default: 500'),
    ...parameters.frames,
    root: parameters.root,
    order: parameters.order,
    nodes: parameters.nodes,
    normalise: parameters.flag(
      'Scale the fast traces to the sum of the slow ones, to compare shares; default: scale them to the number of slow traces, to compare values per trace',
    ),
  }),
  response: z.strictObject({
    threshold: nanoseconds('The minimum duration of slow traces; missing if the request lists the traces').optional(),
    slow: traceSet,
    fast: traceSet,
    diff: diffSchema.meta({ description: '`before` is the fast traces, `after` the slow ones' }),
    deviations: z.array(z.number()).meta({
      description:
        'For each node of the diff: the change of its total per trace in standard deviations of the change that chance alone causes. 3 or more is clear, 2 or more likely',
    }),
  }),
  columns: true,
  async handle(context, request) {
    const { profiles, quantile, slow, fast, limit, by, inlined, addresses, root: roots, order, normalise } = request
    const threshold = request.threshold === undefined ? undefined : parseDuration(request.threshold)
    const maxNodes = checkedNodes('nodes', request.nodes, parameters.DEFAULT_NODES, context.tenantLimits)
    const found = await queryCompareTraces(
      context.queries,
      signalQueryOf(context, request),
      spanFilterOf(request),
      defined({
        profiles,
        threshold,
        quantile,
        slow,
        fast,
        limit,
        by,
        inlined,
        addresses,
        roots,
        order,
        normalise,
        maxNodes,
      }),
    )
    return {
      ...(found.threshold === undefined ? {} : { threshold: found.threshold.toString() }),
      slow: setJson(found.slow),
      fast: setJson(found.fast),
      diff: diffJson(found.diff),
      deviations: new NumberColumn(found.deviations),
    }
  },
})

function setJson({ found, traceIds, sampled, samples, perTrace }: ComparedTraces): z.infer<typeof traceSet> {
  return { found, traceIds: [...traceIds], traces: traceIds.length, sampled, samples, perTrace }
}
