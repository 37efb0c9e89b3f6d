// Two Brokers over a real NATS server, which the test starts, kills and starts again.
import type { Event } from '@hearth/broker'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Category, createComponent, errorOf, ttlOfMs } from '@hearth/broker'
import { describe, expect, test } from 'vitest'
import type { BrokerLimits } from '../broker.ts'
import type { LiveComponent } from '../components/live-component.ts'
import { readListResponse, remoteComponent, writeList } from './mesh-messages.ts'
import type { NatsMeshOptions } from './nats-mesh.ts'
import { NatsMesh } from './nats-mesh.ts'
import { hasOpenssl, makeCertificate } from '../../receive/testing/certificates.ts'
import type { BrokerServer } from '../testing/broker-server.ts'
import type { StreamOptions } from '../testing/component-stream.ts'
import type { ComponentStream } from '../testing/component-stream.ts'
import { rules } from '../testing/component-stream.ts'
import { makeNatsAccount } from '../testing/nats-account.ts'
import { NatsServer, WITHOUT_NATS } from '../testing/nats-server.ts'
import { openBrokers, until } from '../testing/open-brokers.ts'

if (WITHOUT_NATS !== undefined) process.stderr.write(`SKIPPED: ${WITHOUT_NATS}\n`)

const brokers = openBrokers()

async function nats(settings: readonly string[] = []): Promise<NatsServer> {
  const server = await NatsServer.start(settings)
  brokers.add(() => server.close())
  return server
}

const broker = (
  url: string,
  more: Partial<NatsMeshOptions> = {},
  limits: Partial<BrokerLimits> = {},
): Promise<BrokerServer> => brokers.start({ limits, mesh: new NatsMesh({ url, onError: () => {}, ...more }) })

const subscribe = (server: BrokerServer, name: string, options: StreamOptions = {}): Promise<ComponentStream> =>
  brokers.subscribe(server, { component: { name }, ...options })

const remotes = (server: BrokerServer, count: number) => until(() => server.broker.state().remoteComponents === count)
const kindOf = (event: Event) => errorOf(event)?.kind
const ttl = ttlOfMs(100_000)
const to = (name: string) => createComponent({ type: 'Process', name })

