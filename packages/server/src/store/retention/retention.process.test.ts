// Retention with the real engine: it deletes the right rows, and the remaining rows can be read.
import { SIGNALS } from '@hearth/signals'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SILENT } from '../../observe/log.ts'
import type { Engine, SelectOptions } from '../engine.ts'
import { GroupRows } from '../group-rows.ts'
import { symbolTables } from '../schema/all-tables.ts'
import { MemoryLedger } from '../symbols/ledger.ts'
import { listPartitions } from './partitions.ts'
import type { KeepBySignal } from './plan.ts'
import type { RetentionOptions, RetentionResult } from './retention.ts'
import { Retention } from './retention.ts'
import type { Kept } from './testing/dated-store.ts'
import { DAY, DatedStore, HOUR, NOW, TODAY, bulkyLog, payloadOf } from './testing/dated-store.ts'

const NOTHING = { droppedPartitions: 0, droppedBytes: 0, cutPartitions: 0, deletedSymbols: 0 }
let dated: DatedStore

beforeAll(async () => {
  dated = await DatedStore.open()
})
afterAll(async () => {
  await dated.store.close()
})

function retention(keep: Readonly<Record<string, KeepBySignal>>, more: Partial<RetentionOptions> = {}): Retention {
  return new Retention({
    engine: dated.store.engine,
    layout: {},
    log: SILENT,
    keepOf: tenant => keep[tenant] ?? {},
    pendingSince: () => undefined,
    forgetSymbols: async () => dated.ledger.forgetAll(),
    now: () => NOW,
    ...more,
  })
}

function run(
  keep: Readonly<Record<string, KeepBySignal>>,
  more: Partial<RetentionOptions> = {},
): Promise<RetentionResult> {
  return retention(keep, more).run()
}

async function expectUnchanged(kept: readonly Kept[]): Promise<void> {
  for (const one of kept) expect(await dated.changed(one)).toBeUndefined()
}

async function tableBytes(): Promise<Map<string, number>> {
  const partitions = await listPartitions(dated.store.engine, {})
  const bytes = new Map<string, number>()
  for (const partition of partitions) bytes.set(partition.table, (bytes.get(partition.table) ?? 0) + partition.bytes)
  return bytes
}

async function sizes(tenant: string): Promise<Map<string, number>> {
  const partitions = await listPartitions(dated.store.engine, {})
  const own = partitions.filter(partition => partition.tenant === tenant)
  return new Map(own.map(({ table, day, bytes }) => [`${table} ${TODAY - day}`, bytes]))
}

describe('age', () => {
  test('applies per signal and tenant, and frees the disk', async () => {
    const kept = await dated.keepAll('age', 40, 10, 2, 0)
    const others = await dated.keepAll('age-other', 40, 10, 2, 0)
    const untouched = await dated.counts('age-other')
    const before = await tableBytes()
    const paths = await dated.store.engine.select(
      `SELECT path FROM system.parts WHERE active AND table = 'spans' AND partition LIKE '(\\'age\\',%'`,
    )
    const dropped = new Map<string, number>()
    const result = await run(
      { age: { profiles: { ageMs: 30 * DAY }, traces: { ageMs: 5 * DAY }, metrics: { ageMs: 5 * DAY } } },
      { onDropped: (signal, bytes) => dropped.set(signal, (dropped.get(signal) ?? 0) + bytes) },
    )
    expect(await dated.days('age')).toEqual({
      requests: [40, 10, 2, 0],
      profiles: [10, 2, 0],
      span_samples: [10, 2, 0],
      spans: [2, 0],
      logs: [40, 10, 2, 0],
      metric_points: [2, 0],
    })
    expect(result).toMatchObject({ droppedPartitions: 6, cutPartitions: 0 })
    expect([...dropped.keys()].toSorted()).toEqual(['metrics', 'profiles', 'traces'])
    expect([...dropped.values()].reduce((sum, bytes) => sum + bytes)).toBe(result.droppedBytes)
    const after = await tableBytes()
    for (const table of ['profiles', 'span_samples', 'spans', 'metric_points'])
      expect(after.get(table)).toBeLessThan(before.get(table) ?? 0)
    const there = Array.from({ length: paths.rows }, (_, row) => existsSync(paths.column('path').text(row)))
    expect(there.filter(Boolean).length).toBeLessThanOrEqual(2)
    const allowed = { profiles: 10, traces: 2, logs: 40, metrics: 2 }
    const oldest = (one: Kept) => allowed[one.payload.signal]
    await expectUnchanged(kept.filter(one => TODAY - one.context.day <= oldest(one)))
    expect(await dated.counts('age-other')).toEqual(untouched)
    await expectUnchanged(others)
  })

  test('drops a request’s own row when its day is gone from every signal', async () => {
    const kept = await dated.keepAll('requests', 40, 10, 0)
    const keep = Object.fromEntries(SIGNALS.map(signal => [signal, { ageMs: 20 * DAY }]))
    await run({ requests: { ...keep, logs: {} } })
    expect((await dated.days('requests'))['requests']).toEqual([40, 10, 0])
    await run({ requests: keep })
    expect((await dated.days('requests'))['requests']).toEqual([10, 0])
    await expectUnchanged(kept.filter(one => one.context.day > TODAY - 40))
  })

  test('cuts the oldest day by the hour if the limit is short', async () => {
    const early = await dated.keep('short', dated.next('profiles'), 31 * HOUR)
    const late = await dated.keep('short', dated.next('profiles'), 29 * HOUR)
    const log = await dated.keep('short', dated.next('logs'), 31 * HOUR)
    const keep = { short: { profiles: { ageMs: 30 * HOUR } } }
    expect(await run(keep)).toMatchObject({ droppedPartitions: 0, cutPartitions: 2 })
    await expectUnchanged([late, log])
    expect(await dated.count(`SELECT count() AS n FROM profiles WHERE tenant = 'short'`)).toBe(
      late.payload.signal === 'profiles' ? late.payload.profiles.profiles.length : -1,
    )
    expect(await dated.changed(early)).toBeDefined()
    expect(await run(keep)).toEqual(NOTHING)
  })
})

