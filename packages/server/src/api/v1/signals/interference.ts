// Operations that delay others.
import { z } from 'zod'
import { interference as queryInterference } from '../../../query/ledger/interference.ts'
import { defined } from '../../../query/defined.ts'
import { defineQuery } from '../endpoint.ts'
import * as parameters from '../request/parameters.ts'
import { signalQueryOf, spanFilter, spanFilterOf } from '../request/signal-parameters.ts'
import { count, nanoseconds } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { ledgerSpan, ledgerSpanJson } from './ledger-json.ts'

const HOUR = 3_600_000_000_000

const pair = nameSchema(
  'InterferencePair',
  z.strictObject({
    delayed: count.meta({ description: 'Row of the operation that waited' }),
    by: count.meta({ description: 'Row of the operation that it waited for' }),
    reason: z.enum(['busy', 'lock']).meta({
      description: 'busy: the other one ran on the same thread or event loop; lock: the other one had the lock',
    }),
    nanos: nanoseconds('The time that the requests waited'),
    secondsPerHour: z.number().meta({ description: 'The cost: seconds of waiting in each hour of the range' }),
    requests: count.meta({ description: 'The number of requests that waited' }),
    example: ledgerSpan.optional().meta({ description: 'The request that waited longest' }),
    exampleBy: ledgerSpan.optional().meta({ description: 'A request that it waited for' }),
  }),
)

export const interference = defineQuery({
  name: 'interference',
  path: '/interference',
  summary: 'Which operations delay which, because they share a thread, an event loop or a lock',
  request: z.strictObject({
    ...spanFilter,
    name: parameters.text('Only pairs in which this operation waits or makes others wait'),
    limit: parameters.limit(50_000, 'Maximum number of requests to read; above it, a random sample; default: 20000'),
  }),
  response: z.strictObject({
    found: count.meta({ description: 'The number of requests in the range' }),
    requests: count.meta({ description: 'The number of requests that were read; costs are scaled to all' }),
    operations: z
      .array(z.strictObject({ service: z.string(), name: z.string() }))
      .meta({ description: 'An empty name is work outside of any span' }),
    pairs: z.array(pair).meta({ description: 'The largest cost first' }),
  }),
  async handle(context, request) {
    const query = signalQueryOf(context, request)
    const choice = defined({ limit: request.limit })
    const { found, requests, operations, pairs, spans } = await queryInterference(
      context.queries,
      query,
      spanFilterOf(request),
      choice,
    )
    const scale = requests === 0 ? 1 : found / requests
    const hours = Number(query.to - query.from) / HOUR
    return {
      found,
      requests,
      operations: operations.map(({ service, name }) => ({ service, name })),
      pairs: pairs.map(({ delayed, by, reason, nanos, requests: waited, example, exampleBy }) => ({
        delayed,
        by,
        reason,
        nanos: BigInt(Math.round(nanos * scale)).toString(),
        secondsPerHour: (nanos * scale) / 1e9 / hours,
        requests: Math.round(waited * scale),
        ...(example === -1 ? {} : { example: ledgerSpanJson(spans[example]) }),
        ...(exampleBy === -1 ? {} : { exampleBy: ledgerSpanJson(spans[exampleBy]) }),
      })),
    }
  },
})
