// Traces of an imaginary shop through two services, with linked profiles and logs. One request in ten is slow, and its profile
// shows why. Some fail. The clock of the payment service is two seconds ahead.
import { ProfilesBuilder, writeOtlp } from '@hearth/profile'

const MS = 1_000_000n
const SECOND = 1000n * MS
/** The sampling period: 100 samples per second. */
const PERIOD = 10n * MS
/** The clock skew of the payment service. */
const AHEAD = 2n * SECOND

export interface ShopRequest {
  /** Starts at 0. */
  readonly number: number
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly isSlow: boolean
  readonly isBroken: boolean
}

export interface ShopSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly service: 'storefront' | 'payments'
  readonly name: string
  readonly kind: number
  readonly start: bigint
  /** 0 for a span without an end. */
  readonly end: bigint
  readonly message: string
  readonly events: readonly { readonly name: string; readonly time: bigint }[]
  /** The stack of its samples, root first. Empty if the span only waited. */
  readonly frames: readonly string[]
}

export const SLOW_FUNCTION = 'rankProducts'
/** The ID of a profile of the storefront, in hex. The logs of failed requests name it. */
export const NAMED_PROFILE = 'feedfacecafebeef0123456789abcdef'
/** The request with a span that names its thread and has no linked samples. */
export const LOOSE_REQUEST = 3
/** The request whose last span has no end. */
export const OPEN_REQUEST = 5

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

export function traceIdOf(number: number): string {
  return hex(0xabc000 + number, 32)
}

export function spanIdOf(number: number, part: number): string {
  return hex(0x1000 + number * 16 + part, 16)
}

/** Returns one request per half minute. */
export function shopRequests(until: bigint, count = 60): readonly ShopRequest[] {
  return Array.from({ length: count }, (_, number) => ({
    number,
    start: until - BigInt(count - number) * 30n * SECOND,
    isSlow: number % 10 === 7,
    isBroken: number % 12 === 11,
  }))
}

export function spansOf({ number, start, isSlow, isBroken }: ShopRequest): readonly ShopSpan[] {
  const traceId = traceIdOf(number)
  const ms = (count: number): bigint => BigInt(count) * MS
  const ranking = isSlow ? 500 + number * 3 : 20
  const paying = start + ms(10 + ranking)
  const span = (
    part: number,
    parent: number,
    given: Partial<ShopSpan> & Pick<ShopSpan, 'name' | 'start' | 'end'>,
  ): ShopSpan => ({
    traceId,
    spanId: spanIdOf(number, part),
    parentSpanId: parent === -1 ? '' : spanIdOf(number, parent),
    service: 'storefront',
    kind: 1,
    message: '',
    events: [],
    frames: [],
    ...given,
  })
  const end = paying + ms(60)
  return [
    span(0, -1, {
      name: 'POST /orders',
      kind: 2,
      start,
      end,
      message: isBroken ? 'payment refused' : '',
      events: [{ name: 'order read', time: start + ms(5) }],
      frames: ['serve', 'handleOrder', 'readBody'],
    }),
    span(1, 0, {
      name: 'rank products',
      start: start + ms(10),
      end: start + ms(10 + ranking),
      frames: ['serve', 'handleOrder', ...(isSlow ? [SLOW_FUNCTION, 'editDistance'] : ['readRanking'])],
    }),
    span(2, 0, { name: 'POST payments', kind: 3, start: paying, end: paying + ms(50) }),
    span(3, 2, {
      name: 'charge card',
      service: 'payments',
      kind: 2,
      start: paying + ms(5) + AHEAD,
      end: paying + ms(45) + AHEAD,
      message: isBroken ? 'card expired' : '',
      frames: ['serve', 'charge', 'sign'],
    }),
    span(4, 3, {
      name: 'SELECT cards',
      service: 'payments',
      kind: 3,
      start: paying + ms(10) + AHEAD,
      end: number === OPEN_REQUEST ? 0n : paying + ms(30) + AHEAD,
    }),
  ]
}

type AttributeJson = { readonly key: string; readonly value: object }

function attribute(key: string, value: string | number): AttributeJson {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } }
}

function resourceOf(service: string): object {
  return { attributes: [attribute('service.name', service), attribute('host.name', `${service}-1`)] }
}

/** The spans as OTLP JSON. */
export function tracesJson(spans: readonly ShopSpan[]): object {
  const services = [...new Set(spans.map(({ service }) => service))]
  return {
    resourceSpans: services.map(service => ({
      resource: resourceOf(service),
      scopeSpans: [
        {
          scope: { name: 'shop' },
          spans: spans
            .filter(span => span.service === service)
            .map(({ traceId, spanId, parentSpanId, name, kind, start, end, message, events, frames }) => ({
              traceId,
              spanId,
              parentSpanId,
              name,
              kind,
              startTimeUnixNano: String(start),
              endTimeUnixNano: String(end),
              attributes: [
                attribute('thread.id', 1),
                attribute('user.name', `user ${Number.parseInt(traceId, 16) % 7}`),
              ],
              events: events.map(event => ({ name: event.name, timeUnixNano: String(event.time), attributes: [] })),
              status: message === '' ? {} : { code: 2, message },
              ...(frames.length === 0 ? {} : sentDetails(parentSpanId)),
            })),
        },
      ],
    })),
  }
}

