// The observations of one thread as a speedscope profile lists them, in the order of their times if they have any.
// Observations in a unit of time that do not overlap keep their times, with the gaps between.
//
//   times     100  130  160        start   100
//   values     30   20    5        gaps      0    0   10
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { canonicalUnit, parseUnit } from '../../model/text/units.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import type { NoteList } from '../format.ts'
import { unscaledUnit } from '../recordings/scaled-number.ts'
import { meaningOfUnit, SPEEDSCOPE_ATTRIBUTES } from './names.ts'

export interface SpeedscopeTimeline {
  readonly name: string
  readonly unit: FileUnit
  /** The sample of each observation. */
  readonly order: Int32Array
  /** Its value. */
  readonly weights: BigInt64Array
  /** The gap between it and the previous one. Undefined if times are not kept. */
  readonly gaps: readonly bigint[] | undefined
  readonly start: bigint
  readonly end: bigint
  readonly extra: {
    readonly type: string | undefined
    readonly unit: string | undefined
    readonly aggregated: boolean
    readonly threadId: bigint | undefined
    readonly threadName: string | undefined
  }
}

interface FileUnit {
  readonly name: string
  readonly isTime: boolean
  /** Values are multiplied by this and then divided by 10^places. */
  readonly factor: bigint
  readonly places: number
}

export function timelinesOf(payload: Profiles, profile: number, notes: NoteList): SpeedscopeTimeline[] {
  const threads = threadsOf(payload, profile)
  notes.add(
    'split-by-thread',
    'threads of a profile are written as separate profiles',
    threads.length > 1 ? threads.length : 0,
  )
  return threads.map(thread => timelineOf(payload, profile, thread, notes))
}

interface Thread {
  readonly id: bigint | undefined
  readonly name: string | undefined
  readonly samples: number[]
}

/**
 * The samples by thread, in the order of first appearance. A profile without samples gives one entry without a thread.
 */
function threadsOf({ profiles, samples, dictionary }: Profiles, profile: number): Thread[] {
  const { attributes, strings } = dictionary
  const threads = new Map<string, Thread>()
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    let id: AttributeIndex | typeof NONE = NONE
    let name: AttributeIndex | typeof NONE = NONE
    for (let k = samples.attributesFrom(i); k < samples.attributesTo(i); k++) {
      const row = samples.attributes.at(k)
      const key = strings.text(attributes.key(row))
      if (key === ATTRIBUTES.threadId && attributes.kind(row) === ValueKind.int) id = row
      else if (key === ATTRIBUTES.threadName && attributes.kind(row) === ValueKind.string) name = row
    }
    const key = `${id},${name}`
    let thread = threads.get(key)
    if (thread === undefined) {
      thread = {
        id: id === NONE ? undefined : (attributes.value(id) as bigint),
        name: name === NONE ? undefined : (attributes.value(name) as string),
        samples: [],
      }
      threads.set(key, thread)
    }
    thread.samples.push(i)
  }
  return threads.size === 0 ? [{ id: undefined, name: undefined, samples: [] }] : [...threads.values()]
}

function timelineOf(payload: Profiles, profile: number, thread: Thread, notes: NoteList): SpeedscopeTimeline {
  const { profiles, dictionary } = payload
  const type = dictionary.strings.text(profiles.type(profile))
  const unitText = dictionary.strings.text(profiles.unit(profile))
  const unit = fileUnit(unitText)
  const seen = new Observations(payload, thread.samples)
  const given = nameOf(payload, profile)
  const time = profiles.time(profile)
  const duration = profiles.duration(profile)
  const placed = unit.isTime && seen.isTimed ? seen.place(unit.factor, time, duration) : undefined
  const timed = placed !== undefined || (unit.isTime && seen.length === 0 && duration > 0n)
  if (placed === undefined && seen.isTimed) {
    notes.add('timestamps', 'timestamps of samples that overlap or are not durations', seen.length)
  }
  if (!timed && (time !== 0n || duration !== 0n)) {
    notes.add('profile-times', 'time and duration of profiles without timed samples')
  }
  if (timed && placed !== undefined && (placed.start !== time || placed.end !== time + duration)) {
    notes.add('profile-times', 'time and duration of profiles whose samples are outside of them')
  }
  if (unit.factor !== 1n) notes.add('unit-converted', 'values in other units of time are written in nanoseconds')
  notes.add('negative-values', 'samples with negative values, which speedscope rejects, are skipped', seen.negative)
  const meaning = meaningOfUnit(unit.name)
  const readAs = unit.isTime ? unitText : meaning.unit
  const keepsUnit = unit.isTime ? canonicalUnit(unitText) === 'ns' && unitText !== meaning.unit : readAs !== unitText
  return {
    name: given ?? ([type, thread.name, thread.id?.toString()].filter(Boolean).join(' ') || 'profile'),
    unit,
    order: placed?.order ?? seen.order,
    weights: placed?.weights ?? seen.weights,
    gaps: placed?.gaps,
    start: placed?.start ?? (timed ? time : 0n),
    end: placed?.end ?? (timed ? time + duration : seen.sum * unit.factor),
    extra: {
      type: type === meaning.type ? undefined : type,
      unit: keepsUnit ? unitText : undefined,
      aggregated: unit.isTime && !timed,
      threadId: thread.id,
      threadName: thread.name,
    },
  }
}

