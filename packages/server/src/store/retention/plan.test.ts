import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Partition } from './partitions.ts'
import type { Signal } from '../keeper.ts'
import type { Keep, KeepBySignal, Plan } from './plan.ts'
import { TABLES_OF_SIGNAL, neededSince, planRetention, unsettledDay } from './plan.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TODAY = 20_772
/** 06:30 in the morning. */
const NOW = TODAY * DAY + 6.5 * HOUR
const YESTERDAY = TODAY - 1

function partition(table: string, day: number, bytes = 100, tenant = 'a'): Partition {
  return { table, tenant, day, id: `${tenant}-${day}`, bytes }
}

function plan(partitions: readonly Partition[], keep: KeepBySignal, now = NOW): Plan {
  return planRetention(partitions, () => keep, now, unsettledDay(now, undefined))
}

function dropped({ drops }: Plan): string[] {
  return drops.map(({ partition: { table, tenant, day } }) => `${tenant} ${table} ${day - TODAY}`).toSorted()
}

describe('age', () => {
  test('drops the days whose rows are all too old', () => {
    const days = [-9, -8, -7, -1, 0].map(day => partition('spans', TODAY + day))
    expect(dropped(plan(days, { traces: { ageMs: 7 * DAY } }))).toEqual(['a spans -8', 'a spans -9'])
    // At midnight, the last row of the eighth day before is exactly as old as allowed.
    expect(dropped(plan(days, { traces: { ageMs: 7 * DAY } }, TODAY * DAY))).toEqual(['a spans -8', 'a spans -9'])
    expect(dropped(plan(days, { traces: { ageMs: 7 * DAY } }, TODAY * DAY - 1))).toEqual(['a spans -9'])
  })

  test('applies to one signal and not to unlimited ones', () => {
    const old = ['profiles', 'span_samples', 'spans', 'logs', 'metric_points'].map(name => partition(name, TODAY - 50))
    expect(dropped(plan(old, { profiles: { ageMs: 30 * DAY } }))).toEqual(['a profiles -50', 'a span_samples -50'])
    expect(plan(old, {})).toEqual({ drops: [], cuts: [] })
    expect(plan(old, { profiles: {} })).toEqual({ drops: [], cuts: [] })
  })

  test('cuts the oldest day by the hour if the limit is short', () => {
    const days = [-2, -1, 0].map(day => partition('logs', TODAY + day))
    const { drops, cuts } = plan(days, { logs: { ageMs: 12 * HOUR } })
    expect(drops.map(drop => drop.partition.day)).toEqual([TODAY - 2])
    expect(cuts).toEqual([{ partitions: [days[1]], signal: 'logs', before: TODAY * DAY - 6 * HOUR }])
    // Not again until the next hour.
    expect(plan(days, { logs: { ageMs: 12 * HOUR } }, NOW + 20 * 60_000).cuts).toEqual(cuts)
    // A day more or less does not matter for a limit of a month.
    expect(plan([partition('logs', TODAY - 30)], { logs: { ageMs: 30 * DAY } })).toEqual({ drops: [], cuts: [] })
  })
})

describe('size', () => {
  test('drops the oldest days that can go completely, and cuts the next', () => {
    const days = [-3, -2, -1, 0].map(day => partition('spans', TODAY + day))
    const { drops, cuts } = plan(days, { traces: { bytes: 250 } })
    expect(drops.map(drop => drop.partition.day)).toEqual([TODAY - 3])
    expect(cuts).toEqual([{ partitions: [days[1]], signal: 'traces', share: 0.5 }])
    expect(plan(days, { traces: { bytes: 400 } })).toEqual({ drops: [], cuts: [] })
    expect(dropped(plan(days, { traces: { bytes: 200 } }))).toEqual(['a spans -2', 'a spans -3'])
  })

  test('counts all tables of the signal and cuts them at one time', () => {
    const day = [partition('profiles', TODAY, 300), partition('span_samples', TODAY, 100)]
    expect(plan(day, { profiles: { bytes: 300 } }).cuts).toEqual([{ partitions: day, signal: 'profiles', share: 0.25 }])
  })

  test('counts the rows that the age limit leaves', () => {
    const days = [-9, -1, 0].map(day => partition('spans', TODAY + day))
    const { drops, cuts } = plan(days, { traces: { ageMs: 7 * DAY, bytes: 200 } })
    expect(drops).toHaveLength(1)
    expect(cuts).toEqual([])
  })
})

describe('requests', () => {
  const keep = { profiles: { ageMs: 7 * DAY }, logs: { ageMs: 3 * DAY } }

  test('keep their rows as long as any signal has the day', () => {
    const days = [-9, -5].flatMap(day => ['requests', 'profiles', 'logs'].map(name => partition(name, TODAY + day)))
    expect(dropped(plan(days, keep))).toEqual(['a logs -5', 'a logs -9', 'a profiles -9', 'a requests -9'])
  })

  test('keep their rows while items may still arrive', () => {
    const alone = [-3, -2, -1, 0].map(day => partition('requests', TODAY + day))
    expect(dropped(plan(alone, keep))).toEqual(['a requests -2', 'a requests -3'])
    // A commit of the day before yesterday is not in the tables yet.
    const pending = unsettledDay(NOW, (TODAY - 2) * DAY + 5)
    expect(dropped(planRetention(alone, () => keep, NOW, pending))).toEqual([])
  })
})

