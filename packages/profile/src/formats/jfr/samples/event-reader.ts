// Reads the events of one chunk that are samples. For each event type it plans where the fields are and what they become.
// After that, an event takes one pass over its bytes, some lookups by constant key, and one row in a series.
import { NONE } from '../../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../../model/build/intern.ts'
import { highHalf, int64, int64ToNumber, lowHalf } from '../../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { JfrAttributeSets } from './attributes.ts'
import { JFR_ATTRIBUTES, fieldAttribute } from './attributes.ts'
import type { JfrClock } from '../encoding/clock.ts'
import type { Constants } from '../encoding/constants.ts'
import type { JfrField, Metadata } from '../encoding/metadata.ts'
import { Cursor } from '../encoding/cursor.ts'
import type { JfrEventType, JfrMeasure } from './event-types.ts'
import { EVENT_TYPES, NAME_FIELDS, OWNER, OWN_EVENT } from './event-types.ts'
import { Extractor } from '../encoding/extract.ts'
import { FieldAttribute } from './field-attribute.ts'
import { Key } from './series.ts'
import type { Feed, SeriesList } from './series-list.ts'
import type { Settings } from './settings.ts'
import type { SpanContexts } from './span-context.ts'
import { Stacks } from './stacks.ts'
import type { Texts } from '../encoding/texts.ts'
import { JfrThreads } from './threads.ts'

/** State that all chunks of a recording share. */
export interface JfrRecording {
  readonly builder: ProfilesBuilder
  readonly sets: JfrAttributeSets
  readonly settings: Settings
  readonly contexts: SpanContexts
  readonly series: SeriesList
  /** `event.field` of every skipped field. */
  readonly skippedFields: Set<string>
}

const Slot = {
  time: 0,
  thread: 1,
  stack: 2,
  state: 3,
  spanId: 4,
  rootSpanId: 5,
  spanName: 6,
  context: 7,
  own: 8,
} as const

const COMMON_FIELDS: readonly (string | readonly string[])[] = [
  'startTime',
  ['sampledThread', 'eventThread'],
  'stackTrace',
  'state',
  'spanId',
  'localRootSpanId',
  'spanName',
  'contextId',
]

/** Positions of attributes in the key, after those that all events have. */
const Attribute = { truncated: 0, state: 1, spanId: 2, rootSpanId: 3, spanName: 4, own: 5 } as const
const MAX_VALUES = 4

interface EventPlan {
  readonly extractor: Extractor
  readonly stacks: Stacks | undefined
  readonly threads: JfrThreads | undefined
  readonly state: FieldAttribute
  readonly attributes: readonly { get(): number }[]
  /** A separate key for each event type, because the attributes that the type lacks stay 0. */
  readonly key: Int32Array
  /** Slots of the values, and for each a 1 if it counts ticks. */
  readonly values: Int32Array
  readonly ticks: Int32Array
  readonly feeds: readonly Feed[]
  readonly hasContext: boolean
  /** The slots of the fields that distinguish groups of events. undefined if the raw values cannot distinguish them. */
  readonly rawSlots: Int32Array | undefined
  readonly events: SequenceInterner
  /** The results of `#addGroups`, for each row of `events`. */
  readonly groups: GrowingInts
}

export class JfrEventReader {
  /** The number of events whose stack trace is not among the constants. */
  missingStacks = 0
  readonly #recording: JfrRecording
  readonly #clock: JfrClock
  readonly #constants: Constants
  readonly #texts: Texts
  readonly #cursor: Cursor
  readonly #plans: EventPlan[] = []
  readonly #stacks = new Map<number, Stacks>()
  readonly #threads = new Map<number, JfrThreads>()
  readonly #values = new Int32Array(2 * MAX_VALUES)
  #truncated = 0

  constructor(
    recording: JfrRecording,
    bytes: Uint8Array,
    base: number,
    clock: JfrClock,
    constants: Constants,
    texts: Texts,
  ) {
    this.#recording = recording
    this.#clock = clock
    this.#constants = constants
    this.#texts = texts
    this.#cursor = new Cursor(bytes, base)
  }

