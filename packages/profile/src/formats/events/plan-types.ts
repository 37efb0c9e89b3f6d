// Plans the event types of a payload. The reverse of to-profiles.ts: a profile becomes an event type, and profiles of the
// counts and durations of the same events join that of their values, if the reader would separate them again.
import type { AnyValue } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { MAX_INT64, MAX_UINT64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { NoteList } from '../format.ts'
import {
  CLOCK,
  COUNT,
  COUNT_UNIT,
  DURATION,
  DURATION_UNIT,
  EVENT_UNIT,
  MEASURE,
  isCountUnit,
} from './attribute-names.ts'
import type { CarriedHeader } from './carried-header.ts'
import type { EventClock } from './clock.ts'
import { UNIX_CLOCK, clockOfValue, clockValue, isUnixClock, ticksOfNanos, ticksOfTime } from './clock.ts'
import { isSameEvents } from './same-events.ts'

export interface TypePlan {
  /** The profiles with the numbers of the events. Their samples are the same. */
  readonly value: number | undefined
  readonly count: number | undefined
  readonly duration: number | undefined
  /** The first of these profiles, whose header is used. */
  readonly lead: number
  readonly isTimed: boolean
  /** Whether counts are written instead of values. */
  readonly asCounts: boolean
  readonly name: string
  readonly unit: string
  readonly defaultValue: bigint
  readonly clock: EventClock | undefined
  /** Whether no other type may use that clock, even an equal one. */
  readonly hasOwnClock: boolean
  readonly header: CarriedHeader
  readonly attributes: readonly AttributeIndex[]
}

export interface FilePlan {
  /** End and duration, as in the file. */
  readonly end: bigint
  readonly duration: bigint
  readonly comment: AttributeIndex | undefined
  /** By scope of the payload. */
  readonly types: readonly (readonly TypePlan[])[]
}

export function planTypes(payload: Profiles, notes: NoteList): FilePlan {
  return new Planner(payload, notes).plan()
}

type Kind = 'value' | typeof COUNT | typeof DURATION

class Planner {
  readonly #payload: Profiles
  readonly #notes: NoteList
  readonly #end: bigint
  readonly #duration: bigint
  readonly #comment: AttributeIndex | undefined

  constructor(payload: Profiles, notes: NoteList) {
    this.#payload = payload
    this.#notes = notes
    const { profiles } = payload
    const time = profiles.length === 0 ? 0n : profiles.time(0)
    const duration = profiles.length === 0 ? 0n : profiles.duration(0)
    const fits = time + duration <= MAX_UINT64 && duration <= MAX_INT64
    this.#end = fits ? time + duration : 0n
    this.#duration = fits ? duration : 0n
    this.#comment = this.#commonComment()
  }

  plan(): FilePlan {
    const { scopes } = this.#payload
    const types = Array.from({ length: scopes.length }, (_, s) => this.#scope(scopes.from(s), scopes.to(s)))
    return { end: this.#end, duration: this.#duration, comment: this.#comment, types }
  }

  #scope(from: number, to: number): TypePlan[] {
    const plans: TypePlan[] = []
    for (let i = from; i < to;) {
      const joined = this.#joined(i, to)
      plans.push(...(joined === undefined ? this.#single(i) : [joined.plan]))
      i = joined === undefined ? i + 1 : joined.next
    }
    return plans
  }

  /** The comment of the file, if all profiles have the same one. */
  #commonComment(): AttributeIndex | undefined {
    const { profiles, dictionary } = this.#payload
    const { attributes, strings } = dictionary
    const commentOf = (i: number): AttributeIndex | undefined =>
      profiles.attributesOf(i).find(row => strings.text(attributes.key(row)) === ATTRIBUTES.pprofProfileComment)
    const comment = profiles.length === 0 ? undefined : commentOf(0)
    if (comment === undefined || attributes.unit(comment) !== 0) return undefined
    const value = attributes.value(comment)
    const isList = Array.isArray(value) && value.length > 0 && value.every(text => typeof text === 'string')
    for (let i = 1; i < profiles.length; i++) if (commentOf(i) !== comment) return undefined
    return isList ? comment : undefined
  }

  /** Joins profiles of the same events that start at `first`. Returns undefined if there is nothing to join. */
  #joined(first: number, to: number): { readonly plan: TypePlan; readonly next: number } | undefined {
    const members = new Map<Kind, number>()
    let next = first
    for (; next < to; next++) {
      const kind = this.#kindOf(next)
      const order: readonly Kind[] = ['value', COUNT, DURATION]
      const isLater = [...members.keys()].every(before => order.indexOf(before) < order.indexOf(kind))
      if (!isLater || (next > first && !this.#isSameEvents(first, next))) break
      members.set(kind, next)
    }
    if (members.size === 1 && members.has('value')) return undefined
    const plan = this.#joinedPlan(members)
    return plan === undefined ? undefined : { plan, next }
  }

  #joinedPlan(members: ReadonlyMap<Kind, number>): TypePlan | undefined {
    const value = members.get('value')
    const count = members.get(COUNT)
    const duration = members.get(DURATION)
    const lead = (value ?? count ?? duration)!
    const isTimed = this.#isTimed(lead)
    // Without a clock there are no durations.
    if ((duration !== undefined && !isTimed) || !this.#isRegular(lead)) return undefined
    const { profiles, samples, dictionary } = this.#payload
    const eventUnit = this.#textAttribute(lead, EVENT_UNIT) ?? ''
    const unit = value === undefined ? eventUnit : dictionary.strings.text(profiles.unit(value))
    const plan: TypePlan = {
      ...this.#common(lead, isTimed, duration, true),
      value,
      count,
      duration,
      asCounts: false,
      hasOwnClock: isTimed && count !== undefined,
      unit,
      defaultValue: value === undefined ? 0n : this.#defaultValue(value, isTimed),
    }
    if (plan.hasOwnClock && !this.#hasDistinctTicks(lead, plan.clock!)) return undefined
    let hasTotals = false
    let hasDurations = false
    let hasCounts = false
    const numbers = samples.values.signed()
    const length = this.#valuesTo(lead) - this.#valuesFrom(lead)
    const at = (member: number | undefined, k: number): bigint =>
      member === undefined ? 0n : numbers[this.#valuesFrom(member) + k]
    for (let k = 0; k < length; k++) {
      const total = at(value, k)
      const counted = at(count, k)
      if ((count !== undefined && counted < 1n) || at(duration, k) < 0n) return undefined
      hasTotals ||= total !== 0n
      hasDurations ||= at(duration, k) !== 0n
      const hasCount =
        value === undefined ? counted > (isTimed ? 1n : 0n) : counted > 1n && total !== counted * plan.defaultValue
      hasCounts ||= hasCount
    }
    // The reader must find each of them again.
    const isRestored =
      hasTotals === (value !== undefined) &&
      hasDurations === (duration !== undefined) &&
      hasCounts === (count !== undefined)
    if (!isRestored || (members.size === 1 && count !== undefined && isCountUnit(unit))) return undefined
    return { ...plan, header: this.#header(lead, plan, value === undefined ? undefined : unit) }
  }

  /** Plans an ordinary profile, as two types if only some of its samples have times. */
  #single(i: number): TypePlan[] {
    const { profiles, samples, dictionary } = this.#payload
    let timed = 0
    let plain = 0
    let isBare = true
    let hasZero = false
    let allZero = true
    let allPositive = true
    const values = samples.values.signed()
    for (let s = profiles.samplesFrom(i); s < profiles.samplesTo(i); s++) {
      if (samples.timestampsTo(s) > samples.timestampsFrom(s)) timed++
      else if (samples.valuesTo(s) > samples.valuesFrom(s)) plain++
      for (let k = samples.valuesFrom(s); k < samples.valuesTo(s); k++) {
        isBare = false
        if (values[k] === 0n) hasZero = true
        else allZero = false
        if (values[k] <= 0n) allPositive = false
      }
    }
    if (timed > 0 && plain > 0)
      this.#notes.add('mixed-shapes', 'profiles in which only some samples have timestamps were split in two')
    const unit = dictionary.strings.text(profiles.unit(i))
    const planFor = (isTimed: boolean): TypePlan => {
      const bare = isTimed && isBare
      const defaultValue = bare || hasZero ? 0n : this.#defaultValue(i, isTimed)
      const plan: TypePlan = {
        ...this.#common(i, isTimed, undefined, false),
        value: i,
        count: undefined,
        duration: undefined,
        hasOwnClock: false,
        asCounts: !isTimed && defaultValue === 0n && allPositive && plain > 0 && unit !== '' && isCountUnit(unit),
        unit,
        defaultValue,
      }
      const readUnit = bare && unit === '' ? COUNT_UNIT : unit
      const header = this.#header(i, plan, readUnit)
      return { ...plan, header: isTimed && !isBare && allZero ? { ...header, hasValues: true } : header }
    }
    if (plain > 0 && timed > 0) return [planFor(false), planFor(true)]
    return [planFor(timed > 0)]
  }

  #common(
    lead: number,
    isTimed: boolean,
    duration: number | undefined,
    isJoined: boolean,
  ): Pick<TypePlan, 'lead' | 'isTimed' | 'name' | 'clock' | 'header' | 'attributes'> {
    const { profiles, dictionary } = this.#payload
    const { attributes, strings } = dictionary
    const kept: AttributeIndex[] = []
    let clock: EventClock | undefined
    for (const row of profiles.attributesOf(lead)) {
      const key = strings.text(attributes.key(row))
      if (row === this.#comment) continue
      if (clock === undefined && key === CLOCK && attributes.unit(row) === 0) {
        clock = this.#usableClock(attributes.value(row), lead, isTimed, duration)
        if (clock !== undefined) continue
      }
      // The events of a joined type imply these.
      if (isJoined && (key === MEASURE || key === EVENT_UNIT)) continue
      kept.push(row)
    }
    return {
      lead,
      isTimed,
      name: strings.text(profiles.type(lead)),
      clock: clock ?? (isTimed ? UNIX_CLOCK : undefined),
      header: {},
      attributes: kept,
    }
  }

  /** Returns the clock of an attribute if it represents all times exactly and the file alone defines it. */
  #usableClock(value: AnyValue, i: number, isTimed: boolean, duration: number | undefined): EventClock | undefined {
    const { profiles, samples } = this.#payload
    const clock = clockOfValue(value)
    if (clock === undefined || isUnixClock(clock) || !isKeyValueList(value)) return undefined
    if (value.entries.length !== clockValue(clock).entries.length) return undefined
    const isEmpty = profiles.samplesFrom(i) === profiles.samplesTo(i)
    if (isEmpty) return clock
    if (!isTimed) return undefined
    const times = samples.timestamps.unsigned()
    const from = samples.timestampsFrom(profiles.samplesFrom(i))
    const to = samples.timestampsTo(profiles.samplesTo(i) - 1)
    for (let k = from; k < to; k++) if (ticksOfTime(times[k], clock) === undefined) return undefined
    if (duration === undefined) return clock
    const numbers = samples.values.signed()
    for (let k = this.#valuesFrom(duration); k < this.#valuesTo(duration); k++) {
      if (numbers[k] >= 0n && ticksOfNanos(numbers[k], clock) === undefined) return undefined
    }
    return clock
  }

  /** Whether ticks differ. An aggregate zero ticks after the previous event would be read as having no time. */
  #hasDistinctTicks(i: number, clock: EventClock): boolean {
    const { profiles, samples } = this.#payload
    const from = samples.timestampsFrom(profiles.samplesFrom(i))
    const times = samples.timestamps.unsigned().subarray(from, samples.timestampsTo(profiles.samplesTo(i) - 1))
    return new Set(times).size === times.length && times.every(time => ticksOfTime(time, clock) !== 0n)
  }

  /** The period if it has the kind of the values, because then it is the value of an event. */
  #defaultValue(i: number, isTimed: boolean): bigint {
    const { profiles, samples } = this.#payload
    const period = profiles.period(i)
    const isSameKind = profiles.periodType(i) === profiles.type(i) && profiles.periodUnit(i) === profiles.unit(i)
    if (period <= 0n || !isSameKind) return 0n
    const numbers = samples.values.signed()
    // An omitted value would be read as the default, so none may be 0. Without values nothing would be omitted.
    for (let k = this.#valuesFrom(i); k < this.#valuesTo(i); k++) if (numbers[k] === 0n) return 0n
    return isTimed && this.#valuesFrom(i) === this.#valuesTo(i) ? 0n : period
  }

  /** Returns what the reader cannot derive. `readUnit` is the unit that it derives for a profile of values. */
  #header(i: number, plan: TypePlan, readUnit: string | undefined): CarriedHeader {
    const { profiles, dictionary } = this.#payload
    const { strings } = dictionary
    const header: { -readonly [K in keyof CarriedHeader]: CarriedHeader[K] } = {}
    const unit = strings.text(profiles.unit(i))
    if (readUnit !== undefined && readUnit !== unit) header.unit = unit
    const isDerived = plan.defaultValue !== 0n
    const periodType = strings.text(profiles.periodType(i))
    const periodUnit = strings.text(profiles.periodUnit(i))
    if (!isDerived) {
      if (periodType !== '') header.periodType = periodType
      if (periodUnit !== '') header.periodUnit = periodUnit
      if (profiles.period(i) !== 0n) header.period = profiles.period(i)
    }
    if (profiles.time(i) !== this.#end - this.#duration) header.timeUnixNano = profiles.time(i)
    if (profiles.duration(i) !== this.#duration) header.durationNano = profiles.duration(i)
    if (profiles.id(i).length > 0) header.id = profiles.id(i)
    if (profiles.droppedAttributes(i) !== 0) header.droppedAttributesCount = profiles.droppedAttributes(i)
    if (profiles.originalPayloadFormat(i) !== '') header.originalPayloadFormat = profiles.originalPayloadFormat(i)
    if (profiles.originalPayload(i).length > 0) header.originalPayload = profiles.originalPayload(i)
    return header
  }

  #kindOf(i: number): Kind {
    const { profiles, dictionary } = this.#payload
    const measure = this.#textAttribute(i, MEASURE)
    const unit = dictionary.strings.text(profiles.unit(i))
    if (measure === COUNT && unit === COUNT_UNIT) return COUNT
    return measure === DURATION && unit === DURATION_UNIT ? DURATION : 'value'
  }

  #textAttribute(i: number, key: string): string | undefined {
    const { profiles, dictionary } = this.#payload
    const { attributes, strings } = dictionary
    const row = profiles.attributesOf(i).find(one => strings.text(attributes.key(one)) === key)
    const value = row === undefined || attributes.unit(row) !== 0 ? undefined : attributes.value(row)
    return typeof value === 'string' ? value : undefined
  }

  #isTimed(i: number): boolean {
    const { profiles, samples } = this.#payload
    const first = profiles.samplesFrom(i)
    return first < profiles.samplesTo(i) && samples.timestampsTo(first) > samples.timestampsFrom(first)
  }

  /** Whether each time of each sample has a value, or each sample has one value and no time. */
  #isRegular(i: number): boolean {
    const { profiles, samples } = this.#payload
    const isTimed = this.#isTimed(i)
    for (let s = profiles.samplesFrom(i); s < profiles.samplesTo(i); s++) {
      const values = samples.valuesTo(s) - samples.valuesFrom(s)
      const times = samples.timestampsTo(s) - samples.timestampsFrom(s)
      if (values === 0 || times !== (isTimed ? values : 0) || (!isTimed && values !== 1)) return false
    }
    return true
  }

  #valuesFrom(i: number): number {
    const { profiles, samples } = this.#payload
    return profiles.samplesFrom(i) === profiles.samplesTo(i) ? 0 : samples.valuesFrom(profiles.samplesFrom(i))
  }

  #valuesTo(i: number): number {
    const { profiles, samples } = this.#payload
    return profiles.samplesFrom(i) === profiles.samplesTo(i) ? 0 : samples.valuesTo(profiles.samplesTo(i) - 1)
  }

  #isSameEvents(a: number, b: number): boolean {
    // The unit of a type is that of its values, or an attribute if there are none.
    const unit = this.#kindOf(a) === 'value' ? undefined : this.#textAttribute(a, EVENT_UNIT)
    return this.#textAttribute(b, EVENT_UNIT) === unit && isSameEvents(this.#payload, a, b)
  }
}
