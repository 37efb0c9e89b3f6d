// Converts events to profiles of the model. An event type becomes a profile of the values of its events. If they have counts
// that do not follow from the values, or durations, it becomes another profile for each:
//
//   allocations, By       count 100, sum 4800     ->   allocations/By 4800, allocations/count 100
//   thread_state          at 5 s for 1 s          ->   thread_state/ns 1000000000 at 5 s
//   cpu_sample, ms, 10    count 2                 ->   cpu_sample/ms 20, with a period of 10
//
// Each of these becomes two profiles if only some of the events have times, because a profile has one shape.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfileHeader } from '../../model/build/builder.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { MAX_INT64 } from '../../model/columns/int64.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { sortSet } from '../../model/columns/sorted-set.ts'
import {
  CLOCK,
  COUNT,
  COUNT_UNIT,
  DURATION,
  DURATION_UNIT,
  EVENT_UNIT,
  HEADER,
  MEASURE,
  RESOURCE,
  SCOPE,
  isCountUnit,
} from './attribute-names.ts'
import { sortByTime } from '../sort-by-time.ts'
import type { CarriedHeader, CarriedResource, CarriedScope } from './carried-header.ts'
import { headerOfValue, resourceOfValue, scopeOfValue } from './carried-header.ts'
import { clockValue, isUnixClock } from './clock.ts'
import type { EventColumns } from './event-columns.ts'
import { isZeroAt, longAt } from './event-columns.ts'
import type { ReadContext } from '../former-drafts/symbol-table-reader.ts'
import type { EventTables, EventType } from './read-tables.ts'

/** Stack and link come before the attributes in a sample's identity. */
const IDENTITY_HEAD = 2

/** The header that all profiles of a file share. */
export interface EventsHeader {
  readonly timeUnixNano: bigint
  readonly durationNano: bigint
  readonly comment: AttributeIndex | undefined
}

/** The attributes of a type, split into those with a special meaning and the others. */
interface TypeParts {
  readonly header: CarriedHeader
  readonly resource: CarriedResource
  readonly scope: CarriedScope
  readonly attributes: readonly AttributeIndex[]
}

const NO_RESOURCE: CarriedResource = {
  index: 0n,
  schemaUrl: '',
  resource: { attributes: [], droppedAttributesCount: 0, entityRefs: [] },
}
const NO_SCOPE: CarriedScope = {
  index: 0n,
  schemaUrl: '',
  scope: { name: '', version: '', attributes: [], droppedAttributesCount: 0 },
}

interface Measure {
  readonly kind: 'value' | typeof COUNT | typeof DURATION
  readonly unit: string
  /** Undefined if each event counts one. */
  readonly numbers: GrowingInts | undefined
}

export class ProfileMaker {
  readonly #context: ReadContext
  readonly #tables: EventTables
  readonly #events: EventColumns
  readonly #file: EventsHeader
  /** The start of each type's events in `#order`. */
  readonly #starts: Int32Array
  readonly #order: Int32Array
  readonly #identity = new GrowingInts()
  #opened: TypeParts | undefined
  #counts: GrowingInts | undefined

