// What may be asked of the Broker: captures, triggers, events.
import { z } from 'zod'
import { triggerName, triggerSpec } from '../../broker/triggers/trigger.ts'
import { TIME, count, text, yes } from './requests.ts'

const some = (description: string) => z.string().min(1).max(1024).meta({ description })
const few = (description: string) => z.string().min(1).max(1024).optional().meta({ description })
const hex = (digits: number, description: string) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-fA-F]{${digits}}$`), `${digits} hex digits`)
    .toLowerCase()
    .optional()
    .meta({ description })
const ofJson = (description: string) => z.record(z.string().max(1024), z.unknown()).optional().meta({ description })

export const componentsRequest = z.strictObject({
  service: few('Only those of this service'),
  environment: few('Only those of this deployment.environment.name'),
})

export const startCaptureRequest = z.strictObject({
  service: some('service.name of whom to ask'),
  environment: few('deployment.environment.name; any unless given'),
  instance: few('service.instance.id; the instance with the least to do unless given'),
  all: yes('All instances that fit; false unless given'),
  type: few('What to capture, as cpu, wall or heap; cpu unless given'),
  durationMs: z.number().positive().optional().meta({ description: 'How long; 10000 unless given' }),
  frequencyHz: z.number().positive().max(10_000).optional().meta({
    description:
      'Samples a second, as far as an instance can (the Node agent from 1 to 1000); as it records anyway unless given. What has been recorded keeps its rate',
  }),
  from: text(`Look back instead of recording anew: from ${TIME}`),
  to: text('Look back until then; now unless given'),
  traceId: hex(32, 'Only samples of this trace'),
  spanId: hex(16, 'and of this span of it'),
  labels: z
    .record(z.string().min(1).max(256), z.string().max(1024))
    .refine(labels => Object.keys(labels).length <= 64, 'at the most 64')
    .optional()
    .meta({ description: 'For rules of components, as their headers' }),
  reason: few('Why, for those who look at the profile later'),
  maxBytes: z.int().positive().optional().meta({ description: 'Of the answer of each instance' }),
})

export const capturesRequest = z.strictObject({ limit: count(1000, 'How many at the most; 100 unless given') })

export const captureRequest = z.strictObject({
  after: z.int().optional().meta({ description: 'A version that is known: waits for a later one' }),
  wait: text('How long to wait for it, as 20s; up to 30s. Not at all unless given'),
})

export const cancelCaptureRequest = z.strictObject({})

export const captureProfileRequest = z.strictObject({
  format: text('A format that Hearth writes, as pprof or otlp-json; otlp unless given'),
  merge: yes('Adds up the profiles of all instances; true unless given, but for otlp and otlp-json'),
})

export const triggersRequest = z.strictObject({})
export const addTriggerRequest = z.strictObject({ name: triggerName, ...triggerSpec.shape })
export const changeTriggerRequest = z.strictObject(triggerSpec.shape)
export const removeTriggerRequest = z.strictObject({})

export const dryRunRequest = z.strictObject({
  rule: triggerSpec.shape.rule,
  coolDownMs: triggerSpec.shape.coolDownMs,
  percentage: triggerSpec.shape.percentage,
  budgetPerHour: triggerSpec.shape.budgetPerHour,
  from: text(`From when on: ${TIME}; now-1h unless given`),
  to: text('and before this; now unless given'),
})

export const triggerHistoryRequest = z.strictObject({
  trigger: few('Only of this trigger'),
  limit: count(500, 'How many at the most; 100 unless given'),
  before: z.int().optional().meta({ description: '`next` of the page before' }),
})

const component = z
  .strictObject({
    type: few('As Process'),
    app: few('service.namespace'),
    name: few('service.name, in lower case'),
    hash: few('The version'),
    id: few('The instance'),
    brokerId: few('The Broker it is subscribed to'),
  })
  .optional()
  .meta({ description: 'For whom it is; by rules unless given' })

export const sendEventRequest = z.strictObject({
  type: some('As profiling.capture'),
  category: z
    .enum(['MESSAGE', 'REQUEST'])
    .optional()
    .meta({ description: 'MESSAGE unless given; a REQUEST is waited for until it is answered' }),
  target: component,
  environment: few('Only components of this environment'),
  params: ofJson('Named values for whoever handles it'),
  values: ofJson('What rules look at: path, method, host, header, queryParam'),
  contentType: few('What the content is'),
  text: text('The content, as text'),
  content: z
    .base64()
    .max(20 * 2 ** 20)
    .optional()
    .meta({ description: 'or as base64' }),
  ttlMs: z.number().min(1).max(600_000).optional().meta({ description: 'How long it may take; 30000 unless given' }),
})

export const watchEventsRequest = z.strictObject({
  type: few('Only events of this type, or of one that ends like it'),
  category: z.enum(['MESSAGE', 'REQUEST', 'RESPONSE']).optional().meta({ description: 'Only of this category' }),
  component: few('Only to or from components of this name'),
  outcome: few('Only what ended so, as delivered, answered or timeout'),
})
