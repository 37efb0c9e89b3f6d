// What is answered about the Broker, as schemas.
import { z } from 'zod'
import { captureRecord } from '../../broker/captures/capture-record.ts'
import { GUARDS } from '../../broker/triggers/guards.ts'
import { historyEntry } from '../../broker/triggers/history.ts'
import { ITEM_KINDS } from '../../broker/triggers/telemetry-item.ts'
import { trigger } from '../../broker/triggers/trigger.ts'
import { amount, whole } from './answers.ts'

export { captureInstance } from '../../broker/captures/capture-record.ts'
export { firedItem, historyEntry } from '../../broker/triggers/history.ts'

export const brokerComponent = z.strictObject({
  type: z.string(),
  app: z.string().meta({ description: 'service.namespace' }),
  name: z.string(),
  hash: z.string().meta({ description: 'The version' }),
  id: z.string().meta({ description: 'The instance' }),
  brokerId: z.string(),
})

export const componentRow = z.strictObject({
  component: brokerComponent,
  service: z.string().meta({ description: 'service.name' }),
  instance: z.string().meta({ description: 'service.instance.id' }),
  environment: z.string().meta({ description: 'Empty where it names none' }),
  profileTypes: z.array(z.string()).meta({ description: 'What it can capture' }),
  lookBackSeconds: z.number().optional().meta({ description: 'How far it can look back' }),
  attributes: z.record(z.string(), z.string()),
  routes: z.array(z.strictObject({ id: z.int(), rule: z.string(), priority: z.number() })),
  defaultHandler: z.boolean().meta({ description: 'Whether it takes what no rule of it matches' }),
  since: z.string().meta({ description: 'When it subscribed' }),
  load: z.strictObject({
    queued: amount.meta({ description: 'Events that wait for it to read' }),
    inFlight: amount.meta({ description: 'Requests that it has not answered' }),
    received: amount.meta({ description: 'Events that came from it' }),
    sent: amount,
    dropped: amount.meta({ description: 'Messages that it was too slow for' }),
  }),
  remote: z.boolean().meta({ description: 'Whether it is subscribed at another Broker' }),
  capturing: z.boolean().meta({ description: 'Whether it is being captured just now' }),
})

export const components = z.strictObject({
  components: z.array(componentRow),
  broker: z
    .strictObject({
      id: z.string(),
      mesh: z
        .strictObject({
          kind: z.enum(['local', 'nats']),
          connected: z.boolean(),
          message: z.string(),
          since: z.string(),
          peers: z.array(z.string()).meta({ description: 'Ids of the other Brokers' }),
        })
        .meta({ description: 'How it reaches other Brokers' }),
    })
    .meta({ description: 'The one that answers' }),
})

export const capture = captureRecord
export const captures = z.strictObject({ captures: z.array(captureRecord) })

export const triggerRow = trigger
export const triggers = z.strictObject({
  triggers: z.array(trigger),
  budgetPerMinute: z.int().meta({ description: 'Captures that all of them together may start in a minute' }),
})
export const removed = z.strictObject({ removed: z.string() })

export const dryRunExample = z.strictObject({
  kind: z.enum(ITEM_KINDS),
  description: z.string().meta({ description: 'In few words' }),
  time: whole('When'),
  service: z.string(),
  instance: z.string(),
  traceId: z.string().optional(),
  spanId: z.string().optional(),
  heldBack: z.enum(GUARDS).optional().meta({ description: 'What would have been against a capture' }),
})

export const dryRun = z.strictObject({
  from: whole('From when on'),
  to: whole('until when'),
  examined: z.strictObject({ span: amount.optional(), log: amount.optional(), metric: amount.optional() }).meta({
    description: 'How many of each kind were looked at; kinds that the rule cannot fit are left out',
  }),
  matched: amount.meta({ description: 'How many of them fit the rule' }),
  fired: amount.meta({ description: 'Captures that would have been started' }),
  heldBack: z.array(z.strictObject({ guard: z.enum(GUARDS), count: amount })),
  instances: amount.meta({ description: 'How many processes it would have been about' }),
  truncated: z.boolean().meta({ description: 'Whether only the latest were looked at, since there was too much' }),
  examples: z.array(dryRunExample),
})

export const triggerHistory = z.strictObject({
  entries: z.array(historyEntry).meta({ description: 'The latest first' }),
  next: z.int().optional().meta({ description: 'For the next page' }),
})

const named = z.record(z.string(), z.unknown())

export const brokerEvent = z.strictObject({
  id: z.string(),
  parentId: z.string().optional().meta({ description: 'Of a RESPONSE: what it answers' }),
  type: z.string(),
  category: z.enum(['UNKNOWN', 'MESSAGE', 'REQUEST', 'RESPONSE']),
  time: whole('When it was made').optional(),
  ttlMs: z.number().meta({ description: 'What is left of its time' }),
  environment: z.string().optional(),
  traceId: z.string().optional(),
  spanId: z.string().optional(),
  source: brokerComponent.optional(),
  target: brokerComponent.optional(),
  params: named,
  values: named,
  contentType: z.string(),
  contentBytes: amount,
  text: z.string().optional().meta({ description: 'The content, where it is text' }),
  content: z.base64().optional().meta({ description: 'The content as base64, where it is not' }),
  clipped: z.boolean().optional().meta({ description: 'Whether the content is left out, since it is large' }),
})

export const sendEvent = z.strictObject({
  event: brokerEvent.meta({ description: 'As it was sent' }),
  response: brokerEvent.optional().meta({ description: 'The answer to a REQUEST' }),
})

export const seenEvent = z.strictObject({
  at: z.string().meta({ description: 'When it passed' }),
  outcome: z.string().meta({ description: 'As delivered, answered or component-gone' }),
  route: z.string().optional().meta({ description: 'The rule that matched, by its id' }),
  error: z.string().optional(),
  missed: amount.meta({ description: 'How many passed unseen before, since there were too many' }),
  event: brokerEvent,
})
