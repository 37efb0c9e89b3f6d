// Recognises the units of times in v1.3. OTEP 0239, its document, has timestamps in milliseconds, and an example in microseconds.
// The release has the same bytes and calls the field `timestamps_unix_nano`. So producers of both send v1.3.
import { uint64 } from '../../../model/columns/int64.ts'
import { timeUnit, timeUnitNote } from '../../recordings/time-unit.ts'
import { messageIn, messagesOf, wholeOf } from '../generations/message-fields.ts'
import { Row, eachRow } from '../generations/row.ts'
import { messageOf, schemaOf } from '../generations/schema.ts'
import type { Message, MessageSequence } from '../generations/schema-reader.ts'
import type { LegacyContext } from './context.ts'
import type { SampleMeaning } from './samples.ts'

const RELEASED: SampleMeaning = { isRootFirst: false, nanos: 1n, timeNanos: 1n }

/** The leaf is first. Times of v1.3 are scaled to nanoseconds if they are not, with a note. */
export function releasedMeaning(container: Message, { generation, notes }: LegacyContext): SampleMeaning {
  const profile = generation === 'v1.3' ? messageIn(container, 'profile') : undefined
  if (profile === undefined) return RELEASED
  const { largest, count } = surveyTimes(messagesOf(profile, 'sample'))
  const start = wholeOf(container, 'start_time_unix_nano')
  const ofHeader = timeUnit(start === 0n ? wholeOf(profile, 'time_nanos') : start)
  const ofSamples = timeUnit(largest)
  if (ofHeader.nanos !== 1n) notes.add('time-unit', timeUnitNote(ofHeader))
  if (ofSamples.nanos !== 1n) notes.add('timestamp-unit', timeUnitNote(ofSamples, 'timestamps'), count)
  return { isRootFirst: false, nanos: ofSamples.nanos, timeNanos: ofHeader.nanos }
}

interface TimesSurvey {
  readonly largest: bigint
  readonly count: number
}

/** Reused, because a row consists of many small arrays. */
let surveyRow: Row | undefined

function surveyTimes(samples: MessageSequence): TimesSurvey {
  const row = (surveyRow ??= new Row(messageOf(schemaOf('v1.3'), 'Sample'), ['timestamps_unix_nano']))
  const slot = row.slot('timestamps_unix_nano')
  const largest = new LargestTime()
  let count = 0
  eachRow(samples, row, () => {
    const { array, length } = row.lists[slot]
    largest.add(array, length)
    count += length / 2
  })
  row.release()
  return { largest: largest.time, count }
}

/** The largest of unsigned numbers that are given as halves. */
export class LargestTime {
  #lo = 0
  #hi = 0

  add(halves: Int32Array, length: number): void {
    for (let k = 0; k < length; k += 2) {
      const lo = halves[k] >>> 0
      const hi = halves[k + 1] >>> 0
      if (hi < this.#hi || (hi === this.#hi && lo <= this.#lo)) continue
      this.#lo = lo
      this.#hi = hi
    }
  }

  get time(): bigint {
    return uint64(this.#lo, this.#hi)
  }
}