  get missingMethods(): number {
    return Array.from(this.#stacks.values()).reduce((sum, { missingMethods }) => sum + missingMethods, 0)
  }

  /** `type` is the row of the event's class, `place` its index in EVENT_TYPES. Returns the number of the plan. */
  plan(type: number, place: number): number {
    return this.#plans.push(this.#newPlan(type, place)) - 1
  }

  /** Reads the event whose fields are at [from, to). */
  read(planNumber: number, from: number, to: number): void {
    const plan = this.#plans[planNumber]
    const cursor = this.#cursor
    cursor.pos = from
    cursor.end = to
    const { extractor, feeds, groups } = plan
    extractor.run(cursor)
    const { values } = extractor
    this.#clock.time(values[2 * Slot.time], values[2 * Slot.time + 1])
    const timeLo = this.#clock.lo
    const timeHi = this.#clock.hi
    const at = this.#known(plan)
    this.missingStacks += groups.array[at]
    for (let i = 0; i < feeds.length; i++) {
      const group = groups.array[at + 1 + i]
      if (group === NONE) continue
      const { series, factor } = feeds[i]
      if (plan.values.length > 0) this.#takeValues(plan, factor)
      series.add(group, timeLo, timeHi, this.#values)
    }
  }

  /**
   * Finds the groups of an event by its raw values without time and measures. Most events repeat an earlier combination, and
   * then no constants are looked up.
   */
  #known(plan: EventPlan): number {
    const { groups, rawSlots, events } = plan
    // Inline strings and values have another position in each event.
    if (rawSlots === undefined) {
      this.#addGroups(plan, 0)
      return 0
    }
    const { values } = plan.extractor
    const { pool } = events
    const { length } = rawSlots
    const raw = pool.reserve(2 * length)
    const start = pool.length
    let high = 0
    for (let i = 0; i < length; i++) {
      const slot = 2 * rawSlots[i]
      raw[start + i] = values[slot]
      high |= values[slot + 1]
    }
    // Keys and numbers above 2^32 are rare. Only events that have one use the double length, so the lengths cannot collide.
    if (high !== 0) for (let i = 0; i < length; i++) raw[start + length + i] = values[2 * rawSlots[i] + 1]
    const at = events.internTail(high === 0 ? length : 2 * length) * (plan.feeds.length + 1)
    if (at === groups.length) this.#addGroups(plan, at)
    return at
  }

  /**
   * Adds whether the stack is missing, and the group in each feed's series (NONE if the feed filters the event). This cannot
   * fail half-way, because an earlier pass has checked all bytes that an event contains or refers to.
   */
  #addGroups(plan: EventPlan, at: number): void {
    const { key, groups } = plan
    key[Key.attributes + Attribute.truncated] = 0
    const stack = this.#stack(plan)
    key[Key.stack] = stack === NONE ? 0 : stack
    key[Key.thread] = this.#thread(plan)
    const state = plan.state.get()
    key[Key.attributes + Attribute.state] = state
    if (plan.hasContext) this.#context(plan)
    for (let i = 0; i < plan.attributes.length; i++) {
      key[Key.attributes + Attribute.own + i] = plan.attributes[i].get()
    }
    const end = at + plan.feeds.length + 1
    const target = groups.reserve(end - at)
    target[at] = stack === NONE ? 1 : 0
    for (let i = 0; i < plan.feeds.length; i++) {
      const { series, without } = plan.feeds[i]
      const isTaken = without === undefined || state !== plan.state.texts.get(without)
      target[at + 1 + i] = isTaken ? series.group(key) : NONE
    }
    if (end > groups.length) groups.length = end
  }

