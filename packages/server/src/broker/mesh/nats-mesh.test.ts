// Two Brokers over a real NATS server, which the test starts, kills and starts again.
import type { Event } from '@hearth/broker'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Category, createComponent, errorOf, ttlOfMs } from '@hearth/broker'
import { describe, expect, test } from 'vitest'
import type { BrokerLimits } from '../broker.ts'
import type { LiveComponent } from '../components/live-component.ts'
import { readListAnswer, remoteComponent, writeList } from './mesh-messages.ts'
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

describe.skipIf(WITHOUT_NATS !== undefined)('over NATS', () => {
  test('brokers find each other, whoever comes first, and each other’s components as they come and go', async () => {
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
    // An instance anew, with other rules, takes the place of the old one there as well.
    const anew = await subscribe(a, 'late', { tenant: 'te.am', component: late.component, definition: rules('!All()') })
    const rule = async () => (await b.broker.components('te.am')).map(({ routes }) => routes[0].rule).join()
    await until(async () => (await rule()) === '!All()')
    await anew.close()
    await remotes(b, 1)
    expect(b.broker.state().mesh).toMatchObject({ kind: 'nats', connected: true, peers: [a.broker.component.id] })
    // A broker that ends says so; its components are gone with it.
    await a.broker.close(1000)
    await remotes(b, 0)
    expect(b.broker.state().mesh.peers).toEqual([])
  })

  test('requests, answers, messages and errors go over and come back', async () => {
    const { url } = await nats()
    const [a, b] = [await broker(url), await broker(url)]
    const definition = { ...rules('Path(`/profiles/{type}`)'), envVarSchema: {} }
    const target = await subscribe(a, 'target', { tenant: 'te.am', environment: 'eu', definition })
    await remotes(b, 1)
    const from = await subscribe(b, 'asker', { tenant: 'te.am' })
    const asked = from.ask({ values: { path: '/profiles/cpu' }, content: Buffer.from('?'), ttl })
    const { event, routeId } = await target.next()
    expect(routeId).toBe(0n)
    expect(event).toMatchObject({
      params: { type: 'cpu' },
      context: { platform: 'te.am', virtualEnvironment: 'eu' },
      source: { name: 'asker', brokerId: b.broker.component.id },
      target: { name: 'target', id: target.component.id, brokerId: a.broker.component.id },
    })
    expect(event?.ttl).toBeLessThan(ttl)
    target.answer(event, { content: Buffer.from('!') })
    const answer = await asked
    expect(Buffer.from(answer.content).toString()).toBe('!')
    expect(answer.source).toMatchObject({ name: 'target', brokerId: a.broker.component.id })
    from.send({ category: Category.MESSAGE, type: 'note', target: target.component, values: { path: '/profiles/x' } })
    expect((await target.next()).event).toMatchObject({ type: 'note', category: Category.MESSAGE })

    // The server asks for a capture at the other one.
    const capture = b.broker.request('te.am', {
      type: 'profiling.capture',
      target: { ...target.component, brokerId: a.broker.component.id },
      values: { path: '/profiles/heap' },
      ttl,
    })
    target.answer((await target.next()).event, { content: Buffer.alloc(1000, 7) })
    expect((await capture).content).toHaveLength(1000)

    expect(kindOf(await from.ask({ target: to('target'), values: { path: '/no' } }))).toBe('routeNotFound')
    const failing = from.ask({ values: { path: '/profiles/cpu' } })
    await target.next()
    target.destroy()
    expect(kindOf(await failing)).toBe('componentGone')
    await remotes(b, 0)
    expect(kindOf(await from.ask({ values: { path: '/profiles/cpu' } }))).toBe('routeNotFound')
    for (const each of [a, b]) expect(each.broker.state().inFlight).toBe(0)
  })

  test('time is over at the other broker: the asker is told, and the capture called off there', async () => {
    const { url } = await nats()
    const [a, b] = [await broker(url), await broker(url)]
    const target = await subscribe(a, 'target', { definition: { defaultHandler: true } })
    await remotes(b, 1)
    const from = await subscribe(b, 'asker')
    const kept: string[] = []
    for (const [where, { broker: at }] of Object.entries({ a, b }))
      at.onProfile(({ reason, event }) => void kept.push(`${where} ${reason} ${event.params['capture_id'] as string}`))
    const capture = { type: 'profiling.capture', target: to('target'), ttl: ttlOfMs(2050) }
    const asked = from.ask({ ...capture, params: { capture_id: 'c1' } })
    const { event } = await target.next()
    expect(kindOf(await asked)).toBe('timeout')
    expect((await target.next()).event?.type).toBe('profiling.capture.cancel')
    await until(() => a.broker.state().inFlight === 0)
    // What it has recorded all the same is kept where it was asked for, as what it was asked for.
    target.answer(event, { content: Buffer.alloc(10) })
    await until(() => kept.length > 0)
    expect(kept).toEqual(['b late c1'])
    // Unless the one that asked has ended meanwhile.
    from.send({ ...capture, category: Category.REQUEST, ttl: ttlOfMs(60_000), params: { capture_id: 'c2' } })
    const second = await target.next(({ event: next }) => next?.category === Category.REQUEST)
    await b.broker.close(1000)
    await until(() => a.broker.state().mesh.peers.length === 0)
    target.answer(second.event, { content: Buffer.alloc(10) })
    await until(() => kept.length > 1)
    expect(kept).toEqual(['b late c1', 'a late c2'])
  })

  test('what is here is preferred; a component that goes over to another broker is there alone', async () => {
    const { url } = await nats()
    const [a, b] = [await broker(url), await broker(url)]
    const definition = rules('All()')
    const far = await subscribe(a, 'target', { definition })
    await remotes(b, 1)
    const near = await subscribe(b, 'target', { definition })
    await remotes(a, 1)
    for (const each of [far, near]) each.echo()
    const from = await subscribe(b, 'asker')
    for (let n = 0; n < 4; n++) expect((await from.ask({})).source?.id).toBe(near.component.id)
    const moved = await subscribe(b, 'target', { definition, component: far.component })
    expect((await far.ended).details).toContain('another broker')
    await until(() => a.broker.state().components === 0)
    expect((await b.broker.components('default')).filter(({ component }) => component.id === far.component.id)).toEqual(
      [expect.objectContaining({ remote: false })],
    )
    moved.echo()
    expect((await from.ask({ target: moved.component })).source?.id).toBe(moved.component.id)
  })

  test('what is larger than a message of NATS goes in parts, there and back, and in order', async () => {
    const { url } = await nats(['max_payload: 8192'])
    const [a, b] = [await broker(url), await broker(url, {}, { eventBytes: 600_000 })]
    const target = await subscribe(a, 'target', { definition: { defaultHandler: true } })
    await remotes(b, 1)
    const from = await subscribe(b, 'asker')
    const content = Buffer.from(Array.from({ length: 500_000 }, (_, n) => n % 251))
    const asked = from.ask({ target: to('target'), content, ttl })
    for (const type of ['first', 'second']) from.send({ category: Category.MESSAGE, type, target: to('target') })
    const { event } = await target.next()
    expect(Buffer.from(event?.content ?? []).equals(content)).toBe(true)
    expect(event?.ttl).toBeLessThan(ttl)
    expect([(await target.next()).event?.type, (await target.next()).event?.type]).toEqual(['first', 'second'])
    target.answer(event, { content })
    expect(Buffer.from((await asked).content).equals(content)).toBe(true)
    // What the asker's own broker does not take is told.
    const tooMuch = from.ask({ target: to('target') })
    target.answer((await target.next()).event, { content: Buffer.alloc(700_000) })
    const refused = errorOf(await tooMuch)
    expect(refused?.kind).toBe('contentTooLarge')
    expect(refused?.message).toContain('the limit is 600000')
  })

  test('many large answers at once do not make NATS cut off whom they are for', async () => {
    // NATS drops a reader for whom more than a megabyte waits; here come eighteen.
    const { url } = await nats(['max_payload: 65536', 'max_pending: 1MB'])
    const [a, b] = [await broker(url), await broker(url)]
    const targets = []
    for (let n = 0; n < 20; n++)
      targets.push(await subscribe(a, `target-${n}`, { definition: { defaultHandler: true } }))
    await remotes(b, targets.length)
    const answers = targets.map((_, n) => b.broker.request('default', { target: to(`target-${n}`), type: 'x', ttl }))
    const asked = await Promise.all(targets.map(async target => (await target.next()).event))
    targets.forEach((target, n) => target.answer(asked[n], { content: Buffer.alloc(900_000, n) }))
    for (const [n, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.content).toHaveLength(900_000)
      expect(answer.content[899_999]).toBe(n)
    }
    expect(b.broker.state().mesh).toMatchObject({ connected: true, peers: [a.broker.component.id] })
  })

  test('with a .creds file of an account, and not with one of another', async () => {
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
    expect(kindOf(await (await subscribe(b, 'asker')).ask({ target: to('target') }))).toBeUndefined()
    for (const each of [stranger, nobody]) {
      await until(() => /auth/i.test(each.broker.state().mesh.message))
      expect(each.broker.state()).toMatchObject({ remoteComponents: 0, mesh: { connected: false } })
    }
  })

  test('without NATS a broker is alone, says so, and finds the others again', async () => {
    const server = await nats()
    const [a, b] = [await broker(server.url), await broker(server.url)]
    const target = await subscribe(a, 'target', { definition: { defaultHandler: true } })
    const here = await subscribe(b, 'here', { definition: { defaultHandler: true } })
    here.echo()
    await remotes(b, 1)
    const from = await subscribe(b, 'asker')
    const asked = from.ask({ target: to('target') })
    await target.next()
    await server.kill()
    expect(kindOf(await asked)).toBe('componentGone')
    await until(() => !b.broker.state().mesh.connected)
    expect(b.broker.state().mesh).toMatchObject({ kind: 'nats', peers: [] })
    expect(b.broker.state().mesh.message).toContain('NATS')
    expect(kindOf(await from.ask({ target: to('here') }))).toBeUndefined()
    const elsewhere = { ...target.component, brokerId: a.broker.component.id }
    expect(kindOf(await from.ask({ target: elsewhere }))).toBe('brokerUnavailable')
    const meanwhile = await subscribe(a, 'meanwhile')
    await server.again()
    await remotes(b, 2)
    target.echo()
    expect(kindOf(await from.ask({ target: elsewhere }))).toBeUndefined()
    expect(meanwhile.component.name).toBe('meanwhile')
  })

  test.skipIf(!hasOpenssl())('with certificates on both sides', async () => {
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

  test('a server that starts before NATS, and one whom NATS does not know', async () => {
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

test('a list goes in pages, and comes together again', () => {
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
    const answer = readListAnswer(page)
    expect(answer?.version).toBe(7)
    pages.push(page)
    read.push(...(answer?.components ?? []).map(remoteComponent))
    from = answer?.next
  }
  expect(pages.length).toBeGreaterThan(5)
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(2100)
  expect(read).toEqual(components.map(component => ({ ...component, remote: true })))
  // One that is larger than a page goes alone.
  expect(readListAnswer(writeList(7, components, 0, 1))?.components).toHaveLength(1)
  expect(readListAnswer(Buffer.from('{'))).toBeUndefined()
  expect(readListAnswer(Buffer.from('{"version":1,"components":[{}]}'))).toBeUndefined()
})
