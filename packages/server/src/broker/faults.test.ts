// Components that fail: they vanish, read slowly, send too much, or send garbage. The Broker stays within its limits,
// reports errors to requesters, and keeps serving all others.
import type { Client } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import type { Event } from '@hearth/broker'
import { Category, createComponent, createEvent, errorOf, events, ttlOfMs } from '@hearth/broker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BrokerServer } from './testing/broker-server.ts'
import type { StreamOptions } from './testing/component-stream.ts'
import { ComponentStream, openClient, rules } from './testing/component-stream.ts'
import { openBrokers, until } from './testing/open-brokers.ts'

const brokers = openBrokers()
const { start } = brokers
const subscribe = (server: BrokerServer, name: string, options: StreamOptions = {}): Promise<ComponentStream> =>
  brokers.subscribe(server, { component: { name }, ...options })

const to = (name: string) => createComponent({ type: 'Process', name })
const acceptsAll = { definition: { defaultHandler: true } }
const kindOf = (event: Event) => errorOf(event)?.kind
const count = (server: BrokerServer, category: string, outcome: string): number =>
  server.broker.state().events.find(each => each.category === category && each.outcome === outcome)?.count ?? 0

test('requesters get an error when the responder vanishes, and captures it requested are cancelled', async () => {
  const server = await start()
  const target = await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester')
  const other = await subscribe(server, 'other', acceptsAll)
  const pending = [1, 2, 3].map(() => from.request({ target: to('target') }))
  for (let n = 0; n < pending.length; n++) await target.next()
  target.send({ category: Category.REQUEST, type: 'profiling.capture', target: to('other') })
  await other.next()
  target.destroy()
  for (const response of await Promise.all(pending)) {
    expect(kindOf(response)).toBe('componentGone')
    expect(errorOf(response)?.message).toContain(`target ${target.component.id} is gone`)
  }
  expect((await other.next()).event?.type).toBe('profiling.capture.cancel')
  expect(server.broker.state()).toMatchObject({ inFlight: 0, components: 2 })
})

test('a thousand messages and five hundred requests at once are delivered and answered', async () => {
  const server = await start()
  const target = await subscribe(server, 'target', acceptsAll)
  let seen = 0
  target.onEvent = ({ event }) => {
    if (event?.category === Category.REQUEST) target.respond(event)
    else seen++
  }
  const from = await subscribe(server, 'requester')
  for (let n = 0; n < 1000; n++) from.send({ category: Category.MESSAGE, type: 'x', target: to('target') })
  const pending = Array.from({ length: 500 }, () => from.request({ target: to('target') }))
  const kinds = (await Promise.all(pending)).map(kindOf)
  expect(kinds.filter(kind => kind !== undefined)).toEqual([])
  await until(() => seen === 1000)
})

test('a sender waits for a receiver that does not read, and all events arrive in order later', async () => {
  const server = await start({ limits: { queueLength: 8, memoryBytes: 2 ** 24 } })
  const slow = await subscribe(server, 'slow', acceptsAll)
  const quick = await subscribe(server, 'quick', acceptsAll)
  quick.echo()
  slow.stream.pause()
  const from = await subscribe(server, 'requester')
  const content = Buffer.alloc(64 * 1024)
  const ttl = ttlOfMs(100_000)
  const total = 500
  for (let n = 0; n < total; n++)
    from.send({ category: Category.MESSAGE, type: 'x', target: to('slow'), params: { n }, content, ttl })
  const accepted = (): number => count(server, 'MESSAGE', 'delivered')
  // The Broker reads only so much from the sender: the queue, and some delayed events.
  let before = -1
  await until(() => {
    const now = accepted()
    const isStill = now === before && now >= 16
    before = now
    return isStill
  })
  expect(accepted()).toBeLessThan(total)
  expect(server.broker.state().queuedBytes).toBeLessThanOrEqual(2 ** 22)
  // Other senders are not affected.
  const other = await subscribe(server, 'other')
  expect(kindOf(await other.request({ target: to('quick') }))).toBeUndefined()
  slow.stream.resume()
  for (let n = 0; n < total; n++) expect((await slow.next()).event?.params['n']).toBe(n)
  expect(kindOf(await from.request({ target: to('quick') }))).toBeUndefined()
  await until(() => server.broker.state().queuedBytes === 0)
})