describe('size', () => {
  test('drops the oldest days, then cuts the next', async () => {
    const kept: Kept[] = []
    for (const day of [3, 2, 1, 0]) {
      // In one part, because merges would change sizes during the test.
      const rows = new GroupRows()
      for (let k = 0; k < 150; k++)
        kept.push(dated.write(rows, 'size', bulkyLog(150 * day + k), day * DAY - k * 1000, new MemoryLedger()))
      await dated.store.commit(rows)
    }
    const bytes = await sizes('size')
    const [oldest, next] = [bytes.get('logs 3') ?? 0, bytes.get('logs 2') ?? 0]
    const all = [3, 2, 1, 0].reduce((sum, day) => sum + (bytes.get(`logs ${day}`) ?? 0), 0)
    const limit = all - oldest - Math.floor(next * 0.35)
    const result = await run({ size: { logs: { bytes: limit } } })
    expect(result).toMatchObject({ droppedPartitions: 2, cutPartitions: 1 })
    expect(await dated.days('size')).toEqual({ requests: [2, 1, 0], logs: [2, 1, 0] })
    const now = await sizes('size')
    const left = [2, 1, 0].reduce((sum, day) => sum + (now.get(`logs ${day}`) ?? 0), 0)
    expect(left).toBeLessThan(1.05 * limit)
    // The oldest requests are gone completely. Their share is approximate, because rows differ in size.
    const block = await dated.store.engine.select(
      `SELECT DISTINCT toUInt32(toUnixTimestamp(received)) AS at FROM logs WHERE tenant = 'size' AND day = toDate(${TODAY - 2}) ORDER BY at`,
    )
    const times = Array.from({ length: block.rows }, (_, row) => block.column('at').number(row))
    const given = kept.slice(150, 300).map(one => Number(one.context.received / 1_000_000_000n))
    expect(times).toEqual(given.slice(-times.length))
    expect(times.length).toBeGreaterThan(85)
    expect(times.length).toBeLessThan(105)
    await expectUnchanged(kept.slice(300 - times.length).filter((_, i) => i % 20 === 0))
  })

  test('counts each tenant separately', async () => {
    const big = [
      await dated.keep('big', dated.next('traces'), 2 * DAY),
      await dated.keep('big', dated.next('traces'), 0),
    ]
    const small = await dated.keep('small', dated.next('traces'), 2 * DAY)
    const limit = (await sizes('small')).get('spans 2') ?? 0
    await run({ big: { traces: { bytes: limit * 1.5 } }, small: { traces: { bytes: limit } } })
    expect((await dated.days('big'))['spans']).toEqual([0])
    await expectUnchanged([big[1], small])
  })
})

