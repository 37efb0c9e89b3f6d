// Writes the description of each profile: the name of its event on every line, its unit and its period in the header.
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { BytesInterner } from '../../model/build/intern.ts'
import { uint64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { TimeRange } from '../../model/columns/time-range.ts'
import { hasTimestamps } from '../../model/columns/time-range.ts'
import { timeFields } from '../recordings/event-samples.ts'
import type { NoteList } from '../format.ts'
import { PERF_ATTRIBUTES, periodFields, unitOfEvent } from '../recordings/perf-recording.ts'
import type { PlainText } from './plain-text.ts'

/** The name of an event without a name, for the reader and the writer. */
export const UNNAMED = 'samples'

interface EventText {
  readonly name: string
  readonly unit: string
  /** 0 if it is unknown. */
  readonly period: bigint
  readonly isFrequency: boolean
}

export class EventTexts {
  /** Texts such as `cycles: `, by number. */
  readonly texts = new BytesInterner(new GrowingBytes())
  /** True if any profile has times. */
  readonly hasTimestamps: boolean
  /** The clock of the first profile with times; undefined for Unix time. */
  readonly clock: string | undefined
  readonly #payload: Profiles
  readonly #events = new Map<string, EventText>()
  readonly #textOfProfile = new GrowingInts()

  constructor(payload: Profiles, profiles: readonly number[], plain: PlainText, notes: NoteList) {
    this.#payload = payload
    const timed = profiles.filter(profile => hasTimestamps(payload, profile))
    this.hasTimestamps = timed.length > 0
    this.clock = timed.length === 0 ? undefined : this.#clockOf(timed[0])
    const range = rangeOf(payload, timed)
    let repeated = 0
    for (const profile of profiles) if (!this.#add(profile, plain, range, notes)) repeated++
    notes.add('same-event', 'profiles of the same type were merged into one event', repeated)
  }

  /** The text of the chosen profile at index `place`. */
  text(place: number): number {
    return this.#textOfProfile.array[place]
  }

  /** One line for each event. */
  lines(): string[] {
    return Array.from(this.#events.values(), ({ name, unit, period, isFrequency }) => {
      const fields = [
        ...(unit === '' || (unit === 'count' && unitOfEvent(name) === 'count') ? [] : [`unit = ${unit}`]),
        ...(period === 0n ? [] : [`{ sample_period, sample_freq } = ${period}`]),
        ...(isFrequency ? ['freq = 1'] : []),
      ]
      return `# event : name = ${name}, , ${fields.join(', ')}`.trimEnd()
    })
  }

  /** Returns false if there is already an event with that name. */
  #add(profile: number, plain: PlainText, range: TimeRange | undefined, notes: NoteList): boolean {
    const { profiles, dictionary } = this.#payload
    const { strings } = dictionary
    const type = strings.text(profiles.type(profile))
    const name = plain.word(type) || UNNAMED
    const line = encodeUtf8(`${name}: `)
    this.#textOfProfile.push(this.texts.intern(line, 0, line.length))
    const attributes = this.#attributes(profile)
    const frequency = attributes.get(PERF_ATTRIBUTES.frequency)
    const isFrequency = typeof frequency === 'bigint' && frequency > 0n
    const period = isFrequency ? frequency : profiles.period(profile) > 0n ? profiles.period(profile) : 0n
    const given = strings.text(profiles.unit(profile))
    const unit = given.replaceAll(/[,\n\r]/g, ' ').trim()
    const event = { name, unit, period, isFrequency }
    const lost = [
      ...(type === '' ? ['type'] : []),
      ...(unit !== given || unit === '' ? ['unit'] : []),
      ...(this.#isPeriodCarried(profile, event) ? [] : ['period']),
      ...(this.#isTimeCarried(profile, range) ? [] : ['time']),
      ...(profiles.id(profile).length > 0 ? ['id'] : []),
      ...(profiles.originalPayload(profile).length > 0 ? ['original payload'] : []),
      ...(profiles.droppedAttributes(profile) > 0 ? ['dropped attributes count'] : []),
    ]
    notes.add('profile-fields', 'some of type, unit, period, time, id and original payload were dropped', lost.length)
    const carried = (isFrequency ? 1 : 0) + (this.#isClockCarried(profile, attributes) ? 1 : 0)
    notes.add('profile-attributes', 'attributes of profiles were dropped', attributes.size - carried)
    if (this.#events.has(name)) return false
    this.#events.set(name, event)
    return true
  }

  #isPeriodCarried(profile: number, { name, unit, period, isFrequency }: EventText): boolean {
    const { profiles, dictionary } = this.#payload
    const fields = periodFields(name, unit === '' ? unitOfEvent(name) : unit, period, isFrequency)
    return (
      profiles.period(profile) === (fields.period ?? 0n) &&
      dictionary.strings.text(profiles.periodType(profile)) === (fields.periodType ?? '') &&
      dictionary.strings.text(profiles.periodUnit(profile)) === (fields.periodUnit ?? '')
    )
  }

  #isTimeCarried(profile: number, range: TimeRange | undefined): boolean {
    const { profiles } = this.#payload
    const fields = range === undefined || !hasTimestamps(this.#payload, profile) ? undefined : timeFields(range)
    const { timeUnixNano, durationNano } = fields ?? { timeUnixNano: 0n, durationNano: 0n }
    return profiles.time(profile) === timeUnixNano && profiles.duration(profile) === durationNano
  }

  /** Returns whether a reader will find the same clock, and the profile has it as attribute. */
  #isClockCarried(profile: number, attributes: ReadonlyMap<string, unknown>): boolean {
    return (
      hasTimestamps(this.#payload, profile) &&
      this.clock !== undefined &&
      attributes.get(PERF_ATTRIBUTES.clock) === this.clock
    )
  }

  #clockOf(profile: number): string | undefined {
    const clock = this.#attributes(profile).get(PERF_ATTRIBUTES.clock)
    return typeof clock === 'string' ? clock : undefined
  }

  #attributes(profile: number): Map<string, unknown> {
    const { profiles, dictionary } = this.#payload
    const { attributes, strings } = dictionary
    return new Map(
      profiles.attributesOf(profile).map(row => [strings.text(attributes.key(row)), attributes.value(row)]),
    )
  }
}

/** The range of all timestamps of some profiles. */
function rangeOf({ profiles, samples }: Profiles, chosen: readonly number[]): TimeRange | undefined {
  let first: bigint | undefined
  let last: bigint | undefined
  const { timestamps } = samples
  for (const profile of chosen) {
    const to = profiles.samplesTo(profile)
    for (let k = samples.timestampsFrom(profiles.samplesFrom(profile)); k < samples.timestampsTo(to - 1); k++) {
      const time = uint64(timestamps.lo(k), timestamps.hi(k))
      if (first === undefined || time < first) first = time
      if (last === undefined || time > last) last = time
    }
  }
  return first === undefined || last === undefined ? undefined : { first, last }
}
