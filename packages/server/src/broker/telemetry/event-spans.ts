// The Broker's spans. For each event with a sampled parent span there is a span `Route …` from arrival to delivery. Its child
// `Send …` starts when the target is known. A rejected event has an exception instead. The event keeps its original parent
// span, so that the receiver's spans are children of the requester's span.
import { randomBytes } from 'node:crypto'
import type { BrokerError, Component, Event, SpanContext } from '@hearth/broker'
import { componentKey, groupKey } from '@hearth/broker'
import type { KeyValue } from '@hearth/profile'
import type { Span } from '@hearth/signals'
import { SPAN, SPAN_KIND, STATUS_CODE } from '@hearth/signals'
import { CATEGORY_NAMES } from './event-counter.ts'
import { kindName } from './kind-name.ts'

export const EMPTY_SPAN = Object.fromEntries(
  Object.entries(SPAN.fields).map(([name, field]) => [name, field.initial]),
) as unknown as Span

const SAMPLED = 1
/** Limit per tenant and flush interval, so that a flood of events does not become a flood of spans. */
const MAX_SPANS = 1000
const FLUSH_MS = 1000

export class EventSpans {
  readonly #store: (tenant: string, spans: readonly Span[]) => void
  readonly #ended = new Map<string, Span[]>()
  #timer: NodeJS.Timeout | undefined

  /** `flush` receives the ended spans about once per second. */
  constructor(keep: (tenant: string, spans: readonly Span[]) => void) {
    this.#store = keep
  }

  /** Returns undefined if the trace is not sampled. `since`: when the event arrived. */
  open(tenant: string, event: Event, since: number): EventSpan | undefined {
    const { parentSpan } = event
    if (parentSpan === undefined || !isSampled(parentSpan)) return undefined
    return new EventSpan(parentSpan, event, since, spans => this.#end(tenant, spans))
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const [tenant, spans] of this.#ended) this.#store(tenant, spans)
    this.#ended.clear()
  }

  #end(tenant: string, spans: readonly Span[]): void {
    let ended = this.#ended.get(tenant)
    if (ended === undefined) this.#ended.set(tenant, (ended = []))
    if (ended.length < MAX_SPANS) ended.push(...spans)
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }
}

export class EventSpan {
  readonly #parent: SpanContext
  readonly #since: number
  readonly #onEnd: (spans: readonly Span[]) => void
  #event: Event
  #routeId: bigint | undefined
  #found: number | undefined

  constructor(parent: SpanContext, event: Event, since: number, onEnd: (spans: readonly Span[]) => void) {
    this.#parent = parent
    this.#event = event
    this.#since = since
    this.#onEnd = onEnd
  }

  /** Call when the target is known. */
  found(event: Event, routeId?: bigint): void {
    this.#event = event
    this.#routeId = routeId
    this.#found = performance.now()
  }

  /** Call when the event is sent or has failed. */
  end(error?: BrokerError): void {
    const now = performance.now()
    const { source, target, category } = this.#event
    const what = CATEGORY_NAMES.get(category) ?? 'UNKNOWN'
    const from = source === undefined ? '' : ` from ${groupKey(source)}`
    const route = this.#span(
      `Route ${what}${from}`,
      this.#parent.spanId,
      SPAN_KIND.values.SPAN_KIND_INTERNAL,
      now,
      error,
    )
    const spans = [{ ...route, startTimeUnixNano: unixNano(this.#since) }]
    if (this.#found !== undefined && target !== undefined) {
      const name = `Send ${what} to ${componentKey(target)}`
      const send = this.#span(name, route.spanId, SPAN_KIND.values.SPAN_KIND_PRODUCER, now, error)
      spans.push({ ...send, startTimeUnixNano: unixNano(this.#found) })
    }
    this.#onEnd(spans)
  }

  #span(name: string, parentSpanId: Uint8Array, kind: number, now: number, error: BrokerError | undefined): Span {
    const { traceId, traceState } = this.#parent
    return {
      ...EMPTY_SPAN,
      traceId,
      spanId: new Uint8Array(randomBytes(8)),
      parentSpanId,
      traceState,
      name,
      kind,
      endTimeUnixNano: unixNano(now),
      attributes: attributesOf(this.#event, this.#routeId),
      flags: SAMPLED,
      ...(error === undefined ? {} : failure(error, now)),
    }
  }
}

function isSampled({ traceId, spanId, flags }: SpanContext): boolean {
  return (flags & SAMPLED) !== 0 && traceId.length === 16 && spanId.length === 8
}

function failure(error: BrokerError, now: number): Pick<Span, 'status' | 'events'> {
  const attributes = [
    { key: 'exception.type', value: kindName(error.kind) },
    { key: 'exception.message', value: error.message },
  ]
  const exception = { timeUnixNano: unixNano(now), name: 'exception', attributes, droppedAttributesCount: 0 }
  return { status: { code: STATUS_CODE.values.STATUS_CODE_ERROR, message: error.message }, events: [exception] }
}

/** Attributes with KubeFox's names. Empty values are omitted. */
function attributesOf(event: Event, routeId: bigint | undefined): readonly KeyValue[] {
  const { id, parentId, type, category, ttl, context, source, target } = event
  const texts: readonly (readonly [key: string, value: string])[] = [
    ['id', id],
    ['parent_id', parentId],
    ['type', type],
    ['category', CATEGORY_NAMES.get(category) ?? ''],
    ['context.platform', context?.platform ?? ''],
    ['context.virtual_environment', context?.virtualEnvironment ?? ''],
    ['context.app_deployment', context?.appDeployment ?? ''],
    ['context.release_manifest', context?.releaseManifest ?? ''],
    ...componentTexts('source', source),
    ...componentTexts('target', target),
  ]
  return [
    ...texts.filter(([, value]) => value !== '').map(([key, value]) => ({ key: `kubefox.event.${key}`, value })),
    { key: 'kubefox.event.ttl', value: ttl },
    ...(routeId === undefined ? [] : [{ key: 'kubefox.route.id', value: routeId }]),
  ]
}

function componentTexts(of: string, component: Component | undefined): readonly (readonly [string, string])[] {
  if (component === undefined) return []
  const { type, app, name, hash, id, brokerId } = component
  return Object.entries({ type, app, name, hash, id, broker_id: brokerId }).map(([key, value]) => [
    `${of}.${key}`,
    value,
  ])
}

function unixNano(at: number): bigint {
  return BigInt(Math.round((performance.timeOrigin + at) * 1e6))
}