  constructor(context: ReadContext, tables: EventTables, events: EventColumns, file: EventsHeader) {
    this.#context = context
    this.#tables = tables
    this.#events = events
    this.#file = file
    this.#starts = new Int32Array(tables.types.length + 1)
    for (let i = 0; i < events.length; i++) this.#starts[events.type(i) + 1]++
    for (let t = 1; t < this.#starts.length; t++) this.#starts[t] += this.#starts[t - 1]
    const places = this.#starts.slice()
    this.#order = new Int32Array(events.length)
    for (let i = 0; i < events.length; i++) this.#order[places[events.type(i)]++] = i
  }

  make(): void {
    for (const [t, type] of this.#tables.types.entries()) {
      this.#makeType(type, this.#order.subarray(this.#starts[t], this.#starts[t + 1]))
    }
  }

  #makeType(type: EventType, events: Int32Array): void {
    const parts = this.#partsOf(type)
    this.#openScope(parts)
    const plain = events.filter(i => !this.#events.isTimed(i))
    const timed = events.filter(i => this.#events.isTimed(i))
    if (plain.length > 0 && timed.length > 0) {
      this.#context.notes.add('mixed-shapes', 'event types in which only some events have times were split in two')
    }
    if (plain.length > 0 || timed.length === 0) {
      const measures = this.#measures(plain, type, parts, false)
      for (const measure of measures) {
        this.#open(measure, measures, type, parts, events.length === 0)
        this.#writePlain(plain, measure)
      }
    }
    if (timed.length > 0) {
      const measures = this.#measures(timed, type, parts, true)
      const groups = this.#groups(timed)
      for (const measure of measures) {
        this.#open(measure, measures, type, parts, true)
        this.#writeTimed(groups, measure)
      }
    }
  }

  #partsOf({ attributes: all }: EventType): TypeParts {
    let header: CarriedHeader | undefined
    let resource: CarriedResource | undefined
    let scope: CarriedScope | undefined
    const attributes = all.filter(attribute => {
      const { key, value } = this.#tables.keyValue(attribute)
      const carried =
        key === HEADER && header === undefined
          ? (header = headerOfValue(value))
          : key === RESOURCE && resource === undefined
            ? (resource = resourceOfValue(value))
            : key === SCOPE && scope === undefined
              ? (scope = scopeOfValue(value))
              : undefined
      return carried === undefined
    })
    return { header: header ?? {}, resource: resource ?? NO_RESOURCE, scope: scope ?? NO_SCOPE, attributes }
  }

  /** Opens a scope if it differs from that of the previous type. Types of one scope are consecutive. */
  #openScope(parts: TypeParts): void {
    const { builder } = this.#context
    const before = this.#opened
    this.#opened = parts
    const isNew = before === undefined || !isSame(before.resource, parts.resource)
    if (isNew) builder.resource(parts.resource.resource, parts.resource.schemaUrl)
    if (isNew || !isSame(before.scope, parts.scope)) builder.scope(parts.scope.scope, parts.scope.schemaUrl)
  }

