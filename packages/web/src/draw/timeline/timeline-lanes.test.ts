// Tests the time that a thread spent in each role against a sum over all events.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TimelineEvents } from '../../timeline/events.ts'
import { MARK, RUNNING } from '../../timeline/roles.ts'
import { syntheticEvents } from '../testing/synthetic-events.ts'
import { Lanes } from './timeline-lanes.ts'

/** Creates one thread from events [gap before it, duration, role]. */
function eventsOf(list: readonly (readonly [gap: number, duration: number, role: number])[]): TimelineEvents {
  const base = syntheticEvents(list.length, 1)
  let at = 0
  list.forEach(([gap, duration, role], i) => {
    base.start[i] = at + gap
    base.duration[i] = role === MARK ? 0 : duration
    base.role[i] = role
    base.kind[i] = role === MARK ? 2 : role === RUNNING ? 0 : 1
    at = base.start[i] + base.duration[i]
  })
  return { ...base, whole: at }
}

function spentByHand(
  { start, duration, role, length }: TimelineEvents,
  of: number,
  from: number,
  until: number,
): number {
  let sum = 0
  for (let i = 0; i < length; i++) {
    if (role[i] === of) sum += Math.max(0, Math.min(until, start[i] + duration[i]) - Math.max(from, start[i]))
  }
  return sum
}

const anEvent = fc.tuple(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 1, max: 40 }),
  fc.constantFrom(RUNNING, 3, 5, MARK),
)

describe('Lanes', () => {
  test.each([4, 7, 64, 1000])('returns parts that add up to the events, at %i pixels', pixels => {
    fc.assert(
      fc.property(
        fc.array(anEvent, { minLength: 1, maxLength: 60 }),
        fc.nat(400),
        fc.integer({ min: 1, max: 900 }),
        (list, from, length) => {
          const events = eventsOf(list)
          const lanes = new Lanes(events)
          const parts = new Float32Array(pixels)
          const wide = length / pixels
          for (const role of [RUNNING, 3, 5]) {
            const isAny = lanes.fill(0, role, from, from + length, parts)
            const byHand = Array.from({ length: pixels }, (_, x) =>
              spentByHand(events, role, from + x * wide, from + (x + 1) * wide),
            )
            expect(isAny).toBe(byHand.some(each => each > 1e-9))
            if (isAny) byHand.forEach((each, x) => expect(parts[x]).toBeCloseTo(each / wide, 3))
            expect(lanes.spent(0, role, from, from + length)).toBeCloseTo(
              byHand.reduce((sum, each) => sum + each, 0),
              5,
            )
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('counts each event without a duration once', () => {
    const events = eventsOf([
      [5, 0, MARK],
      [0, 0, MARK],
      [10, 0, MARK],
    ])
    const parts = new Float32Array(4)
    expect(new Lanes(events).fill(0, MARK, 0, 20, parts)).toBe(true)
    expect([...parts]).toEqual([0, 2, 0, 1])
  })

  test('scales sampled events by their rate, except long ones', () => {
    const events = eventsOf([
      [0, 10, RUNNING],
      [90, 10, RUNNING],
      [0, 400, 3],
    ])
    const coverage = { ...events.coverage, every: 4, longest: 300 }
    const lanes = new Lanes({ ...events, coverage })
    expect([lanes.total(0), lanes.total(0, 3)]).toEqual([80, 400])
  })
})

describe('Lanes.eventAt and beside', () => {
  const events = eventsOf([
    [0, 10, RUNNING],
    [0, 5, 3],
    [20, 10, RUNNING],
    [0, 0, MARK],
  ])
  const lanes = new Lanes(events)

  test('finds events by their time, or the nearest', () => {
    expect([0, 9.9, 10, 14.9].map(time => lanes.eventAt(0, time, 1))).toEqual([0, 0, 1, 1])
    expect([lanes.eventAt(0, 25, 1), lanes.eventAt(0, 34.5, 1), lanes.eventAt(0, 26, 11)]).toEqual([-1, 2, 2])
    expect(lanes.eventAt(0, 1e9, Infinity)).toBeGreaterThanOrEqual(2)
  })

  test('steps through events of all roles in both directions', () => {
    const walk = (from: number, direction: 1 | -1): number[] => {
      const met = [from]
      for (let at = lanes.beside(0, from, direction); at >= 0; at = lanes.beside(0, at, direction)) met.push(at)
      return met
    }
    expect(walk(0, 1)).toEqual([0, 1, 2, 3])
    expect(walk(3, -1)).toEqual([3, 2, 1, 0])
  })

  test('counts running time by the CPU clock only, if a thread has one', () => {
    const events = eventsOf([
      [0, 10, RUNNING],
      [0, 60, RUNNING],
      [0, 30, 5],
    ])
    events.kind.set([0, 1, 1])
    expect(events.kinds.map(({ clock }) => clock)).toEqual(['cpu', 'wall', 'cpu'])
    const lanes = new Lanes(events)
    expect([lanes.total(0), lanes.total(0, 5), lanes.count(0)]).toEqual([10, 30, 2])
    expect(new Lanes(events, kind => kind === 0).total(0)).toBe(60)
  })

  test('skips events of a hidden type', () => {
    const without = new Lanes(events, kind => kind === 1)
    expect([lanes.count(0), without.count(0), without.hasRole(0, 3)]).toEqual([4, 3, false])
    expect(without.beside(0, 0, 1)).toBe(2)
  })
})
