// Decides whether two profiles are about the same events, so that counts and durations can join their values.
import type { Profiles } from '../../model/columns/profiles.ts'
import { isSameBytes } from '../../model/columns/unknown-fields.ts'
import { EVENT_UNIT, MEASURE } from './attribute-names.ts'

/** Compares headers and samples, except for the numbers. `b` has no period, because a period belongs to values. */
export function isSameEvents(payload: Profiles, a: number, b: number): boolean {
  return isSameHeader(payload, a, b) && isSameSamples(payload, a, b)
}

function isSameHeader(payload: Profiles, a: number, b: number): boolean {
  const { profiles } = payload
  return (
    profiles.type(a) === profiles.type(b) &&
    profiles.period(b) === 0n &&
    profiles.periodType(b) === 0 &&
    profiles.periodUnit(b) === 0 &&
    profiles.time(a) === profiles.time(b) &&
    profiles.duration(a) === profiles.duration(b) &&
    profiles.droppedAttributes(a) === profiles.droppedAttributes(b) &&
    profiles.originalPayloadFormat(a) === profiles.originalPayloadFormat(b) &&
    isSameBytes(profiles.id(a), profiles.id(b)) &&
    isSameBytes(profiles.originalPayload(a), profiles.originalPayload(b)) &&
    otherAttributes(payload, a) === otherAttributes(payload, b)
  )
}

/** All attributes except those that distinguish the two. */
function otherAttributes({ profiles, dictionary }: Profiles, i: number): string {
  const { attributes, strings } = dictionary
  const rows = profiles.attributesOf(i)
  return rows.filter(row => ![MEASURE, EVENT_UNIT].includes(strings.text(attributes.key(row)))).join()
}

/** Whether stacks, links, attributes, times and the number of values are the same, with at least one value. */
function isSameSamples({ profiles, samples }: Profiles, a: number, b: number): boolean {
  const from = profiles.samplesFrom(a)
  const shift = profiles.samplesFrom(b) - from
  const count = profiles.samplesTo(a) - from
  if (count === 0 || profiles.samplesTo(b) - profiles.samplesFrom(b) !== count) return false
  const times = samples.timestamps.unsigned()
  for (let s = from; s < from + count; s++) {
    const t = s + shift
    if (samples.stack(s) !== samples.stack(t) || samples.link(s) !== samples.link(t)) return false
    if (samples.attributesOf(s).join() !== samples.attributesOf(t).join()) return false
    const values = samples.valuesTo(s) - samples.valuesFrom(s)
    if (values === 0 || samples.valuesTo(t) - samples.valuesFrom(t) !== values) return false
    const observed = samples.timestampsTo(s) - samples.timestampsFrom(s)
    if (samples.timestampsTo(t) - samples.timestampsFrom(t) !== observed) return false
    for (let k = 0; k < observed; k++) {
      if (times[samples.timestampsFrom(s) + k] !== times[samples.timestampsFrom(t) + k]) return false
    }
  }
  return true
}
