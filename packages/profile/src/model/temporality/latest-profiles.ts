// Collects profiles of many payloads that replace each other, and keeps one of each key: the last cumulative profile of a start,
// or the latest or greatest snapshot of an instance.
import type { Profiles } from '../columns/profiles.ts'
import { pickProfiles } from '../edit/pick-profiles.ts'

/** How profiles replace each other. */
export interface Replacement<State> {
  readonly keyOf: (profiles: Profiles, i: number) => string
  readonly stateOf: (profiles: Profiles, i: number) => State
  /** Whether `a` replaces `b` of the same key. */
  readonly replaces: (a: State, b: State) => boolean
}

export class LatestProfiles<State> {
  /** The number of profiles that another one replaced. */
  superseded = 0
  readonly #kept = new Map<string, { readonly state: State; readonly profiles: Profiles }>()
  readonly #replacement: Replacement<State>

  constructor(replacement: Replacement<State>) {
    this.#replacement = replacement
  }

  add(profiles: Profiles, i: number): void {
    const { keyOf, stateOf, replaces } = this.#replacement
    const key = keyOf(profiles, i)
    const state = stateOf(profiles, i)
    const known = this.#kept.get(key)
    if (known !== undefined) this.superseded++
    if (known !== undefined && !replaces(state, known.state)) return
    this.#kept.set(key, { state, profiles: pickProfiles(profiles, [i]) })
  }

  /** Payloads with one profile each, in order of first appearance. */
  *[Symbol.iterator](): Iterator<Profiles> {
    for (const { profiles } of this.#kept.values()) yield profiles
  }
}
