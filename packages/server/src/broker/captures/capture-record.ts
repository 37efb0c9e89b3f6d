// What is known of a capture: what was asked for, who was asked, who answered with which profiles. As the API tells it and
// as it is kept after the capture has ended; the profiles themselves are in the store.
import { z } from 'zod'

const nano = z.string().regex(/^-?\d+$/)
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))

export const INSTANCE_STATES = ['asked', 'running', 'answered', 'failed', 'cancelled'] as const
export const CAPTURE_STATES = ['running', 'finished', 'failed', 'cancelled'] as const

export const captureInstance = z
  .strictObject({
    instance: z.string().meta({ description: 'service.instance.id' }),
    service: z.string(),
    namespace: z.string().optional(),
    version: z.string().optional().meta({ description: 'service.version, or a build id' }),
    environment: z.string().optional(),
    broker: z.string().meta({ description: 'The Broker that it is subscribed to' }),
    state: z.enum(INSTANCE_STATES),
    error: z
      .strictObject({
        code: z.string().meta({ description: 'As component-gone, time-out, busy or invalid' }),
        message: z.string(),
        retryAfterMs: z.number().optional().meta({ description: 'Of one that is busy' }),
      })
      .optional()
      .meta({ description: 'Why it failed' }),
    profileIds: z.array(z.string()).meta({ description: 'The profiles it answered with, in hex, all of them stored' }),
    samples: z.int().optional(),
    dropped: z.int().optional().meta({ description: 'Samples that it could not keep' }),
    truncated: z.boolean().optional().meta({ description: 'Whether detail was left out to stay within the bytes' }),
    frequencyHz: z.number().optional().meta({ description: 'At which its samples of time were taken' }),
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: 'What is not as it was asked for, or is missing, and why' }),
    bytes: z.int().optional().meta({ description: 'Of its answer' }),
    late: z.boolean().optional().meta({ description: 'Whether it answered after the capture had ended' }),
  })
  .meta({ description: 'One process of a capture' })

export const captureRecord = z.strictObject({
  id: hex(16),
  state: z.enum(CAPTURE_STATES).meta({ description: 'finished where at least one instance has answered' }),
  version: z.int().meta({ description: 'Goes up whenever something changes; `after` waits for the next' }),
  service: z.string(),
  environment: z.string().optional(),
  instance: z.string().optional().meta({ description: 'The only instance that was to be asked' }),
  all: z.boolean().meta({ description: 'Whether all instances were to be asked' }),
  type: z.string().meta({ description: 'As cpu or heap' }),
  durationMs: z.number(),
  frequencyHz: z.number().optional().meta({ description: 'As it was asked for' }),
  lookBack: z
    .strictObject({ from: nano, to: nano })
    .optional()
    .meta({ description: 'The stretch of time that was looked back at, instead of a new recording' }),
  traceId: hex(16).optional().meta({ description: 'Only samples of this trace were asked for' }),
  spanId: hex(8).optional().meta({ description: 'and of this span' }),
  labels: z.record(z.string(), z.string()).optional(),
  reason: z.string(),
  by: z.string().meta({ description: "The token's name; `trigger NAME` where a trigger asked" }),
  requested: nano.meta({ description: 'When' }),
  ended: nano.optional(),
  span: z
    .strictObject({ traceId: hex(16), spanId: hex(8), parentSpanId: hex(8).optional() })
    .meta({ description: 'The span that stands for the capture' }),
  answered: z.int().meta({ description: 'How many of the instances have' }),
  failed: z.int(),
  instances: z.array(captureInstance),
  selector: z.string().meta({ description: 'Selects the profiles of this capture' }),
  from: nano.optional().meta({ description: 'Where its profiles begin, to be asked with' }),
  to: nano.optional().meta({ description: 'and end' }),
})

export type CaptureInstance = z.infer<typeof captureInstance>
export type CaptureRecord = z.infer<typeof captureRecord>

/** Captures that have ended, the latest first. */
export const captureLog = z.strictObject({ captures: z.array(captureRecord) })
export type CaptureLog = z.infer<typeof captureLog>
