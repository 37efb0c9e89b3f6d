// The Broker over real streams: subscription, routing, answers.
import { status } from '@grpc/grpc-js'
import type { BrokerErrorKind, Component, Event } from '@hearth/broker'
import { BrokerClient, BrokerError, Category, createComponent, errorOf, errorResponse, ttlOfMs } from '@hearth/broker'
import { describe, expect, test } from 'vitest'
import { makeToken } from '../access/tokens.ts'
import type { LiveComponent } from './components/live-component.ts'
import { startBroker } from './testing/broker-server.ts'
import type { StreamOptions } from './testing/component-stream.ts'
import { ComponentStream, openClient, rules } from './testing/component-stream.ts'
import { openBrokers } from './testing/open-brokers.ts'

const { start, subscribe, open } = openBrokers()

const asker = { component: { name: 'asker' } }
const CONTEXT = { platform: 'default', virtualEnvironment: '', appDeployment: '', releaseManifest: '' }
const SPAN = { traceId: new Uint8Array(16), spanId: new Uint8Array(8), traceState: '', flags: 1 }
const named = (name: string): Component => createComponent({ type: 'Process', name })

function kindOf(event: Event | undefined): BrokerErrorKind | undefined {
  return event === undefined ? undefined : errorOf(event)?.kind
}