  /** The measures of these events, the value first. */
  #measures(events: Int32Array, type: EventType, { header }: TypeParts, isTimed: boolean): Measure[] {
    const { totals, counts, durations } = this.#events
    const hasTotals = events.some(i => !isZeroAt(totals, i))
    const hasDurations = events.some(i => !isZeroAt(durations, i))
    const differsFromValue = (i: number): boolean => {
      const count = longAt(counts, i)
      if (!hasTotals) return isTimed ? count > 1n : count > 0n
      return count > 1n && longAt(totals, i) !== count * type.defaultValue
    }
    const hasCounts = events.some(differsFromValue)
    const { unitText } = type
    const countUnit = unitText === '' ? COUNT_UNIT : unitText
    const measures: Measure[] = []
    if (hasTotals) measures.push({ kind: 'value', unit: unitText, numbers: totals })
    if (hasCounts) {
      const isValue = !hasTotals && !hasDurations && isCountUnit(unitText)
      measures.push({
        kind: isValue ? 'value' : COUNT,
        unit: isValue ? countUnit : COUNT_UNIT,
        numbers: this.#wholeCounts(),
      })
    }
    if (hasDurations) measures.push({ kind: DURATION, unit: DURATION_UNIT, numbers: durations })
    if (measures.length > 0) return measures
    if (isTimed && header.hasValues !== true) return [{ kind: 'value', unit: countUnit, numbers: undefined }]
    return [{ kind: 'value', unit: unitText, numbers: totals }]
  }

  /** Replaces absent counts with 1. */
  #wholeCounts(): GrowingInts {
    if (this.#counts === undefined) {
      const { counts } = this.#events
      this.#counts = new GrowingInts(counts.length)
      this.#counts.pushAll(counts.array, 0, counts.length)
      for (let i = 0; i < this.#events.length; i++) if (isZeroAt(counts, i)) this.#counts.array[2 * i] = 1
    }
    return this.#counts
  }

  #open(measure: Measure, all: readonly Measure[], type: EventType, parts: TypeParts, withClock: boolean): void {
    const { builder } = this.#context
    const { kind } = measure
    const carried = parts.header
    const attributes = [...parts.attributes]
    if (this.#file.comment !== undefined) attributes.push(this.#file.comment)
    if (withClock && type.clock !== NONE) attributes.push(...this.#clockAttribute(type))
    if (kind !== 'value') {
      attributes.push(builder.attribute(MEASURE, kind))
      const { unitText } = type
      if (unitText !== '' && all[0].kind !== 'value') attributes.push(builder.attribute(EVENT_UNIT, unitText))
    }
    const header: ProfileHeader = {
      timeUnixNano: this.#file.timeUnixNano,
      durationNano: this.#file.durationNano,
      ...(kind === 'value' ? this.#period(type) : {}),
      ...carried,
      ...(measure === all[0] ? {} : NO_PERIOD),
      type: carried.type ?? type.nameText,
      unit: (kind === 'value' ? carried.unit : undefined) ?? measure.unit,
      attributes,
    }
    builder.profile(header)
  }

  #clockAttribute(type: EventType): AttributeIndex[] {
    const clock = this.#tables.clocks[type.clock]
    return isUnixClock(clock) ? [] : [this.#context.builder.attribute(CLOCK, clockValue(clock))]
  }

  /** The default value of an event is the period between two of them. */
  #period({ defaultValue, nameText, unitText }: EventType): Partial<ProfileHeader> {
    if (defaultValue === 0n) return {}
    if (defaultValue > MAX_INT64) {
      this.#context.notes.add('default-values', 'default values of 2^63 and more were dropped as periods')
      return {}
    }
    return { periodType: nameText, periodUnit: unitText, period: defaultValue }
  }

  #writePlain(events: Int32Array, { numbers }: Measure): void {
    const { builder } = this.#context
    const { draft } = builder
    const columns = this.#events
    for (const i of events) {
      draft.sampleAttributes.pushAll(columns.attributes.array, columns.attributesFrom(i), columns.attributesTo(i))
      draft.values.pushAll(numbers!.array, 2 * i, 2 * i + 2)
      builder.sampleRow(columns.stack(i), columns.link(i))
    }
  }

  /** Groups events with the same stack, link and attributes into samples. */
  #groups(events: Int32Array): Groups {
    const columns = this.#events
    const identities = new SequenceInterner()
    const owners = new Int32Array(events.length)
    for (let k = 0; k < events.length; k++) {
      const i = events[k]
      const identity = this.#identity
      identity.length = 0
      identity.push(columns.stack(i))
      identity.push(columns.link(i))
      identity.pushAll(columns.attributes.array, columns.attributesFrom(i), columns.attributesTo(i))
      owners[k] = identities.intern(identity.array, 0, sortSet(identity.array, IDENTITY_HEAD, identity.length))
    }
    const ends = new Int32Array(identities.length + 1)
    for (const owner of owners) ends[owner + 1]++
    for (let g = 1; g < ends.length; g++) ends[g] += ends[g - 1]
    const places = ends.slice()
    const order = new Int32Array(events.length)
    for (let k = 0; k < events.length; k++) order[places[owners[k]]++] = events[k]
    const times = new BigUint64Array(columns.times.array.buffer, 0, columns.length)
    for (let g = 0; g + 1 < ends.length; g++) sortByTime(order, ends[g], ends[g + 1], times)
    return { identities, ends, order }
  }

  #writeTimed({ identities, ends, order }: Groups, { numbers }: Measure): void {
    const { builder } = this.#context
    const { draft } = builder
    for (let g = 0; g + 1 < ends.length; g++) {
      for (let k = ends[g]; k < ends[g + 1]; k++) {
        const i = order[k]
        draft.timestamps.pushAll(this.#events.times.array, 2 * i, 2 * i + 2)
        if (numbers !== undefined) draft.values.pushAll(numbers.array, 2 * i, 2 * i + 2)
      }
      const { array } = identities.pool
      const start = identities.start(g)
      draft.sampleAttributes.pushAll(array, start + IDENTITY_HEAD, identities.end(g))
      builder.sampleRow(array[start], array[start + 1])
    }
  }
}

const NO_PERIOD = { periodType: '', periodUnit: '', period: 0n }

/** Events by identity, in order of first occurrence. `ends` starts with 0. */
interface Groups {
  readonly identities: SequenceInterner
  readonly ends: Int32Array
  readonly order: Int32Array
}

function isSame(a: CarriedResource | CarriedScope, b: CarriedResource | CarriedScope): boolean {
  return a === b || spelled(a) === spelled(b)
}

/** A text that distinguishes values. */
function spelled(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Uint8Array ? [...part] : Object.is(part, -0) ? '-0' : part,
  )
}