describe.skipIf(WITHOUT_NATS !== undefined)('NatsMesh', () => {
  test('finds brokers in any order of start and follows their components', async () => {
    const { url } = await nats()
    const a = await broker(url)
    const early = await subscribe(a, 'early', { definition: { profileTypes: ['cpu'], attributes: { zone: '1' } } })
    const b = await broker(url)
    await remotes(b, 1)
    const late = await subscribe(a, 'late', { tenant: 'te.am', definition: rules('All()') })
    await remotes(b, 2)
    const [live] = await b.broker.components('default')
    expect(live).toMatchObject({
      component: { ...early.component, brokerId: a.broker.component.id },
      profileTypes: ['cpu'],
      attributes: { zone: '1' },
      remote: true,
      load: { sent: 1 },
    } satisfies Partial<Omit<LiveComponent, 'load'>> & { load: object })
    expect(live.since).toBeInstanceOf(Date)
    expect((await b.broker.components('te.am')).map(({ routes }) => routes[0].rule)).toEqual(['All()'])
    // A new stream of an instance with other rules replaces the old one at the other broker, too.
    const anew = await subscribe(a, 'late', { tenant: 'te.am', component: late.component, definition: rules('!All()') })
    const rule = async () => (await b.broker.components('te.am')).map(({ routes }) => routes[0].rule).join()
    await until(async () => (await rule()) === '!All()')
    await anew.close()
    await remotes(b, 1)
    expect(b.broker.state().mesh).toMatchObject({ kind: 'nats', connected: true, peers: [a.broker.component.id] })
    // A broker that shuts down signs off, and its components are removed.
    await a.broker.close(1000)
    await remotes(b, 0)
    expect(b.broker.state().mesh.peers).toEqual([])
  })

  test('forwards requests, responses, messages and errors', async () => {
    const { url } = await nats()
    const [a, b] = [await broker(url), await broker(url)]
    const definition = { ...rules('Path(`/profiles/{type}`)'), envVarSchema: {} }
    const target = await subscribe(a, 'target', { tenant: 'te.am', environment: 'eu', definition })
    await remotes(b, 1)
    const from = await subscribe(b, 'requester', { tenant: 'te.am' })
    const pending = from.request({ values: { path: '/profiles/cpu' }, content: Buffer.from('?'), ttl })
    const { event, routeId } = await target.next()
    expect(routeId).toBe(0n)
    expect(event).toMatchObject({
      params: { type: 'cpu' },
      context: { platform: 'te.am', virtualEnvironment: 'eu' },
      source: { name: 'requester', brokerId: b.broker.component.id },
      target: { name: 'target', id: target.component.id, brokerId: a.broker.component.id },
    })
    expect(event?.ttl).toBeLessThan(ttl)
    target.respond(event, { content: Buffer.from('!') })
    const response = await pending
    expect(Buffer.from(response.content).toString()).toBe('!')
    expect(response.source).toMatchObject({ name: 'target', brokerId: a.broker.component.id })
    from.send({ category: Category.MESSAGE, type: 'note', target: target.component, values: { path: '/profiles/x' } })
    expect((await target.next()).event).toMatchObject({ type: 'note', category: Category.MESSAGE })

    // The server captures a component of the other broker.
    const capture = b.broker.request('te.am', {
      type: 'profiling.capture',
      target: { ...target.component, brokerId: a.broker.component.id },
      values: { path: '/profiles/heap' },
      ttl,
    })
    target.respond((await target.next()).event, { content: Buffer.alloc(1000, 7) })
    expect((await capture).content).toHaveLength(1000)

    expect(kindOf(await from.request({ target: to('target'), values: { path: '/no' } }))).toBe('routeNotFound')
    const failing = from.request({ values: { path: '/profiles/cpu' } })
    await target.next()
    target.destroy()
    expect(kindOf(await failing)).toBe('componentGone')
    await remotes(b, 0)
    expect(kindOf(await from.request({ values: { path: '/profiles/cpu' } }))).toBe('routeNotFound')
    for (const each of [a, b]) expect(each.broker.state().inFlight).toBe(0)
  })

  test('reports a timeout at the other broker and cancels the capture there', async () => {
    const { url } = await nats()
    const [a, b] = [await broker(url), await broker(url)]
    const target = await subscribe(a, 'target', { definition: { defaultHandler: true } })
    await remotes(b, 1)
    const from = await subscribe(b, 'requester')
    const kept: string[] = []
    for (const [where, { broker: at }] of Object.entries({ a, b }))
      at.onProfile(({ reason, event }) => void kept.push(`${where} ${reason} ${event.params['capture_id'] as string}`))
    const capture = { type: 'profiling.capture', target: to('target'), ttl: ttlOfMs(2050) }
    const pending = from.request({ ...capture, params: { capture_id: 'c1' } })
    const { event } = await target.next()
    expect(kindOf(await pending)).toBe('timeout')
    expect((await target.next()).event?.type).toBe('profiling.capture.cancel')
    await until(() => a.broker.state().inFlight === 0)
    // A late profile is stored at the broker that requested it.
    target.respond(event, { content: Buffer.alloc(10) })
    await until(() => kept.length > 0)
    expect(kept).toEqual(['b late c1'])
    // If that broker has shut down, it is stored at the component's broker.
    from.send({ ...capture, category: Category.REQUEST, ttl: ttlOfMs(60_000), params: { capture_id: 'c2' } })
    const second = await target.next(({ event: next }) => next?.category === Category.REQUEST)
    await b.broker.close(1000)
    await until(() => a.broker.state().mesh.peers.length === 0)
    target.respond(second.event, { content: Buffer.alloc(10) })
    await until(() => kept.length > 1)
    expect(kept).toEqual(['b late c1', 'a late c2'])
  })

  test('prefers local components and follows a component that moves to another broker', async () => {
    const { url } = await nats()
    const [a, b] = [await broker(url), await broker(url)]
    const definition = rules('All()')
    const far = await subscribe(a, 'target', { definition })
    await remotes(b, 1)
    const near = await subscribe(b, 'target', { definition })
    await remotes(a, 1)
    for (const each of [far, near]) each.echo()
    const from = await subscribe(b, 'requester')
    for (let n = 0; n < 4; n++) expect((await from.request({})).source?.id).toBe(near.component.id)
    const moved = await subscribe(b, 'target', { definition, component: far.component })
    expect((await far.ended).details).toContain('another broker')
    await until(() => a.broker.state().components === 0)
    expect((await b.broker.components('default')).filter(({ component }) => component.id === far.component.id)).toEqual(
      [expect.objectContaining({ remote: false })],
    )
    moved.echo()
    expect((await from.request({ target: moved.component })).source?.id).toBe(moved.component.id)
  })

  test('splits events larger than a NATS message and keeps their order', async () => {
    const { url } = await nats(['max_payload: 8192'])
    const [a, b] = [await broker(url), await broker(url, {}, { eventBytes: 600_000 })]
    const target = await subscribe(a, 'target', { definition: { defaultHandler: true } })
    await remotes(b, 1)
    const from = await subscribe(b, 'requester')
    const content = Buffer.from(Array.from({ length: 500_000 }, (_, n) => n % 251))
    const pending = from.request({ target: to('target'), content, ttl })
    for (const type of ['first', 'second']) from.send({ category: Category.MESSAGE, type, target: to('target') })
    const { event } = await target.next()
    expect(Buffer.from(event?.content ?? []).equals(content)).toBe(true)
    expect(event?.ttl).toBeLessThan(ttl)
    expect([(await target.next()).event?.type, (await target.next()).event?.type]).toEqual(['first', 'second'])
    target.respond(event, { content })
    expect(Buffer.from((await pending).content).equals(content)).toBe(true)
    // The requester gets an error if its own broker rejects the response.
    const tooMuch = from.request({ target: to('target') })
    target.respond((await target.next()).event, { content: Buffer.alloc(700_000) })
    const refused = errorOf(await tooMuch)
    expect(refused?.kind).toBe('contentTooLarge')
    expect(refused?.message).toContain('the limit is 600000')
  })

  test('is not cut off as a slow consumer by many large responses', async () => {
    // NATS disconnects a reader with more than 1 MB waiting. Here 18 MB arrive.
    const { url } = await nats(['max_payload: 65536', 'max_pending: 1MB'])
    const [a, b] = [await broker(url), await broker(url)]
    const targets = []
    for (let n = 0; n < 20; n++)
      targets.push(await subscribe(a, `target-${n}`, { definition: { defaultHandler: true } }))
    await remotes(b, targets.length)
    const responses = targets.map((_, n) => b.broker.request('default', { target: to(`target-${n}`), type: 'x', ttl }))
    const requests = await Promise.all(targets.map(async target => (await target.next()).event))
    targets.forEach((target, n) => target.respond(requests[n], { content: Buffer.alloc(900_000, n) }))
    for (const [n, response] of (await Promise.all(responses)).entries()) {
      expect(response.content).toHaveLength(900_000)
      expect(response.content[899_999]).toBe(n)
    }
    expect(b.broker.state().mesh).toMatchObject({ connected: true, peers: [a.broker.component.id] })
  })

  test('connects with a .creds file of the right account only', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hearth-nats-creds-'))
    brokers.add(async () => rmSync(directory, { recursive: true }))
    const account = makeNatsAccount()
    const { url } = await nats(account.settings)
    const credentials = (name: string, content: string): { readonly credentials: string } => {
      const file = join(directory, name)
      writeFileSync(file, content)
      return { credentials: file }
    }
    const a = await broker(url, credentials('a.creds', account.credentials()))
    const b = await broker(url, credentials('b.creds', account.credentials()))
    const stranger = await broker(url, credentials('c.creds', makeNatsAccount().credentials()))
    const nobody = await broker(url)
    const target = await subscribe(a, 'target', { definition: { defaultHandler: true } })
    target.echo()
    await remotes(b, 1)
    expect(kindOf(await (await subscribe(b, 'requester')).request({ target: to('target') }))).toBeUndefined()
    for (const each of [stranger, nobody]) {
      await until(() => /auth/i.test(each.broker.state().mesh.message))
      expect(each.broker.state()).toMatchObject({ remoteComponents: 0, mesh: { connected: false } })
    }
  })

  test('works alone without NATS, reports it, and finds the others again', async () => {
    const server = await nats()
    const [a, b] = [await broker(server.url), await broker(server.url)]
    const target = await subscribe(a, 'target', { definition: { defaultHandler: true } })
    const here = await subscribe(b, 'here', { definition: { defaultHandler: true } })
    here.echo()
    await remotes(b, 1)
    const from = await subscribe(b, 'requester')
    const pending = from.request({ target: to('target') })
    await target.next()
    await server.kill()
    expect(kindOf(await pending)).toBe('componentGone')
    await until(() => !b.broker.state().mesh.connected)
    expect(b.broker.state().mesh).toMatchObject({ kind: 'nats', peers: [] })
    expect(b.broker.state().mesh.message).toContain('NATS')
    expect(kindOf(await from.request({ target: to('here') }))).toBeUndefined()
    const elsewhere = { ...target.component, brokerId: a.broker.component.id }
    expect(kindOf(await from.request({ target: elsewhere }))).toBe('brokerUnavailable')
    const meanwhile = await subscribe(a, 'meanwhile')
    await server.again()
    await remotes(b, 2)
    target.echo()
    expect(kindOf(await from.request({ target: elsewhere }))).toBeUndefined()
    expect(meanwhile.component.name).toBe('meanwhile')
  })

  test.skipIf(!hasOpenssl())('connects with certificates on both sides', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hearth-nats-tls-'))
    brokers.add(async () => rmSync(directory, { recursive: true }))
    const server = makeCertificate(directory, 'server')
    const client = makeCertificate(directory, 'client')
    const files = `cert_file: "${server.certFile}", key_file: "${server.keyFile}", ca_file: "${client.certFile}"`
    const { url } = await nats([`tls { ${files}, verify: true }`])
    const tls = { ca: server.certFile, cert: client.certFile, key: client.keyFile }
    const [a, b, stranger] = [
      await broker(url, tls),
      await broker(url, tls),
      await broker(url, { ca: client.certFile }),
    ]
    await subscribe(a, 'target')
    await remotes(b, 1)
    await until(() => stranger.broker.state().mesh.message !== 'not connected yet')
    expect(stranger.broker.state()).toMatchObject({ remoteComponents: 0, mesh: { connected: false } })
  })

  test('connects when NATS starts later, and not with a wrong password', async () => {
    const password = ['authorization { user: hearth, password: "s3 cret" }']
    const server = await nats(password)
    await server.kill()
    const url = (user: string): string => server.url.replace('//', `//${user}@`)
    const early = await broker(url('hearth:s3%20cret'))
    await subscribe(early, 'early')
    const wrong = await broker(url('hearth:wrong'))
    await until(() => early.broker.state().mesh.message !== 'not connected yet')
    expect(early.broker.state().mesh.connected).toBe(false)
    await server.again(password)
    const other = await broker(url('hearth:s3%20cret'))
    await remotes(other, 1)
    await until(() => /auth/i.test(wrong.broker.state().mesh.message))
    expect(wrong.broker.state()).toMatchObject({ remoteComponents: 0, mesh: { connected: false } })
  })
})

