// Metrics of every kind of an imaginary shop, one point per minute, with exemplars of one trace.

const MINUTE = 60_000_000_000n

export interface ShopMetricsOptions {
  /** Nanoseconds since 1970. */
  readonly until: bigint
  readonly minutes: number
}

/** The IDs of the trace and span of the exemplars, in hex. */
export const TRACE_ID = '5b8efff798038103d269b633813fc60c'
export const SPAN_ID = 'eee19b7ec3c1b174'

const ROUTES = ['/cart', '/order'] as const
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** The metrics as OTLP JSON. */
function shopMetrics({ until, minutes }: ShopMetricsOptions): object {
  const times = Array.from({ length: minutes }, (_, i) => until - BigInt(minutes - 1 - i) * MINUTE)
  const start = String(times[0] - MINUTE)
  const each = (make: (route: string, i: number, time: string) => object): object[] =>
    ROUTES.flatMap((route, r) =>
      times.map((time, i) => ({
        attributes: [{ key: 'http.route', value: { stringValue: route } }],
        timeUnixNano: String(time),
        ...make(route, i + 3 * r, String(time)),
      })),
    )
  const exemplars = (i: number, time: string, value: number): object =>
    i % 5 === 2 ? { exemplars: [{ timeUnixNano: time, asDouble: value, traceId: TRACE_ID, spanId: SPAN_ID }] } : {}
  const metrics = [
    {
      name: 'http.server.requests',
      description: 'Number of completed requests',
      unit: '{request}',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: each((_, i) => ({ startTimeUnixNano: start, asInt: String(600 * (i + 1) + 40 * (i % 4)) })),
      },
    },
    {
      name: 'process.memory.usage',
      unit: 'By',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: false,
        dataPoints: each((_, i) => ({ startTimeUnixNano: start, asInt: String(200e6 + 1e6 * (i % 9)) })),
      },
    },
    {
      name: 'system.cpu.utilization',
      description: 'CPU utilization',
      unit: '1',
      gauge: { dataPoints: each((_, i) => ({ asDouble: 0.4 + 0.3 * Math.sin(i / 5) })) },
    },
    {
      name: 'http.server.request.duration',
      description: 'Duration of requests',
      unit: 's',
      histogram: {
        aggregationTemporality: 1,
        dataPoints: each((_, i, time) => {
          const counts = [2, 10, 40, 90, 60 + (i % 10) * 5, 25, 8, 3, i % 5 === 2 ? 2 : 0]
          return {
            startTimeUnixNano: String(BigInt(time) - MINUTE),
            explicitBounds: BOUNDS,
            bucketCounts: counts.map(String),
            count: String(counts.reduce((sum, count) => sum + count, 0)),
            sum: 22.5 + (i % 7),
            ...exemplars(i, time, 0.9 + 0.05 * (i % 3)),
          }
        }),
      },
    },
    {
      name: 'db.client.operation.duration',
      unit: 'ms',
      exponentialHistogram: {
        aggregationTemporality: 1,
        dataPoints: each((_, i, time) => ({
          startTimeUnixNano: String(BigInt(time) - MINUTE),
          scale: 1,
          zeroCount: '1',
          positive: { offset: 2, bucketCounts: [3, 9, 22, 30 + (i % 6), 18, 7, 2].map(String) },
          count: String(92 + (i % 6)),
          sum: 700,
          ...exemplars(i, time, 14),
        })),
      },
    },
    {
      name: 'rpc.server.duration',
      unit: 'ms',
      summary: {
        dataPoints: each((_, i) => ({
          startTimeUnixNano: start,
          count: String(100 * (i + 1)),
          sum: 900 * (i + 1),
          quantileValues: [
            { quantile: 0.5, value: 7 + (i % 3) },
            { quantile: 0.99, value: 40 + (i % 11) },
          ],
        })),
      },
    },
  ]
  return {
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] },
        scopeMetrics: [{ scope: { name: 'shop' }, metrics }],
      },
    ],
  }
}

/** The trace of the exemplars, with a single span. */
function shopTrace(time: bigint): object {
  const span = {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    name: 'POST /order',
    kind: 2,
    startTimeUnixNano: String(time),
    endTimeUnixNano: String(time + 950_000_000n),
  }
  return {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] },
        scopeSpans: [{ scope: { name: 'shop' }, spans: [span] }],
      },
    ],
  }
}

/** Sends the metrics and the trace to the OTLP/HTTP port of a server. */
export async function sendShopMetrics(otlpHttp: string, options: ShopMetricsOptions): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${otlpHttp}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok || text.includes('rejected')) throw new Error(`${response.status}: ${text}`)
  }
  await post('/v1/metrics', shopMetrics(options))
  await post('/v1/traces', shopTrace(options.until - 5n * MINUTE))
}
