// The Broker's own part of a trace: for each event whose parent span is sampled, `Route …` from its coming to its being handed
// on, and below it `Send …` from when its target was known. An event that is refused has an exception instead. The event
// itself goes on with the parent that it came with: what its receiver does belongs below the asker's span.
import { randomBytes } from 'node:crypto'
import type { BrokerError, Component, Event, SpanContext } from '@hearth/broker'
import { CATEGORY, componentKey, groupKey } from '@hearth/broker'
import type { KeyValue } from '@hearth/profile'
import type { Span } from '@hearth/signals'
import { SPAN, SPAN_KIND, STATUS_CODE } from '@hearth/signals'
import { kindName } from './kind-name.ts'

export const EMPTY_SPAN = Object.fromEntries(
  Object.entries(SPAN.fields).map(([name, field]) => [name, field.initial]),
) as unknown as Span

const SAMPLED = 1
/** Of a tenant, between two times that they are kept: a flood of events must not be one of spans. */
const MOST_SPANS = 1000
const KEEP_MS = 1000
const CATEGORIES = new Map<number, string>(Object.entries(CATEGORY.values).map(([name, value]) => [value, name]))

export class EventSpans {
  readonly #keep: (tenant: string, spans: readonly Span[]) => void
  readonly #ended = new Map<string, Span[]>()
  #timer: NodeJS.Timeout | undefined

  /** `keep` gets what has ended, about once a second. */
  constructor(keep: (tenant: string, spans: readonly Span[]) => void) {
    this.#keep = keep
  }

  /** Undefined where nobody wants to see it. `since`: when the event came. */
  open(tenant: string, event: Event, since: number): EventSpan | undefined {
    const { parentSpan } = event
    if (parentSpan === undefined || !isSampled(parentSpan)) return undefined
    return new EventSpan(parentSpan, event, since, spans => this.#end(tenant, spans))
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const [tenant, spans] of this.#ended) this.#keep(tenant, spans)
    this.#ended.clear()
  }

  #end(tenant: string, spans: readonly Span[]): void {
    let ended = this.#ended.get(tenant)
    if (ended === undefined) this.#ended.set(tenant, (ended = []))
    if (ended.length < MOST_SPANS) ended.push(...spans)
    this.#timer ??= setTimeout(() => this.flush(), KEEP_MS).unref()
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

  /** Its target is known. */
  found(event: Event, routeId?: bigint): void {
    this.#event = event
    this.#routeId = routeId
    this.#found = performance.now()
  }

  /** It was handed on, or not. */
  end(error?: BrokerError): void {
    const now = performance.now()
    const { source, target, category } = this.#event
    const what = CATEGORIES.get(category) ?? 'UNKNOWN'
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

/** Under the names that KubeFox has for them; what is empty is left out. */
function attributesOf(event: Event, routeId: bigint | undefined): readonly KeyValue[] {
  const { id, parentId, type, category, ttl, context, source, target } = event
  const texts: readonly (readonly [key: string, value: string])[] = [
    ['id', id],
    ['parent_id', parentId],
    ['type', type],
    ['category', CATEGORIES.get(category) ?? ''],
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
