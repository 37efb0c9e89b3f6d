// The Broker over real streams: subscription, routing, responses.
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

const requester = { component: { name: 'requester' } }
const CONTEXT = { platform: 'default', virtualEnvironment: '', appDeployment: '', releaseManifest: '' }
const SPAN = { traceId: new Uint8Array(16), spanId: new Uint8Array(8), traceState: '', flags: 1 }
const named = (name: string): Component => createComponent({ type: 'Process', name })

function kindOf(event: Event | undefined): BrokerErrorKind | undefined {
  return event === undefined ? undefined : errorOf(event)?.kind
}

describe('subscription', () => {
  test('a new component receives a response and is listed with its registration', async () => {
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
    ['a missing id', { id: undefined }],
    ['two names', { component: ['a', 'b'] }],
    ['an empty hash', { hash: '' }],
    ['a missing platform', { platform: undefined }],
    ['a missing type', { type: undefined }],
    ['the type Broker', { type: 'Broker' }],
    ['an invalid platform', { platform: '../x' }],
  ])('the Broker rejects metadata with %s', async (_, metadata) => {
    const server = await start()
    const stream = open(server, { metadata })
    stream.register()
    expect(await stream.ended).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('component unauthorized') as string,
    })
  })

  test('components need a token with the scope broker, consoles one with capture, for their tenant', async () => {
    const agent = makeToken({ name: 'agent', tenants: ['shop'], scopes: ['broker'] })
    const viewer = makeToken({ name: 'viewer', tenants: ['shop'], scopes: ['capture'] })
    const server = await start({ tokens: [agent.row, viewer.row] })
    const denied = async (options: StreamOptions): Promise<string> => {
      const stream = open(server, options)
      stream.register()
      const { code, details } = await stream.ended
      expect(code).toBe(status.PERMISSION_DENIED)
      return details
    }
    expect(await denied({ tenant: 'shop' })).toContain('invalid token')
    expect(await denied({ tenant: 'bank', token: agent.token })).toContain("not valid for tenant 'bank'")
    expect(await denied({ tenant: 'shop', token: viewer.token })).toContain('scope broker')
    const console = { component: { type: 'Console', name: 'cli' }, tenant: 'shop', token: viewer.token }
    expect(await denied({ ...console, definition: rules('All()') })).toContain('scope broker')
    const process = await subscribe(server, { tenant: 'shop', token: agent.token, definition: rules('All()') })
    process.echo()
    const cli = await subscribe(server, console)
    expect((await cli.request({ content: Buffer.from('hi') })).content).toEqual(new Uint8Array(Buffer.from('hi')))
    // The Broker does not accept telemetry from a console.
    cli.send({ category: Category.MESSAGE, type: 'io.kubefox.telemetry', target: server.broker.component })
    await cli.request({})
    expect(server.broker.state().events).toContainEqual({ category: 'MESSAGE', outcome: 'unauthorized', count: 1 })
  })

  test('the first event must be a registration and arrive in time', async () => {
    const silent = open(await start({ registerMs: 50 }))
    expect((await silent.ended).code).toBe(status.DEADLINE_EXCEEDED)
    const other = open(await start())
    other.send({ type: 'test', category: Category.REQUEST })
    expect(await other.ended).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('io.kubefox.register') as string,
    })
  })

  test('an invalid definition ends the stream with an error that names the position', async () => {
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

  test('replicas with the same hash must handle events in the same way', async () => {
    const server = await start()
    const first = await subscribe(server, { definition: rules('All()') })
    await subscribe(server, { definition: rules('All()') })
    const other = open(server, { definition: rules('Type(`x`)') })
    other.register()
    expect(kindOf((await other.next()).event)).toBe('componentMismatch')
    expect((await other.ended).code).toBe(status.FAILED_PRECONDITION)
    await subscribe(server, { component: { hash: 'other12' }, definition: rules('Type(`x`)') })
    // A new stream of an instance may differ from its old one, but not from its other replicas.
    const anew = open(server, { component: first.component, definition: rules('Type(`y`)') })
    anew.register()
    expect(kindOf((await anew.next()).event)).toBe('componentMismatch')
  })

  test('a component that subscribes again replaces its old stream', async () => {
    const server = await start()
    const old = await subscribe(server, { definition: rules('Type(`x`)') })
    const anew = await subscribe(server, { component: old.component, definition: rules('All()') })
    expect((await old.ended).code).toBe(status.ABORTED)
    expect(await server.broker.components('default')).toHaveLength(1)
    anew.echo()
    const from = await subscribe(server, requester)
    expect((await from.request({ content: Buffer.of(1) })).content).toEqual(Uint8Array.of(1))
  })

  test('an event with a forged source ends the stream', async () => {
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

  test('the limit of components per tenant does not count a component that subscribes again', async () => {
    const server = await start({ limits: { subscriptions: 2 } })
    const first = await subscribe(server)
    await subscribe(server)
    const third = open(server)
    third.register()
    expect((await third.ended).code).toBe(status.RESOURCE_EXHAUSTED)
    await subscribe(server, { component: first.component })
    await subscribe(server, { tenant: 'other' })
  })

  test('streams end with UNAVAILABLE when the server shuts down', async () => {
    const server = await startBroker()
    const client = openClient(server.port)
    // One shared connection, so that the server has seen the silent stream.
    const silent = new ComponentStream(server.port, { client })
    const registered = await ComponentStream.subscribe(server.port, { client })
    await server.close()
    expect((await registered.ended).code).toBe(status.UNAVAILABLE)
    expect((await silent.ended).code).toBe(status.UNAVAILABLE)
    client.close()
  })
})

describe('routing', () => {
  test('the rule with the highest priority wins, and the event carries params, path suffix, route and variables', async () => {
    const server = await start({ environments: { '*': { eu: { REGION: 'eu', MAX_HZ: 200, SECRET: 's', L: ['a'] } } } })
    const definition = {
      ...rules('PathPrefix(`/profiles`)', 'Method(`GET`) && Path(`/profiles/{type}/{{.Vars.REGION}}`)'),
      envVarSchema: { MAX_HZ: { type: 'Number' as const }, L: {}, NOT_SET: {} },
    }
    const target = await subscribe(server, { environment: 'eu', definition })
    const from = await subscribe(server, requester)
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

  test('a missing required variable or one of another type fails the registration', async () => {
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

  test('an event that names an environment stays in it', async () => {
    const server = await start()
    const eu = await subscribe(server, { environment: 'eu', definition: rules('All()') })
    const us = await subscribe(server, { environment: 'us', definition: rules('All()') })
    for (const each of [eu, us]) each.echo()
    const from = await subscribe(server, { ...requester, environment: 'us' })
    for (let i = 0; i < 3; i++) expect((await from.request({})).source?.id).toBe(us.component.id)
    const nowhere = await subscribe(server, { ...requester, environment: 'mars' })
    expect(kindOf(await nowhere.request({}))).toBe('routeNotFound')
  })

  test('a target name restricts the rules, and the default handler accepts what no rule matches', async () => {
    const server = await start()
    const greedy = await subscribe(server, { component: { name: 'greedy' }, definition: rules('All() || All()') })
    greedy.echo()
    const wanted = await subscribe(server, {
      component: { name: 'wanted' },
      definition: { ...rules('Type(`known`)'), defaultHandler: true },
    })
    await subscribe(server, { component: { name: 'deaf' } })
    const from = await subscribe(server, requester)
    const send = (type: string) => from.send({ category: Category.MESSAGE, type, target: named('wanted') })
    send('known')
    expect((await wanted.next()).routeId).toBe(0n)
    send('other')
    expect((await wanted.next()).routeId).toBe(-1n)
    expect(kindOf(await from.request({ target: named('deaf') }))).toBe('routeNotFound')
    expect(kindOf(await from.request({ target: named('nobody') }))).toBe('componentGone')
    expect(kindOf(await from.request({ target: createComponent({ type: 'KubeFox', name: 'wanted' }) }))).toBe(
      'componentGone',
    )
    expect(kindOf(await from.request({ target: createComponent({ type: 'HTTPAdapter', name: 'web' }) }))).toBe(
      'unsupportedAdapter',
    )
  })

  test('an event for a named instance reaches only that instance', async () => {
    const server = await start()
    const definition = rules('All()')
    const [one, two] = [await subscribe(server, { definition }), await subscribe(server, { definition })]
    for (const each of [one, two]) each.echo()
    const from = await subscribe(server, requester)
    for (let i = 0; i < 4; i++)
      expect((await from.request({ target: two.component })).source?.id).toBe(two.component.id)
    expect(kindOf(await from.request({ target: { ...two.component, hash: 'other' } }))).toBe('componentMismatch')
    expect(kindOf(await from.request({ target: { ...two.component, brokerId: 'elsewhere' } }))).toBe(
      'componentMismatch',
    )
    const absent = { ...two.component, id: 'x', brokerId: 'elsewhere' }
    expect(kindOf(await from.request({ target: absent }))).toBe('brokerMismatch')
    await two.close()
    expect(kindOf(await from.request({ target: two.component }))).toBe('componentGone')
    expect((await from.request({})).source?.id).toBe(one.component.id)
  })

  test('replicas share the load', async () => {
    const server = await start()
    const replicas = []
    for (let i = 0; i < 4; i++) replicas.push(await subscribe(server, { definition: rules('All()') }))
    const from = await subscribe(server, requester)
    for (let i = 0; i < 8; i++) from.send({ category: Category.REQUEST, type: 'x' })
    await from.request({ target: named('nobody') })
    const live = await server.broker.components('default')
    expect(live.filter(({ load }) => load.inFlight === 2)).toHaveLength(4)
    // The one that has responded is next.
    replicas[2].respond((await replicas[2].next()).event)
    await from.next(({ event }) => event?.category === Category.RESPONSE && errorOf(event) === undefined)
    const { id } = from.send({ category: Category.REQUEST, type: 'y' })
    await replicas[2].next(({ event }) => event?.id === id)
  })

  test('events of one sender keep their order', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, requester)
    const sent = Array.from({ length: 300 }, (_, i) => i)
    for (const n of sent) from.send({ category: Category.REQUEST, type: 'x', params: { n } })
    const seen: unknown[] = []
    while (seen.length < sent.length) {
      const { event } = await target.next()
      seen.push(event?.params['n'])
      target.respond(event)
    }
    expect(seen).toEqual(sent)
  })

  test.each<[string, Partial<Event>, BrokerErrorKind]>([
    ['an expired ttl', { ttl: 0n }, 'timeout'],
    ['a negative ttl', { ttl: -5n }, 'timeout'],
    ['no type', { type: '' }, 'invalid'],
    ['a target without a name', { target: createComponent({ id: 'x' }) }, 'invalid'],
    ['a capture longer than its ttl', { type: 'profiling.capture', params: { duration_ms: 9000 } }, 'invalid'],
    ['a duration that is not a number', { type: 'profiling.capture', params: { duration_ms: 'long' } }, 'invalid'],
    ['an infinite duration', { type: 'profiling.capture', params: { duration_ms: Infinity } }, 'invalid'],
    ['an overlong content type', { contentType: 'a'.repeat(2000) }, 'invalid'],
    ['an overlong app deployment', { context: { ...CONTEXT, appDeployment: 'a'.repeat(2000) } }, 'invalid'],
    ['an invalid trace id', { parentSpan: { ...SPAN, traceId: new Uint8Array(15) } }, 'invalid'],
    ['no matching rule', {}, 'routeNotFound'],
    ['a type the Broker does not handle', { target: createComponent({ type: 'Broker' }) }, 'notFound'],
    ['an unknown broker', { target: createComponent({ type: 'Broker', id: 'elsewhere' }) }, 'brokerMismatch'],
  ])('a request with %s receives an error', async (_, parts, kind) => {
    const server = await start()
    const from = await subscribe(server, requester)
    const response = await from.request(parts)
    expect(kindOf(response)).toBe(kind)
    expect(response).toMatchObject({
      type: 'io.kubefox.error',
      category: Category.RESPONSE,
      source: server.broker.component,
      target: { name: 'requester' },
    })
    expect(server.broker.state().events).toContainEqual({ category: 'REQUEST', outcome: kind, count: 1 })
  })

  test('the Broker lists components by name, type and labels', async () => {
    const server = await start()
    await subscribe(server, { component: { name: 'a' }, definition: { attributes: { region: 'eu', zone: '1' } } })
    await subscribe(server, { component: { name: 'b' }, definition: { attributes: { region: 'eu' } } })
    const from = await subscribe(server, requester)
    const target = createComponent({ type: 'Broker' })
    const list = async (params: Event['params']): Promise<string[]> => {
      const { content } = await from.request({ type: 'profiling.components', target, params })
      const live = JSON.parse(Buffer.from(content).toString()) as LiveComponent[]
      return live.map(({ component }) => component.name)
    }
    expect(await list({})).toEqual(['a', 'b', 'requester'])
    expect(await list({ name: 'b' })).toEqual(['b'])
    expect(await list({ labels: { region: 'eu' } })).toEqual(['a', 'b'])
    expect(await list({ labels: { region: 'eu', zone: '1' }, type: 'Process' })).toEqual(['a'])
    expect(kindOf(await from.request({ type: 'profiling.components', target, params: { labels: 1 } }))).toBe('invalid')
  })
})

test('BrokerClient requests, responds, sends messages, and reconnects after its stream was lost', async () => {
  const server = await start()
  const seen: string[] = []
  const states: string[] = []
  const common = { address: `127.0.0.1:${server.port}`, token: '', platform: 'default' }
  const limits = { firstWaitMs: 10 }
  const of = (name: string) => ({ type: 'Process', app: '', name, hash: 'h', id: name })
  const responder = new BrokerClient({
    ...common,
    limits,
    component: of('responder'),
    definition: rules('Path(`/{what}`)'),
    onEvent: ({ event, routeId }) => {
      seen.push(`${event.category} ${routeId} ${JSON.stringify(event.params['what'])}`)
      return { content: event.content }
    },
    onState: ({ kind }) => states.push(kind),
  })
  const sender = new BrokerClient({ ...common, component: of('sender') })
  await expect.poll(() => server.broker.state().components).toBe(2)
  const response = await sender.request({ type: 'x', values: { path: '/cpu' }, content: Uint8Array.of(7) })
  expect(response.content).toEqual(Uint8Array.of(7))
  sender.send({ type: 'x', values: { path: '/message' } })
  await expect.poll(() => seen).toEqual([`${Category.REQUEST} 0 "cpu"`, `${Category.MESSAGE} 0 "message"`])
  await expect(sender.request({ type: 'x' })).rejects.toMatchObject({ kind: 'routeNotFound' })
  // Another stream replaces it, and ends.
  const other = await subscribe(server, { component: of('responder'), definition: rules('Path(`/{what}`)') })
  await expect.poll(() => states).toContain('waiting')
  await other.ended
  expect((await sender.request({ type: 'x', values: { path: '/heap' } })).content).toHaveLength(0)
  await sender.stop()
  await responder.stop()
  await expect.poll(() => server.broker.state().components).toBe(0)
})

describe('responses', () => {
  test('a response reaches only the requester, and only from the component that received the request', async () => {
    const server = await start()
    const target = await subscribe(server, { component: { name: 'target' }, definition: rules('Type(`x`)') })
    const thief = await subscribe(server, { component: { name: 'thief' } })
    const from = await subscribe(server, requester)
    const pending = from.request({ type: 'x', target: named('target') })
    const { event } = await target.next()
    thief.respond(event, { content: Buffer.from('forged') })
    await thief.request({ target: named('nobody') })
    target.respond(event, { content: Buffer.from('real'), target: thief.component })
    expect(Buffer.from((await pending).content).toString()).toBe('real')
    target.respond(event, { content: Buffer.from('again') })
    await target.request({ target: named('nobody') })
    expect(thief.received).toEqual([])
    expect(from.received).toEqual([])
    expect(server.broker.state().events).toContainEqual({ category: 'RESPONSE', outcome: 'stray', count: 2 })
    expect(server.broker.state().inFlight).toBe(0)
  })

  test('a request carries its remaining ttl; after the timeout the requester gets an error and the capture is cancelled', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, requester)
    const ttl = ttlOfMs(2100)
    const pending = from.request({ type: 'profiling.capture', ttl, params: { duration_ms: 100, capture_id: 'c1' } })
    const { event } = await target.next()
    expect(event?.ttl).toBeLessThan(ttl)
    expect(event?.ttl).toBeGreaterThan(0n)
    expect(kindOf(await pending)).toBe('timeout')
    const cancel = await target.next()
    expect(cancel.event).toMatchObject({
      type: 'profiling.capture.cancel',
      category: Category.MESSAGE,
      parentId: event?.id,
      params: { capture_id: 'c1' },
    })
    // A late response is stored as a profile.
    const profiles: string[] = []
    server.broker.onProfile(({ reason, source }) => void profiles.push(`${reason} ${source.component.name}`))
    target.respond(event, errorResponse(event!, target.component, new BrokerError('timeout', 'no time left')))
    target.respond(event)
    await target.request({ target: named('nobody') })
    expect(profiles).toEqual(['late checkout'])
    expect(from.received).toEqual([])
  })

  test('the id of a request in flight cannot be used again', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, requester)
    from.send({ category: Category.REQUEST, type: 'x', id: 'same' })
    await target.next()
    expect(kindOf(await from.request({ id: 'same' }))).toBe('invalid')
  })

  test('the server can request, abort, and receives errors', async () => {
    const server = await start()
    const target = await subscribe(server, { component: { name: 'target' }, definition: rules('Type(`capture`)') })
    const { broker } = server
    const draft = { type: 'profiling.capture', target: named('target'), ttl: ttlOfMs(10_000) }
    const pending = broker.request('default', { ...draft, content: Buffer.from('?') })
    const { event } = await target.next()
    expect(event).toMatchObject({ source: broker.component, context: { platform: 'default' } })
    target.respond(event, { content: Buffer.from('!') })
    expect(Buffer.from((await pending).content).toString()).toBe('!')

    const aborting = new AbortController()
    const aborted = broker.request('default', draft, aborting.signal)
    const second = await target.next()
    aborting.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    expect((await target.next()).event?.type).toBe('profiling.capture.cancel')
    target.respond(second.event)

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

  test('onProfile reports profiles requested by consoles and unrequested ones', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const profiles: unknown[] = []
    const stop = server.broker.onProfile(({ reason, event }) => void profiles.push([reason, event.content.length]))
    const from = await subscribe(server, { component: { type: 'Console', name: 'cli' } })
    const pending = from.request({ type: 'profiling.capture' })
    target.respond((await target.next()).event, { content: Buffer.alloc(7) })
    expect((await pending).content).toHaveLength(7)
    const broker = createComponent({ type: 'Broker' })
    const message = { category: Category.MESSAGE, type: 'profiling.profile', target: broker, content: Buffer.alloc(3) }
    target.send(message)
    await target.request({ target: named('nobody') })
    expect(profiles).toEqual([
      ['answered', 7],
      ['sent', 3],
    ])
    stop()
    target.send(message)
    await target.request({ target: named('nobody') })
    expect(profiles).toHaveLength(2)
  })

  test('a console gets its response after the profile is stored, or an error if that fails', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('All()') })
    const from = await subscribe(server, { component: { type: 'Console', name: 'cli' } })
    const kept: Event[] = []
    server.broker.onProfile(async ({ event }) => {
      if (event.content.length === 0) throw new BrokerError('invalid', 'empty response')
      kept.push(event)
    })
    const parentSpan = { ...SPAN, spanId: new Uint8Array(8).fill(7) }
    const pending = from.request({ type: 'profiling.capture', params: { capture_id: 'c', reason: 'slow' }, parentSpan })
    target.respond((await target.next()).event, { content: Buffer.alloc(3), parentSpan: undefined })
    const response = await pending
    expect(response.content).toHaveLength(3)
    expect(response.params).toEqual({})
    // The stored profile carries the parameters of the request.
    expect(kept).toMatchObject([{ params: { capture_id: 'c', reason: 'slow' }, parentSpan }])
    const second = from.request({ type: 'profiling.capture' })
    target.respond((await target.next()).event)
    expect(errorOf(await second)).toMatchObject({ kind: 'invalid', message: 'empty response' })
  })

  test('watch reports events with their outcome', async () => {
    const server = await start()
    const target = await subscribe(server, { definition: rules('Type(`x`)') })
    target.echo()
    const from = await subscribe(server, requester)
    const seen: string[] = []
    const stop = server.broker.watch('default', ({ event, outcome, routeId, missed }) =>
      seen.push(`${event.type} ${event.category} ${outcome} ${routeId} ${missed}`),
    )
    await from.request({ type: 'x' })
    await from.request({ type: 'y' })
    stop()
    await from.request({ type: 'x' })
    expect(seen).toEqual(['x 2 delivered 0 0', 'x 3 answered undefined 0', 'y 2 routeNotFound undefined 0'])
  })
})
