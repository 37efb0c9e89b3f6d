// The record of a capture: the request, its instances and their responses. The API returns it, and it is stored after the
// capture has ended. The profiles themselves are in the store.
import { z } from 'zod'

const nano = z.string().regex(/^-?\d+$/)
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))

const INSTANCE_STATES = ['pending', 'running', 'answered', 'failed', 'cancelled'] as const
export const CAPTURE_STATES = ['running', 'finished', 'failed', 'cancelled'] as const

export const captureInstance = z
  .strictObject({
    instance: z.string().meta({ description: 'service.instance.id' }),
    service: z.string(),
    namespace: z.string().optional(),
    version: z.string().optional().meta({ description: 'service.version, or a build id' }),
    environment: z.string().optional(),
    broker: z.string().meta({ description: 'Id of the Broker it is subscribed to' }),
    state: z.enum(INSTANCE_STATES),
    error: z
      .strictObject({
        code: z.string().meta({ description: 'For example component-gone, time-out, busy or invalid' }),
        message: z.string(),
        retryAfterMs: z.number().optional().meta({ description: 'When to retry a busy instance' }),
      })
      .optional()
      .meta({ description: 'The reason of a failure' }),
    profileIds: z.array(z.string()).meta({ description: 'Ids of its profiles in hex; all are stored' }),
    samples: z.int().optional(),
    dropped: z.int().optional().meta({ description: 'Number of samples it dropped' }),
    truncated: z
      .boolean()
      .optional()
      .meta({ description: 'Whether details were omitted to stay within the size limit' }),
    frequencyHz: z.number().optional().meta({ description: 'The sampling rate it used' }),
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: 'Deviations from the request and missing data, with reasons' }),
    bytes: z.int().optional().meta({ description: 'Size of its response' }),
    late: z.boolean().optional().meta({ description: 'Whether it responded after the capture had ended' }),
  })
  .meta({ description: 'One process of a capture' })

export const captureRecord = z.strictObject({
  id: hex(16),
  state: z.enum(CAPTURE_STATES).meta({ description: 'finished if at least one instance responded' }),
  version: z.int().meta({ description: 'Increases with every change; `after` waits for the next one' }),
  service: z.string(),
  environment: z.string().optional(),
  instance: z.string().optional().meta({ description: 'The requested instance' }),
  all: z.boolean().meta({ description: 'Whether all instances were requested' }),
  type: z.string().meta({ description: 'Profile type, for example cpu or heap' }),
  durationMs: z.number(),
  frequencyHz: z.number().optional().meta({ description: 'The requested sampling rate' }),
  lookBack: z
    .strictObject({ from: nano, to: nano })
    .optional()
    .meta({ description: 'The time range of a look-back capture, which returns earlier samples instead of recording' }),
  traceId: hex(16).optional().meta({ description: 'Only samples of this trace were requested' }),
  spanId: hex(8).optional().meta({ description: 'Only samples of this span were requested' }),
  labels: z.record(z.string(), z.string()).optional(),
  reason: z.string(),
  by: z.string().meta({ description: "The token's name, or `trigger NAME` for a capture by a trigger" }),
  requested: nano.meta({ description: 'Time of the request' }),
  ended: nano.optional(),
  span: z
    .strictObject({ traceId: hex(16), spanId: hex(8), parentSpanId: hex(8).optional() })
    .meta({ description: 'The span that represents the capture' }),
  answered: z.int().meta({ description: 'Number of instances that have responded' }),
  failed: z.int(),
  instances: z.array(captureInstance),
  selector: z.string().meta({ description: 'A selector for the profiles of this capture' }),
  from: nano.optional().meta({ description: 'Start of the time range of its profiles' }),
  to: nano.optional().meta({ description: 'End of the time range of its profiles' }),
})

export type CaptureInstance = z.infer<typeof captureInstance>
export type CaptureRecord = z.infer<typeof captureRecord>

/** Ended captures, latest first. */
export const captureLog = z.strictObject({ captures: z.array(captureRecord) })
export type CaptureLog = z.infer<typeof captureLog>
