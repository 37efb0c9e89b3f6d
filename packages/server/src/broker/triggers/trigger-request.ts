// The capture that a trigger asks for: of what ran in the very span where the process still has it, else of what runs next.
import type { CaptureRequest } from '../captures/capture-request.ts'
import { instanceOf } from '../captures/pick-instances.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { TelemetryItem } from './telemetry-item.ts'
import { spanOf, timeOf } from './telemetry-item.ts'
import type { Trigger } from './trigger.ts'

/** The attribute by which a component says for how many seconds it can look back. */
export const LOOK_BACK_SECONDS = 'profiling.look_back.seconds'
/** What is recorded sample by sample: of heaps there is only a now. */
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

/** The time of the span; of what has no length, the time before it. Undefined where the process no longer has it. */
function rangeOf(trigger: Trigger, item: TelemetryItem, live: LiveComponent, now: bigint): CaptureRequest['lookBack'] {
  const reach = Number(live.attributes[LOOK_BACK_SECONDS] ?? 0)
  if (!(reach > 0)) return undefined
  const oldest = now - BigInt(Math.round(reach * 1000)) * MILLISECOND
  const end = timeOf(item)
  const start = item.kind === 'span' ? item.span.startTimeUnixNano : end - BigInt(trigger.durationMs) * MILLISECOND
  // The clocks of two machines differ: what ends a moment from now has ended.
  if (end <= oldest || end === 0n) return undefined
  const from = start < oldest ? oldest : start
  return { from, until: end > from ? end : from + MILLISECOND }
}

function hex(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}
