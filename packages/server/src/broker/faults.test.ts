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
  const asked = [1, 2, 3].map(() => from.request({ target: to('target') }))
  for (let n = 0; n < asked.length; n++) await target.next()
  target.send({ category: Category.REQUEST, type: 'profiling.capture', target: to('other') })
  await other.next()
  target.destroy()
  for (const answer of await Promise.all(asked)) {
    expect(kindOf(answer)).toBe('componentGone')
    expect(errorOf(answer)?.message).toContain(`target ${target.component.id} is gone`)
  }
  expect((await other.next()).event?.type).toBe('profiling.capture.cancel')
  expect(server.broker.state()).toMatchObject({ inFlight: 0, components: 2 })
})

test('a slow reader gets busy errors and dropped messages without affecting others', async () => {
  const server = await start({ limits: { queueLength: 8, memoryBytes: 2 ** 24 } })
  const slow = await subscribe(server, 'slow', acceptsAll)
  const quick = await subscribe(server, 'quick', acceptsAll)
  quick.echo()
  slow.stream.pause()
  const from = await subscribe(server, 'requester')
  const content = Buffer.alloc(64 * 1024)
  const busy = async (): Promise<boolean> => {
    from.send({ category: Category.MESSAGE, type: 'x', target: to('slow'), content })
    await from.request({ target: to('quick') })
    return count(server, 'MESSAGE', 'busy') > 0
  }
  let sent = 1
  while (!(await busy())) sent++
  const refused = await from.request({ target: to('slow'), content })
  expect(kindOf(refused)).toBe('busy')
  expect(errorOf(refused)?.retryAfterMs).toBeGreaterThan(0)
  const live = await server.broker.components('default')
  expect(live.find(({ component }) => component.name === 'slow')?.load.queued).toBe(8)
  expect(server.broker.state().queuedBytes).toBeLessThanOrEqual(2 ** 21)
  // Accepted events arrive in order once it reads again.
  slow.stream.resume()
  const delivered = count(server, 'MESSAGE', 'delivered')
  for (let n = 0; n < delivered; n++) await slow.next()
  expect(sent).toBeGreaterThanOrEqual(delivered)
  await until(() => server.broker.state().queuedBytes === 0)
  slow.echo()
  expect(kindOf(await from.request({ target: to('slow') }))).toBeUndefined()
})

test('a requester that does not read gets a busy error for a response without room', async () => {
  const server = await start({ limits: { memoryBytes: 2 ** 22 } })
  const target = await subscribe(server, 'target', acceptsAll)
  const from = await subscribe(server, 'requester')
  from.stream.pause()
  const content = Buffer.alloc(64 * 1024)
  let asked = 0
  while (count(server, 'REQUEST', 'busy') === 0) {
    from.send({ category: Category.REQUEST, type: 'x', target: to('target') })
    asked++
    target.respond((await target.next()).event, { content })
    await until(() => server.broker.state().inFlight === 0)
  }
  from.stream.resume()
  const kinds: (string | undefined)[] = []
  for (let n = 0; n < asked; n++) kinds.push(kindOf((await from.next()).event as Event))
  expect(kinds.filter(kind => kind === 'busy')).toHaveLength(1)
  expect(kinds.filter(kind => kind === undefined)).toHaveLength(asked - 1)
})

test('a flood is throttled to the rate limit without loss', async () => {
  const server = await start({ limits: { rate: 500, queueLength: 5000 } })
  const target = await subscribe(server, 'target', acceptsAll)
  let seen = 0
  target.onEvent = () => seen++
  const from = await subscribe(server, 'requester')
  const flood = 1200
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
  const asked = from.request({ target: to('target') })
  target.respond((await target.next()).event, { content: Buffer.alloc(20_000) })
  expect(kindOf(await asked)).toBe('contentTooLarge')
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
    { numRuns: 150 },
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
    const asked = from.request({ target: to('target'), createTime })
    const { event } = await target.next()
    expect(event?.createTime).toBe(createTime)
    target.respond(event, { createTime, ttl: 0n })
    expect((await asked).createTime).toBe(createTime)
  }
  // A ttl of centuries is valid, too.
  const asked = from.request({ target: to('target'), ttl: 2n ** 63n - 1n })
  target.respond((await target.next()).event)
  expect(kindOf(await asked)).toBeUndefined()
})

test('the Broker handles two thousand subscriptions over ten connections', async () => {
  const server = await start()
  const clients: Client[] = Array.from({ length: 10 }, () => openClient(server.port))
  const streams: ComponentStream[] = []
  const replicas = 20
  for (let n = 0; n < 100; n++) {
    const one = async (replica: number): Promise<ComponentStream> =>
      ComponentStream.subscribe(server.port, {
        component: { name: `service-${n}`, id: `${n}-${replica}` },
        definition: rules(`Path(\`/service/${n}\`)`),
        client: clients[(n * replicas + replica) % clients.length],
      })
    streams.push(...(await Promise.all(Array.from({ length: replicas }, (_, replica) => one(replica)))))
  }
  expect(server.broker.state().components).toBe(2000)
  for (const stream of streams) stream.echo()
  const from = await subscribe(server, 'requester')
  const asked = streams.map((_, n) => from.request({ values: { path: `/service/${n % 100}` }, ttl: ttlOfMs(100_000) }))
  const sources = (await Promise.all(asked.slice(0, 1000))).map(({ source }) => source?.name)
  expect(sources).toEqual(Array.from({ length: 1000 }, (_, n) => `service-${n % 100}`))
  await Promise.all(asked)
  for (const client of clients) client.close()
  for (const stream of streams) stream.destroy()
  await until(() => server.broker.state().components === 1)
  expect(server.broker.state()).toMatchObject({ inFlight: 0, queuedBytes: 0 })
})
