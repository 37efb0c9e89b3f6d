// The role of an event by its type, its state and the leaf frame of its stack. A wall clock also samples threads that wait or
// have nothing to do, so the type alone does not show whether a thread ran.
import type { FrameTable, SampleClock } from '@hearth/profile'
import { activityOf } from '@hearth/profile'
import { roleOf, roleOfActivity, roleOfKind, roleOfState } from './roles.ts'

/** Classifies the events of one kind. Equal events are classified once. */
export class EventRoles {
  readonly #role: ReturnType<typeof roleOfKind>
  readonly #clock: SampleClock
  readonly #frames: FrameTable
  readonly #states: readonly string[]
  readonly #known = new Map<number, number>()

  /** `type` has no unit, `unit` is canonical. `states` can grow later. */
  constructor(type: string, unit: string, clock: SampleClock, frames: FrameTable, states: readonly string[]) {
    this.#role = roleOfKind(type, unit)
    this.#clock = clock
    this.#frames = frames
    this.#states = states
  }

  /** An index of ROLES. `frame` is the row of the leaf frame, or -1; `state` is an index of the states. */
  of(frame: number, state: number, isIdleTask: boolean): number {
    const key = ((frame + 1) * 256 + state) * 2 + Number(isIdleTask)
    let role = this.#known.get(key)
    if (role === undefined) this.#known.set(key, (role = this.#classify(frame, this.#states[state], isIdleTask)))
    return role
  }

  #classify(frame: number, state: string, isIdleTask: boolean): number {
    const ofState = roleOfState(state)
    if (this.#role !== 'running') return roleOf(this.#role, ofState)
    if (isIdleTask) return roleOfActivity('idle', ofState, '')
    const { name, file, type } = this.#frames
    const leaf = frame < 0 ? undefined : { name: name[frame], file: file[frame], type: type[frame] }
    const activity = activityOf({ clock: this.#clock, state, ...(leaf === undefined ? {} : { leaf }) })
    return roleOfActivity(activity, ofState, leaf?.name ?? '')
  }
}

/** Whether a thread is the idle task of a CPU, by its name. */
export function isIdleTask(thread: string): boolean {
  return activityOf({ clock: 'cpu', thread }) === 'idle'
}