test('a sender learns of events that the receiver did not read within their time to live', async () => {
  const server = await start({ limits: { queueLength: 4 } })
  const slow = await subscribe(server, 'slow', acceptsAll)
  slow.stream.pause()
  const from = await subscribe(server, 'requester')
  const content = Buffer.alloc(500_000)
  const sent = Array.from({ length: 20 }, () =>
    from.send({ category: Category.MESSAGE, type: 'x', target: to('slow'), content, ttl: ttlOfMs(300) }),
  )
  const request = from.request({ target: to('slow'), content, ttl: ttlOfMs(300) })
  const undelivered = await from.next(({ event }) => event?.parentId === sent.at(-1)?.id)
  expect(kindOf(undelivered.event as Event)).toBe('timeout')
  expect(kindOf(await request)).toBe('timeout')
  // The sender is read from again.
  expect(kindOf(await from.request({ target: to('nobody') }))).toBe('componentGone')
  slow.destroy()
  await until(() => server.broker.state().queuedBytes === 0)
})

test('responses wait for a requester that does not read', async () => {
  const server = await start({ limits: { memoryBytes: 2 ** 22 } })
  const target = await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester')
  from.stream.pause()
  const content = Buffer.alloc(64 * 1024)
  target.onEvent = ({ event }) => target.respond(event, { content })
  const ids = Array.from(
    { length: 200 },
    () => from.send({ category: Category.REQUEST, type: 'x', target: to('target'), ttl: ttlOfMs(100_000) }).id,
  )
  await until(() => server.broker.state().queuedBytes > 2 ** 19)
  expect(server.broker.state().queuedBytes).toBeLessThanOrEqual(2 ** 22)
  from.stream.resume()
  for (const id of ids) {
    const { event } = await from.next(matched => matched.event?.parentId === id)
    expect(event?.content.length).toBe(content.length)
  }
})

test('a component that ends its own side still receives its responses', async () => {
  const server = await start()
  const target = await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester', acceptsAll)
  const pending = [1, 2, 3].map(() => from.request({ target: to('target') }))
  const broker = from.request({
    type: 'profiling.components',
    target: createComponent({ type: 'Broker', name: 'hearth' }),
  })
  from.stream.end()
  await until(() => server.broker.state().components === 1)
  const other = await subscribe(server, 'other')
  expect(kindOf(await other.request({ target: to('requester') }))).toBe('componentGone')
  for (let n = 0; n < pending.length; n++) target.respond((await target.next()).event, { content: Buffer.of(n) })
  expect((await Promise.all(pending)).map(kindOf)).toEqual([undefined, undefined, undefined])
  expect(kindOf(await broker)).toBeUndefined()
  expect((await from.ended).code).toBe(status.OK)
  expect(server.broker.state().inFlight).toBe(0)
})

test('an event with a value of no kind fails alone', async () => {
  const server = await start()
  const target = await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester')
  // An entry of `params` with the key k and a Value without a kind.
  const invalid = Buffer.of((11 << 3) | 2, 5, 0x0a, 1, 0x6b, 0x12, 0)
  const write = (stream: ComponentStream, event: Event): void =>
    void stream.stream.write(Buffer.concat([events.encode(event), invalid]))
  const context = { platform: 'default', virtualEnvironment: '', appDeployment: '', releaseManifest: '' }
  const parts = { source: from.component, target: to('target'), ttl: ttlOfMs(10_000), context }
  const request = createEvent({ ...parts, type: 'x', category: Category.REQUEST })
  write(from, request)
  const refused = await from.next(({ event }) => event?.parentId === request.id)
  expect(errorOf(refused.event as Event)).toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('params."k"') as string,
  })
  // An invalid response fails its request, too.
  const pending = from.request({ target: to('target') })
  const { event } = await target.next()
  write(
    target,
    createEvent({
      type: 'x',
      category: Category.RESPONSE,
      parentId: event?.id ?? '',
      source: target.component,
      context,
    }),
  )
  expect(kindOf(await pending)).toBe('invalid')
  target.echo()
  expect(kindOf(await from.request({ target: to('target') }))).toBeUndefined()
  expect(server.errors).toEqual([])
})

test('a flood is throttled to the rate limit without loss', async () => {
  const server = await start({ limits: { rate: 500, queueLength: 5000 } })
  const target = await subscribe(server, 'target', acceptsAll)
  let seen = 0
  target.onEvent = () => seen++
  const from = await subscribe(server, 'requester')
  const flood = 700
  for (let n = 0; n < flood; n++) from.send({ category: Category.MESSAGE, type: 'x', target: to('target') })
  const other = await subscribe(server, 'other')
  // The first second's worth passes at once. While the rest waits, other components are served.
  expect(kindOf(await other.request({ target: to('nobody') }))).toBe('componentGone')
  await until(() => seen === flood)
  expect(count(server, 'MESSAGE', 'delivered')).toBe(flood)
})

test('requests beyond the limit of unanswered ones are rejected', async () => {
  const server = await start({ limits: { queueLength: 5000 } })
  await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester')
  for (let n = 0; n < 1024; n++) from.send({ category: Category.REQUEST, type: 'x', target: to('target') })
  expect(kindOf(await from.request({ target: to('target') }))).toBe('busy')
  expect(server.broker.state().inFlight).toBe(1024)
})