describe('symbols', () => {
  const monthly = { profiles: { ageMs: 30 * DAY } }

  test('are deleted per table when no row refers to them', async () => {
    // 1 and 51 share stacks. 2 shares none with them.
    await dated.keep('symbols', payloadOf('profiles', 1), 40 * DAY)
    await dated.keep('symbols', payloadOf('profiles', 2), 40 * DAY)
    const kept = [
      await dated.keep('symbols', payloadOf('profiles', 51), 3 * DAY),
      await dated.keep('symbols', dated.next('logs'), 40 * DAY),
    ]
    const before = await dated.counts('symbols')
    const { deletedSymbols } = await run({ symbols: monthly })
    const after = await dated.counts('symbols')
    expect(deletedSymbols).toBeGreaterThan(10)
    for (const table of ['stacks', 'locations', 'functions', 'attribute_sets', 'series'])
      expect([table, after[table] < before[table]]).toEqual([table, true])
    // The old log and its request refer to it.
    expect(after['resources']).toBe(before['resources'])
    const oldest = symbolTables.map(({ name }) => name).filter(name => name !== 'resources' && name !== 'scopes')
    for (const name of oldest)
      expect(
        await dated.count(
          `SELECT count() AS n FROM ${name} WHERE tenant = 'symbols' AND last_seen < toDate(${TODAY - 3})`,
        ),
      ).toBe(0)
    await expectUnchanged(kept)
    expect(await run({ symbols: monthly })).toEqual(NOTHING)
  })

  test('keep a newer row when an older one of the same symbol is deleted', async () => {
    await dated.keep('twice', payloadOf('profiles', 7), 40 * DAY)
    const kept = await dated.keep('twice', payloadOf('profiles', 7), DAY)
    const { deletedSymbols } = await run({ twice: monthly })
    expect(deletedSymbols).toBeGreaterThan(0)
    await expectUnchanged([kept])
    await dated.store.engine.command('OPTIMIZE TABLE stacks FINAL')
    await expectUnchanged([kept])
  })

  test('are written again after a deletion, despite the ledger', async () => {
    const ledger = new MemoryLedger()
    const forgetSymbols = async () => ledger.forgetAll()
    await dated.keep('idle', payloadOf('profiles', 8), 40 * DAY, ledger)
    expect((await run({ idle: monthly }, { forgetSymbols })).deletedSymbols).toBeGreaterThan(0)
    expect((await dated.counts('idle'))['stacks']).toBe(0)
    // The next request arrives 40 days later, which is a new day for the ledger.
    const next = await dated.keep('idle', payloadOf('profiles', 8), 0, ledger)
    await expectUnchanged([next])
  })

  test('are written again even if the clock was wrong and is set back', async () => {
    const ledger = new MemoryLedger()
    const forgetSymbols = async () => ledger.forgetAll()
    await dated.keep('clock', payloadOf('profiles', 9), 0, ledger)
    const wrong = NOW + 90 * DAY
    await run({ clock: monthly }, { forgetSymbols, now: () => wrong })
    expect((await dated.counts('clock'))['stacks']).toBe(0)
    const next = await dated.keep('clock', payloadOf('profiles', 9), -1000, ledger)
    await expectUnchanged([next])
  })

  test('are kept for a commit that is not in the tables yet', async () => {
    const rows = new GroupRows()
    const kept = dated.write(rows, 'pending', payloadOf('profiles', 10), 5 * DAY, new MemoryLedger())
    const names = new Set(symbolTables.map(({ name }) => name))
    const part = (symbols: boolean): GroupRows => {
      const batches = rows.batches().filter(batch => names.has(batch.table.name) === symbols)
      return Object.assign(new GroupRows(), { batches: () => batches })
    }
    // As after a crash within a group: tokens prevent that the symbols are inserted twice.
    await dated.store.commit(part(true))
    expect(await run({}, { pendingSince: () => NOW - 5 * DAY })).toEqual(NOTHING)
    await dated.store.commit(part(false))
    await expectUnchanged([kept])
    expect(await run({})).toEqual(NOTHING)
  })

  test('keeps a request’s row that was inserted before its items', async () => {
    const rows = new GroupRows()
    const kept = dated.write(rows, 'row', payloadOf('logs', 11), 5 * DAY, new MemoryLedger())
    const part = (items: boolean): GroupRows => {
      const batches = rows.batches().filter(batch => (batch.table.name === 'logs') === items)
      return Object.assign(new GroupRows(), { batches: () => batches })
    }
    await dated.store.commit(part(false))
    expect(await run({}, { pendingSince: () => NOW - 5 * DAY })).toEqual(NOTHING)
    await dated.store.commit(part(true))
    await expectUnchanged([kept])
  })
})

