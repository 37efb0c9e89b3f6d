// Tests the client over real sockets, against a server of @grpc/grpc-js.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { BrokerError, errorContent, errorOf } from '../messages/broker-error.ts'
import { responseTo } from '../messages/create-event.ts'
import type { Event } from '../messages/event.ts'
import { Category } from '../messages/event.ts'
import { CONTENT_TYPE, EVENT_TYPE } from '../messages/event-types.ts'
import { readDefinition } from '../messages/definition.ts'
import type { BrokerClientOptions, BrokerState } from './broker-client.ts'
import { BrokerClient } from './broker-client.ts'
import type { SmallBrokerOptions } from './testing/small-broker.ts'
import { BROKER, SmallBroker } from './testing/small-broker.ts'

const COMPONENT = { type: 'Process', app: 'shop', name: 'checkout', hash: 'abcdef1234', id: 'i-1' }

const brokers: SmallBroker[] = []
const clients: BrokerClient[] = []

afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.stop(50)))
  for (const broker of brokers.splice(0)) broker.close()
})

async function openBroker(options: SmallBrokerOptions = {}): Promise<SmallBroker> {
  const broker = await SmallBroker.open(options)
  brokers.push(broker)
  return broker
}

interface Watched {
  readonly client: BrokerClient
  readonly states: BrokerState[]
  /** Waits for a state of this kind. Starts at the state with the index `from`. */
  readonly reaches: (kind: BrokerState['kind'], from?: number) => Promise<BrokerState>
}

function connect(address: string, options: Partial<BrokerClientOptions> = {}): Watched {
  const states: BrokerState[] = []
  const waiting = new Set<() => void>()
  const client = new BrokerClient({
    address,
    token: 'secret',
    platform: 'test',
    component: COMPONENT,
    limits: { firstWaitMs: 20, maxWaitMs: 50, ...options.limits },
    ...Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'limits')),
    onState: state => {
      states.push(state)
      for (const wake of waiting) wake()
    },
  })
  clients.push(client)
  const reaches: Watched['reaches'] = async (kind, from = 0) => {
    for (;;) {
      const found = states.slice(from).find(state => state.kind === kind)
      if (found !== undefined) return found
      await new Promise<void>(resolve => waiting.add(resolve))
    }
  }
  return { client, states, reaches }
}

async function ready(broker: SmallBroker, options: Partial<BrokerClientOptions> = {}) {
  const watched = connect(broker.address, options)
  await watched.reaches('ready')
  return { ...watched, subscription: await broker.subscription() }
}

const failure = (promise: Promise<unknown>): Promise<BrokerError> =>
  promise.then(
    () => Promise.reject(new Error('no error')),
    (error: unknown) => error as BrokerError,
  )

describe('registration', () => {
  test('sends the component and its definition', async () => {
    const { subscription, client, states } = await ready(await openBroker(), {
      definition: { routes: [{ id: 0, rule: 'All()' }], profileTypes: ['cpu'], defaultHandler: true },
      context: { virtualEnvironment: 'prod', appDeployment: 'v1' },
    })
    const { metadata } = subscription
    const keys = ['id', 'hash', 'component', 'type', 'platform', 'token', 'app']
    expect(keys.map(key => metadata.get(key))).toEqual([
      ['i-1'],
      ['abcdef1234'],
      ['checkout'],
      ['Process'],
      ['test'],
      ['secret'],
      ['shop'],
    ])
    const [first] = subscription.events
    expect(first).toMatchObject({
      type: EVENT_TYPE.register,
      category: Category.REQUEST,
      ttl: 5_000_000_000n,
      source: { ...COMPONENT, brokerId: '' },
      context: { platform: 'test', virtualEnvironment: 'prod', appDeployment: 'v1' },
    })
    expect(readDefinition(first.content)).toMatchObject({
      type: 'Process',
      hash: 'abcdef1234',
      defaultHandler: true,
      routes: [{ id: 0, rule: 'All()' }],
      profileTypes: ['cpu'],
    })
    expect(client.broker).toEqual(BROKER)
    expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'ready'])
  })

  test('is retried if the Broker rejects it', async () => {
    let tries = 0
    const broker = await openBroker({
      onRegister: (event, subscription) => {
        if (tries++ > 0) return void subscription.push(responseTo(event, BROKER))
        const refusal = errorContent(new BrokerError('unauthorized', 'not you'))
        subscription.push(responseTo(event, BROKER, { type: EVENT_TYPE.error, content: refusal }))
      },
    })
    const { reaches } = connect(broker.address)
    expect(await reaches('waiting')).toMatchObject({ error: { message: 'not you' } })
    await reaches('ready')
    expect(tries).toBe(2)
  })

  test('times out if the Broker never responds', async () => {
    const broker = await openBroker({ onRegister: () => {} })
    const { reaches } = connect(broker.address, { limits: { registerMs: 50, firstWaitMs: 20 } })
    expect(await reaches('waiting')).toMatchObject({ error: { message: 'no response to the registration' } })
  })

  test('reports the gRPC status of the server', async () => {
    const broker = await openBroker({
      onRegister: (_event, subscription) => subscription.end(status.PERMISSION_DENIED, 'component unauthorized'),
    })
    const { reaches } = connect(broker.address)
    expect(await reaches('waiting')).toMatchObject({
      error: { kind: 'unauthorized', message: 'component unauthorized' },
    })
  })

  test.each([
    ['::nowhere', {}, 'address'],
    ['ftp://x', {}, 'address'],
    ['localhost:1', { token: 'gehei\u{301}m' }, 'token is not ASCII'],
  ])('is not attempted with an invalid setting: %s', (address, options, what) => {
    const { states, client } = connect(address, options)
    expect(states.at(-1)).toMatchObject({ kind: 'stopped', error: { kind: 'invalid' } })
    expect((states.at(-1) as { error: Error }).error.message).toContain(what)
    expect(client.send({ type: 'x' })).toBe(false)
  })
})

