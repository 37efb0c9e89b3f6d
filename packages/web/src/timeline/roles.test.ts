// Tests the roles of states and types of many profilers.
import { expect, test } from 'vitest'
import { ROLES, roleOf, roleOfKind, roleOfState } from './roles.ts'

test.each([
  ['running', 'running'],
  ['STATE_RUNNABLE', 'running'],
  ['runnable', 'ready'],
  ['unscheduled', 'ready'],
  ['mutex', 'lock'],
  ['STATE_BLOCKED_ON_MONITOR_ENTER', 'lock'],
  ['sleep', 'idle'],
  ['STATE_SLEEPING', 'idle'],
  ['disk', 'io'],
  ['IO wait', 'io'],
  ['GC', 'gc'],
  ['chansend', 'wait'],
  ['STATE_PARKED', 'wait'],
  ['STATE_DEFAULT', undefined],
  ['', undefined],
])('roleOfState maps %s', (state, role) => {
  expect(roleOfState(state)).toBe(role)
})

test.each([
  ['cpu', 'ns', 'running'],
  ['cpu-clock', 'ns', 'running'],
  ['samples', 'count', 'running'],
  ['wall', 'ns', 'running'],
  ['off_cpu', 'ns', 'wait'],
  ['thread_state', 'ns', 'wait'],
  ['block_delay', 'ns', 'lock'],
  ['block_contentions', 'count', 'mark'],
  ['monitor_wait_time', 'ns', 'wait'],
  ['gc', 'ns', 'gc'],
  ['event_loop_delay', 'ns', 'mark'],
  ['socket_read_time', 'ns', 'io'],
  ['socket_read_bytes', 'By', 'mark'],
  ['alloc_space', 'By', 'mark'],
  ['alloc_in_new_tlab_objects', 'count', 'mark'],
  ['sleep', 'ms', 'idle'],
])('roleOfKind maps %s:%s', (type, unit, role) => {
  expect(roleOfKind(type, unit)).toBe(role)
})

test('roleOf prefers the state, except for instant events', () => {
  expect(ROLES[roleOf('wait', 'lock')]).toBe('lock')
  expect(ROLES[roleOf('running', 'idle')]).toBe('idle')
  expect(ROLES[roleOf('wait', undefined)]).toBe('wait')
  expect(ROLES[roleOf('mark', 'running')]).toBe('mark')
})
