// The spans that the Broker adds to the traces of events, over real streams.
import type { Event, SpanContext } from '@hearth/broker'
import { Category, componentKey, createComponent, createEvent, errorOf } from '@hearth/broker'
import type { Span } from '@hearth/signals'
import { STATUS_CODE } from '@hearth/signals'
import { expect, test } from 'vitest'
import { EventSpans } from './event-spans.ts'
import type { BrokerServer } from '../testing/broker-server.ts'
import { rules } from '../testing/component-stream.ts'
import { openBrokers } from '../testing/open-brokers.ts'

const { start, subscribe } = openBrokers()

const parentSpan: SpanContext = {
  traceId: new Uint8Array(16).fill(1),
  spanId: new Uint8Array(8).fill(2),
  traceState: 'a=b',
  flags: 1,
}

/** Closes the Broker and returns the stored spans and their services. */
async function spansOf({
  broker,
  kept,
}: BrokerServer): Promise<{ readonly services: unknown[]; readonly spans: Span[] }> {
  await broker.close(2000)
  const all = kept.requests.flatMap(({ payload }) => (payload.signal === 'traces' ? payload.traces.resourceSpans : []))
  const services = all.map(({ resource }) => resource?.attributes.find(({ key }) => key === 'service.name')?.value)
  return { services, spans: all.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)) }
}

const attribute = ({ attributes }: Span, name: string): unknown => attributes.find(({ key }) => key === name)?.value

test('events with a sampled parent span leave child spans and keep their parent', async () => {
  const server = await start()
  const target = await subscribe(server, { component: { app: 'shop' }, definition: rules('!All()', 'Type(`x`)') })
  const from = await subscribe(server, { component: { name: 'requester' } })
  const pending = from.request({ type: 'x', parentSpan })
  const { event } = await target.next()
  expect(event?.parentSpan).toEqual(parentSpan)
  target.respond(event)
  expect((await pending).parentSpan).toEqual(parentSpan)
  // A rejected event leaves a span, too. An event that is not sampled or has an incomplete parent leaves none.
  expect(errorOf(await from.request({ type: 'y', parentSpan }))?.kind).toBe('routeNotFound')
  const others: Partial<Event>[] = [
    {},
    { parentSpan: { ...parentSpan, flags: 2 } },
    { parentSpan: { ...parentSpan, spanId: new Uint8Array(0) } },
  ]
  for (const parts of others) await from.request({ type: 'y', ...parts })
  // Telemetry and requests to the Broker itself leave no spans.
  from.send({ category: Category.MESSAGE, type: 'io.kubefox.telemetry', parentSpan })
  await from.request({ type: 'profiling.components', target: createComponent({ type: 'Broker' }) })

  const { services, spans } = await spansOf(server)
  expect(new Set(services)).toEqual(new Set(['hearth']))
  const requester = 'Route REQUEST from requester-abcdef0'
  expect(spans.map(({ name }) => name)).toEqual([
    requester,
    `Send REQUEST to ${componentKey({ ...target.component })}`,
    'Route RESPONSE from shop-checkout-abcdef0',
    `Send RESPONSE to ${componentKey(from.component)}`,
    requester,
  ])
  for (const { traceId, traceState, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect([traceId, traceState]).toEqual([parentSpan.traceId, 'a=b'])
    expect(endTimeUnixNano).toBeGreaterThanOrEqual(startTimeUnixNano)
    expect(Math.abs(Number(endTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(60_000)
  }
  const [route, send, response, , refused] = spans
  expect([route, response, refused].map(({ parentSpanId }) => parentSpanId)).toEqual(Array(3).fill(parentSpan.spanId))
  expect(send.parentSpanId).toEqual(route.spanId)
  expect(attribute(send, 'kubefox.event.id')).toBe(event?.id)
  expect(attribute(send, 'kubefox.event.source.name')).toBe('requester')
  expect(attribute(send, 'kubefox.event.target.app')).toBe('shop')
  expect(attribute(send, 'kubefox.event.context.platform')).toBe('default')
  expect(attribute(send, 'kubefox.route.id')).toBe(1n)
  expect(refused.status?.code).toBe(STATUS_CODE.values.STATUS_CODE_ERROR)
  expect(refused.events.map(({ name, attributes }) => [name, attributes[0].value])).toEqual([
    ['exception', 'route-not-found'],
  ])
})

test('a flood of events does not cause a flood of spans', async () => {
  const server = await start({ limits: { queueLength: 5000 } })
  const target = await subscribe(server, { definition: rules('All()') })
  let seen = 0
  target.onEvent = () => seen++
  const from = await subscribe(server, { component: { name: 'requester' } })
  const started = performance.now()
  for (let n = 0; n < 3000; n++) from.send({ category: Category.MESSAGE, type: 'x', parentSpan })
  await expect.poll(() => seen).toBe(3000)
  const seconds = Math.floor((performance.now() - started) / 1000)
  const { spans } = await spansOf(server)
  expect(spans.length).toBeGreaterThan(0)
  // At most 1000 of 6000 per second. The last event adds two.
  expect(spans.length).toBeLessThanOrEqual(1001 * (2 + seconds))
})

test('EventSpans keeps at most a thousand spans per flush', () => {
  const kept: Span[] = []
  const eventSpans = new EventSpans((_tenant, spans) => void kept.push(...spans))
  for (let n = 0; n < 3000; n++) eventSpans.open('default', createEvent({ parentSpan }), performance.now())?.end()
  eventSpans.flush()
  expect(kept).toHaveLength(1000)
})
