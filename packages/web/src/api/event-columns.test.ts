import type { EventsColumns } from '@hearth/client'
import { framesOfRows } from '@hearth/profile'
import { expect, test } from 'vitest'
import { ROLES } from '../timeline/roles.ts'
import { timelineOf } from './event-columns.ts'

const START = 1_700_000_000_000_000_000n

const response = {
  from: String(START - 7n),
  to: String(START + 60_000_000_000n),
  profiles: 2,
  untimed: 1,
  kinds: [
    { type: 'cpu', unit: 'nanoseconds', clock: 'cpu', periodType: 'cpu', periodUnit: 'nanoseconds', period: '10' },
    { type: 'off_cpu', unit: 'us', clock: 'wall', periodType: '', periodUnit: '', period: '0' },
    { type: 'alloc_space', unit: 'bytes', clock: 'cpu', periodType: '', periodUnit: '', period: '0' },
  ],
  resources: [{ id: '9', service: 'shop', attributes: [{ key: 'process.pid', text: '7' }] }],
  lanes: ['thread'],
  threads: [
    { key: '9/1/main', resource: 0, process: '', id: { intValue: '1' }, name: { stringValue: 'main' }, events: 3 },
    { key: '9//', resource: 0, process: '8', id: {}, name: {}, events: 1 },
  ],
  states: ['', 'mutex'],
  links: [
    { traceId: '', spanId: '' },
    { traceId: 'aa', spanId: 'bb' },
  ],
  events: 40,
  every: 10,
  longest: '5',
  hiddenThreads: 2,
  outside: { given: 1, elsewhere: 2, first: '5', last: '6' },
  missing: { stacks: 0, self: '0' },
  thread: Uint32Array.of(0, 0, 0, 1),
  kind: Uint32Array.of(0, 1, 2, 0),
  time: BigInt64Array.of(START + 5_000_000_000n, START + 5_000_000_020n, START + 5_000_000_030n, START),
  value: BigInt64Array.of(1n, 3n, 4096n, 10n),
  node: Int32Array.of(0, 0, 0, 0),
  state: Uint8Array.of(0, 1, 1, 0),
  cpu: Int32Array.of(3, -1, -1, -1),
  link: Uint32Array.of(1, 0, 0, 0),
  parent: Int32Array.of(-1),
  frame: Uint32Array.of(0),
  frames: framesOfRows([{ name: 'run' }]),
} as unknown as EventsColumns

test('timelineOf counts times from the first event, converts durations to nanoseconds and maps roles', () => {
  const events = timelineOf(response)
  expect(events.origin).toBe(START)
  expect([...events.start]).toEqual([5e9, 5e9 + 20, 5e9 + 30, 0])
  // A sample with the value 1 has the period, an interval its own duration, an instant event none.
  expect([...events.duration]).toEqual([10, 3000, 0, 10])
  expect([...events.role].map(role => ROLES[role])).toEqual(['running', 'lock', 'mark', 'running'])
  expect([events.whole, [...events.first]]).toEqual([5e9 + 3020, [0, 3, 4]])
  expect(events.kinds.map(({ type, period }) => [type, period])).toEqual([
    ['cpu:ns', 10],
    ['off_cpu:us', 0],
    ['alloc_space:By', 0],
  ])
})

test('timelineOf names threads with their process and reports coverage', () => {
  const { threads, coverage } = timelineOf(response)
  expect(threads.map(({ title, group, id }) => [title, group, id])).toEqual([
    ['main (1)', 'shop · process 7', '1'],
    ['all threads', 'shop · process 8', ''],
  ])
  expect(coverage).toMatchObject({
    all: 40,
    every: 10,
    longest: 5,
    hiddenThreads: 2,
    outside: 1,
    elsewhere: 2,
    untimed: 1,
  })
})

test('timelineOf accepts a response without events', () => {
  const none = { thread: new Uint32Array(0), kind: new Uint32Array(0), time: new BigInt64Array(0) }
  const empty = timelineOf({ ...response, ...none, value: new BigInt64Array(0), threads: [] })
  expect([empty.length, empty.whole, empty.origin]).toEqual([0, 0, START - 7n])
})

test('timelineOf cuts events at the edges of the range and keeps their duration', () => {
  const [from, to] = [START + 5_000_000_005n, START + 5_000_001_000n]
  const { origin, whole, start, duration } = timelineOf({ ...response, from: String(from), to: String(to) })
  expect([origin, whole]).toEqual([from, 995])
  expect([...start]).toEqual([-5, 15, 25, -5e9 - 5])
  expect([...duration]).toEqual([10, 3000, 0, 10])
})

test('timelineOf shows samples of a wall clock as running, waiting or idle by their leaf', () => {
  const events = timelineOf({
    ...response,
    kinds: [{ type: 'wall', unit: 'nanoseconds', clock: 'wall', periodType: '', periodUnit: '', period: '0' }],
    kind: Uint32Array.of(0, 0, 0, 0),
    state: Uint8Array.of(0, 0, 0, 0),
    node: Int32Array.of(0, 1, 2, 3),
    parent: Int32Array.of(-1, -1, -1, -1),
    frame: Uint32Array.of(0, 1, 2, 3),
    frames: framesOfRows([{ name: 'run' }, { name: '(idle)' }, { name: 'epoll_wait' }, { name: '(program)' }]),
  })
  expect([...events.role].map(role => ROLES[role])).toEqual(['running', 'idle', 'io', 'wait'])
})