describe('any time', () => {
  const keep = { profiles: { ageMs: 20 * HOUR }, logs: { ageMs: 7 * DAY }, traces: { bytes: 1 } }

  test('does nothing when nothing is due', async () => {
    const kept = await dated.keepAll('quiet', 3, 0)
    const { engine, commands } = counting(dated.store.engine, Infinity)
    const all = Object.fromEntries(SIGNALS.map(signal => [signal, { ageMs: 7 * DAY, bytes: 1e9 }]))
    expect(await run({ quiet: all }, { engine })).toEqual(NOTHING)
    expect(commands).toEqual([])
    await expectUnchanged(kept)
  })

  test('resumes correctly after it was interrupted', { timeout: 180_000 }, async () => {
    // Do the work that earlier tests left.
    while ((await run({})).droppedPartitions > 0);
    for (const survived of [2, 9, Infinity]) {
      const tenant = `crash-${survived}`
      await dated.keepAll(tenant, 40, 10, 1)
      const kept = [...(await dated.keepAll(tenant, 0)), await dated.keep(tenant, dated.next('logs'), 3 * DAY)]
      const whole = kept.filter(one => one.payload.signal !== 'traces')
      const { engine, commands } = counting(dated.store.engine, survived)
      const first = await run({ [tenant]: keep }, { engine }).catch((error: unknown) => String(error))
      await expectUnchanged(whole)
      await run({ [tenant]: keep })
      await expectUnchanged(whole)
      expect(await run({ [tenant]: keep })).toEqual(NOTHING)
      expect(await dated.days(tenant)).toMatchObject({ profiles: [0], logs: [3, 1, 0] })
      expect(typeof first).toBe(survived === Infinity ? 'object' : 'string')
      expect(commands.length).toBe(Math.min(survived, commands.length))
    }
  })

  test('runs while requests arrive', { timeout: 180_000 }, async () => {
    await dated.keepAll('busy', 40, 10, 1)
    let done = false
    const kept: Kept[] = []
    const inserting = (async () => {
      while (!done || kept.length < 12)
        kept.push(await dated.keep('busy', dated.next(SIGNALS[kept.length % 4]), -kept.length * 1000, dated.ledger))
    })()
    const result = await run({ busy: { ...keep, traces: { ageMs: 7 * DAY } } })
    done = true
    await inserting
    expect(result.droppedPartitions).toBeGreaterThan(5)
    expect(result.deletedSymbols).toBeGreaterThan(0)
    await expectUnchanged(kept)
    await run({ busy: { ...keep, traces: { ageMs: 7 * DAY } } })
    await expectUnchanged(kept)
  })

  test('shows a deletion again that fails and is completed later', async () => {
    for (const age of [31, 29]) await dated.keep('late', dated.next('profiles'), age * HOUR)
    const { engine } = dated.store
    let isFailing = true
    const failing = new Proxy(engine, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const select = (sql: string, options?: SelectOptions) =>
          isFailing && sql.includes('system.mutations') && sql.includes('unfinished')
            ? engine.select("SELECT toUInt64(1) AS unfinished, 'no space left' AS reason")
            : engine.select(sql, options)
        return name === 'select' ? select : (value.bind(target) as unknown)
      },
    })
    let shown = 0
    let notify = (): void => {}
    const again = new Promise<void>(resolve => (notify = resolve))
    const failed = retention(
      { late: { profiles: { ageMs: 30 * HOUR } } },
      {
        engine: failing,
        onDeleting: (table, tenant) => {
          if (table !== 'profiles' || tenant !== 'late') return
          shown++
          if (!isFailing) notify()
        },
      },
    )
    await expect(failed.run()).rejects.toThrow('no space left')
    expect(shown).toBe(2)
    isFailing = false
    await again
    await failed.stop()
  })

  test('stops when it is told to', async () => {
    await dated.keepAll('ending', 40, 0)
    const ending = retention({ ending: keep })
    ending.start()
    await ending.stop()
    await expect(ending.run()).rejects.toThrow(/aborted/)
    expect(await dated.days('ending')).toMatchObject({ profiles: [40, 0] })
  })
})

/** Records commands. After this many it fails, as if the process had ended. */
function counting(engine: Engine, most: number): { readonly engine: Engine; readonly commands: string[] } {
  const commands: string[] = []
  const command = async (sql: string): Promise<void> => {
    if (commands.length === most) throw new Error('ended here')
    commands.push(sql)
    await engine.command(sql)
  }
  const select: Engine['select'] = (sql, options) => engine.select(sql, options)
  return { engine: { ...engine, select, command }, commands }
}
