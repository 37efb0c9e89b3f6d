// Three servers over one ClickHouse: senders go to the next server when theirs is killed, and nothing is lost or stored twice. The
// housekeeping moves to another server each time, with its state. The parts of a screen agree, whichever server responds.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HearthClient } from '@hearth/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callServer } from './maintenance/control.ts'
import { flipBytes } from './store/damage/testing/flip-bytes.ts'
import type { Engine } from './store/engine.ts'
import { openClickHouse } from './store/engines/clickhouse.ts'
import type { ClickHouseHttp } from './store/testing/clickhouse-http.ts'
import { startClickHouseHttp } from './store/testing/clickhouse-http.ts'
import { checkStore } from './testing/check-store.ts'
import { Senders } from './testing/senders.ts'
import { sentRequest } from './testing/sent-request.ts'
import { ServerProcess } from './testing/server-process.ts'

const COUNT = 3
const MIN_REQUESTS = 60
/** Senders continue while the test waits for a lease to end. The pause limits what they send in that time. */
const PAUSE_MS = 250
/** Nanoseconds by which screens of a shared store are behind. */
const LAG = 5_000_000_000n
const directory = mkdtempSync(join(tmpdir(), 'hearth-shared-'))
const servers: ServerProcess[] = []
const messages: string[] = []
let clickHouse: ClickHouseHttp
let webhook: Server
let engine: Engine
let url: string

async function start(i: number): Promise<ServerProcess> {
  return ServerProcess.start({
    data: join(directory, `server-${i}`),
    store: url,
    'commit-window': '20ms',
    'disk-reserve': '1MiB',
    'housekeeping-lease': '8s',
    'self-profile': 'no',
    monitor: '500ms',
  })
}

/** The indexes of running servers that do the housekeeping. */
async function housekeepers(): Promise<number[]> {
  const found: number[] = []
  for (const [i, server] of servers.entries()) {
    if (!server.alive) continue
    const text = await (await fetch(`http://127.0.0.1:${server.ports.http}/metrics`)).text()
    if (/^hearth_housekeeping 1$/m.test(text)) found.push(i)
  }
  return found
}

/** The one server that does the housekeeping, when there is one. */
async function housekeeper(): Promise<number> {
  let found: number[] = []
  const look = async (): Promise<number> => (found = await housekeepers()).length
  await expect.poll(look, { timeout: 120_000, interval: 200 }).toBe(1)
  return found[0]
}

/**
 * Compares what the servers show while data arrives at all of them. Repeats the screen with a new time until all servers are able
 * to show all data before it: on a busy machine, one of them can be too late.
 */
async function showsOneScreen(sent: () => number): Promise<void> {
  for (;;) {
    const receivedBefore = BigInt(Date.now()) * 1_000_000n
    const parts: ScreenPart[] = []
    for (const server of [...servers, ...servers]) {
      parts.push(...(await screenOf(server, receivedBefore)))
      const before = sent()
      while (sent() === before) await sleep(20)
    }
    // Servers that show data before the same time show the same data.
    for (const { before, total } of parts) expect(total).toBe(parts.find(other => other.before === before)?.total)
    const [{ before, total }] = parts
    if (total > 0n && before === receivedBefore - LAG && parts.every(part => part.before === before)) return
  }
}

const clientOf = (server: ServerProcess): HearthClient =>
  new HearthClient({ server: `http://127.0.0.1:${server.ports.http}` })

/** A part of a screen. */
interface ScreenPart {
  readonly total: bigint
  /** The time before which its data was received. */
  readonly before: bigint
}

/** The parts of a screen, from one server. All of them see the data that was received before one time. */
async function screenOf(server: ServerProcess, receivedBefore: bigint): Promise<ScreenPart[]> {
  const request = {
    selector: 'cpu:ns',
    from: '2026-09-01T00:00:00Z',
    to: '2026-10-01T00:00:00Z',
    receivedBefore: String(receivedBefore),
  }
  const part = async (totalOf: (client: HearthClient) => Promise<bigint>): Promise<ScreenPart> => {
    let before = 0n
    const client = new HearthClient({
      server: `http://127.0.0.1:${server.ports.http}`,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        before = BigInt(response.headers.get('hearth-received-before') ?? '')
        return response
      },
    })
    const total = await totalOf(client)
    return { total, before }
  }
  return await Promise.all([
    part(async client => BigInt((await client.query('flameGraph', request)).sum)),
    part(async client => BigInt((await client.query('top', request)).sum)),
    part(async client => {
      const { groups } = await client.query('series', request)
      return groups.flatMap(({ points }) => points).reduce((sum, point) => sum + BigInt(point.sum), 0n)
    }),
  ])
}

beforeAll(async () => {
  clickHouse = await startClickHouseHttp({ directory: join(directory, 'clickhouse') })
  url = `clickhouse://127.0.0.1:${clickHouse.port}`
  engine = await openClickHouse({ url })
  webhook = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      messages.push(Buffer.concat(pieces).toString())
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(webhook, 'listening')
  // At the same time, so that they all find an empty store.
  servers.push(...(await Promise.all(Array.from({ length: COUNT }, (_, i) => start(i)))))
}, 240_000)

