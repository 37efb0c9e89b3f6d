// Ten seconds of a service with several threads, for the tests of time views: CPU samples and off-CPU intervals with states,
// CPUs and spans, and the spans, logs and a metric of the same time.
import { ProfilesBuilder, writeOtlp } from '@hearth/profile'

const MS = 1_000_000n
const SECOND = 1000n * MS
const PERIOD = 10n * MS
export const THREADS = ['main', 'worker-1', 'worker-2', 'gc'] as const

export interface ThreadSignals {
  readonly profiles: Uint8Array
  /** OTLP JSON. */
  readonly traces: object
  readonly logs: object
  readonly metrics: object
}

/** Returns ten seconds of signals from `from`, in nanoseconds since 1970. Each second has a request on worker-1 that waits for a lock. */
export function threadSignals(from: bigint): ThreadSignals {
  const builder = new ProfilesBuilder()
  builder.resource({
    attributes: [
      { key: 'service.name', value: 'threads' },
      { key: 'process.pid', value: 7n },
      { key: 'host.name', value: 'host-a' },
    ],
  })
  builder.scope({ name: 'thread-profiler', version: '1' })
  const header = { timeUnixNano: from, durationNano: 10n * SECOND }
  const stackOf = (...names: readonly string[]) =>
    builder.stack(
      names
        .toReversed()
        .map(name =>
          builder.location({ lines: [{ function: builder.function({ name, filename: '/app/main.go' }), line: 7 }] }),
        ),
    )
  const on = (thread: number, state = '', cpu = -1) => [
    builder.attribute('thread.id', BigInt(thread + 1)),
    builder.attribute('thread.name', THREADS[thread]),
    // The workers share a goroutine.
    builder.attribute('go.goroutine.id', thread === 2 ? 101n : BigInt(100 + thread)),
    ...(state === '' ? [] : [builder.attribute('thread.state', state)]),
    ...(cpu < 0 ? [] : [builder.attribute('cpu.logical_number', BigInt(cpu))]),
  ]
  const times = (ms: readonly number[]) => ms.map(each => from + BigInt(each) * MS)
  const link = (second: number) => builder.link(traceId(second), spanId(second))

  builder.profile({ type: 'cpu', unit: 'ns', periodType: 'cpu', periodUnit: 'ns', period: PERIOD, ...header })
  for (let second = 0; second < 10; second++) {
    const request = range(second * 1000, second * 1000 + 300)
    const after = range(second * 1000 + 600, second * 1000 + 800)
    builder.sample({
      stack: stackOf('main', 'serve', 'parse'),
      timestamps: times(request),
      values: request.map(() => PERIOD),
      attributes: on(1, '', 0),
      link: link(second),
    })
    builder.sample({
      stack: stackOf('main', 'serve', second === 4 ? 'slowPrice' : 'price'),
      timestamps: times(after),
      values: after.map(() => PERIOD),
      attributes: on(1, '', 1),
      link: link(second),
    })
  }
  const steady = range(0, 10_000).filter(ms => ms % 40 === 0)
  builder.sample({
    stack: stackOf('main', 'loop'),
    timestamps: times(steady),
    values: steady.map(() => PERIOD),
    attributes: on(0),
  })
  builder.sample({
    stack: stackOf('main', 'index'),
    timestamps: times(range(3000, 7000)),
    values: range(3000, 7000).map(() => PERIOD),
    attributes: on(2),
  })

  builder.profile({ type: 'off_cpu', unit: 'ns', ...header })
  for (let second = 0; second < 10; second++) {
    builder.sample({
      stack: stackOf('main', 'serve', 'lock'),
      timestamps: times([second * 1000 + 300]),
      values: [300n * MS],
      attributes: on(1, 'mutex'),
      link: link(second),
    })
    builder.sample({
      stack: stackOf('main', 'serve', 'accept'),
      timestamps: times([second * 1000 + 800]),
      values: [200n * MS],
      attributes: on(1, 'sleeping'),
    })
  }
  builder.sample({
    stack: stackOf('main', 'index', 'read'),
    timestamps: times([0, 7000]),
    values: [3n * SECOND, 3n * SECOND],
    attributes: on(2, 'disk'),
  })

  builder.profile({ type: 'gc', unit: 'ns', ...header })
  builder.sample({
    stack: stackOf('gcMark'),
    timestamps: times([1500, 4500, 8500]),
    values: [80n * MS, 120n * MS, 60n * MS],
    attributes: on(3),
  })
  return {
    profiles: writeOtlp(builder.build()).bytes,
    traces: tracesOf(from),
    logs: logsOf(from),
    metrics: metricsOf(from),
  }
}

function range(from: number, until: number): number[] {
  return Array.from({ length: (until - from) / 10 }, (_, i) => from + i * 10)
}

function traceId(second: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, k) => (second * 16 + k + 1) & 255)
}

function spanId(second: number): Uint8Array {
  return traceId(second).subarray(0, 8)
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const whole = (key: string, intValue: number) => ({ key, value: { intValue: String(intValue) } })
const resource = {
  attributes: [text('service.name', 'threads'), whole('process.pid', 7), text('host.name', 'host-a')],
}

/** Returns 6,000 spans of 0.1 ms and 3,000 log records, one of them an error, in the sixth second on worker-2. */
export function crowdSignals(from: bigint): Pick<ThreadSignals, 'traces' | 'logs'> {
  const begins = from + 5n * SECOND
  const attributes = [whole('thread.id', 3)]
  const spans = Array.from({ length: 6000 }, (_, k) => {
    const start = begins + (BigInt(k) * SECOND) / 6000n
    return {
      traceId: hex(traceId(5)),
      spanId: (k + 1).toString(16).padStart(16, 'c'),
      name: `step ${k}`,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + MS / 10n),
      attributes,
    }
  })
  const logRecords = Array.from({ length: 3000 }, (_, k) => ({
    timeUnixNano: String(begins + (BigInt(k) * SECOND) / 3000n),
    severityNumber: k === 1503 ? 17 : 9,
    body: { stringValue: `record ${k}` },
    attributes,
  }))
  return {
    traces: { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'steps' }, spans }] }] },
    logs: { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'log' }, logRecords }] }] },
  }
}

function tracesOf(from: bigint): object {
  const spans = Array.from({ length: 10 }, (_, second) => ({
    traceId: hex(traceId(second)),
    spanId: hex(spanId(second)),
    name: `GET /price/${second}`,
    kind: 2,
    startTimeUnixNano: String(from + BigInt(second) * SECOND),
    endTimeUnixNano: String(from + BigInt(second) * SECOND + 800n * MS),
    status: second === 4 ? { code: 2, message: 'too slow' } : {},
  }))
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'http' }, spans }] }] }
}

function logsOf(from: bigint): object {
  const record = (ms: number, severityNumber: number, body: string, thread?: number) => ({
    timeUnixNano: String(from + BigInt(ms) * MS),
    severityNumber,
    body: { stringValue: body },
    attributes: thread === undefined ? [] : [whole('thread.id', thread)],
  })
  const logRecords = [
    record(4310, 17, 'waited too long for the lock', 2),
    record(500, 9, 'ready', 1),
    record(6000, 13, 'no one knows where'),
  ]
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'log' }, logRecords }] }] }
}

function metricsOf(from: bigint): object {
  const dataPoints = Array.from({ length: 10 }, (_, second) => ({
    timeUnixNano: String(from + BigInt(second) * SECOND),
    asDouble: 10 + 5 * Math.sin(second),
  }))
  const metrics = [{ name: 'queue.length', unit: '1', gauge: { dataPoints } }]
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'm' }, metrics }] }] }
}
