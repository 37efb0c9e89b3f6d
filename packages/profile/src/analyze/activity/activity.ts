// Classifies samples by what their thread did: it ran on a CPU, had nothing to do, or waited. A wall clock samples all three.
// A CPU clock fires only while a thread runs, so there a leaf such as `poll` means that the thread is inside the call.
//
//   clock   state            leaf                   activity
//   wall                     main.work              running
//   wall                     epoll_wait             waiting
//   cpu                      epoll_wait             running
//   any                      (idle), intel_idle     idle
//   any     STATE_SLEEPING   main.work              waiting
import type { LeafFrame } from './wait-functions.ts'
import { isWaitFunction } from './wait-functions.ts'

export type Activity = 'running' | 'idle' | 'waiting'

/** The clock that decides when samples are taken. */
export type SampleClock = 'cpu' | 'wall'

export interface SampledMoment {
  readonly clock: SampleClock
  /** Missing for an empty stack. */
  readonly leaf?: LeafFrame
  /** `thread.state` or `go.goroutine.state`. */
  readonly state?: string
  /** `thread.name`. */
  readonly thread?: string
}

/** Regular expression for the complete names of frames that only idle CPUs and threads have. Selectors can use it too. */
export const IDLE_FRAME =
  '\\(idle\\)|swapper|do_idle|.*cpuidle.*|cpu_idle.*|cpu_bringup_and_idle|default_idle.*|intel_idle.*|mwait_idle.*|' +
  'native_safe_halt|xen_hypercall_(sched|vcpu)_op'

const IDLE = new RegExp(`^(?:${IDLE_FRAME})$`, 's')

/** V8 found no JavaScript: either native code runs, or the thread waits in an event loop that does not report idle time. */
const V8_PROGRAM = '(program)'

/** Scopes of profiles that V8 recorded, in Node and in Chrome. Their type is `cpu`, but V8 samples by wall clock. */
const V8_SCOPES: ReadonlySet<string> = new Set(['v8', 'chrome-trace'])

/** perf gives the idle task of each CPU this thread name. */
const IDLE_TASK = /^swapper(?:\/\d+)?$/

const WALL_TYPE = /wall|real|elapsed|off.?cpu/i

/** Returns the clock of a profile by its type, such as `cpu` or `wall`, and the name of its scope. */
export function clockOf(type: string, scope = ''): SampleClock {
  return WALL_TYPE.test(type) || V8_SCOPES.has(scope) ? 'wall' : 'cpu'
}

/** Returns undefined if the frame is ordinary code, so that the thread's state decides. */
export function activityOfLeaf(leaf: LeafFrame, clock: SampleClock): Activity | undefined {
  if (IDLE.test(leaf.name)) return 'idle'
  if (clock === 'cpu') return undefined
  return leaf.name === V8_PROGRAM || isWaitFunction(leaf) ? 'waiting' : undefined
}

/** Understands the states of the JVM, Go, Linux and the timestamped-events proposal. Returns undefined for an unknown state. */
export function activityOfState(state: string): Activity | undefined {
  const text = state.toLowerCase()
  if (text === '' || /default|unknown|unspecified/.test(text)) return undefined
  if (/idle/.test(text)) return 'idle'
  // In Go, a runnable goroutine waits for a processor. In Java, a RUNNABLE thread runs.
  if (state === 'runnable') return 'waiting'
  const isRunning = /^(?:state_)?runnable$|^running$|^on.?cpu$|^executing|^r$|\bgc\b|garbage|safepoint|sweep|^mark/
  return isRunning.test(text) ? 'running' : 'waiting'
}

/**
 * Classifies one sample. A leaf that waits wins over the state, because the JVM reports a thread in a native wait as
 * runnable. A sample of which nothing is known counts as running.
 */
export function activityOf({ clock, leaf, state = '', thread = '' }: SampledMoment): Activity {
  if (IDLE_TASK.test(thread)) return 'idle'
  const ofLeaf = leaf === undefined ? undefined : activityOfLeaf(leaf, clock)
  return ofLeaf ?? activityOfState(state) ?? 'running'
}
