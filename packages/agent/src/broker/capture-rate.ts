// Chooses the sample rate of a capture. A requested rate is limited to the supported range. It applies to new samples only:
// existing samples keep the rate they were recorded at.
import type { Profiles } from '@hearth/profile/recording'
import { SAMPLE_RATE_BOUNDS } from '../configuration/configure.ts'
import type { CaptureRequest } from './capture-request.ts'

export interface ChosenRate {
  /** Undefined keeps the current rate. */
  readonly frequencyHz: number | undefined
  /** Explain why the rate differs from the requested one. */
  readonly notes: readonly string[]
}

export function chooseRate({ kind, frequencyHz, from, until }: CaptureRequest): ChosenRate {
  if (frequencyHz === undefined) return { frequencyHz, notes: [] }
  const refused = (note: string): ChosenRate => ({ frequencyHz: undefined, notes: [note] })
  if (kind !== 'cpu' && kind !== 'wall') return refused(`frequency_hz does not apply to profiles of type ${kind}`)
  if (from !== undefined || until !== undefined)
    return refused(`not at ${frequencyHz} Hz: existing samples keep their rate`)
  const { min, max } = SAMPLE_RATE_BOUNDS
  const within = Math.min(max, Math.max(min, frequencyHz))
  const notes =
    within === frequencyHz
      ? []
      : [`recorded at ${within} Hz instead of ${frequencyHz} Hz; the rate must be from ${min} to ${max}`]
  return { frequencyHz: within, notes }
}

/** The sample rates of CPU and wall profiles, the one with the most samples first. Empty for other profiles. */
export function ratesOf({ profiles, dictionary }: Profiles): readonly number[] {
  const samples = new Map<number, number>()
  for (let i = 0; i < profiles.length; i++) {
    if (!/^(?:cpu|wall)$/.test(dictionary.strings.text(profiles.periodType(i)))) continue
    const rate = Math.round(1e12 / Number(profiles.period(i))) / 1000
    samples.set(rate, (samples.get(rate) ?? 0) + profiles.samplesTo(i) - profiles.samplesFrom(i))
  }
  return [...samples].sort(([, a], [, b]) => b - a).map(([rate]) => rate)
}
