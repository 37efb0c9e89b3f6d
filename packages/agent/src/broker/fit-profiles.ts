// Makes a capture small enough: first without times, then with fewer and fewer stacks.
import type { Profiles } from '@hearth/profile/recording'
import { encodeOtlp } from '@hearth/profile/recording'
import type { Detail } from '../record/profiles/build-profiles.ts'

/** How many stacks are left, in turn. */
const STEPS = [2000, 500, 100] as const

export interface Fitted {
  readonly profiles: Profiles
  /** Undefined where even the least does not fit: `profiles` are whole then. */
  readonly bytes: Uint8Array | undefined
  /** Whether something was left out for it. */
  readonly isTruncated: boolean
  /** Samples that are no longer told by themselves. */
  readonly dropped: number
}

/** Undefined where nothing was recorded. */
export function fitProfiles(
  build: (detail: Detail) => Profiles | undefined,
  { timestamps, attributes }: Detail,
  maxBytes: number,
): Fitted | undefined {
  const whole = build({ timestamps, attributes })
  if (whole === undefined) return undefined
  const details: Detail[] = [
    ...(timestamps === false ? [] : [{ timestamps: false, attributes }]),
    ...STEPS.map(mostSamples => ({ timestamps: false, mostSamples, attributes })),
  ]
  let profiles = whole
  for (const detail of [undefined, ...details]) {
    const next = detail === undefined ? whole : build(detail)
    if (next === undefined) break
    profiles = next
    const bytes = encodeOtlp(profiles)
    if (bytes.length > maxBytes) continue
    const dropped = detail?.mostSamples === undefined ? 0 : Math.max(0, whole.samples.length - profiles.samples.length)
    return { profiles, bytes, isTruncated: detail !== undefined, dropped }
  }
  return { profiles: whole, bytes: undefined, isTruncated: false, dropped: 0 }
}
