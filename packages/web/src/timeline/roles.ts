// What a thread was about, as few kinds as colours can tell apart: out of what senders call its state, or, where they do not
// say, out of what was measured.

/** In the order in which they are drawn, from the bottom up. Marks are moments, all others take time. */
export const ROLES = ['running', 'ready', 'gc', 'lock', 'io', 'sleep', 'wait', 'mark'] as const
export type Role = (typeof ROLES)[number]

export const ROLE_TITLES: Readonly<Record<Role, string>> = {
  running: 'on CPU',
  ready: 'waits for a CPU',
  gc: 'garbage collection',
  lock: 'waits for a lock',
  io: 'input and output',
  sleep: 'sleeps',
  wait: 'waits',
  mark: 'moments, as allocations',
}

export const RUNNING = ROLES.indexOf('running')
export const MARK = ROLES.indexOf('mark')

/** As profilers write them: of the Java virtual machine, of Go, of Linux, of the proposal for events. The first that fits. */
const STATES: readonly (readonly [RegExp, Role])[] = [
  [/^(state_)?runnable$|^running$|^on.?cpu$|^executing|^r$/, 'running'],
  [/unscheduled|preempt|ready|run.?queue|throttle|go_runnable/, 'ready'],
  [/\bgc\b|garbage|safepoint|sweep|^mark/, 'gc'],
  [/mutex|(?<!c)lock|monitor|contend|contention|semacquire/, 'lock'],
  [/\bio\b|i\/o|disk|socket|file|network|\bnet|poll|select|recv|syscall|^d$|uninterruptible/, 'io'],
  [/sleep|nanosleep|^s$|idle/, 'sleep'],
]

/** Undefined where the state says nothing, as STATE_DEFAULT. */
export function roleOfState(state: string): Role | undefined {
  if (state === '' || /default|unknown|unspecified/i.test(state)) return undefined
  // Small letters are Go's, where it means that there is no processor for it; capitals are Java's.
  if (state === 'runnable') return 'ready'
  const text = state.toLowerCase()
  return STATES.find(([pattern]) => pattern.test(text))?.[1] ?? 'wait'
}

const KINDS: readonly (readonly [RegExp, Role])[] = [
  [/(^|[^a-z])gc|garbage|safepoint|pause/, 'gc'],
  [/alloc|heap|space|objects|memory|exception/, 'mark'],
  // How late the loop came to a timer: the thread was busy meanwhile, and nothing waited but the timer.
  [/event.?loop/, 'mark'],
  [/sleep/, 'sleep'],
  [/wait|park|off.?cpu|thread.?state/, 'wait'],
  [/(?<!c)lock|mutex|contention|monitor/, 'lock'],
  [/socket|file|disk|network|(^|[^a-z])io([^a-z]|$)/, 'io'],
]

/** Of a profile's type, with its unit as `ns`. */
export function roleOfKind(type: string, unit: string): Role {
  if (unit === 'By') return 'mark'
  const text = type.toLowerCase()
  // Without a length of its own it is a moment; what is on CPU is told by how often it is seen.
  const isTime = unit === 'ns' || unit === 'us' || unit === 'ms' || unit === 's'
  const role = KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? (/block|delay/.test(text) ? 'lock' : 'running')
  return role === 'running' || isTime ? role : 'mark'
}

/** A number of ROLES. What is a moment stays one whatever the thread's state then was. */
export function roleOf(kind: Role, state: Role | undefined): number {
  return ROLES.indexOf(kind === 'mark' || kind === 'gc' ? kind : (state ?? kind))
}