afterAll(async () => {
  for (const server of servers) if (server.alive) await server.kill()
  webhook.close()
  await engine.close()
  await clickHouse.close()
  rmSync(directory, { recursive: true })
}, 60_000)

it('runs each migration once when all servers start at the same time', async () => {
  const block = await engine.select(
    'SELECT toUInt32(max(n)) AS most FROM (SELECT count() AS n FROM schema_versions GROUP BY version)',
  )
  expect(block.column('most').number(0)).toBe(1)
})

it('shows a rule of one server on all of them', async () => {
  const { port } = webhook.address() as AddressInfo
  const [first, second] = servers.map(clientOf)
  await first.act('putReceiver', { kind: 'webhook', url: `http://127.0.0.1:${port}/` }, { of: 'team' })
  const condition = { kind: 'metric', metric: 'never.sent' } as const
  await second.act('putAlertRule', { condition, test: { kind: 'absent' }, window: '1m' }, { of: 'silent' })
  for (const server of servers)
    await expect
      .poll(async () => (await clientOf(server).act('alertRules', {})).rules.map(({ name }) => name))
      .toEqual(['silent'])
})

it('loses and doubles nothing while servers are killed, and moves the housekeeping', { timeout: 600_000 }, async () => {
  const senders = servers.map((server, lane) => {
    const each = new Senders(4, n => sentRequest(n * COUNT + lane), PAUSE_MS)
    each.aim(server)
    return each
  })
  const sent = (): number => senders.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)
  // The alert has fired, and its state is in the store, before the first server dies.
  await expect.poll(() => messages.length, { timeout: 60_000 }).toBe(1)
  expect(JSON.parse(messages[0])).toMatchObject({ status: 'firing', alerts: [{ rule: 'silent' }] })
  await showsOneScreen(sent)
  const did = new Set<number>()
  for (let kill = 0; kill < COUNT; kill++) {
    const victim = await housekeeper()
    did.add(victim)
    const before = sent()
    while (sent() < before + MIN_REQUESTS) await sleep(20)
    await servers[victim].kill()
    // Its journal has the acknowledged requests. The others are sent to the next server.
    senders[victim].aim(servers[(victim + 1) % COUNT])
    expect(await housekeeper()).not.toBe(victim)
    servers[victim] = await start(victim)
    senders[victim].aim(servers[victim])
  }
  for (const each of senders) await each.finish()
  expect(senders.flatMap(({ faults }) => faults)).toEqual([])
  for (const server of servers) await server.settled()
  const all = senders.flatMap(({ acknowledged }) => acknowledged)
  const retries = senders.reduce((sum, each) => sum + each.retries, 0)
  process.stdout.write(`${COUNT} kills, ${all.length} requests, ${retries} retries, ${did.size} housekeepers\n`)
  await checkStore(engine, all, 20)
  // The next housekeepers know that the alert was sent.
  expect(messages).toHaveLength(1)
})

it('reports a damaged part that one server has met on all of them', { timeout: 120_000 }, async () => {
  const [first, second] = servers
  await first.settled()
  // The store of a ClickHouse server is a directory on its machine.
  const paths = await first.select(
    "SELECT path FROM system.parts WHERE table = 'logs' AND active AND database = currentDatabase()",
  )
  for (const path of paths) flipBytes(join(path.slice(2, -2), 'data.bin'), 64)
  const missing = async ({ ports }: ServerProcess): Promise<string> => {
    const response = await fetch(
      `http://127.0.0.1:${ports.http}/api/v1/logs?from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z`,
    )
    expect(response.status).toBe(200)
    return response.headers.get('hearth-missing-data') ?? ''
  }
  expect(await missing(first)).toContain('logs')
  const codes = async () => (await second.readiness()).codes
  await expect.poll(codes, { timeout: 60_000 }).toContain('parts-broken')
  // The first server may have detached several parts one after the other.
  const isSame = async (): Promise<boolean> => (await missing(second)) === (await missing(first))
  await expect.poll(isSame, { timeout: 60_000 }).toBe(true)
  await callServer(join(directory, 'server-0'), 'repair', {}, () => undefined)
  await expect.poll(codes, { timeout: 60_000 }).not.toContain('parts-broken')
})

it('hands the housekeeping over at once when its server shuts down', { timeout: 240_000 }, async () => {
  const before = await housekeeper()
  expect(await servers[before].end()).toBe(0)
  expect(await housekeeper()).not.toBe(before)
  // It has told the others that no requests wait in its journal.
  const block = await engine.select(
    'SELECT stopped, toUnixTimestamp64Milli(pending_since) AS pending FROM servers FINAL',
  )
  const states = Array.from({ length: block.rows }, (_, row) => [
    block.column('stopped').number(row),
    block.column('pending').bigint(row) === 0n,
  ])
  expect(states).toContainEqual([1, true])
})