test('an event that is too large is reported to the requester in both directions', async () => {
  const server = await start({ limits: { eventBytes: 10_000 }, maxBody: 100_000 })
  const target = await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester')
  expect(kindOf(await from.request({ target: to('target'), content: Buffer.alloc(20_000) }))).toBe('contentTooLarge')
  const pending = from.request({ target: to('target') })
  target.respond((await target.next()).event, { content: Buffer.alloc(20_000) })
  expect(kindOf(await pending)).toBe('contentTooLarge')
  // Beyond the limit of the port the stream ends, and waiting requesters get an error.
  const waiting = from.request({ target: to('target') })
  target.respond((await target.next()).event, { content: Buffer.alloc(200_000) })
  expect((await target.ended).code).toBe(status.RESOURCE_EXHAUSTED)
  expect(kindOf(await waiting)).toBe('componentGone')
})

test('a frame that is not an event ends only its own stream', async () => {
  const server = await start()
  const from = await subscribe(server, 'requester')
  for (const bytes of [Buffer.of(0x0a, 9), Buffer.alloc(50, 0xff), Buffer.from('hello')]) {
    const stream = await subscribe(server, 'broken')
    stream.stream.write(bytes)
    expect((await stream.ended).code).toBe(status.INVALID_ARGUMENT)
  }
  expect(kindOf(await from.request({}))).toBe('routeNotFound')
  expect(server.errors).toEqual([])
})

test('the Broker survives arbitrary bytes', async () => {
  const server = await start()
  const client = openClient(server.port)
  const stream = async (): Promise<ComponentStream> =>
    ComponentStream.subscribe(server.port, { component: { name: 'fuzz' }, client, ...acceptsAll })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ at: fc.nat(400), value: fc.integer({ min: 0, max: 255 }) }), { minLength: 1, maxLength: 8 }),
      fc.nat(400),
      async (changes, cut) => {
        const broken = await stream()
        const { component, tenant } = broken
        const context = { platform: tenant, virtualEnvironment: '', appDeployment: '', releaseManifest: '' }
        const parts = { source: component, target: component, params: { a: [1, { b: 'c' }] }, context, ttl: 10n ** 10n }
        const bytes = Buffer.from(events.encode(createEvent({ type: 'x', category: Category.REQUEST, ...parts })))
        for (const { at, value } of changes) bytes[at % bytes.length] = value
        broken.stream.write(bytes.subarray(0, bytes.length - (cut % 3)))
        broken.stream.end()
        await broken.ended
      },
    ),
    { numRuns: 50 },
  )
  client.close()
  await until(() => server.broker.state().components === 0)
  expect(server.broker.state()).toMatchObject({ inFlight: 0, queuedBytes: 0 })
  expect(server.errors).toEqual([])
})

test('wrong clocks have no effect', async () => {
  const server = await start()
  const target = await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester')
  for (const createTime of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    const pending = from.request({ target: to('target'), createTime })
    const { event } = await target.next()
    expect(event?.createTime).toBe(createTime)
    target.respond(event, { createTime, ttl: 0n })
    expect((await pending).createTime).toBe(createTime)
  }
  // A ttl of centuries is valid, too.
  const pending = from.request({ target: to('target'), ttl: 2n ** 63n - 1n })
  target.respond((await target.next()).event)
  expect(kindOf(await pending)).toBeUndefined()
})

test('the Broker handles six hundred subscriptions over ten connections', async () => {
  const server = await start()
  const clients: Client[] = Array.from({ length: 10 }, () => openClient(server.port))
  const streams: ComponentStream[] = []
  const services = 30
  const replicas = 20
  for (let n = 0; n < services; n++) {
    const one = async (replica: number): Promise<ComponentStream> =>
      ComponentStream.subscribe(server.port, {
        component: { name: `service-${n}`, id: `${n}-${replica}` },
        definition: rules(`Path(\`/service/${n}\`)`),
        client: clients[(n * replicas + replica) % clients.length],
      })
    streams.push(...(await Promise.all(Array.from({ length: replicas }, (_, replica) => one(replica)))))
  }
  expect(server.broker.state().components).toBe(services * replicas)
  for (const stream of streams) stream.echo()
  const from = await subscribe(server, 'requester')
  const pending = streams.map((_, n) =>
    from.request({ values: { path: `/service/${n % services}` }, ttl: ttlOfMs(100_000) }),
  )
  const sources = (await Promise.all(pending)).map(({ source }) => source?.name)
  expect(sources).toEqual(streams.map((_, n) => `service-${n % services}`))
  for (const client of clients) client.close()
  for (const stream of streams) stream.destroy()
  await until(() => server.broker.state().components === 1)
  expect(server.broker.state()).toMatchObject({ inFlight: 0, queuedBytes: 0 })
})
