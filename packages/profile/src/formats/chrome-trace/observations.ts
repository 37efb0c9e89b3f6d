// The observations of a profile by thread and in the order of time, for the writers.
import type { AnyValue } from '../../model/columns/any-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { compareLongs } from '../../model/columns/order.ts'
import { LATEST } from '../cpuprofile/micro-time.ts'
import type { NoteList } from '../format.ts'

export interface TraceObservation {
  readonly sample: number
  readonly time: bigint
  readonly value: bigint
}

export interface ThreadObservations {
  /** The value of the thread's attribute. Undefined if there is none. */
  readonly id: AnyValue
  readonly name: string
  readonly rows: TraceObservation[]
}

export function hasTimestamps({ profiles, samples }: Profiles, profile: number): boolean {
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    if (samples.timestampsTo(i) === samples.timestampsFrom(i)) return false
  }
  return profiles.samplesTo(profile) > profiles.samplesFrom(profile)
}

/** Values without a time are placed one after another. Each lasts `scale` nanoseconds per unit. */
export function observationsOf(
  payload: Profiles,
  profile: number,
  scale: bigint,
  notes: NoteList,
): ThreadObservations[] {
  const { profiles, samples } = payload
  const threads = new Map<string, ThreadObservations & { next: bigint }>()
  const isTimed = hasTimestamps(payload, profile)
  const stamps = samples.timestamps.unsigned()
  const values = samples.values.signed()
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    const { id, name, others } = threadOf(payload, i)
    notes.add('sample-attributes', 'attributes of samples other than their thread', others)
    if (samples.link(i) !== 0) notes.add('links', 'links of samples to spans')
    const key = JSON.stringify([typeof id, isId(id) ? String(id) : '', name])
    let thread = threads.get(key)
    if (thread === undefined) threads.set(key, (thread = { id, name, rows: [], next: profiles.time(profile) }))
    if (!isTimed) {
      const total = samples.total(i)
      thread.rows.push({ sample: i, time: inRange(thread.next, notes), value: total })
      if (total > 0n) thread.next += total * scale
      notes.add('made-up-times', 'samples without a time are written one after another')
      continue
    }
    const from = samples.timestampsFrom(i)
    const first = samples.valuesFrom(i)
    const hasValues = samples.valuesTo(i) > first
    for (let k = from; k < samples.timestampsTo(i); k++) {
      const value = hasValues ? values[Math.min(first + k - from, samples.valuesTo(i) - 1)] : 1n
      thread.rows.push({ sample: i, time: inRange(stamps[k], notes), value })
    }
  }
  const list = [...threads.values()]
  // Among observations at the same time, the one with a duration comes last.
  for (const { rows } of list) rows.sort((a, b) => compareLongs(a.time, b.time) || compareLongs(a.value, b.value))
  return list
}

function inRange(time: bigint, notes: NoteList): bigint {
  if (time <= LATEST) return time
  notes.add('clamped-times', 'times beyond 2^62 nanoseconds are written as 2^62')
  return LATEST
}

function threadOf(payload: Profiles, sample: number): { id: AnyValue; name: string; others: number } {
  const { samples, dictionary } = payload
  const { strings, attributes } = dictionary
  let id: AnyValue
  let name = ''
  let others = 0
  for (let k = samples.attributesFrom(sample); k < samples.attributesTo(sample); k++) {
    const row = samples.attributes.at(k)
    const key = strings.text(attributes.key(row))
    const value = attributes.value(row)
    if (key === ATTRIBUTES.threadId && isId(value)) id = value
    else if (key === ATTRIBUTES.threadName && typeof value === 'string') name = value
    else others++
  }
  return { id, name, others }
}

export function isId(value: AnyValue): value is bigint | string | number {
  return typeof value === 'bigint' || typeof value === 'string' || typeof value === 'number'
}
