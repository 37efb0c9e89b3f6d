// The time ledger of an operation.
import { z } from 'zod'
import { operationLedger } from '../../../query/ledger/operation-ledger.ts'
import { defined } from '../../../query/defined.ts'
import { defineQuery } from '../endpoint.ts'
import { RequestError } from '../response/request-error.ts'
import * as parameters from '../request/parameters.ts'
import { defaultStep } from '../request/request-context.ts'
import { signalQueryOf, spanFilter, spanFilterOf } from '../request/signal-parameters.ts'
import { parseDuration } from '../request/times.ts'
import { count, nanoseconds } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import {
  averageLedger,
  averageLedgerJson,
  entryKind,
  intervalLedger,
  ledgerEntry,
  ledgerEntryJson,
  namedLedger,
} from './ledger-json.ts'

const difference = nameSchema(
  'LedgerDifference',
  z.strictObject({
    kind: entryKind,
    nanos: nanoseconds('Slow minus fast, per request'),
    error: nanoseconds('Half of the 95 % confidence interval of the difference'),
    deviations: z.number().meta({
      description:
        'The difference in its standard deviations (Welch); 3 or more is clear, 2 or more likely; at most 1000 in size',
    }),
  }),
)

const commonAttribute = nameSchema(
  'CommonAttribute',
  z.strictObject({
    key: z.string(),
    comparison: z.enum(['=', '>', '≤']),
    value: z.string(),
    slow: z.number().meta({ description: 'The share of slow requests that fulfil the condition' }),
    fast: z.number().meta({ description: 'The share of fast requests that fulfil it' }),
    difference: z.number().meta({ description: 'The measure of the ranking: slow minus fast' }),
    rate: z.number().meta({ description: 'The false discovery rate; at most 0.05' }),
  }),
)

export const ledger = defineQuery({
  name: 'ledger',
  path: '/ledger',
  summary:
    'Where the time of the requests of an operation goes: average, percentiles, over time, by attribute, slow vs. fast',
  request: z
    .strictObject({
      operation: parameters.text('The name of the spans, such as GET /search; required'),
      ...spanFilter,
      by: parameters.text('An attribute of spans or resources, such as service.version: one ledger for each value'),
      step: parameters.step,
      quantile: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .meta({ description: 'Requests from this quantile of the durations on are slow; default: 0.9' }),
      threshold: parameters.text('Instead of quantile: requests that take at least this long are slow, such as 500ms'),
      limit: parameters.limit(50_000, 'Maximum number of requests to read; above it, a random sample; default: 20000'),
    })
    .omit({ name: true }),
  response: z.strictObject({
    span: z
      .strictObject({ name: z.string(), service: z.string() })
      .meta({ description: 'The operation; the services, separated by commas' }),
    found: count.meta({ description: 'The number of requests in the range' }),
    requests: count.meta({ description: 'The number of requests that the ledgers are made of' }),
    durationNano: nanoseconds('The average duration'),
    entries: z.array(ledgerEntry).meta({
      description:
        'The average ledger. Spans below in the same process count by their own entries, along the critical path. Details have times per request',
    }),
    sentence: z.string(),
    percentiles: z.array(namedLedger).meta({ description: 'Averages around p50, p95 and p99, and of the slowest 1 %' }),
    overTime: z.array(intervalLedger).meta({ description: 'One average for each step' }),
    groups: z.array(namedLedger).meta({ description: 'The values of `by` with the most requests first; at most 50' }),
    hiddenGroups: count,
    comparison: z
      .strictObject({
        threshold: nanoseconds('The minimum duration of slow requests'),
        slow: averageLedger,
        fast: averageLedger,
        differences: z.array(difference).meta({ description: 'The largest first' }),
        attributes: z.array(commonAttribute).meta({
          description:
            'Conditions that slow requests fulfil more often than fast ones, ranked by the difference of both shares; one for each attribute',
        }),
      })
      .optional()
      .meta({ description: 'Slow vs. fast; missing if all requests are on one side' }),
    observations: count,
  }),
  async handle(context, request) {
    const { operation, by, quantile, limit } = request
    if (operation === undefined || operation === '')
      throw new RequestError(400, 'argument', 'operation is required, such as operation=GET%20%2Fsearch')
    const query = signalQueryOf(context, request)
    const step = request.step === undefined ? defaultStep(query) : parseDuration(request.step)
    const threshold = request.threshold === undefined ? undefined : parseDuration(request.threshold)
    const found = await operationLedger(
      context.queries,
      query,
      { ...spanFilterOf(request), name: operation },
      { step, ...defined({ by, quantile, threshold, limit }) },
    )
    const { average, comparison } = found
    return {
      span: { name: operation, service: found.services.join(', ') },
      found: found.found,
      ...averageLedgerJson(average),
      entries: average.entries.map((entry, i) => ledgerEntryJson({ ...entry, details: found.details[i] }, found.all)),
      sentence: found.sentence,
      percentiles: found.percentiles.map(({ name, ...each }) => ({ name, ...averageLedgerJson(each) })),
      overTime: found.overTime.map(({ from, ...each }) => ({ from: from.toString(), ...averageLedgerJson(each) })),
      groups: found.groups.values.map(({ value, ...each }) => ({ name: value, ...averageLedgerJson(each) })),
      hiddenGroups: found.groups.hidden,
      ...(comparison === undefined
        ? {}
        : {
            comparison: {
              threshold: BigInt(Math.round(comparison.threshold)).toString(),
              slow: averageLedgerJson(comparison.slow),
              fast: averageLedgerJson(comparison.fast),
              differences: comparison.differences.map(({ kind, nanos, error, deviations }) => ({
                kind,
                nanos: nanos.toString(),
                error: error.toString(),
                deviations: Math.max(-MAX_DEVIATIONS, Math.min(MAX_DEVIATIONS, deviations)),
              })),
              attributes: comparison.attributes.map(each => ({ ...each })),
            },
          }),
      observations: found.observations,
    }
  },
})

/** JSON has no infinity. */
const MAX_DEVIATIONS = 1000
