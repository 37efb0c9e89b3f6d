// Starts a capture: requests a profile from one or all instances of a service.
import { z } from 'zod'
import type { CaptureRequest } from '../../../broker/captures/capture-request.ts'
import { defineEndpoint } from '../endpoint.ts'
import { TIME, flag, text } from '../request/parameters.ts'
import type { RequestContext } from '../request/request-context.ts'
import { defined } from '../../../query/defined.ts'
import { parseTime } from '../request/times.ts'
import { RequestError } from '../response/request-error.ts'
import { captureSchema } from './capture.ts'
import { hexId, name, required } from './parameters.ts'

const DEFAULT_DURATION_MS = 10_000

const startCaptureRequest = z.strictObject({
  service: required('service.name'),
  environment: name('deployment.environment.name; default: any'),
  instance: name('service.instance.id; default: the instance with the least load'),
  all: flag('Whether to capture all matching instances; default: false'),
  type: name('The profile type, such as cpu, wall or heap; default: cpu'),
  durationMs: z.number().positive().optional().meta({ description: 'The duration; default: 10000' }),
  frequencyHz: z.number().positive().max(10_000).optional().meta({
    description:
      'Samples per second, as far as the instance supports it (the Node agent: 1 to 1000); default: its usual rate. Recorded samples keep their rate',
  }),
  from: text(`Look back instead of recording: from ${TIME}`),
  to: text('The end of the look-back; default: now'),
  traceId: hexId(32, 'Only samples of this trace'),
  spanId: hexId(16, 'Only samples of this span of the trace'),
  labels: z
    .record(z.string().min(1).max(256), z.string().max(1024))
    .refine(labels => Object.keys(labels).length <= 64, 'at most 64 labels')
    .optional()
    .meta({ description: 'Headers that the rules of components match' }),
  reason: name('The reason, shown with the profile'),
  maxBytes: z.int().positive().optional().meta({ description: 'The size limit of the response of each instance' }),
})

export const startCapture = defineEndpoint({
  name: 'startCapture',
  method: 'POST',
  path: '/captures',
  summary:
    'Requests a profile from a service and returns at once; the capture becomes a child of the span in the header `traceparent`',
  scope: 'capture',
  request: startCaptureRequest,
  response: captureSchema,
  status: 202,
  async handle(context, request) {
    const { broker, tenant, caller } = context
    const capture = await broker.captures.start(tenant, captureRequestOf(context, request), caller)
    return capture.record
  },
})

function captureRequestOf(
  { now, parentSpan }: RequestContext,
  request: z.infer<typeof startCaptureRequest>,
): CaptureRequest {
  const { service, environment, instance, all = false, type = 'cpu', durationMs = DEFAULT_DURATION_MS } = request
  const { frequencyHz, from, to, traceId, spanId, labels, reason = 'requested', maxBytes } = request
  if (spanId !== undefined && traceId === undefined) throw new RequestError(400, 'argument', 'spanId requires traceId')
  if (from === undefined && to !== undefined) throw new RequestError(400, 'argument', 'to requires from')
  if (all && instance !== undefined)
    throw new RequestError(400, 'argument', 'all and instance exclude each other; give one of them')
  const until = to === undefined ? now : parseTime(to, now)
  const lookBack = from === undefined ? undefined : { from: parseTime(from, now), until }
  const parent = parentSpan ?? (traceId === undefined || spanId === undefined ? undefined : { traceId, spanId })
  const rest = defined({ environment, instance, frequencyHz, lookBack, traceId, spanId, labels, maxBytes, parent })
  return { service, all, type, durationMs, reason, ...rest }
}
