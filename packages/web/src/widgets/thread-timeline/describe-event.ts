// Describes an event in words, for the line below the lanes and for screen readers.
import { formatValue } from '@hearth/profile'
import type { TimelineEvents } from '../../api/profile-source.ts'
import { ROLES, ROLE_TITLES } from '../../timeline/roles.ts'

export interface EventWords {
  /** The innermost function; empty without a stack. */
  readonly name: string
  /** The state that the profiler reports, otherwise the role. */
  readonly state: string
  /** Such as `at 20 ms`. */
  readonly when: string
  readonly took: string
  readonly type: string
  /** Empty if it is unknown. */
  readonly cpu: string
  readonly traceId: string
  readonly spanId: string
}

export function eventWords(events: TimelineEvents, event: number): EventWords {
  const { start, duration, role, state, states, kind, kinds, cpu, link, links, node, frame, frames } = events
  const { traceId, spanId } = links[link[event]]
  return {
    name: node[event] < 0 ? '' : frames.name[frame[node[event]]],
    state: states[state[event]] === '' ? ROLE_TITLES[ROLES[role[event]]] : states[state[event]],
    when: momentText(start[event]),
    took: duration[event] === 0 ? '' : formatValue(duration[event], 'ns'),
    type: kinds[kind[event]].type,
    cpu: cpu[event] < 0 ? '' : `CPU ${cpu[event]}`,
    traceId,
    spanId,
  }
}

/** `main (1), at 20 ms: mutex, lock, 50 ms`. */
export function describeEvent(events: TimelineEvents, thread: number, event: number): string {
  const { name, state, when, took, cpu } = eventWords(events, event)
  const what = [state, name, took, cpu].filter(each => each !== '').join(', ')
  return `${events.threads[thread].title}, ${when}: ${what}`
}

/** An event that starts before the range has a negative time. */
export function momentText(time: number): string {
  return time < 0 ? `started ${formatValue(-time, 'ns')} earlier` : `at ${formatValue(time, 'ns')}`
}