describe('subscription', () => {
  test('a component is answered by the broker, and is there with what it said of itself', async () => {
    const server = await start()
    const stream = open(server, {
      component: { app: 'shop' },
      environment: 'eu',
      definition: { ...rules('Type(`x`)', 'All()'), profileTypes: ['cpu'], attributes: { region: 'eu' } },
    })
    stream.register()
    const { event } = await stream.next()
    expect(event).toMatchObject({
      type: 'io.kubefox.register',
      category: Category.RESPONSE,
      source: server.broker.component,
      target: { ...stream.component, brokerId: server.broker.component.id },
    })
    const [live] = await server.broker.components('default')
    expect(live).toMatchObject({
      tenant: 'default',
      component: { ...stream.component, brokerId: server.broker.component.id },
      environment: 'eu',
      profileTypes: ['cpu'],
      attributes: { region: 'eu' },
      routes: [
        { id: 0, rule: 'Type(`x`)', priority: 9 },
        { id: 1, rule: 'All()', priority: 5 },
      ],
      defaultHandler: false,
      load: { queued: 0, inFlight: 0, received: 0, sent: 1, dropped: 0 },
      remote: false,
    } satisfies Partial<LiveComponent>)
    expect(await server.broker.components('other')).toEqual([])
    await stream.close()
    expect(await server.broker.components('default')).toEqual([])
  })

  test.each([
    ['no id', { id: undefined }],
    ['two names', { component: ['a', 'b'] }],
    ['an empty hash', { hash: '' }],
    ['no platform', { platform: undefined }],
    ['no type', { type: undefined }],
    ['a broker among components', { type: 'Broker' }],
    ['a platform that is no name', { platform: '../x' }],
  ])('metadata with %s is refused', async (_, metadata) => {
    const server = await start()
    const stream = open(server, { metadata })
    stream.register()
    expect(await stream.ended).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('component unauthorized') as string,
    })
  })

  test('tokens: components need the scope broker, consoles capture, and each its tenant', async () => {
    const agent = makeToken({ name: 'agent', tenants: ['shop'], scopes: ['broker'] })
    const asker = makeToken({ name: 'asker', tenants: ['shop'], scopes: ['capture'] })
    const server = await start({ tokens: [agent.row, asker.row] })
    const denied = async (options: StreamOptions): Promise<string> => {
      const stream = open(server, options)
      stream.register()
      const { code, details } = await stream.ended
      expect(code).toBe(status.PERMISSION_DENIED)
      return details
    }
    expect(await denied({ tenant: 'shop' })).toContain('valid token')
    expect(await denied({ tenant: 'bank', token: agent.token })).toContain("not for the tenant 'bank'")
    expect(await denied({ tenant: 'shop', token: asker.token })).toContain('no right to broker')
    const console = { component: { type: 'Console', name: 'cli' }, tenant: 'shop', token: asker.token }
    expect(await denied({ ...console, definition: rules('All()') })).toContain('scope broker')
    const process = await subscribe(server, { tenant: 'shop', token: agent.token, definition: rules('All()') })
    process.echo()
    const asks = await subscribe(server, console)
    expect((await asks.ask({ content: Buffer.from('hi') })).content).toEqual(new Uint8Array(Buffer.from('hi')))
    // What a console tells about itself is not kept.
    asks.send({ category: Category.MESSAGE, type: 'io.kubefox.telemetry', target: server.broker.component })
    await asks.ask({})
    expect(server.broker.state().events).toContainEqual({ category: 'MESSAGE', outcome: 'unauthorized', count: 1 })
  })

  test('the first event must come in time, and be a registration', async () => {
    const silent = open(await start({ registerMs: 50 }))
    expect((await silent.ended).code).toBe(status.DEADLINE_EXCEEDED)
    const other = open(await start())
    other.send({ type: 'test', category: Category.REQUEST })
    expect(await other.ended).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('io.kubefox.register') as string,
    })
  })

  test('a definition that is wrong is answered, with the place in the rule, and ends the stream', async () => {
    const server = await start()
    const stream = open(server, { definition: rules('All()', 'Type(`a`) && Nothing()') })
    stream.register()
    const { event } = await stream.next()
    const error = event === undefined ? undefined : errorOf(event)
    expect(error).toMatchObject({ kind: 'routeInvalid', code: { code: 9 } })
    expect(error?.message).toMatch(/^routes\[1\], character 14: .*Nothing/)
    expect((await stream.ended).code).toBe(status.INVALID_ARGUMENT)
    const notJson = open(server)
    notJson.send({ type: 'io.kubefox.register', category: Category.REQUEST, content: Buffer.from('{') })
    expect(kindOf((await notJson.next()).event)).toBe('invalid')
    const text = open(server)
    text.send({ type: 'io.kubefox.register', category: Category.REQUEST, contentType: 'text/html' })
    expect(kindOf((await text.next()).event)).toBe('unknownContentType')
    expect(server.broker.state()).toMatchObject({ components: 0, tenants: 0 })
  })

  test('replicas must handle events alike, unless their hash is another', async () => {
    const server = await start()
    const first = await subscribe(server, { definition: rules('All()') })
    await subscribe(server, { definition: rules('All()') })
    const other = open(server, { definition: rules('Type(`x`)') })
    other.register()
    expect(kindOf((await other.next()).event)).toBe('componentMismatch')
    expect((await other.ended).code).toBe(status.FAILED_PRECONDITION)
    await subscribe(server, { component: { hash: 'other12' }, definition: rules('Type(`x`)') })
    // The same instance anew may be another one, but not beside its old replicas.
    const anew = open(server, { component: first.component, definition: rules('Type(`y`)') })
    anew.register()
    expect(kindOf((await anew.next()).event)).toBe('componentMismatch')
  })

  test('the same component subscribing again takes the place of its old stream', async () => {
    const server = await start()
    const old = await subscribe(server, { definition: rules('Type(`x`)') })
    const anew = await subscribe(server, { component: old.component, definition: rules('All()') })
    expect((await old.ended).code).toBe(status.ABORTED)
    expect(await server.broker.components('default')).toHaveLength(1)
    anew.echo()
    const from = await subscribe(server, asker)
    expect((await from.ask({ content: Buffer.of(1) })).content).toEqual(Uint8Array.of(1))
  })

  test('events of somebody else end the stream', async () => {
    const server = await start()
    for (const forged of [
      { source: createComponent({ name: 'else' }) },
      { source: undefined },
      { context: undefined },
      { context: { platform: 'bank', virtualEnvironment: '', appDeployment: '', releaseManifest: '' } },
    ]) {
      const stream = await subscribe(server)
      stream.send({ type: 'x', category: Category.MESSAGE, ...forged })
      expect((await stream.ended).code).toBe(status.PERMISSION_DENIED)
    }
    expect(server.broker.state().components).toBe(0)
  })

  test('so many of a tenant and no more; a component that comes again is no more', async () => {
    const server = await start({ limits: { subscriptions: 2 } })
    const first = await subscribe(server)
    await subscribe(server)
    const third = open(server)
    third.register()
    expect((await third.ended).code).toBe(status.RESOURCE_EXHAUSTED)
    await subscribe(server, { component: first.component })
    await subscribe(server, { tenant: 'other' })
  })

  test('streams end in order when the server does', async () => {
    const server = await startBroker()
    const client = openClient(server.port)
    // Over one connection, so that the server has seen the one that says nothing.
    const silent = new ComponentStream(server.port, { client })
    const registered = await ComponentStream.subscribe(server.port, { client })
    await server.close()
    expect((await registered.ended).code).toBe(status.UNAVAILABLE)
    expect((await silent.ended).code).toBe(status.UNAVAILABLE)
    client.close()
  })
})