test('writeList splits a component list into pages that can be joined', () => {
  const components = Array.from({ length: 50 }, (_, n): LiveComponent => ({
    tenant: 'default',
    component: createComponent({ type: 'Process', name: `service-${n}`, id: 'ä'.repeat(n), brokerId: 'b' }),
    environment: '',
    profileTypes: ['cpu'],
    attributes: { zone: '1' },
    routes: [{ id: 0, rule: 'All()', priority: 5 }],
    defaultHandler: true,
    since: new Date(1_700_000_000_000),
    load: { queued: 0, inFlight: 0, received: 0, sent: 0, dropped: 0 },
    remote: false,
  }))
  const pages: Uint8Array[] = []
  const read: LiveComponent[] = []
  for (let from: number | undefined = 0; from !== undefined;) {
    const page = writeList(7, components, from, 2000)
    const response = readListResponse(page)
    expect(response?.version).toBe(7)
    pages.push(page)
    read.push(...(response?.components ?? []).map(remoteComponent))
    from = response?.next
  }
  expect(pages.length).toBeGreaterThan(5)
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(2100)
  expect(read).toEqual(components.map(component => ({ ...component, remote: true })))
  // A component larger than a page has its own page.
  expect(readListResponse(writeList(7, components, 0, 1))?.components).toHaveLength(1)
  expect(readListResponse(Buffer.from('{'))).toBeUndefined()
  expect(readListResponse(Buffer.from('{"version":1,"components":[{}]}'))).toBeUndefined()
})
