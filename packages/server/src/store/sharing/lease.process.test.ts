// Leases, shared state and members in a real engine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
  it('know since when requests wait in the journal of any server', async () => {
    let now = 1_800_000_000_000
    const member = (server: string, pendingSince?: number): Members =>
      new Members({ engine, server, version: '1', pendingSince: () => pendingSince, onError, now: () => now })
    const [first, second, third] = [member('first'), member('second', now - 5000), member('third')]
    for (const each of [first, second, third]) await each.start()
    expect(await first.pendingSince()).toBe(now - 5000)
    now += 1000
    await second.stop()
    await third.stop()
    // The second has stopped with requests in its journal, and the third without.
    expect(await first.pendingSince()).toBe(now - 6000)
    now += 15 * 86_400_000
    expect(await first.pendingSince()).toBeUndefined()
    await first.stop()
  })
})
