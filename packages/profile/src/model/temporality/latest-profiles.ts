// Collects cumulative profiles of many payloads and keeps the last one of each series and start.
import type { Profiles } from '../columns/profiles.ts'
import { pickProfiles } from '../edit/pick-profiles.ts'
import type { CumulativeState } from './cumulative-series.ts'
import { cumulativeState, seriesKey, supersedes } from './cumulative-series.ts'

interface Kept extends CumulativeState {
  readonly profiles: Profiles
}

export class LatestProfiles {
  /** The number of profiles that a later one replaced. */
  superseded = 0
  readonly #kept = new Map<string, Kept>()

  add(profiles: Profiles, i: number): void {
    const key = `${profiles.profiles.time(i)} ${seriesKey(profiles, i)}`
    const state = cumulativeState(profiles, i)
    const known = this.#kept.get(key)
    if (known !== undefined) this.superseded++
    if (known !== undefined && !supersedes(state, known)) return
    this.#kept.set(key, { ...state, profiles: pickProfiles(profiles, [i]) })
  }

  /** Payloads with one profile each, in order of first appearance. */
  *[Symbol.iterator](): Iterator<Profiles> {
    for (const { profiles } of this.#kept.values()) yield profiles
  }
}
