// The role of an event: a few kinds of activity that colours can distinguish. The state that the profiler reports
// decides, otherwise the type of the profile.
import type { Activity } from '@hearth/profile'

/** In drawing order, from the bottom up. Marks are instant events, all others have a duration. */
export const ROLES = ['running', 'ready', 'gc', 'lock', 'io', 'idle', 'wait', 'mark'] as const
export type Role = (typeof ROLES)[number]

export const ROLE_TITLES: Readonly<Record<Role, string>> = {
  running: 'on CPU',
  ready: 'waiting for CPU',
  gc: 'garbage collection',
  lock: 'waiting for a lock',
  io: 'I/O',
  idle: 'idle or sleeping',
  wait: 'waiting',
  mark: 'instant events, such as allocations',
}

export const RUNNING = ROLES.indexOf('running')
export const MARK = ROLES.indexOf('mark')

/** State names of the JVM, Go, Linux and the timestamped-events proposal. The first match wins. */
const STATES: readonly (readonly [RegExp, Role])[] = [
  [/^(state_)?runnable$|^running$|^on.?cpu$|^executing|^r$/, 'running'],
  [/unscheduled|preempt|ready|run.?queue|throttle|go_runnable/, 'ready'],
  [/\bgc\b|garbage|safepoint|sweep|^mark/, 'gc'],
  [/mutex|(?<!c)lock|monitor|contend|contention|semacquire/, 'lock'],
  [/\bio\b|i\/o|disk|socket|file|network|\bnet|poll|select|recv|syscall|^d$|uninterruptible/, 'io'],
  [/sleep|^s$|idle/, 'idle'],
]

/** Returns undefined for states without information, such as STATE_DEFAULT. */
export function roleOfState(state: string): Role | undefined {
  if (state === '' || /default|unknown|unspecified/i.test(state)) return undefined
  // In Go, `runnable` in lower case means waiting for a processor. In Java, RUNNABLE means running.
  if (state === 'runnable') return 'ready'
  const text = state.toLowerCase()
  return STATES.find(([pattern]) => pattern.test(text))?.[1] ?? 'wait'
}

const KINDS: readonly (readonly [RegExp, Role])[] = [
  [/(^|[^a-z])gc|garbage|safepoint|pause/, 'gc'],
  [/alloc|heap|space|objects|memory|exception/, 'mark'],
  // The delay of the event loop: the thread was busy and only a timer waited.
  [/event.?loop/, 'mark'],
  [/sleep/, 'idle'],
  [/wait|park|off.?cpu|thread.?state/, 'wait'],
  [/(?<!c)lock|mutex|contention|monitor/, 'lock'],
  [/socket|file|disk|network|(^|[^a-z])io([^a-z]|$)/, 'io'],
]

/** The role of a profile type. `unit` is canonical, such as `ns`. */
export function roleOfKind(type: string, unit: string): Role {
  if (unit === 'By') return 'mark'
  const text = type.toLowerCase()
  // A type that does not measure time has instant events. Running threads are known by the number of their samples.
  const isTime = unit === 'ns' || unit === 'us' || unit === 'ms' || unit === 's'
  const role = KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? (/block|delay/.test(text) ? 'lock' : 'running')
  return role === 'running' || isTime ? role : 'mark'
}

/** An index of ROLES. Instant events stay instant in every state. */
export function roleOf(kind: Role, state: Role | undefined): number {
  return ROLES.indexOf(kind === 'mark' || kind === 'gc' ? kind : (state ?? kind))
}

/** States that describe a wait. The others say only that a thread could run. */
const WAITS: ReadonlySet<Role | undefined> = new Set<Role>(['ready', 'lock', 'io', 'idle', 'wait'])
/** Waits whose cause is visible in the name of a function, such as `epoll_wait` or `nanosleep`. */
const LEAF_WAITS: ReadonlySet<Role | undefined> = new Set<Role>(['lock', 'io', 'idle'])

/** An index of ROLES for a sample of a CPU or wall clock. The state decides what a thread waits for, otherwise the leaf. */
export function roleOfActivity(activity: Activity, state: Role | undefined, leaf: string): number {
  if (activity === 'running') return roleOf('running', state)
  if (activity === 'idle') return ROLES.indexOf('idle')
  const cause = WAITS.has(state) ? state : roleOfState(leaf)
  return ROLES.indexOf(cause !== undefined && (WAITS.has(state) || LEAF_WAITS.has(cause)) ? cause : 'wait')
}