function nameOf({ profiles, dictionary }: Profiles, profile: number): string | undefined {
  const { attributes, strings } = dictionary
  const row = profiles
    .attributesOf(profile)
    .find(row => strings.text(attributes.key(row)) === SPEEDSCOPE_ATTRIBUTES.profileName)
  const value = row === undefined ? undefined : attributes.value(row)
  return typeof value === 'string' ? value : undefined
}

/** Times are written in nanoseconds if they are integers. */
function fileUnit(text: string): FileUnit {
  const { kind, numerator, denominator, ucum } = parseUnit(text)
  if (kind === 'time' && denominator === 1n) return { name: 'nanoseconds', isTime: true, factor: numerator, places: 0 }
  const { unit, places } = unscaledUnit(text)
  const isBytes = ucum === 'By' || canonicalUnit(unit) === 'By'
  return { name: isBytes ? 'bytes' : 'none', isTime: false, factor: 1n, places }
}

interface Placed {
  readonly order: Int32Array
  readonly weights: BigInt64Array
  readonly gaps: readonly bigint[]
  readonly start: bigint
  readonly end: bigint
}

/** The observations of a list of samples, in the order of their times if all have one. */
class Observations {
  readonly order: Int32Array
  readonly weights: BigInt64Array
  readonly isTimed: boolean
  /** The number of skipped observations. */
  readonly negative: number
  readonly #times: BigUint64Array

  constructor({ samples }: Profiles, rows: readonly number[]) {
    const isTimed = rows.length > 0 && rows.every(i => samples.timestampsTo(i) > samples.timestampsFrom(i))
    const count = isTimed ? rows.reduce((sum, i) => sum + samples.observations(i), 0) : rows.length
    const order = new Int32Array(count)
    const weights = new BigInt64Array(count)
    const times = new BigUint64Array(isTimed ? count : 0)
    const values = samples.values.signed()
    const stamps = samples.timestamps.unsigned()
    let at = 0
    for (const i of rows) {
      if (!isTimed) {
        order[at] = i
        weights[at++] = samples.total(i)
        continue
      }
      const valuesFrom = samples.valuesFrom(i)
      const hasValues = samples.valuesTo(i) > valuesFrom
      for (let k = samples.timestampsFrom(i), v = valuesFrom; k < samples.timestampsTo(i); k++, v++) {
        order[at] = i
        weights[at] = hasValues ? values[v] : 1n
        times[at++] = stamps[k]
      }
    }
    const all = isTimed ? rowsByTime(times) : Int32Array.from(order, (_, k) => k)
    const kept = all.filter(k => weights[k] >= 0n)
    this.isTimed = isTimed && kept.length > 0
    this.negative = all.length - kept.length
    this.order = kept.map(k => order[k])
    this.weights = BigInt64Array.from(kept, k => weights[k])
    this.#times = isTimed ? BigUint64Array.from(kept, k => times[k]) : times
  }

  get length(): number {
    return this.order.length
  }

  get sum(): bigint {
    return this.weights.reduce((sum, value) => sum + value, 0n)
  }

  /** Undefined if they overlap. Timestamps without values, in a unit of time, last for one unit. */
  place(factor: bigint, time: bigint, duration: bigint): Placed | undefined {
    const times = this.#times
    const gaps: bigint[] = []
    const last = times.length - 1
    const end = times[last] + this.weights[last] * factor
    const within = time <= times[0] && duration > 0n && end <= time + duration
    const start = within ? time : times[0]
    let now = start
    for (let k = 0; k < times.length; k++) {
      if (times[k] < now) return undefined
      gaps.push(times[k] - now)
      now = times[k] + this.weights[k] * factor
    }
    return { order: this.order, weights: this.weights, gaps, start, end: within ? time + duration : end }
  }
}

/** Row numbers in the order of times. The order of equal times is kept. */
function rowsByTime(times: BigUint64Array): Int32Array {
  const rows = Int32Array.from(times, (_, i) => i)
  return rows.sort((a, b) => (times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b))
}