describe('request', () => {
  test('resolves with the response', async () => {
    const { client, subscription } = await ready(await openBroker())
    const response = client.request({ type: 'ask', params: { a: 1 } }, { ttlMs: 100_000 })
    const request = await subscription.seen(event => event.type === 'ask')
    expect(request).toMatchObject({ category: Category.REQUEST, params: { a: 1 }, source: COMPONENT })
    expect(request.ttl > 40_000_000_000n && request.ttl <= 100_000_000_000n).toBe(true)
    subscription.push(responseTo(request, BROKER, { params: { b: 2 } }))
    expect((await response).params).toEqual({ b: 2 })
    // Only the first response counts.
    subscription.push(responseTo(request, BROKER))
    const next = client.request({ type: 'next' })
    subscription.push(responseTo(await subscription.seen(event => event.type === 'next'), BROKER))
    await next
    expect(client.ignored).toBe(1)
  })

  test('rejects with the error of the responder', async () => {
    const { client, subscription } = await ready(await openBroker())
    const response = failure(client.request({ type: 'ask' }))
    const request = await subscription.seen(event => event.type === 'ask')
    const busy = new BrokerError('busy', 'later', { retryAfterMs: 5, reason: 'one runs' })
    subscription.push(responseTo(request, BROKER, { type: EVENT_TYPE.error, content: errorContent(busy) }))
    expect(await response).toMatchObject({ kind: 'busy', message: 'later', retryAfterMs: 5, reason: 'one runs' })
  })

  test('rejects on timeout, on a lost stream and on abort', async () => {
    const { client, subscription } = await ready(await openBroker())
    expect(await failure(client.request({ type: 'slow' }, { ttlMs: 30 }))).toMatchObject({ kind: 'timeout' })
    const abort = new AbortController()
    const aborted = failure(client.request({ type: 'dull' }, { signal: abort.signal }))
    abort.abort(new Error('never mind'))
    expect((await aborted).message).toBe('never mind')
    expect((await failure(client.request({ type: 'dull' }, { signal: abort.signal }))).message).toBe('never mind')
    const lost = failure(client.request({ type: 'last' }))
    await subscription.seen(event => event.type === 'last')
    subscription.end(status.UNAVAILABLE, 'shutting down')
    expect(await lost).toMatchObject({ kind: 'brokerUnavailable', message: 'shutting down' })
  })

  test('waits until the Broker is connected', async () => {
    const held: (() => void)[] = []
    const broker = await openBroker({
      onRegister: (event, subscription) => held.push(() => subscription.push(responseTo(event, BROKER))),
    })
    const { client, reaches } = connect(broker.address)
    expect(client.send({ type: 'early' })).toBe(true)
    const subscription = await broker.subscription()
    expect(subscription.events.map(({ type }) => type)).toEqual([EVENT_TYPE.register])
    held[0]()
    await reaches('ready')
    const early = await subscription.seen(event => event.type === 'early')
    expect(early.category).toBe(Category.MESSAGE)
    expect(early.ttl < 30_000_000_000n).toBe(true)
  })

  test('is rejected when the queue is full', async () => {
    const { client } = connect('127.0.0.1:1', { limits: { queuedEvents: 2, firstWaitMs: 60_000, maxWaitMs: 60_000 } })
    expect([1, 2, 3].map(n => client.send({ type: String(n) }))).toEqual([true, true, false])
    expect(await failure(client.request({ type: 'x' }))).toMatchObject({ kind: 'brokerUnavailable' })
  })

  test('fills only the queue if the Broker does not read', async () => {
    const { client, subscription } = await ready(await openBroker(), { limits: { queuedEvents: 10 } })
    subscription.pause()
    const content = new Uint8Array(1024 * 1024)
    let sent = 0
    while (sent < 200 && client.send({ type: 'bulk', content })) {
      sent++
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(sent).toBeLessThan(200)
    subscription.resume()
    for (;;) {
      if (client.send({ type: 'after' })) break
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    await subscription.seen(event => event.type === 'after')
    expect(subscription.events.filter(({ type }) => type === 'bulk')).toHaveLength(sent)
  })

  test('rejects an event that is too large', async () => {
    const { client } = await ready(await openBroker(), { limits: { eventBytes: 100 } })
    expect(client.send({ content: new Uint8Array(101) })).toBe(false)
    expect(await failure(client.request({ content: new Uint8Array(101) }))).toMatchObject({ kind: 'contentTooLarge' })
  })
})

describe('onEvent', () => {
  test('responds with the result of the handler and the remaining time', async () => {
    const { subscription } = await ready(await openBroker(), {
      onEvent: async ({ event, routeId, env }, { remainingMs }) => {
        await new Promise(resolve => setTimeout(resolve, 20))
        return { params: { type: event.type, route: Number(routeId), limit: env['MAX'], left: remainingMs() } }
      },
    })
    const request = subscription.push({ type: 'ask' }, { routeId: 3n, env: { MAX: 5 } })
    const response = await subscription.seen(event => event.category === Category.RESPONSE)
    expect(response).toMatchObject({ parentId: request.id, type: 'ask', target: BROKER, source: COMPONENT })
    expect(response.params).toMatchObject({ type: 'ask', route: 3, limit: 5 })
    expect(response.params['left']).toBeLessThan(10_000)
    expect(response.ttl < request.ttl).toBe(true)
  })

  test.each<[string, BrokerClientOptions['onEvent'], object]>([
    ['a BrokerError', () => Promise.reject(new BrokerError('busy', 'later')), { kind: 'busy', message: 'later' }],
    ['an error', () => Promise.reject(new Error('oops')), { kind: 'unexpected', message: 'oops' }],
    ['nothing', () => undefined, { kind: 'notFound' }],
    ['too much', () => ({ content: new Uint8Array(2000) }), { kind: 'contentTooLarge' }],
    [
      'a thrown value that is not an error',
      () => {
        throw undefined
      },
      { kind: 'unexpected' },
    ],
  ])('sends %s as an error to the caller', async (_name, onEvent, expected) => {
    const { subscription } = await ready(await openBroker(), { onEvent: onEvent!, limits: { eventBytes: 1000 } })
    subscription.push({ type: 'ask' })
    const response = await subscription.seen(event => event.category === Category.RESPONSE)
    expect(response.contentType).toBe(CONTENT_TYPE.json)
    expect(errorOf(response)).toMatchObject(expected)
  })

  test('aborts its signal when the caller stops waiting', async () => {
    const signals: AbortSignal[] = []
    const broker = await openBroker()
    const { subscription } = await ready(broker, {
      onEvent: async (_matched, { signal }) => {
        signals.push(signal)
        await once(signal, 'abort')
        return {}
      },
    })
    subscription.push({ type: 'short', ttl: 20_000_000n })
    subscription.push({ type: 'long' })
    while (signals.length < 2) await new Promise(resolve => setTimeout(resolve, 5))
    if (!signals[0].aborted) await once(signals[0], 'abort')
    expect(signals[0].reason).toMatchObject({ kind: 'timeout' })
    subscription.end(status.UNAVAILABLE)
    if (!signals[1].aborted) await once(signals[1], 'abort')
    expect(signals[1].reason).toMatchObject({ kind: 'brokerUnavailable' })
    expect(subscription.events.filter(event => event.category === Category.RESPONSE)).toEqual([])
  })

  test('handles five hundred requests that arrive at once, some at a time', async () => {
    let running = 0
    let most = 0
    const { subscription } = await ready(await openBroker(), {
      onEvent: async () => {
        most = Math.max(most, ++running)
        await new Promise(resolve => setImmediate(resolve))
        running--
        return {}
      },
    })
    for (let i = 0; i < 500; i++) subscription.push({ id: `r${i}`, type: 'ask' })
    await vi.waitFor(
      () => expect(subscription.events.filter(event => event.category === Category.RESPONSE)).toHaveLength(500),
      { timeout: 60_000 },
    )
    expect(subscription.events.map(errorOf).filter(error => error !== undefined)).toEqual([])
    expect(most).toBeLessThanOrEqual(64)
  })

  test('rejects requests above the limit as busy and drops messages', async () => {
    let let_go: () => void = () => {}
    const held = new Promise<void>(resolve => (let_go = resolve))
    const { subscription } = await ready(await openBroker(), {
      limits: { handlers: 2, waitingEvents: 0 },
      onEvent: async () => {
        await held
        return {}
      },
    })
    for (let i = 0; i < 5; i++) subscription.push({ id: `r${i}`, type: 'ask' })
    subscription.push({ category: Category.MESSAGE, type: 'note' })
    const last = await subscription.seen(event => event.parentId === 'r4')
    expect(errorOf(last)).toMatchObject({ kind: 'busy' })
    let_go()
    await subscription.seen(event => event.parentId === 'r1')
    const responses = subscription.events.filter(event => event.category === Category.RESPONSE)
    expect(
      responses.map(event => [event.parentId, errorOf(event)?.kind] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ).toEqual([
      ['r0', undefined],
      ['r1', undefined],
      ['r2', 'busy'],
      ['r3', 'busy'],
      ['r4', 'busy'],
    ])
  })
})

describe('BrokerClient', () => {
  test('skips events that it cannot read', async () => {
    const { client, subscription } = await ready(await openBroker(), { onEvent: () => ({}) })
    subscription.raw(Buffer.from('not protobuf at all'))
    subscription.raw(new Uint8Array(0))
    subscription.push({ type: 'ask' })
    await subscription.seen(event => event.category === Category.RESPONSE)
    expect(client.ignored).toBe(2)
  })

  test('reconnects to a Broker that restarts', async () => {
    const first = await openBroker()
    const { reaches, states, client } = await ready(first)
    first.close()
    await reaches('waiting')
    const before = states.length
    // Another process may have taken the port meanwhile.
    const second = await vi.waitFor(() => openBroker({ port: first.port }), { timeout: 60_000 })
    await reaches('ready', before)
    const subscription = await second.subscription()
    client.send({ type: 'hello' })
    await subscription.seen(event => event.type === 'hello')
  })

  test('reports a server that is not gRPC', async () => {
    const server = createServer(socket => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { reaches } = connect(`127.0.0.1:${(server.address() as { port: number }).port}`)
    expect(await reaches('waiting')).toMatchObject({ error: { kind: 'brokerUnavailable' } })
    server.close()
  })

  test('ends the stream if an event exceeds the limit', async () => {
    const { reaches, subscription } = await ready(await openBroker(), { limits: { eventBytes: 1000, firstWaitMs: 20 } })
    subscription.push({ content: new Uint8Array(3 * 1024 * 1024) })
    expect(await reaches('waiting')).toMatchObject({
      error: { message: expect.stringContaining('exceeds the limit') as string },
    })
  })

  test('survives a listener that throws', async () => {
    const broker = await openBroker()
    const client = new BrokerClient({
      address: broker.address,
      token: 't',
      platform: 'p',
      component: COMPONENT,
      onState: () => {
        throw new Error('mine')
      },
    })
    clients.push(client)
    await broker.subscription()
  })
})

describe('stop', () => {
  test('sends queued events and ends the stream', async () => {
    const { client, subscription, states } = await ready(await openBroker())
    client.send({ type: 'last' })
    await client.stop()
    await subscription.closed
    expect(subscription.events.at(-1)?.type).toBe('last')
    expect(states.at(-1)).toEqual({ kind: 'stopped', error: undefined })
    expect(client.send({ type: 'later' })).toBe(false)
    expect(await failure(client.request({ type: 'later' }))).toMatchObject({ kind: 'brokerUnavailable' })
    await client.stop()
  })

  test('ends while the Broker is unreachable', async () => {
    const { client, reaches } = connect('127.0.0.1:1')
    await reaches('waiting')
    await client.stop()
    expect(client.state.kind).toBe('stopped')
  })

  test('is not needed for the process to exit, unless a request is pending', async () => {
    const broker = await openBroker()
    const program = `
      import { BrokerClient } from ${JSON.stringify(new URL('broker-client.ts', import.meta.url).href)}
      const client = new BrokerClient({
        address: '${broker.address}', token: 't', platform: 'p',
        component: { type: 'Console', app: '', name: 'cli', hash: '1', id: 'c' },
        onState: state => process.stdout.write(state.kind + ' '),
      })
      await client.request({ type: 'ask' })
      process.stdout.write('answered')
    `
    const args = ['--conditions=hearth-source', '--import', 'tsx', '--input-type=module', '-e', program]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: import.meta.dirname })
    let output = ''
    child.stdout.on('data', chunk => (output += String(chunk)))
    const subscription = await broker.subscription()
    const request: Event = await subscription.seen(event => event.type === 'ask')
    subscription.push(responseTo(request, BROKER))
    const [code] = (await once(child, 'exit')) as [number]
    expect([code, output]).toEqual([0, 'connecting ready answered'])
  })
})
