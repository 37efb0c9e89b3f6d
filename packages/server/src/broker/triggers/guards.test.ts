import { expect, test } from 'vitest'
import { Guards } from './guards.ts'

function guardsAt(options: { budgetPerMinute?: number; random?: () => number } = {}) {
  const clock = { ms: 0 }
  return { clock, guards: new Guards({ ...options, now: () => clock.ms }) }
}

const slow = { name: 'slow', percentage: 100, coolDownMs: 10_000 }
const asked = { tenant: 'default', trigger: slow, instance: 'a', isRunning: false }

test('an instance is left alone for the cool-down, others are not', () => {
  const { clock, guards } = guardsAt()
  expect(guards.pass(asked)).toBeUndefined()
  clock.ms = 9_999
  expect(guards.pass(asked)).toBe('cool-down')
  expect(guards.pass({ ...asked, instance: 'b' })).toBeUndefined()
  expect(guards.pass({ ...asked, trigger: { ...slow, name: 'other' } })).toBeUndefined()
  expect(guards.pass({ ...asked, tenant: 'bank' })).toBeUndefined()
  clock.ms = 10_000
  expect(guards.pass(asked)).toBeUndefined()
})

test('what a guard holds back uses up neither budget nor cool-down', () => {
  const { guards } = guardsAt({ budgetPerMinute: 1 })
  expect(guards.pass({ ...asked, isRunning: true })).toBe('running')
  expect(guards.pass(asked)).toBeUndefined()
})

test('the budget is of the last minute and of one tenant', () => {
  const { clock, guards } = guardsAt({ budgetPerMinute: 2 })
  expect(guards.pass({ ...asked, instance: 'a' })).toBeUndefined()
  clock.ms = 30_000
  expect(guards.pass({ ...asked, instance: 'b' })).toBeUndefined()
  expect(guards.pass({ ...asked, instance: 'c' })).toBe('budget')
  expect(guards.pass({ ...asked, instance: 'c', tenant: 'bank' })).toBeUndefined()
  clock.ms = 60_000
  expect(guards.pass({ ...asked, instance: 'c' })).toBeUndefined()
  expect(guards.pass({ ...asked, instance: 'd' })).toBe('budget')
})

test('a budget of its own is of the last hour, and of all instances', () => {
  const { clock, guards } = guardsAt({ budgetPerMinute: 3 })
  const few = { ...asked, trigger: { ...slow, budgetPerHour: 2 } }
  expect(guards.pass({ ...few, instance: 'a' })).toBeUndefined()
  clock.ms = 1_800_000
  expect(guards.pass({ ...few, instance: 'b' })).toBeUndefined()
  expect(guards.pass({ ...few, instance: 'c' })).toBe('own-budget')
  // Others have theirs, and what a budget holds back uses up no other.
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

test('a share of what fits', () => {
  let next = 0
  const { guards } = guardsAt({ budgetPerMinute: 1000, random: () => next })
  const half = { ...asked, trigger: { ...slow, percentage: 50 } }
  next = 0.5
  expect(guards.pass({ ...half, instance: 'x' })).toBe('percentage')
  next = 0.499
  expect(guards.pass({ ...half, instance: 'x' })).toBeUndefined()
})

test('a changed trigger starts afresh', () => {
  const { guards } = guardsAt()
  expect(guards.pass(asked)).toBeUndefined()
  guards.forget('default', 'slo')
  expect(guards.pass(asked)).toBe('cool-down')
  guards.forget('default', 'slow')
  expect(guards.pass(asked)).toBeUndefined()
})

test('instances that are gone are forgotten', () => {
  const { clock, guards } = guardsAt({ budgetPerMinute: Infinity })
  for (let i = 0; i < 5000; i++) {
    clock.ms = i * 1000
    expect(guards.pass({ ...asked, instance: `i${i}` })).toBeUndefined()
  }
  // Those of the last ten seconds still count.
  expect(guards.pass({ ...asked, instance: 'i4995' })).toBe('cool-down')
  expect(guards.pass({ ...asked, instance: 'i1' })).toBeUndefined()
})