/** Fields that senders seldom set: trace state, flags, dropped counts and a link. */
function sentDetails(parentSpanId: string): object {
  return {
    traceState: 'shop=1',
    flags: parentSpanId === '' ? 0x301 : 0x101,
    droppedAttributesCount: 3,
    droppedEventsCount: 2,
    links: [
      {
        traceId: 'c'.repeat(32),
        spanId: 'd'.repeat(16),
        traceState: 'cart=2',
        flags: 1,
        droppedAttributesCount: 4,
      },
    ],
  }
}

export function logsJson(requests: readonly ShopRequest[]): object {
  const records = requests.flatMap(request => {
    const [root] = spansOf(request)
    const record = (
      time: bigint,
      severityNumber: number,
      text: string,
      more: readonly AttributeJson[] = [],
    ): object => ({
      timeUnixNano: String(time),
      severityNumber,
      body: { stringValue: text },
      attributes: [attribute('order.id', request.number), attribute('thread.id', 1), ...more],
      traceId: root.traceId,
      spanId: root.spanId,
      flags: 1,
      droppedAttributesCount: 5,
    })
    return [
      record(root.start + MS, 9, `order ${request.number} received`),
      ...(request.isSlow ? [record(root.end, 13, `order ${request.number} took long`)] : []),
      ...(request.isBroken
        ? [record(root.end, 17, `order ${request.number}: payment refused`, [attribute('profile_id', NAMED_PROFILE)])]
        : []),
    ]
  })
  return {
    resourceLogs: [
      { resource: resourceOf('storefront'), scopeLogs: [{ scope: { name: 'shop' }, logRecords: records }] },
    ],
  }
}

/** Returns a payload for each service, with CPU and wall time of all requests and a timestamp per sample. */
export function profilesOf(requests: readonly ShopRequest[]): Uint8Array[] {
  return (['storefront', 'payments'] as const).map(service => {
    const builder = new ProfilesBuilder()
    builder.resource({
      attributes: [
        { key: 'service.name', value: service },
        { key: 'host.name', value: `${service}-1` },
      ],
    })
    builder.scope({ name: 'shop-profiler', version: '1' })
    for (const request of requests) {
      for (const type of ['cpu', 'wall'] as const) addProfile(builder, request, service, type)
    }
    return writeOtlp(builder.build()).bytes
  })
}

function addProfile(
  builder: ProfilesBuilder,
  request: ShopRequest,
  service: ShopSpan['service'],
  type: 'cpu' | 'wall',
): void {
  const id = Uint8Array.from(Buffer.from(NAMED_PROFILE, 'hex'))
  const isNamed = request.number === 11 && type === 'cpu' && service === 'storefront'
  builder.profile({
    type,
    unit: 'ns',
    periodType: type,
    periodUnit: 'ns',
    period: PERIOD,
    timeUnixNano: request.start - SECOND,
    durationNano: 10n * SECOND,
    ...(isNamed ? { id } : {}),
  })
  const thread = [builder.attribute('thread.id', 1n), builder.attribute('thread.name', 'main')]
  for (const span of spansOf(request)) {
    if (span.service !== service || span.end === 0n) continue
    // A span that only waits has wall-clock samples only.
    const frames = span.frames.length === 0 ? ['serve', 'await', span.name] : span.frames
    if (type === 'cpu' && span.frames.length === 0) continue
    const locations = frames.map(name =>
      builder.location({ lines: [{ function: builder.function({ name, filename: `/shop/${service}.ts` }), line: 7 }] }),
    )
    const isLoose = request.number === LOOSE_REQUEST && span.name === 'rank products'
    const until = span.name === 'POST /orders' ? span.start + 10n * MS : span.end
    const times: bigint[] = []
    for (let time = span.start + MS; time < until; time += PERIOD) times.push(time)
    builder.sample({
      stack: builder.stack(locations.toReversed()),
      values: times.map(() => PERIOD),
      timestamps: times,
      ...(isLoose ? {} : { link: builder.link(bytesOf(span.traceId), bytesOf(span.spanId)) }),
      attributes: thread,
    })
  }
}

function bytesOf(id: string): Uint8Array {
  return Uint8Array.from(Buffer.from(id, 'hex'))
}

/** Returns a trace of `count` spans: a root with many children, each of which has as many children. */
export function largeTrace(traceId: string, count: number, start: bigint): readonly ShopSpan[] {
  const wide = Math.ceil(Math.sqrt(count))
  return Array.from({ length: count }, (_, i): ShopSpan => {
    const group = Math.floor((i - 1) / wide)
    const isTop = i > 0 && (i - 1) % wide === 0
    const at = start + BigInt(i) * 10_000n
    return {
      traceId,
      spanId: hex(i + 1, 16),
      parentSpanId: i === 0 ? '' : isTop ? hex(1, 16) : hex(group * wide + 2, 16),
      service: group % 2 === 0 ? 'storefront' : 'payments',
      name: i === 0 ? 'import everything' : isTop ? `batch ${group}` : `row ${i}`,
      kind: 1,
      start: at,
      end: i === 0 ? start + BigInt(count) * 10_000n : isTop ? at + BigInt(wide) * 10_000n : at + 9000n,
      message: '',
      events: [],
      frames: [],
    }
  })
}
