// Leases, shared state and members in a real engine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Engine } from '../engine.ts'
import { openEmbedded } from '../engines/embedded.ts'
import { migrate } from '../schema/migrations.ts'
import { Lease } from './lease.ts'
import { Members } from './members.ts'
import { SharedState } from './shared-state.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-lease-'))
let engine: Engine

const onError = (error: unknown): never => {
  throw error as Error
}

beforeAll(async () => {
  engine = await openEmbedded({ directory: join(directory, 'store') })
  await migrate(engine)
}, 60_000)

afterAll(async () => {
  await engine.close()
  rmSync(directory, { recursive: true })
})

const leaseOf = (name: string, holder: string, milliseconds = 60_000, elapsed?: () => number): Lease =>
  new Lease({ engine, name, holder, milliseconds, onError, ...(elapsed === undefined ? {} : { elapsed }) })

describe('a lease', () => {
  it('goes to exactly one of many servers that want it at the same time', async () => {
    const leases = Array.from({ length: 8 }, (_, i) => leaseOf('race', `server-${i}`))
    const got = await Promise.all(leases.map(lease => lease.renew()))
    expect(got.filter(Boolean)).toHaveLength(1)
    const winner = `server-${got.indexOf(true)}`
    expect(leases.map(({ holder }) => holder)).toEqual(leases.map(() => winner))
  })

  it('stays with its holder while that renews it', async () => {
    const [first, second] = [leaseOf('kept', 'first'), leaseOf('kept', 'second')]
    for (let i = 0; i < 3; i++) expect([await first.renew(), await second.renew()]).toEqual([true, false])
    expect([first.isHeld(), second.isHeld()]).toEqual([true, false])
  })

  it('moves on when the holder releases it', async () => {
    const [first, second] = [leaseOf('released', 'first'), leaseOf('released', 'second')]
    await first.renew()
    await first.release()
    expect(first.isHeld()).toBe(false)
    expect(await second.renew()).toBe(true)
    expect(await first.renew()).toBe(false)
  })

  it('moves on when it expires, and its holder knows that without the store', async () => {
    let now = 0
    const first = leaseOf('expired', 'first', 200, () => now)
    const second = leaseOf('expired', 'second')
    expect(await first.renew()).toBe(true)
    now = 200
    expect(first.isHeld()).toBe(false)
    await second.wait()
    expect(await first.renew()).toBe(false)
    expect(first.holder).toBe('second')
  })
})

describe('shared state', () => {
  it('is seen by other servers after a refresh', async () => {
    const [first, second] = [
      new SharedState({ engine, server: 'a', onError }),
      new SharedState({ engine, server: 'b', onError }),
    ]
    const changed: string[] = []
    second.onChange('rules', tenant => changed.push(tenant))
    await first.write('rules', 'default', '{"n":1,"text":"it\'s \\\\ {x:String}"}')
    expect(second.read('rules', 'default')).toBeUndefined()
    await second.refresh()
    expect(second.read('rules', 'default')).toBe('{"n":1,"text":"it\'s \\\\ {x:String}"}')
    expect([changed, second.tenants('rules')]).toEqual([['default'], ['default']])
  })

  it('rejects the change of a server that does not know the latest one', async () => {
    const [first, second] = [
      new SharedState({ engine, server: 'a', onError }),
      new SharedState({ engine, server: 'b', onError }),
    ]
    await first.write('alerts', 'default', '1')
    await second.refresh()
    await first.write('alerts', 'default', '2')
    await expect(second.write('alerts', 'default', '3')).rejects.toThrow(/another server changed this at the same time/)
    expect(second.read('alerts', 'default')).toBe('2')
    await second.write('alerts', 'default', '4')
    await first.refresh()
    expect(first.read('alerts', 'default')).toBe('4')
  })
})