describe('routing', () => {
  test('the highest priority wins; params, path suffix, route, environment and variables come along', async () => {
    const server = await start({ environments: { '*': { eu: { REGION: 'eu', MAX_HZ: 200, SECRET: 's', L: ['a'] } } } })
    const definition = {
      ...rules('PathPrefix(`/profiles`)', 'Method(`GET`) && Path(`/profiles/{type}/{{.Vars.REGION}}`)'),
      envVarSchema: { MAX_HZ: { type: 'Number' as const }, L: {}, NOT_SET: {} },
    }
    const target = await subscribe(server, { environment: 'eu', definition })
    const from = await subscribe(server, asker)
    from.send({
      category: Category.MESSAGE,
      type: 't',
      values: { method: 'get', path: '/profiles/cpu/eu' },
      params: { a: 1 },
    })
    const exact = await target.next()
    expect(exact).toMatchObject({ routeId: 1n, env: { MAX_HZ: 200, L: ['a'] } })
    expect(Object.keys(exact.env)).toEqual(['L', 'MAX_HZ'])
    expect(exact.event).toMatchObject({
      params: { a: 1, type: 'cpu' },
      source: { ...from.component, brokerId: server.broker.component.id },
      target: { ...target.component, brokerId: server.broker.component.id },
      context: { platform: 'default', virtualEnvironment: 'eu' },
    })
    from.send({ category: Category.MESSAGE, type: 't', values: { path: '/profiles/heap' } })
    const prefix = await target.next()
    expect([prefix.routeId, prefix.event?.values['pathSuffix']]).toEqual([0n, '/heap'])
  })

  test('a required variable that is not set, and one of another type, keep a component out', async () => {
    const server = await start({ environments: { default: { eu: { N: 'text' } } } })
    for (const envVarSchema of [{ M: { required: true } }, { N: { type: 'Number' as const } }]) {
      const stream = open(server, { environment: 'eu', definition: { envVarSchema } })
      stream.register()
      expect(kindOf((await stream.next()).event)).toBe('invalid')
    }
    const rule = open(server, { environment: 'eu', definition: rules('Type(`{{.Vars.M}}`)') })
    rule.register()
    expect(kindOf((await rule.next()).event)).toBe('routeInvalid')
  })

  test('an environment keeps to itself where the event names one', async () => {
    const server = await start()
    const eu = await subscribe(server, { environment: 'eu', definition: rules('All()') })
    const us = await subscribe(server, { environment: 'us', definition: rules('All()') })
    for (const each of [eu, us]) each.echo()
    const from = await subscribe(server, { ...asker, environment: 'us' })
    for (let i = 0; i < 3; i++) expect((await from.ask({})).source?.id).toBe(us.component.id)
    const nowhere = await subscribe(server, { ...asker, environment: 'mars' })
    expect(kindOf(await nowhere.ask({}))).toBe('routeNotFound')
  })

  test('a target by name restricts the rules; the default handler takes what none of its rules does', async () => {
    const server = await start()
    const greedy = await subscribe(server, { component: { name: 'greedy' }, definition: rules('All() || All()') })
    greedy.echo()
    const wanted = await subscribe(server, {
      component: { name: 'wanted' },
      definition: { ...rules('Type(`known`)'), defaultHandler: true },
    })
    await subscribe(server, { component: { name: 'deaf' } })
    const from = await subscribe(server, asker)
    const tell = (type: string) => from.send({ category: Category.MESSAGE, type, target: named('wanted') })
    tell('known')
    expect((await wanted.next()).routeId).toBe(0n)
    tell('other')
    expect((await wanted.next()).routeId).toBe(-1n)
    expect(kindOf(await from.ask({ target: named('deaf') }))).toBe('routeNotFound')
    expect(kindOf(await from.ask({ target: named('nobody') }))).toBe('componentGone')
    expect(kindOf(await from.ask({ target: createComponent({ type: 'KubeFox', name: 'wanted' }) }))).toBe(
      'componentGone',
    )
    expect(kindOf(await from.ask({ target: createComponent({ type: 'HTTPAdapter', name: 'web' }) }))).toBe(
      'unsupportedAdapter',
    )
  })

  test('an instance that is named gets it, and no other one', async () => {
    const server = await start()
    const definition = rules('All()')
    const [one, two] = [await subscribe(server, { definition }), await subscribe(server, { definition })]
    for (const each of [one, two]) each.echo()
    const from = await subscribe(server, asker)
    for (let i = 0; i < 4; i++) expect((await from.ask({ target: two.component })).source?.id).toBe(two.component.id)
    expect(kindOf(await from.ask({ target: { ...two.component, hash: 'other' } }))).toBe('componentMismatch')
    expect(kindOf(await from.ask({ target: { ...two.component, brokerId: 'elsewhere' } }))).toBe('componentMismatch')
    const absent = { ...two.component, id: 'x', brokerId: 'elsewhere' }
    expect(kindOf(await from.ask({ target: absent }))).toBe('brokerMismatch')
    await two.close()
    expect(kindOf(await from.ask({ target: two.component }))).toBe('componentGone')
    expect((await from.ask({})).source?.id).toBe(one.component.id)
  })

  test('replicas share the work', async () => {
    const server = await start()
    const replicas = []
    for (let i = 0; i < 4; i++) replicas.push(await subscribe(server, { definition: rules('All()') }))
    const from = await subscribe(server, asker)
    for (let i = 0; i < 8; i++) from.send({ category: Category.REQUEST, type: 'x' })
    await from.ask({ target: named('nobody') })
    const live = await server.broker.components('default')
    expect(live.filter(({ load }) => load.inFlight === 2)).toHaveLength(4)
    // One has answered: it is the next.
    replicas[2].answer((await replicas[2].next()).event)
    await from.next(({ event }) => event?.category === Category.RESPONSE && errorOf(event) === undefined)
    const { id } = from.send({ category: Category.REQUEST, type: 'y' })
    await replicas[2].next(({ event }) => event?.id === id)
  })

  test('events of one sender keep their order', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, asker)
    const sent = Array.from({ length: 300 }, (_, i) => i)
    for (const n of sent) from.send({ category: Category.REQUEST, type: 'x', params: { n } })
    const seen: unknown[] = []
    while (seen.length < sent.length) {
      const { event } = await target.next()
      seen.push(event?.params['n'])
      target.answer(event)
    }
    expect(seen).toEqual(sent)
  })

  test.each<[string, Partial<Event>, BrokerErrorKind]>([
    ['no time left', { ttl: 0n }, 'timeout'],
    ['less than none', { ttl: -5n }, 'timeout'],
    ['no type', { type: '' }, 'invalid'],
    ['a target without a name', { target: createComponent({ id: 'x' }) }, 'invalid'],
    ['a capture that cannot end in time', { type: 'profiling.capture', params: { duration_ms: 9000 } }, 'invalid'],
    ['a duration that is none', { type: 'profiling.capture', params: { duration_ms: 'long' } }, 'invalid'],
    ['a duration without end', { type: 'profiling.capture', params: { duration_ms: Infinity } }, 'invalid'],
    ['a content type that is a book', { contentType: 'a'.repeat(2000) }, 'invalid'],
    ['an environment that is one', { context: { ...CONTEXT, appDeployment: 'a'.repeat(2000) } }, 'invalid'],
    ['a trace id that is none', { parentSpan: { ...SPAN, traceId: new Uint8Array(15) } }, 'invalid'],
    ['nobody to take it', {}, 'routeNotFound'],
    ['something the broker does not do', { target: createComponent({ type: 'Broker' }) }, 'notFound'],
    ['another broker', { target: createComponent({ type: 'Broker', id: 'elsewhere' }) }, 'brokerMismatch'],
  ])('an error is the answer to a request with %s', async (_, parts, kind) => {
    const server = await start()
    const from = await subscribe(server, asker)
    const answer = await from.ask(parts)
    expect(kindOf(answer)).toBe(kind)
    expect(answer).toMatchObject({
      type: 'io.kubefox.error',
      category: Category.RESPONSE,
      source: server.broker.component,
      target: { name: 'asker' },
    })
    expect(server.broker.state().events).toContainEqual({ category: 'REQUEST', outcome: kind, count: 1 })
  })

  test('the broker says who is there, by name, type and labels', async () => {
    const server = await start()
    await subscribe(server, { component: { name: 'a' }, definition: { attributes: { region: 'eu', zone: '1' } } })
    await subscribe(server, { component: { name: 'b' }, definition: { attributes: { region: 'eu' } } })
    const from = await subscribe(server, asker)
    const target = createComponent({ type: 'Broker' })
    const list = async (params: Event['params']): Promise<string[]> => {
      const { content } = await from.ask({ type: 'profiling.components', target, params })
      const live = JSON.parse(Buffer.from(content).toString()) as LiveComponent[]
      return live.map(({ component }) => component.name)
    }
    expect(await list({})).toEqual(['a', 'b', 'asker'])
    expect(await list({ name: 'b' })).toEqual(['b'])
    expect(await list({ labels: { region: 'eu' } })).toEqual(['a', 'b'])
    expect(await list({ labels: { region: 'eu', zone: '1' }, type: 'Process' })).toEqual(['a'])
    expect(kindOf(await from.ask({ type: 'profiling.components', target, params: { labels: 1 } }))).toBe('invalid')
  })
})

