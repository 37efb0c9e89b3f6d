// Sends a request that waits for others on its event loop: POST /orders takes 2.45 s, of which four searches block it for 2.3 s.
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'

const MS = 1_000_000n
/** A sample every 10 ms. */
const PERIOD = 10n * MS

export const LEDGER_TRACE = '5ea4c4e0'.repeat(4)
const ORDER = '0'.repeat(15)

interface MadeSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  /** Milliseconds since the start of the request. */
  readonly from: number
  readonly to: number
}

const SEARCHES = [0, 1, 2, 3].map((i): MadeSpan => ({
  traceId: `5ea4c4e${i + 1}`.repeat(4),
  spanId: `5ea4c4e${i + 1}`.repeat(2),
  name: 'GET /search',
  kind: 2,
  from: 4 + 3 * i,
  to: 30 + 575 * (i + 1),
}))
const STOREFRONT: readonly MadeSpan[] = [
  { traceId: LEDGER_TRACE, spanId: `${ORDER}1`, name: 'POST /orders', kind: 2, from: 0, to: 2450 },
  {
    traceId: LEDGER_TRACE,
    spanId: `${ORDER}2`,
    parentSpanId: `${ORDER}1`,
    name: 'check stock',
    kind: 1,
    from: 10,
    to: 2342,
  },
  {
    traceId: LEDGER_TRACE,
    spanId: `${ORDER}3`,
    parentSpanId: `${ORDER}1`,
    name: 'POST',
    kind: 3,
    from: 2344,
    to: 2446,
  },
  ...SEARCHES,
]
const CHECKOUT: readonly MadeSpan[] = [
  {
    traceId: LEDGER_TRACE,
    spanId: `${ORDER}4`,
    parentSpanId: `${ORDER}3`,
    name: 'POST /orders',
    kind: 2,
    from: 2346,
    to: 2444,
  },
  { traceId: LEDGER_TRACE, spanId: `${ORDER}5`, parentSpanId: `${ORDER}4`, name: 'pay', kind: 1, from: 2350, to: 2440 },
]

/** `otlp` is the address of OTLP over HTTP. */
export async function sendLedger(otlp: string): Promise<void> {
  const start = BigInt(Date.now() - 20_000) * MS
  await send(
    `${otlp}/v1/traces`,
    JSON.stringify({ resourceSpans: [spansOf('storefront', STOREFRONT, start), spansOf('checkout', CHECKOUT, start)] }),
    'application/json',
  )
  for (const profiles of [storefront(start), checkout(start)])
    await send(`${otlp}/v1development/profiles`, encodeOtlp(profiles), 'application/x-protobuf')
}

async function send(url: string, body: string | Uint8Array, type: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: Buffer.from(body), headers: { 'content-type': type } })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}

function spansOf(service: string, spans: readonly MadeSpan[], start: bigint): object {
  return {
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [
      {
        spans: spans.map(({ from, to, ...span }) => ({
          ...span,
          startTimeUnixNano: String(start + BigInt(from) * MS),
          endTimeUnixNano: String(start + BigInt(to) * MS),
        })),
      },
    ],
  }
}

/** The code that ran at a millisecond of the request: its stack, root first, and its span. */
type Moment = readonly [stack: readonly string[], span?: MadeSpan]

const HTTP = ['(anonymous) server.ts', 'emit events.ts', 'handleRequest storefront.ts'] as const
const IDLE: Moment = [['(idle)']]

function storefront(start: bigint): ReturnType<ProfilesBuilder['build']> {
  const inner = [
    'editDistance distance.ts',
    'editDistance distance.ts',
    'editDistance distance.ts',
    'editDistance distance.ts',
    'normalise text.ts',
    'score rank.ts',
  ]
  return profilesOf('storefront', start, at => {
    if (at <= 10) return [[...HTTP, 'placeOrder orders.ts'], STOREFRONT[0]]
    if (at <= 2330) {
      const search = SEARCHES[Math.min(3, Math.floor((at - 30) / 575))] ?? SEARCHES[0]
      return [[...HTTP, 'search search.ts', 'rankProducts rank.ts', inner[(at / 10) % inner.length]], search]
    }
    if (at <= 2340) return [[...HTTP, 'placeOrder orders.ts', 'checkStock stock.ts'], STOREFRONT[1]]
    return IDLE
  })
}

function checkout(start: bigint): ReturnType<ProfilesBuilder['build']> {
  return profilesOf('checkout', start, at =>
    at > 2350 && at <= 2420
      ? [['(anonymous) server.ts', 'pay pay.ts', at % 30 === 0 ? 'encode pay.ts' : 'signPayment sign.ts'], CHECKOUT[1]]
      : IDLE,
  )
}

/** Wall and CPU samples of an event loop, and one garbage collection of the storefront. */
function profilesOf(
  service: string,
  start: bigint,
  momentAt: (millis: number) => Moment,
): ReturnType<ProfilesBuilder['build']> {
  const b = new ProfilesBuilder()
  b.resource({ attributes: [{ key: 'service.name', value: service }] })
  b.scope({ name: '@hearth/agent' })
  const stackOf = (names: readonly string[]) =>
    b.stack(
      names.toReversed().map(each => {
        const [name, filename = ''] = each.split(/ (?=\S+\.ts$)/)
        const type = b.attribute('profile.frame.type', 'v8js')
        return b.location({ lines: [{ function: b.function({ name, filename }), line: 1 }], attributes: [type] })
      }),
    )
  const attributes = [b.attribute('thread.id', 1n), b.attribute('thread.name', 'main')]
  const time = { timeUnixNano: start - 100n * MS, durationNano: 3000n * MS }
  for (const type of ['cpu', 'wall']) {
    b.profile({ type, unit: 'nanoseconds', periodType: type, periodUnit: 'nanoseconds', period: PERIOD, ...time })
    for (let at = 0; at <= 2500; at += 10) {
      const [names, span] = momentAt(at)
      if (type === 'cpu' && names[0] === '(idle)') continue
      const link = span && { link: b.link(Buffer.from(span.traceId, 'hex'), Buffer.from(span.spanId, 'hex')) }
      b.sample({ stack: stackOf(names), attributes, ...link, timestamps: [start + BigInt(at) * MS], values: [PERIOD] })
    }
  }
  b.profile({ type: 'gc', unit: 'nanoseconds', periodType: 'gc', periodUnit: 'nanoseconds', period: 1, ...time })
  b.sample({
    stack: stackOf(['(garbage collector)']),
    attributes,
    timestamps: [start + 1100n * MS],
    values: [24n * MS],
  })
  return b.build()
}
