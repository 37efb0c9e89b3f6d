// Reduces a capture to a maximum size: first without timestamps, then with fewer and fewer stacks.
import type { Profiles } from '@hearth/profile/recording'
import { encodeOtlp } from '@hearth/profile/recording'
import type { Detail } from '../record/profiles/build-profiles.ts'

/** The maximum number of stacks of each attempt. */
const STEPS = [2000, 500, 100] as const

export interface FittedProfiles {
  readonly profiles: Profiles
  /** Undefined if even the smallest attempt does not fit. `profiles` is the whole capture then. */
  readonly bytes: Uint8Array | undefined
  /** True if timestamps or stacks were dropped. */
  readonly isTruncated: boolean
  /** The number of samples that were merged into others. */
  readonly dropped: number
}

/** Returns undefined if nothing was recorded. */
export function fitProfiles(
  build: (detail: Detail) => Profiles | undefined,
  { timestamps, attributes }: Detail,
  maxBytes: number,
): FittedProfiles | undefined {
  const whole = build({ timestamps, attributes })
  if (whole === undefined) return undefined
  const details: Detail[] = [
    ...(timestamps === false ? [] : [{ timestamps: false, attributes }]),
    ...STEPS.map(maxSamples => ({ timestamps: false, maxSamples, attributes })),
  ]
  let profiles = whole
  for (const detail of [undefined, ...details]) {
    const next = detail === undefined ? whole : build(detail)
    if (next === undefined) break
    profiles = next
    const bytes = encodeOtlp(profiles)
    if (bytes.length > maxBytes) continue
    const dropped = detail?.maxSamples === undefined ? 0 : Math.max(0, whole.samples.length - profiles.samples.length)
    return { profiles, bytes, isTruncated: detail !== undefined, dropped }
  }
  return { profiles: whole, bytes: undefined, isTruncated: false, dropped: 0 }
}