test('the client of the protocol takes part: asks, answers, tells, and comes back after its stream was lost', async () => {
  const server = await start()
  const seen: string[] = []
  const states: string[] = []
  const common = { address: `127.0.0.1:${server.port}`, token: '', platform: 'default' }
  const limits = { firstWaitMs: 10 }
  const of = (name: string) => ({ type: 'Process', app: '', name, hash: 'h', id: name })
  const answering = new BrokerClient({
    ...common,
    limits,
    component: of('answering'),
    definition: rules('Path(`/{what}`)'),
    onEvent: ({ event, routeId }) => {
      seen.push(`${event.category} ${routeId} ${JSON.stringify(event.params['what'])}`)
      return { content: event.content }
    },
    onState: ({ kind }) => states.push(kind),
  })
  const asking = new BrokerClient({ ...common, component: of('asking') })
  await expect.poll(() => server.broker.state().components).toBe(2)
  const answer = await asking.request({ type: 'x', values: { path: '/cpu' }, content: Uint8Array.of(7) })
  expect(answer.content).toEqual(Uint8Array.of(7))
  asking.send({ type: 'x', values: { path: '/told' } })
  await expect.poll(() => seen).toEqual([`${Category.REQUEST} 0 "cpu"`, `${Category.MESSAGE} 0 "told"`])
  await expect(asking.request({ type: 'x' })).rejects.toMatchObject({ kind: 'routeNotFound' })
  // Somebody takes its place, and leaves again.
  const other = await subscribe(server, { component: of('answering'), definition: rules('Path(`/{what}`)') })
  await expect.poll(() => states).toContain('waiting')
  await other.ended
  expect((await asking.request({ type: 'x', values: { path: '/heap' } })).content).toHaveLength(0)
  await asking.stop()
  await answering.stop()
  await expect.poll(() => server.broker.state().components).toBe(0)
})