  /** Returns NONE if the stack should be among the constants but is not. */
  #stack(plan: EventPlan): number {
    const { stacks, extractor } = plan
    if (stacks === undefined) return 0
    const lo = extractor.values[2 * Slot.stack]
    const hi = extractor.values[2 * Slot.stack + 1]
    let stack = 0
    if (extractor.forms[Slot.stack] === 'inline') stack = stacks.at(lo)
    else {
      // Key 0 means that there is no stack.
      if ((lo | hi) === 0) return 0
      const type = extractor.types[Slot.stack]
      const row = this.#constants.pool(type).keys.find(lo, hi)
      if (row === NONE) return NONE
      stack = stacks.ofRow(type, row)
    }
    if (stacks.truncated) plan.key[Key.attributes + Attribute.truncated] = this.#truncatedAttribute()
    return stack
  }

  #truncatedAttribute(): number {
    if (this.#truncated === 0) this.#truncated = this.#recording.builder.attribute(JFR_ATTRIBUTES.stackTruncated, true)
    return this.#truncated
  }

  #thread({ threads, extractor }: EventPlan): number {
    if (threads === undefined) return 0
    const lo = extractor.values[2 * Slot.thread]
    if (extractor.forms[Slot.thread] === 'inline') return threads.at(lo)
    const type = extractor.types[Slot.thread]
    const row = this.#constants.pool(type).keys.find(lo, extractor.values[2 * Slot.thread + 1])
    return row === NONE ? 0 : threads.ofRow(type, row)
  }

  #context({ extractor, key }: EventPlan): void {
    const { values, forms } = extractor
    const { contexts } = this.#recording
    const lo = (slot: number): number => (forms[slot] === 'integer' ? values[2 * slot] : 0)
    const hi = (slot: number): number => (forms[slot] === 'integer' ? values[2 * slot + 1] : 0)
    const spanLo = lo(Slot.spanId)
    const spanHi = hi(Slot.spanId)
    key[Key.labels] = 0
    key[Key.link] = 0
    if ((lo(Slot.context) | hi(Slot.context)) !== 0) {
      const context = contexts.context(lo(Slot.context), hi(Slot.context))
      key[Key.link] = contexts.link(context, spanLo, spanHi)
      key[Key.labels] = key[Key.link] === 0 ? context.set : context.linkedSet
    }
    const spanId = key[Key.link] === 0 ? contexts.hexAttribute(JFR_ATTRIBUTES.spanId, spanLo, spanHi) : 0
    key[Key.attributes + Attribute.spanId] = spanId
    key[Key.attributes + Attribute.rootSpanId] = contexts.hexAttribute(
      JFR_ATTRIBUTES.localRootSpanId,
      lo(Slot.rootSpanId),
      hi(Slot.rootSpanId),
    )
    key[Key.attributes + Attribute.spanName] = contexts.spanName(lo(Slot.spanName), hi(Slot.spanName))
  }

  #takeValues(plan: EventPlan, factor: number): void {
    const target = this.#values
    const source = plan.extractor.values
    const clock = this.#clock
    for (let i = 0; i < plan.values.length; i++) {
      const slot = plan.values[i]
      let lo = source[2 * slot]
      let hi = source[2 * slot + 1]
      if (plan.ticks[i] === 1) {
        clock.span(lo, hi)
        lo = clock.lo
        hi = clock.hi
      } else if (factor !== 1) {
        const product = int64ToNumber(lo, hi) * factor
        if (Number.isSafeInteger(product)) {
          lo = product | 0
          hi = Math.floor(product / 0x1_0000_0000)
        } else {
          const exact = int64(lo, hi) * BigInt(factor)
          lo = lowHalf(exact)
          hi = highHalf(exact)
        }
      }
      target[2 * i] = lo
      target[2 * i + 1] = hi
    }
  }

  #newPlan(type: number, place: number): EventPlan {
    const constants = this.#constants
    const { layouts } = constants
    const { name, fields } = layouts.metadata.classes[type]
    const event: JfrEventType =
      place === OWN_EVENT ? ownEvent(name, fields, layouts.metadata.classes) : EVENT_TYPES[place]
    const wanted = event.kind === 'counted' ? event.measures : weightOf(event.weight)
    const attributeFields = event.attributes ?? []
    const slots = [...COMMON_FIELDS, ...wanted.map(({ field }) => field), ...attributeFields]
    const extractor = new Extractor(layouts, this.#cursor, type, slots, 'last')
    const isThere = (slot: number): boolean => extractor.forms[slot] !== 'absent'
    const measures = wanted.map((_, i) => i).filter(i => extractor.forms[Slot.own + i] === 'integer')
    this.#noteFields(type, event.name, slots)
    const attribute = (key: string, slot: number): FieldAttribute =>
      new FieldAttribute(key, extractor, slot, constants, this.#texts, this.#recording.builder)
    const attributes = attributeFields
      .map((field, i) => [field, Slot.own + wanted.length + i] as const)
      .filter(([, slot]) => isThere(slot))
      .map(([field, slot]): { get(): number } => {
        if (field === OWNER)
          return new OwnerAttribute(extractor, slot, this.#threadsOf(extractor.types[slot]), constants)
        return attribute(place === OWN_EVENT ? ATTRIBUTES.spanName : fieldAttribute(field), slot)
      })
    if (place === OWN_EVENT && attributes.length === 0) {
      const ofEvent = this.#recording.builder.attribute(ATTRIBUTES.spanName, name)
      attributes.push({ get: () => ofEvent })
    }
    const usedSlots = [...COMMON_FIELDS.keys(), ...attributeFields.map((_, i) => Slot.own + wanted.length + i)].filter(
      slot => slot !== Slot.time && isThere(slot),
    )
    const rawSlots = usedSlots.some(slot => extractor.forms[slot] === 'inline') ? undefined : Int32Array.from(usedSlots)
    const hasWeight = event.kind === 'sampled' && measures.length > 0
    return {
      extractor,
      stacks: isValue(extractor, Slot.stack) ? this.#stacksOf(extractor.types[Slot.stack]) : undefined,
      threads: isValue(extractor, Slot.thread) ? this.#threadsOf(extractor.types[Slot.thread]) : undefined,
      state: attribute(ATTRIBUTES.threadState, Slot.state),
      attributes,
      key: new Int32Array(Key.attributes + Attribute.own + attributes.length),
      values: Int32Array.from(measures, i => Slot.own + i),
      ticks: Int32Array.from(measures, i => (wanted[i].ticks === true ? 1 : 0)),
      feeds: this.#recording.series.feeds(place, event, this.#recording.settings, measures, hasWeight),
      hasContext: [Slot.spanId, Slot.rootSpanId, Slot.spanName, Slot.context].some(isThere),
      rawSlots,
      events: new SequenceInterner(),
      groups: new GrowingInts(),
    }
  }

  #stacksOf(type: number): Stacks {
    let stacks = this.#stacks.get(type)
    if (stacks === undefined) {
      const { bytes, base } = this.#cursor
      stacks = new Stacks(bytes, base, type, this.#constants, this.#texts, this.#recording.builder)
      this.#stacks.set(type, stacks)
    }
    return stacks
  }

  #threadsOf(type: number): JfrThreads {
    let threads = this.#threads.get(type)
    if (threads === undefined) {
      const { bytes, base } = this.#cursor
      const { builder, sets } = this.#recording
      threads = new JfrThreads(bytes, base, type, this.#constants, this.#texts, builder, sets)
      this.#threads.set(type, threads)
    }
    return threads
  }

  #noteFields(type: number, name: string, slots: readonly (string | readonly string[])[]): void {
    const carried = new Set(slots.flat())
    for (const field of this.#constants.layouts.metadata.classes[type].fields) {
      if (!carried.has(field.name)) this.#recording.skippedFields.add(`${name}.${field.name}`)
    }
  }
}

