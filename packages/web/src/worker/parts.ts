// Parts of a file's observations: a time range and some threads. The last few are cached, because a flame graph, its
// table and a comparison use the same parts.
import type { Profiles } from '@hearth/profile'
import { laneKindOf, pickObservations } from '@hearth/profile'
import type { Part } from './results.ts'
import { busySamples } from './busy-samples.ts'
import { threadsOf } from './threads.ts'

const KEPT = 4

export class Parts {
  readonly #profiles: Profiles
  readonly #known = new Map<string, Profiles>()

  constructor(profiles: Profiles) {
    this.#profiles = profiles
  }

  /** Returns profiles with the same rows. */
  of(rows: readonly number[], part: Part): Profiles {
    const { from, until, threads, busy } = part
    const key = JSON.stringify([rows, String(from), String(until), threads, busy])
    const known = this.#known.get(key) ?? this.#made(rows, part)
    // The last inserted entry is the most recently used.
    this.#known.delete(key)
    this.#known.set(key, known)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT) break
      this.#known.delete(oldest)
    }
    return known
  }

  #made(rows: readonly number[], { from, until, threads, busy = false }: Part): Profiles {
    const isBusy = busy ? busySamples(this.#profiles) : () => true
    const isOfThreads = threads === undefined ? () => true : samplesOfThreads(this.#profiles, rows, threads)
    const samples = (sample: number): boolean => isOfThreads(sample) && isBusy(sample)
    return pickObservations(this.#profiles, { samples, within: { from, until } })
  }
}

function samplesOfThreads(
  profiles: Profiles,
  rows: readonly number[],
  keys: readonly string[],
): (sample: number) => boolean {
  const { list, ofSample } = threadsOf(profiles, rows, laneKindOf(keys[0] ?? ''))
  const wanted = new Set(keys)
  const isWanted = list.map(({ key }) => wanted.has(key))
  return sample => ofSample[sample] >= 0 && isWanted[ofSample[sample]]
}
