// Sends an event through the Broker.
import { randomUUID } from 'node:crypto'
import type { Event, Struct } from '@hearth/broker'
import { BrokerError, Category, createComponent, createEvent, ttlOfMs } from '@hearth/broker'
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { text as optionalText } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { RequestError } from '../response/request-error.ts'
import { brokerEvent, eventJson } from './event-json.ts'
import { name, required } from './parameters.ts'

const DEFAULT_TTL_MS = 30_000
/** A response may contain a profile. */
const MAX_RESPONSE_CONTENT = 16 * 2 ** 20
const MAX_CONTENT = 20 * 2 ** 20
const MAX_DEPTH = 30

const struct = (description: string) => z.record(z.string().max(1024), z.unknown()).optional().meta({ description })

const sendEventRequest = z.strictObject({
  type: required('Such as profiling.capture'),
  category: z
    .enum(['MESSAGE', 'REQUEST'])
    .optional()
    .meta({ description: 'MESSAGE (the default), or REQUEST, which waits for the response' }),
  target: z
    .strictObject({
      type: name('Such as Process'),
      app: name('service.namespace'),
      name: name('service.name, in lower case'),
      hash: name('The version'),
      id: name('The instance'),
      brokerId: name('The Broker it is connected to'),
    })
    .optional()
    .meta({ description: 'The recipient; default: by rules' }),
  environment: name('Only components of this environment'),
  params: struct('Named values for the handler'),
  values: struct('Values that rules match: path, method, host, header, queryParam'),
  contentType: name('The type of the content'),
  text: optionalText('The content, as text'),
  content: z.base64().max(MAX_CONTENT).optional().meta({ description: 'The content, as base64' }),
  ttlMs: z.number().min(1).max(600_000).optional().meta({ description: 'The time to live; default: 30000' }),
})

export const sendEvent = defineEndpoint({
  name: 'sendEvent',
  method: 'POST',
  path: '/broker/events',
  summary: 'Sends an event through the Broker; returns the response to a REQUEST',
  scope: 'capture',
  request: sendEventRequest,
  response: z.strictObject({
    event: brokerEvent.meta({ description: 'The event as it was sent' }),
    response: brokerEvent.optional().meta({ description: 'The response to a REQUEST' }),
  }),
  // The content as base64, and the other fields.
  maxBodyBytes: MAX_CONTENT + 4 * 2 ** 20,
  async handle({ broker: { broker }, tenant, signal }, request) {
    const event = eventOf(request)
    if (request.category !== 'REQUEST') {
      broker.send(tenant, event)
      return { event: eventJson(event, 0) }
    }
    const response = await broker.request(tenant, event, signal)
    return { event: eventJson(event, 0), response: eventJson(response, MAX_RESPONSE_CONTENT) }
  },
})

function eventOf(request: z.infer<typeof sendEventRequest>): Event {
  const { type, category = 'MESSAGE', target, environment, text, content, ttlMs = DEFAULT_TTL_MS } = request
  if (text !== undefined && content !== undefined)
    throw new RequestError(400, 'argument', 'text and content exclude each other; give one of them')
  const bytes = text === undefined ? Buffer.from(content ?? '', 'base64') : Buffer.from(text, 'utf8')
  return createEvent({
    id: randomUUID(),
    type,
    category: Category[category],
    ttl: ttlOfMs(ttlMs),
    ...(target === undefined ? {} : { target: createComponent(defined(target)) }),
    ...(environment === undefined
      ? {}
      : { context: { platform: '', virtualEnvironment: environment, appDeployment: '', releaseManifest: '' } }),
    params: structOf(request.params, 'params'),
    values: structOf(request.values, 'values'),
    contentType: request.contentType ?? (text === undefined ? '' : 'text/plain'),
    content: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
  })
}

/** Throws BrokerError if the JSON is nested too deeply for an event. */
function structOf(json: Readonly<Record<string, unknown>> = {}, field: string): Struct {
  if (depthOf(json) > MAX_DEPTH) throw new BrokerError('invalid', `${field} is nested deeper than ${MAX_DEPTH} levels`)
  return json as Struct
}

/** Without recursion: JSON can be too deep for the call stack. */
function depthOf(value: unknown): number {
  let level: readonly unknown[] = [value]
  for (let depth = 0; ; depth++) {
    const next = level.flatMap((each): readonly unknown[] =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    )
    if (next.length === 0 || depth > MAX_DEPTH) return depth
    level = next
  }
}