describe('answers', () => {
  test('only the asker gets it, and only from whom it asked', async () => {
    const server = await start()
    const target = await subscribe(server, { component: { name: 'target' }, definition: rules('Type(`x`)') })
    const thief = await subscribe(server, { component: { name: 'thief' } })
    const from = await subscribe(server, asker)
    const asked = from.ask({ type: 'x', target: named('target') })
    const { event } = await target.next()
    thief.answer(event, { content: Buffer.from('forged') })
    await thief.ask({ target: named('nobody') })
    target.answer(event, { content: Buffer.from('real'), target: thief.component })
    expect(Buffer.from((await asked).content).toString()).toBe('real')
    target.answer(event, { content: Buffer.from('again') })
    await target.ask({ target: named('nobody') })
    expect(thief.received).toEqual([])
    expect(from.received).toEqual([])
    expect(server.broker.state().events).toContainEqual({ category: 'RESPONSE', outcome: 'stray', count: 2 })
    expect(server.broker.state().inFlight).toBe(0)
  })

  test('time: what is left goes on, and when it is over the asker is told and the capture called off', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, asker)
    const ttl = ttlOfMs(2100)
    const asked = from.ask({ type: 'profiling.capture', ttl, params: { duration_ms: 100, capture_id: 'c1' } })
    const { event } = await target.next()
    expect(event?.ttl).toBeLessThan(ttl)
    expect(event?.ttl).toBeGreaterThan(0n)
    expect(kindOf(await asked)).toBe('timeout')
    const cancel = await target.next()
    expect(cancel.event).toMatchObject({
      type: 'profiling.capture.cancel',
      category: Category.MESSAGE,
      parentId: event?.id,
      params: { capture_id: 'c1' },
    })
    // What comes late is no answer, but a profile.
    const profiles: string[] = []
    server.broker.onProfile(({ reason, source }) => void profiles.push(`${reason} ${source.component.name}`))
    target.answer(event, errorResponse(event!, target.component, new BrokerError('timeout', 'no time left')))
    target.answer(event)
    await target.ask({ target: named('nobody') })
    expect(profiles).toEqual(['late checkout'])
    expect(from.received).toEqual([])
  })

  test('the ids of requests in flight are used once', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, asker)
    from.send({ category: Category.REQUEST, type: 'x', id: 'same' })
    await target.next()
    expect(kindOf(await from.ask({ id: 'same' }))).toBe('invalid')
  })

  test('the server itself asks, gives up, and is told what went wrong', async () => {
    const server = await start()
    const target = await subscribe(server, { component: { name: 'target' }, definition: rules('Type(`capture`)') })
    const { broker } = server
    const draft = { type: 'profiling.capture', target: named('target'), ttl: ttlOfMs(10_000) }
    const asked = broker.request('default', { ...draft, content: Buffer.from('?') })
    const { event } = await target.next()
    expect(event).toMatchObject({ source: broker.component, context: { platform: 'default' } })
    target.answer(event, { content: Buffer.from('!') })
    expect(Buffer.from((await asked).content).toString()).toBe('!')

    const gone = new AbortController()
    const given = broker.request('default', draft, gone.signal)
    const second = await target.next()
    gone.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    expect((await target.next()).event?.type).toBe('profiling.capture.cancel')
    target.answer(second.event)

    await expect(broker.request('default', { ...draft, target: named('x') })).rejects.toMatchObject({
      kind: 'componentGone',
    } satisfies Partial<BrokerError>)
    await expect(broker.request('bank', draft)).rejects.toMatchObject({ kind: 'componentGone' })
    const third = broker.request('default', draft)
    await target.next()
    target.destroy()
    await expect(third).rejects.toMatchObject({ kind: 'componentGone' })
    expect(broker.state()).toMatchObject({ inFlight: 0, components: 0, tenants: 0 })
  })

  test('profiles that consoles asked for and such as nobody did are told of', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const profiles: unknown[] = []
    const stop = server.broker.onProfile(({ reason, event }) => void profiles.push([reason, event.content.length]))
    const from = await subscribe(server, { component: { type: 'Console', name: 'cli' } })
    const asked = from.ask({ type: 'profiling.capture' })
    target.answer((await target.next()).event, { content: Buffer.alloc(7) })
    expect((await asked).content).toHaveLength(7)
    const broker = createComponent({ type: 'Broker' })
    const message = { category: Category.MESSAGE, type: 'profiling.profile', target: broker, content: Buffer.alloc(3) }
    target.send(message)
    await target.ask({ target: named('nobody') })
    expect(profiles).toEqual([
      ['answered', 7],
      ['sent', 3],
    ])
    stop()
    target.send(message)
    await target.ask({ target: named('nobody') })
    expect(profiles).toHaveLength(2)
  })

  test('an answer to a console is one when it is kept, and an error where it could not be', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, { component: { type: 'Console', name: 'cli' } })
    const kept: Event[] = []
    server.broker.onProfile(async ({ event }) => {
      if (event.content.length === 0) throw new BrokerError('invalid', 'the answer: nothing in it')
      kept.push(event)
    })
    const parentSpan = { ...SPAN, spanId: new Uint8Array(8).fill(7) }
    const asked = from.ask({ type: 'profiling.capture', params: { capture_id: 'c', reason: 'slow' }, parentSpan })
    target.answer((await target.next()).event, { content: Buffer.alloc(3), parentSpan: undefined })
    const answer = await asked
    expect(answer.content).toHaveLength(3)
    expect(answer.params).toEqual({})
    // It is kept with what it was asked for.
    expect(kept).toMatchObject([{ params: { capture_id: 'c', reason: 'slow' }, parentSpan }])
    const second = from.ask({ type: 'profiling.capture' })
    target.answer((await target.next()).event)
    expect(errorOf(await second)).toMatchObject({ kind: 'invalid', message: 'the answer: nothing in it' })
  })

  test('what goes by can be watched', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('Type(`x`)') })
    target.echo()
    const from = await subscribe(server, asker)
    const seen: string[] = []
    const stop = server.broker.watch('default', ({ event, outcome, routeId, missed }) =>
      seen.push(`${event.type} ${event.category} ${outcome} ${routeId} ${missed}`),
    )
    await from.ask({ type: 'x' })
    await from.ask({ type: 'y' })
    stop()
    await from.ask({ type: 'x' })
    expect(seen).toEqual(['x 2 delivered 0 0', 'x 3 answered undefined 0', 'y 2 routeNotFound undefined 0'])
  })
})
