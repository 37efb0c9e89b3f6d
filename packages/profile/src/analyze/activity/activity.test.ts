import { describe, expect, it } from 'vitest'
import { activityOf, activityOfLeaf, activityOfState, clockOf } from './activity.ts'

describe('activityOf', () => {
  it('calls ordinary code running by either clock', () => {
    for (const clock of ['cpu', 'wall'] as const) {
      expect(activityOf({ clock, leaf: { name: 'main.work' } })).toBe('running')
      expect(activityOf({ clock, leaf: { name: '(garbage collector)' } })).toBe('running')
      expect(activityOf({ clock })).toBe('running')
    }
  })

  it.each([
    '(idle)',
    'swapper',
    'intel_idle',
    'native_safe_halt',
    'cpuidle_enter_state',
    'mwait_idle_with_hints.constprop.0',
  ])('calls %s idle by either clock', name => {
    expect(activityOf({ clock: 'cpu', leaf: { name } })).toBe('idle')
    expect(activityOf({ clock: 'wall', leaf: { name }, state: 'STATE_RUNNABLE' })).toBe('idle')
  })

  it('calls the idle task of perf idle whatever its leaf is', () => {
    expect(activityOf({ clock: 'cpu', thread: 'swapper', leaf: { name: 'tick_nohz_next_event' } })).toBe('idle')
    expect(activityOf({ clock: 'cpu', thread: 'swapper/12' })).toBe('idle')
    expect(activityOf({ clock: 'cpu', thread: 'swapper-daemon' })).toBe('running')
  })

  it('lets a waiting leaf win over a runnable state', () => {
    const leaf = { name: 'sun.nio.ch.EPoll.wait' }
    expect(activityOf({ clock: 'wall', leaf, state: 'STATE_RUNNABLE' })).toBe('waiting')
  })

  it('follows the state if the leaf is ordinary code', () => {
    expect(activityOf({ clock: 'wall', leaf: { name: 'run' }, state: 'STATE_SLEEPING' })).toBe('waiting')
    expect(activityOf({ clock: 'wall', leaf: { name: 'run' }, state: 'STATE_DEFAULT' })).toBe('running')
  })
})

describe('activityOfLeaf', () => {
  it.each([
    'epoll_wait',
    'epoll_pwait',
    '__GI_epoll_wait',
    '__poll',
    '__GI___poll',
    'poll@@GLIBC_2.2.5',
    'ppoll',
    '__futex_abstimed_wait_common',
    'pthread_cond_timedwait@@GLIBC_2.3.2',
    '___pthread_cond_wait',
    'clock_nanosleep@GLIBC_2.2.5',
    '__x64_sys_futex',
    '[k] schedule',
    'do_sys_poll.isra.0',
    'uv__io_poll',
    'runtime.gopark',
    'runtime.futex',
    'time.Sleep',
    'jdk.internal.misc.Unsafe.park',
    'jdk.internal.misc.Unsafe.park(boolean, long)',
    'java.lang.Object.wait0',
    'java.lang.Thread.sleep',
    'std::thread::park',
    'Atomics.wait',
    'Kernel#sleep',
    'mach_msg2_trap',
    'NtWaitForSingleObject',
    '(program)',
  ])('calls %s waiting by wall clock and running by CPU clock', name => {
    expect(activityOfLeaf({ name }, 'wall')).toBe('waiting')
    expect(activityOfLeaf({ name }, 'cpu')).toBeUndefined()
  })

  it('takes common names as waits only in native code', () => {
    expect(activityOfLeaf({ name: 'select', type: 'native' }, 'wall')).toBe('waiting')
    expect(activityOfLeaf({ name: 'select' }, 'wall')).toBe('waiting')
    expect(activityOfLeaf({ name: 'select', file: 'src/menu.ts' }, 'wall')).toBeUndefined()
    expect(activityOfLeaf({ name: 'select', type: 'v8js' }, 'wall')).toBeUndefined()
    expect(activityOfLeaf({ name: 'select', file: '/usr/lib/python3.12/selectors.py', type: 'cpython' }, 'wall')).toBe(
      'waiting',
    )
  })

  it.each(['parkCar', 'pollute', 'sleepy', 'main.wait_for_it', 'Unsafe.parking', 'myapp.poll', 'scheduler'])(
    'does not take %s for a wait',
    name => {
      expect(activityOfLeaf({ name }, 'wall')).toBeUndefined()
    },
  )
})

describe('activityOfState', () => {
  it('understands the states of the JVM, Go, Linux and the proposal', () => {
    expect(['STATE_RUNNABLE', 'RUNNABLE', 'running', 'R'].map(activityOfState)).toEqual(Array(4).fill('running'))
    expect(['STATE_SLEEPING', 'runnable', 'waiting', 'S', 'mutex', 'syscall'].map(activityOfState)).toEqual(
      Array(6).fill('waiting'),
    )
    expect(activityOfState('idle')).toBe('idle')
    expect(['', 'STATE_DEFAULT', 'unknown'].map(activityOfState)).toEqual([undefined, undefined, undefined])
  })
})

describe('clockOf', () => {
  it('detects wall clocks by the type, and V8 by its scope', () => {
    expect(['wall', 'wall-clock', 'off_cpu'].map(type => clockOf(type))).toEqual(['wall', 'wall', 'wall'])
    expect(['cpu', 'cycles', 'samples'].map(type => clockOf(type))).toEqual(['cpu', 'cpu', 'cpu'])
    expect(['v8', 'chrome-trace', 'perf'].map(scope => clockOf('cpu', scope))).toEqual(['wall', 'wall', 'cpu'])
  })
})