test('unsettledDay is yesterday, or the day before the oldest commit in the journal', () => {
  expect(unsettledDay(NOW, undefined)).toBe(YESTERDAY)
  expect(unsettledDay(NOW, NOW - 5000)).toBe(YESTERDAY)
  expect(unsettledDay(NOW, (TODAY - 4) * DAY)).toBe(TODAY - 5)
  // The clock was set back.
  expect(unsettledDay(NOW, NOW + 9 * DAY)).toBe(YESTERDAY)
})

test('neededSince is the oldest day of the rows that refer to symbols', () => {
  const partitions = [
    partition('profiles', TODAY - 7),
    partition('span_samples', TODAY - 8),
    partition('spans', TODAY - 20),
    partition('requests', TODAY - 21),
    partition('profiles', TODAY - 90, 100, 'b'),
  ]
  const since = (tenant: string, table: string) => neededSince(partitions, tenant, table, YESTERDAY) - TODAY
  expect([since('a', 'stacks'), since('a', 'series'), since('a', 'resources'), since('a', 'scopes')]).toEqual([
    -8, -8, -21, -21,
  ])
  expect([since('b', 'functions'), since('c', 'functions')]).toEqual([-90, -1])
})

describe('any partitions and limits', () => {
  const tables = [...Object.values(TABLES_OF_SIGNAL).flat(), 'requests']
  const keep = fc.record(
    { ageMs: fc.integer({ min: 1, max: 40 * 24 }).map(hours => hours * HOUR), bytes: fc.nat({ max: 3000 }) },
    { requiredKeys: [] },
  )
  const keepBySignal = fc.record(
    { profiles: keep, traces: keep, logs: keep, metrics: keep },
    { requiredKeys: [] },
  ) satisfies fc.Arbitrary<KeepBySignal>
  const cases = fc.record({
    partitions: fc.uniqueArray(
      fc.record({
        table: fc.constantFrom(...tables),
        tenant: fc.constantFrom('a', 'b', 'limitless'),
        day: fc.integer({ min: TODAY - 45, max: TODAY }),
        bytes: fc.integer({ min: 1, max: 1000 }),
      }),
      { maxLength: 60, selector: ({ table, tenant, day }) => `${table} ${tenant} ${day}` },
    ),
    keeps: fc.record({ a: keepBySignal, b: keepBySignal, limitless: fc.constant<KeepBySignal>({}) }),
    pendingDays: fc.nat({ max: 10 }),
  })

  test('keeps the rows it must and no more', () => {
    fc.assert(
      fc.property(cases, ({ partitions: given, keeps, pendingDays }) => {
        const partitions = given.map(({ table, day, bytes, tenant }) => partition(table, day, bytes, tenant))
        const unsettled = unsettledDay(NOW, NOW - pendingDays * DAY)
        const keepOf = (tenant: string): KeepBySignal => keeps[tenant as keyof typeof keeps]
        const { drops, cuts } = planRetention(partitions, keepOf, NOW, unsettled)
        const gone = new Set(drops.map(drop => drop.partition))
        expect(gone.size).toBe(drops.length)
        for (const tenant of ['a', 'b', 'limitless']) {
          const own = partitions.filter(one => one.tenant === tenant)
          for (const signal of Object.keys(TABLES_OF_SIGNAL) as Signal[]) {
            const of = own.filter(({ table }) => TABLES_OF_SIGNAL[signal].includes(table))
            checkSignal(of, gone, cuts, signal, keepOf(tenant)[signal] ?? {})
          }
          const itemDays = new Set(own.filter(one => one.table !== 'requests' && !gone.has(one)).map(({ day }) => day))
          for (const one of own.filter(({ table }) => table === 'requests'))
            expect(gone.has(one)).toBe(one.day < unsettled && !itemDays.has(one.day))
        }
      }),
    )
  })

  function checkSignal(
    of: readonly Partition[],
    gone: ReadonlySet<Partition>,
    cuts: Plan['cuts'],
    signal: Signal,
    { ageMs, bytes }: Keep,
  ): void {
    const left = of.filter(one => !gone.has(one))
    const own = cuts.filter(cut => cut.signal === signal && cut.partitions.some(one => of.includes(one)))
    // The remaining rows are newer than the dropped ones.
    for (const one of of.filter(each => gone.has(each)))
      for (const other of left) expect(other.day).toBeGreaterThan(one.day)
    for (const cut of own) for (const one of cut.partitions) expect(left).toContain(one)
    if (ageMs !== undefined) for (const { day } of left) expect((day + 1) * DAY).toBeGreaterThan(NOW - ageMs)
    if (bytes === undefined) {
      for (const one of of.filter(each => gone.has(each)))
        expect((one.day + 1) * DAY).toBeLessThanOrEqual(NOW - (ageMs ?? 0))
      expect(own.every(cut => cut.share === undefined)).toBe(true)
    } else {
      const sum = (list: readonly Partition[]) => list.reduce((total, one) => total + one.bytes, 0)
      const shared = own.filter(cut => cut.share !== undefined)
      const cutOff = shared.reduce((total, cut) => total + (cut.share ?? 0) * sum(cut.partitions), 0)
      expect(sum(left) - cutOff).toBeLessThanOrEqual(bytes + 1e-6)
      if (shared.length > 0) expect(sum(left) - cutOff).toBeCloseTo(bytes, 6)
    }
  }
})