/** The type of a program's own event. A field that names it becomes the name of the span. */
function ownEvent(name: string, fields: readonly JfrField[], classes: Metadata['classes']): JfrEventType {
  const isText = ({ type }: JfrField): boolean => type !== NONE && classes[type].kind === 'text'
  const found = NAME_FIELDS.find(wanted => fields.some(field => field.name === wanted && isText(field)))
  return { ...EVENT_TYPES[OWN_EVENT], name, attributes: found === undefined ? [] : [found] }
}

/** The id of the thread that had a monitor. */
class OwnerAttribute {
  readonly #extractor: Extractor
  readonly #slot: number
  readonly #threads: JfrThreads
  readonly #constants: Constants

  constructor(extractor: Extractor, slot: number, threads: JfrThreads, constants: Constants) {
    this.#extractor = extractor
    this.#slot = slot
    this.#threads = threads
    this.#constants = constants
  }

  get(): number {
    const { forms, types, values } = this.#extractor
    if (forms[this.#slot] !== 'constant') return 0
    const type = types[this.#slot]
    const row = this.#constants.pool(type).keys.find(values[2 * this.#slot], values[2 * this.#slot + 1])
    return row === NONE ? 0 : this.#threads.idOfRow(type, row, ATTRIBUTES.lockOwnerThreadId)
  }
}

/** Returns whether the slot has a value of a class with fields, by key or inline. */
function isValue({ forms, types }: Extractor, slot: number): boolean {
  return types[slot] !== NONE && (forms[slot] === 'constant' || forms[slot] === 'inline')
}

function weightOf(field: string | undefined): readonly JfrMeasure[] {
  return field === undefined ? [] : [{ type: '', unit: 'bytes', field }]
}
