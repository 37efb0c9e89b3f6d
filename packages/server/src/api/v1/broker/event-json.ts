// Events and components of the Broker in responses.
import type { Component, Event } from '@hearth/broker'
import { CATEGORY, msOfTtl } from '@hearth/broker'
import { z } from 'zod'
import { count, hexOf, int64 } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

export const brokerComponent = nameSchema(
  'BrokerComponent',
  z.strictObject({
    type: z.string(),
    app: z.string().meta({ description: 'service.namespace' }),
    name: z.string(),
    hash: z.string().meta({ description: 'The version' }),
    id: z.string().meta({ description: 'The instance' }),
    brokerId: z.string(),
  }),
)

const struct = z.record(z.string(), z.unknown())

export const brokerEvent = nameSchema(
  'BrokerEvent',
  z.strictObject({
    id: z.string(),
    parentId: z.string().optional().meta({ description: 'The id of the REQUEST, in a RESPONSE' }),
    type: z.string(),
    category: z.enum(['UNKNOWN', 'MESSAGE', 'REQUEST', 'RESPONSE']),
    time: int64('When it was created').optional(),
    ttlMs: z.number().meta({ description: 'The remaining time to live' }),
    environment: z.string().optional(),
    traceId: z.string().optional(),
    spanId: z.string().optional(),
    source: brokerComponent.optional(),
    target: brokerComponent.optional(),
    params: struct,
    values: struct,
    contentType: z.string(),
    contentBytes: count,
    text: z.string().optional().meta({ description: 'The content, if it is text' }),
    content: z.base64().optional().meta({ description: 'The content as base64, if it is not text' }),
    clipped: z.boolean().optional().meta({ description: 'Whether the content is missing because it is too large' }),
  }),
)

export function componentJson({ type, app, name, hash, id, brokerId }: Component): z.infer<typeof brokerComponent> {
  return { type, app, name, hash, id, brokerId }
}

const CATEGORIES = new Map(Object.entries(CATEGORY.values).map(([name, value]) => [value as number, name]))

/** Without content of more than `maxContentBytes`. */
export function eventJson(event: Event, maxContentBytes: number): z.infer<typeof brokerEvent> {
  const { id, parentId, type, category, createTime, ttl, context, parentSpan, source, target, contentType } = event
  const environment = context?.virtualEnvironment ?? ''
  return {
    id,
    ...(parentId === '' ? {} : { parentId }),
    type,
    category: (CATEGORIES.get(category) ?? 'UNKNOWN') as z.infer<typeof brokerEvent>['category'],
    ...(createTime === 0n ? {} : { time: createTime.toString() }),
    ttlMs: msOfTtl(ttl),
    ...(environment === '' ? {} : { environment }),
    ...(parentSpan === undefined || parentSpan.traceId.length === 0
      ? {}
      : { traceId: hexOf(parentSpan.traceId), spanId: hexOf(parentSpan.spanId) }),
    ...(source === undefined ? {} : { source: componentJson(source) }),
    ...(target === undefined ? {} : { target: componentJson(target) }),
    params: { ...event.params },
    values: { ...event.values },
    contentType,
    ...contentJson(event, maxContentBytes),
  }
}

function contentJson({ content, contentType }: Event, maxBytes: number) {
  const contentBytes = content.length
  if (contentBytes === 0) return { contentBytes }
  if (contentBytes > maxBytes) return { contentBytes, clipped: true }
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  if (/^(?:text\/|application\/json)/i.test(contentType)) return { contentBytes, text: bytes.toString('utf8') }
  return { contentBytes, content: bytes.toString('base64') }
}
