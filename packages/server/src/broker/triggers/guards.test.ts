import { expect, test } from 'vitest'
import { Guards } from './guards.ts'

function guardsAt(options: { budgetPerMinute?: number; random?: () => number } = {}) {
  const clock = { ms: 0 }
  return { clock, guards: new Guards({ ...options, now: () => clock.ms }) }
}

const slow = { name: 'slow', percentage: 100, coolDownMs: 10_000 }
const guarded = { tenant: 'default', trigger: slow, instance: 'a', isRunning: false }

test('the cool-down applies per instance, trigger and tenant', () => {
  const { clock, guards } = guardsAt()
  expect(guards.pass(guarded)).toBeUndefined()
  clock.ms = 9_999
  expect(guards.pass(guarded)).toBe('cool-down')
  expect(guards.pass({ ...guarded, instance: 'b' })).toBeUndefined()
  expect(guards.pass({ ...guarded, trigger: { ...slow, name: 'other' } })).toBeUndefined()
  expect(guards.pass({ ...guarded, tenant: 'bank' })).toBeUndefined()
  clock.ms = 10_000
  expect(guards.pass(guarded)).toBeUndefined()
})

test('a blocked capture uses neither budget nor cool-down', () => {
  const { guards } = guardsAt({ budgetPerMinute: 1 })
  expect(guards.pass({ ...guarded, isRunning: true })).toBe('running')
  expect(guards.pass(guarded)).toBeUndefined()
})

test('the budget covers the last minute of one tenant', () => {
  const { clock, guards } = guardsAt({ budgetPerMinute: 2 })
  expect(guards.pass({ ...guarded, instance: 'a' })).toBeUndefined()
  clock.ms = 30_000
  expect(guards.pass({ ...guarded, instance: 'b' })).toBeUndefined()
  expect(guards.pass({ ...guarded, instance: 'c' })).toBe('budget')
  expect(guards.pass({ ...guarded, instance: 'c', tenant: 'bank' })).toBeUndefined()
  clock.ms = 60_000
  expect(guards.pass({ ...guarded, instance: 'c' })).toBeUndefined()
  expect(guards.pass({ ...guarded, instance: 'd' })).toBe('budget')
})

test("a trigger's own budget covers the last hour of all instances", () => {
  const { clock, guards } = guardsAt({ budgetPerMinute: 3 })
  const few = { ...guarded, trigger: { ...slow, budgetPerHour: 2 } }
  expect(guards.pass({ ...few, instance: 'a' })).toBeUndefined()
  clock.ms = 1_800_000
  expect(guards.pass({ ...few, instance: 'b' })).toBeUndefined()
  expect(guards.pass({ ...few, instance: 'c' })).toBe('own-budget')
  // Other tenants have their own budget, and a blocked capture uses no other budget.
  expect(guards.pass({ ...few, instance: 'c', tenant: 'bank' })).toBeUndefined()
  for (const name of ['x', 'y'])
    expect(guards.pass({ ...few, instance: 'c', trigger: { ...slow, name } })).toBeUndefined()
  expect(guards.pass({ ...few, instance: 'c', trigger: { ...slow, name: 'z', budgetPerHour: 2 } })).toBe('budget')
  clock.ms = 3_600_000
  expect(guards.pass({ ...few, instance: 'c' })).toBeUndefined()
  expect(guards.pass({ ...few, instance: 'd' })).toBe('own-budget')
  guards.forget('default', 'slow')
  expect(guards.pass({ ...few, instance: 'd' })).toBeUndefined()
})

test('the percentage blocks the rest', () => {
  let next = 0
  const { guards } = guardsAt({ budgetPerMinute: 1000, random: () => next })
  const half = { ...guarded, trigger: { ...slow, percentage: 50 } }
  next = 0.5
  expect(guards.pass({ ...half, instance: 'x' })).toBe('percentage')
  next = 0.499
  expect(guards.pass({ ...half, instance: 'x' })).toBeUndefined()
})

test('forget resets the cool-down of one trigger', () => {
  const { guards } = guardsAt()
  expect(guards.pass(guarded)).toBeUndefined()
  guards.forget('default', 'slo')
  expect(guards.pass(guarded)).toBe('cool-down')
  guards.forget('default', 'slow')
  expect(guards.pass(guarded)).toBeUndefined()
})

test('expired cool-downs are removed', () => {
  const { clock, guards } = guardsAt({ budgetPerMinute: Infinity })
  for (let i = 0; i < 5000; i++) {
    clock.ms = i * 1000
    expect(guards.pass({ ...guarded, instance: `i${i}` })).toBeUndefined()
  }
  // Cool-downs of the last ten seconds still apply.
  expect(guards.pass({ ...guarded, instance: 'i4995' })).toBe('cool-down')
  expect(guards.pass({ ...guarded, instance: 'i1' })).toBeUndefined()
})
