// At which rate a capture records. What is asked for is followed within bounds, and from now on only: what has been recorded
// keeps the rate that it was recorded at.
import type { Profiles } from '@hearth/profile/recording'
import { SAMPLE_RATE_BOUNDS } from '../configuration/configure.ts'
import type { CaptureRequest } from './capture-request.ts'

export interface ChosenRate {
  /** Undefined to go on as ever. */
  readonly frequencyHz: number | undefined
  /** Why it is not what was asked for. */
  readonly notes: readonly string[]
}

export function chooseRate({ kind, frequencyHz, from, until }: CaptureRequest): ChosenRate {
  if (frequencyHz === undefined) return { frequencyHz, notes: [] }
  const refused = (note: string): ChosenRate => ({ frequencyHz: undefined, notes: [note] })
  if (kind !== 'cpu' && kind !== 'wall') return refused(`a frequency means nothing for profiles of the type ${kind}`)
  if (from !== undefined || until !== undefined)
    return refused(`not at ${frequencyHz} Hz: what has been recorded keeps its rate`)
  const { least, most } = SAMPLE_RATE_BOUNDS
  const within = Math.min(most, Math.max(least, frequencyHz))
  const notes =
    within === frequencyHz ? [] : [`at ${within} instead of ${frequencyHz} Hz: ${least} to ${most} are possible`]
  return { frequencyHz: within, notes }
}

/** At which rates samples of time were taken: that of the most first. None for other profiles. */
export function ratesOf({ profiles, dictionary }: Profiles): readonly number[] {
  const samples = new Map<number, number>()
  for (let i = 0; i < profiles.length; i++) {
    if (!/^(?:cpu|wall)$/.test(dictionary.strings.text(profiles.periodType(i)))) continue
    const rate = Math.round(1e12 / Number(profiles.period(i))) / 1000
    samples.set(rate, (samples.get(rate) ?? 0) + profiles.samplesTo(i) - profiles.samplesFrom(i))
  }
  return [...samples].sort(([, a], [, b]) => b - a).map(([rate]) => rate)
}
