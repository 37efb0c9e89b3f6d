// The requests of a soak: the same services, functions and names all the time, at the current time.
import type { Signal } from '../../store/keeper.ts'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'

export interface SoakRequest {
  readonly signal: Signal
  readonly body: Uint8Array
  readonly type: 'application/json' | 'application/x-protobuf'
}

const SIGNALS: readonly Signal[] = ['profiles', 'traces', 'logs', 'metrics']
const SERVICES = 20
const STACKS = 2000
const SAMPLES = 60
const ITEMS = 20

export function soakRequest(n: number): SoakRequest {
  const signal = SIGNALS[n % SIGNALS.length]
  const now = BigInt(Date.now()) * 1_000_000n
  if (signal === 'profiles') return { signal, body: encodeOtlp(profiles(n, now)), type: 'application/x-protobuf' }
  const body = new TextEncoder().encode(JSON.stringify(jsonOf(signal, n, now)))
  return { signal, body, type: 'application/json' }
}

function profiles(n: number, now: bigint): ReturnType<ProfilesBuilder['build']> {
  const b = new ProfilesBuilder()
  b.resource({ attributes: [{ key: 'service.name', value: `service-${n % SERVICES}` }] })
  b.scope({ name: 'soak' })
  b.profile({ type: 'cpu', unit: 'nanoseconds', timeUnixNano: now, durationNano: 10_000_000_000n, period: 10_000_000 })
  const mapping = b.mapping({ filename: 'app' })
  const frame = (i: number): ReturnType<typeof b.location> =>
    b.location({
      mapping,
      lines: [{ function: b.function({ name: `function ${i}`, filename: `${i % 40}.ts` }), line: i }],
    })
  for (let s = 0; s < SAMPLES; s++) {
    const which = (n * 31 + s * 17) % STACKS
    const stack = Array.from({ length: 12 }, (_, depth) => frame(which >> depth))
    b.sample({ stack: b.stack(stack), values: [10_000_000 * (1 + (which % 9))] })
  }
  return b.build()
}

function jsonOf(signal: Exclude<Signal, 'profiles'>, n: number, now: bigint): object {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: `service-${n % SERVICES}` } }] }
  const items = Array.from({ length: ITEMS }, (_, i) => i)
  const time = (i: number): string => String(now + BigInt(i))
  const id = (length: number, i: number): string => (n * ITEMS + i + 1).toString(16).padStart(length, '0')
  const scope = { name: 'soak' }
  if (signal === 'traces') {
    const spans = items.map(i => ({
      traceId: id(32, 0),
      spanId: id(16, i),
      ...(i === 0 ? {} : { parentSpanId: id(16, 0) }),
      name: `operation ${i}`,
      startTimeUnixNano: time(i),
      endTimeUnixNano: time(i + 1_000_000),
    }))
    return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }
  }
  if (signal === 'logs') {
    const logRecords = items.map(i => ({ timeUnixNano: time(i), body: { stringValue: `request ${n} has line ${i}` } }))
    return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] }
  }
  const metrics = items.map(i => ({
    name: `metric.${i}`,
    gauge: { dataPoints: [{ timeUnixNano: time(i), asInt: String(n % 100) }] },
  }))
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] }
}
