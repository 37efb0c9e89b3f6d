// Checks that timestamps of samples are in the time range of their profile, in the generations up to v1.7. The model checks them
// in later ones. OTEP 0239: "These timestamps are expected to fall within the Profile's time range."
import { timeUnitsOf } from '../otep239/meaning.ts'
import { messagesOf, numbersIn, wholeOf } from '../otlp/generations/message-fields.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import type { WalkState } from './dialect.ts'

interface ProfileRange {
  /** In nanoseconds. */
  readonly start: bigint
  readonly end: bigint
  /** Nanoseconds per unit of the timestamps. */
  readonly nanos: bigint
  /** The field with the end or the duration, and the path of its message. */
  readonly endField: string
  readonly at: string
  /** The path of the profile. */
  readonly path: string
}

/** The range of a container of v1.3. Its times, and the timestamps, may have other units than nanoseconds. */
export function containerRange(
  container: Message,
  profile: Message,
): Pick<ProfileRange, 'start' | 'end' | 'nanos' | 'endField'> {
  const own = wholeOf(container, 'start_time_unix_nano')
  const start = own === 0n ? wholeOf(profile, 'time_nanos') : own
  const end = wholeOf(container, 'end_time_unix_nano')
  const units = timeUnitsOf(container, profile, start)
  const from = start * units.header
  const to = end === 0n ? from + wholeOf(profile, 'duration_nanos') : end * units.header
  return { start: from, end: to, nanos: units.samples, endField: 'end_time_unix_nano' }
}

export function checkTimestamps({ problems }: WalkState, profile: Message, range: ProfileRange): void {
  if (!problems.strict) return
  const { start, end, nanos, endField, at, path } = range
  let i = 0
  for (const sample of messagesOf(profile, 'sample')) {
    const row = i++
    const times = numbersIn(sample, 'timestamps_unix_nano')
    if (times.length > 0 && end <= start) {
      problems.add('timestamp-duration', () => [
        `${at}.${endField}`,
        'the samples have timestamps, but the profile has no duration',
      ])
      return
    }
    for (let k = 0; k < times.length; k++) {
      const first = BigInt(times[k]) * nanos
      // A unit of time is in the range if a part of it is.
      if (first + nanos > start && first <= end) continue
      const what = `${first} is not in [${start}, ${end}] (nanoseconds)`
      problems.add('timestamp-range', () => [`${path}.sample[${row}].timestamps_unix_nano[${k}]`, what])
    }
  }
}
