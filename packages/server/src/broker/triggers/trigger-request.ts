// The capture request of a trigger. It looks back at the span itself if the process still has its samples, else it records.
import type { CaptureRequest } from '../captures/capture-request.ts'
import { instanceOf } from '../captures/pick-instances.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { TelemetryItem } from './telemetry-item.ts'
import { spanOf, timeOf } from './telemetry-item.ts'
import type { Trigger } from './trigger.ts'

/** The attribute with the number of seconds a component can look back. */
export const LOOK_BACK_SECONDS = 'profiling.look_back.seconds'
/** Profile types recorded sample by sample. A heap profile cannot look back. */
const TIMED = ['cpu', 'wall']
const MILLISECOND = 1_000_000n

export function requestFor(trigger: Trigger, item: TelemetryItem, live: LiveComponent, now: bigint): CaptureRequest {
  const { traceId, spanId } = spanOf(item)
  const parent =
    traceId.length === 16 && spanId.length === 8 ? { traceId: hex(traceId), spanId: hex(spanId) } : undefined
  const lookBack = trigger.lookBack && TIMED.includes(trigger.type) ? rangeOf(trigger, item, live, now) : undefined
  return {
    service: item.origin.service,
    instance: instanceOf(live),
    all: false,
    type: trigger.type,
    durationMs: trigger.durationMs,
    reason: `trigger ${trigger.name}`,
    ...(trigger.frequencyHz === undefined ? {} : { frequencyHz: trigger.frequencyHz }),
    ...(lookBack === undefined ? {} : { lookBack }),
    ...(parent === undefined ? {} : { parent, ...(trigger.spanOnly ? parent : {}) }),
  }
}

/** The time range of a span, or the time before an item without a duration. Undefined if the process no longer has it. */
function rangeOf(trigger: Trigger, item: TelemetryItem, live: LiveComponent, now: bigint): CaptureRequest['lookBack'] {
  const reach = Number(live.attributes[LOOK_BACK_SECONDS] ?? 0)
  if (!(reach > 0)) return undefined
  const oldest = now - BigInt(Math.round(reach * 1000)) * MILLISECOND
  const end = timeOf(item)
  const start = item.kind === 'span' ? item.span.startTimeUnixNano : end - BigInt(trigger.durationMs) * MILLISECOND
  // Clocks differ between machines, so an end in the near future counts as past.
  if (end <= oldest || end === 0n) return undefined
  const from = start < oldest ? oldest : start
  return { from, until: end > from ? end : from + MILLISECOND }
}

function hex(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}
