// Attributes, resources and scopes of spans, log records and data points in responses.
import type { KeyValue } from '@hearth/profile'
import { z } from 'zod'
import type { ResponseResource, ResponseScope } from '../../../query/signals/containers-of.ts'
import { attributeValue, count, int64, valueJson } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

export const attribute = nameSchema('Attribute', z.strictObject({ key: z.string(), value: attributeValue }))

export const droppedAttributes = count
  .optional()
  .meta({ description: 'The number of attributes that the sender dropped; missing if it is 0' })

export const flags = count
  .optional()
  .meta({ description: 'The flags as sent: the low 8 bits are those of W3C Trace Context; missing if they are 0' })

const signalResource = nameSchema(
  'SignalResource',
  z.strictObject({
    id: int64('Identifies the process'),
    service: z.string(),
    attributes: z.array(attribute),
    droppedAttributes,
  }),
)

const signalScope = nameSchema(
  'SignalScope',
  z.strictObject({ name: z.string(), version: z.string(), attributes: z.array(attribute), droppedAttributes }),
)

/** The tables of resources and scopes of a response. */
export const containers = { resources: z.array(signalResource), scopes: z.array(signalScope) }

/** References of an item to these tables. */
export const container = {
  resource: count.meta({ description: 'Row in resources' }),
  scope: count.meta({ description: 'Row in scopes' }),
}

/** The process and thread of an item, for lanes of a timeline. */
export const lane = {
  service: z.string(),
  thread: z.string().meta({ description: 'thread.id; empty if unknown' }),
  process: z.int().min(-1).meta({ description: 'Row in the `resources` of the request; -1 if the request has none' }),
}

export function attributesJson(attributes: readonly KeyValue[]) {
  return attributes.map(({ key, value }) => ({ key, value: valueJson(value) }))
}

/** Returns the numbers that are not 0. */
export function unlessZero<Name extends string>(numbers: Readonly<Record<Name, number>>): { [name in Name]?: number } {
  const entries = Object.entries<number>(numbers).filter(([, number]) => number !== 0)
  return Object.fromEntries(entries) as { [name in Name]?: number }
}

export function containersJson(result: {
  readonly resources: readonly ResponseResource[]
  readonly scopes: readonly ResponseScope[]
}) {
  return {
    resources: result.resources.map(({ id, service, attributes, droppedAttributesCount }) => ({
      id: id.toString(),
      service,
      attributes: attributesJson(attributes),
      ...unlessZero({ droppedAttributes: droppedAttributesCount }),
    })),
    scopes: result.scopes.map(({ name, version, attributes, droppedAttributesCount }) => ({
      name,
      version,
      attributes: attributesJson(attributes),
      ...unlessZero({ droppedAttributes: droppedAttributesCount }),
    })),
  }
}

interface Timed {
  readonly start: bigint
  readonly duration: bigint
}

/** A span with its times as strings. */
export function timedJson<Span extends Timed>({ start, duration, ...span }: Span) {
  return { ...span, start: start.toString(), duration: duration.toString() }
}
