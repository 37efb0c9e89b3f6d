// The time of the latest data, for screens whose range has none: that of the chosen service, or of all services if it never
// sent any.
import type { Loaded } from '../state/use-loaded.ts'
import { useLoaded } from '../state/use-loaded.ts'

export interface Latest {
  /** Empty if the time is that of all services. */
  readonly service: string
  /** Milliseconds since 1970. */
  readonly time: number
}

/** Loads the latest time; undefined without any data. `load` returns the times of a service, or of all if it is empty. */
export function useLatest(
  what: string,
  service: string,
  load: (service: string, signal: AbortSignal) => Promise<readonly number[]>,
): Loaded<{ readonly latest: Latest | undefined }> {
  return useLoaded(`latest:${what}:${service}`, async signal => {
    for (const each of new Set([service, ''])) {
      const times = await load(each, signal)
      if (times.length > 0) return { latest: { service: each, time: Math.max(...times) } }
    }
    return { latest: undefined }
  })
}