describe('members', () => {
  const NANO_PER_MS = 1_000_000n

  /** A server with its own clock, which says what is visible. */
  class TestServer {
    readonly members: Members
    visibleBefore: number
    pendingSince: number | undefined

    constructor(server: string, visibleBefore: number) {
      this.visibleBefore = visibleBefore
      this.members = new Members({
        engine,
        server,
        version: '1',
        visibleBefore: () => BigInt(this.visibleBefore) * NANO_PER_MS,
        pendingSince: () => this.pendingSince,
        onError,
      })
    }
  }

  /** The report of a server that is gone. */
  const addSilent = (server: string, visibleBefore: number, silentMs: number): Promise<void> =>
    engine.command(
      'INSERT INTO servers (server, host, version, seen, pending_since, stopped) VALUES ' +
        `('${server}', '', '1', now64(9) - toIntervalMillisecond(${silentMs}), fromUnixTimestamp64Milli(toInt64(${visibleBefore})), 0)`,
    )

  beforeEach(() => engine.command('TRUNCATE TABLE servers'))

  it('know since when requests wait in the journal of any server', async () => {
    const start = Date.now() - 60_000
    const [first, second, third] = [5000, 1000, 3000].map((time, i) => new TestServer(`server-${i}`, start + time))
    for (const { members } of [first, second, third]) await members.start()
    expect(await first.members.pendingSince()).toBe(start + 1000)
    second.pendingSince = start + 2000
    await second.members.stop()
    await third.members.stop()
    // The second has stopped with requests in its journal, and the third without.
    expect(await first.members.pendingSince()).toBe(start + 2000)
    await addSilent('lost', start, 15 * 86_400_000)
    expect(await first.members.pendingSince()).toBe(start + 2000)
    await addSilent('killed', start, 13 * 86_400_000)
    expect(await first.members.pendingSince()).toBe(start)
    await first.members.stop()
  })

  it('agree on the time before which the data of all servers is complete', { timeout: 60_000 }, async () => {
    const start = Date.now() - 60_000
    const time = (ms: number): bigint => BigInt(start + ms) * NANO_PER_MS
    const { signal } = new AbortController()
    // The clock of the third is a day ahead.
    const [first, second, third] = [5000, 1000, 86_400_000].map((ms, i) => new TestServer(`server-${i}`, start + ms))
    for (const { members } of [first, second, third]) await members.start()
    for (const { members } of [first, second, third]) {
      await members.visible(time(1000), signal)
      expect(members.visibleBefore()).toBe(time(1000))
    }
    // The third server waits for the second.
    let isVisible = false
    const waiting = third.members.visible(time(5000), signal).then(() => (isVisible = true))
    second.visibleBefore = start + 4999
    while (third.members.visibleBefore() < time(4999)) await sleep(20)
    expect(isVisible).toBe(false)
    second.visibleBefore = start + 7000
    await waiting
    expect(third.members.visibleBefore()).toBe(time(5000))
    for (const { members } of [first, second, third]) await members.stop()
  })

  it('wait for a server that is silent until its time is over, and not for one that has stopped', async () => {
    const start = Date.now() - 60_000
    const time = (ms: number): bigint => BigInt(start + ms) * NANO_PER_MS
    const [first, second] = [new TestServer('first', start + 5000), new TestServer('second', start + 2000)]
    await addSilent('gone', start, 30_000)
    await addSilent('killed', start + 1000, 1000)
    for (const { members } of [first, second]) await members.start()
    expect(first.members.visibleBefore()).toBe(time(1000))
    await expect(first.members.visible(time(2000), AbortSignal.abort())).rejects.toThrow(/abort/)
    await addSilent('killed', start + 3000, 0)
    await first.members.visible(time(2000), new AbortController().signal)
    expect(first.members.visibleBefore()).toBe(time(2000))
    await second.members.stop()
    await first.members.visible(time(3000), new AbortController().signal)
    expect(first.members.visibleBefore()).toBe(time(3000))
    await first.members.stop()
  })
})
