// Log records by text, severity, source and time.
import { z } from 'zod'
import type { LogRow } from '../../../query/signals/logs.ts'
import { searchLogs } from '../../../query/signals/logs.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownItemKeys } from '../request/check-keys.ts'
import { limit, text } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { logFilter, logFilterOf, signalQueryOf } from '../request/signal-parameters.ts'
import { attributeValue, count, hex, hexOf, next, time, valueJson } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import {
  attribute,
  attributesJson,
  container,
  containers,
  containersJson,
  droppedAttributes,
  flags,
  unlessZero,
} from './item-json.ts'

const logRow = nameSchema(
  'LogRow',
  z.strictObject({
    cursor: z.string().meta({ description: 'The value for `after`' }),
    time: time('Its time, or else when it was observed, or else received'),
    received: time('When the server received it'),
    observed: time('When it was observed').optional(),
    severity: count.meta({ description: '1 to 24; 0 if it has none' }),
    severityText: z.string(),
    body: attributeValue,
    service: z.string(),
    traceId: hex('Empty without a trace'),
    spanId: hex('Empty without a span'),
    profileId: hex('The profile that the record names, for the selector {profile.id="…"}; empty if it names none'),
    eventName: z.string().optional(),
    flags,
    ...container,
    attributes: z.array(attribute),
    droppedAttributes,
  }),
)

export const logs = defineQuery({
  name: 'logs',
  path: '/logs',
  summary: 'Log records by text, severity, source and time',
  request: z.strictObject({
    ...logFilter,
    order: z
      .enum(['newest', 'oldest'])
      .optional()
      .meta({ description: 'The records that come first; default: newest' }),
    limit: limit(10_000, 'Maximum number of records; default: 100'),
    after: text(
      '`cursor` of a record, or `next`: only records after it in this order; with the other order, records before it',
    ),
  }),
  response: z.strictObject({ logs: z.array(logRow), ...containers, next }),
  async handle(context, request) {
    const { order, limit: max, after } = request
    const query = signalQueryOf(context, request)
    const choice = defined({ order, limit: max, after })
    const found = await searchLogs(context.queries, query, logFilterOf(request, context.now), choice)
    if (found.logs.length === 0 && after === undefined) await rejectUnknownItemKeys(context, query, 'log')
    return { logs: found.logs.map(logJson), ...containersJson(found), ...defined({ next: found.next }) }
  },
})

function logJson({
  cursor,
  time: at,
  received,
  service,
  resource,
  scope,
  record,
  profileId,
}: LogRow): z.infer<typeof logRow> {
  const { observedTimeUnixNano, severityNumber, severityText, body, traceId, spanId, eventName, attributes } = record
  return {
    cursor,
    time: at.toString(),
    received: received.toString(),
    ...(observedTimeUnixNano === 0n ? {} : { observed: observedTimeUnixNano.toString() }),
    // Senders may send negative numbers; they mean none.
    severity: Math.max(0, severityNumber),
    severityText,
    body: valueJson(body),
    service,
    traceId: hexOf(traceId),
    spanId: hexOf(spanId),
    profileId,
    ...(eventName === '' ? {} : { eventName }),
    resource,
    scope,
    attributes: attributesJson(attributes),
    ...unlessZero({ flags: record.flags, droppedAttributes: record.droppedAttributesCount }),
  }
}
