// Reads one profile of a speedscope file. Its fields may have any order, and the unit decides how numbers are read. So the lists
// are skipped first and read once everything else is known.
//
//   sampled   samples [[0, 1], [0], []]  weights [2, 3, 1]     two observations, then nothing on the stack for 1
//   evented   O 0 at 0, O 1 at 0, C 1 at 2, C 0 at 5           the same: 0;1 from 0 to 2, 0 from 2 to 5
import type { AttributeIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { highHalf, lowHalf, MAX_INT64 } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { canonicalUnit } from '../../model/text/units.ts'
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import { EventSamples } from '../recordings/event-samples.ts'
import type { NoteList } from '../format.ts'
import { DecimalPlaces, ScaledNumber, scaledUnit } from '../recordings/scaled-number.ts'
import type { UnitMeaning } from './names.ts'
import { meaningOfUnit, SPEEDSCOPE_ATTRIBUTES } from './names.ts'
import type { ProfileFields } from './profile-fields.ts'
import { NONE_YET, noFields, readFields } from './profile-fields.ts'
import { StackOfFrames } from './stack-of-frames.ts'

/** Decimals that are kept of numbers other than times. */
const MAX_PLACES = 9
/** 2000-01-01 in nanoseconds. Earlier times do not count from 1970. */
const PLAUSIBLE_TIME = 946_684_800_000_000_000n
export class ProfileReader {
  readonly #bytes: Uint8Array
  readonly #builder: ProfilesBuilder
  readonly #frames: GrowingInts
  readonly #notes: NoteList
  readonly #lenient: boolean
  readonly #number = new ScaledNumber()
  readonly #stack: StackOfFrames
  /** The reason why the first skipped profile could not be read. */
  #firstFault: JsonError | undefined

  constructor(bytes: Uint8Array, builder: ProfilesBuilder, frames: GrowingInts, notes: NoteList, lenient: boolean) {
    this.#bytes = bytes
    this.#builder = builder
    this.#frames = frames
    this.#notes = notes
    this.#lenient = lenient
    this.#stack = new StackOfFrames(builder.dictionary)
  }

  /** Throws if profiles were skipped and none was read. */
  finish(): void {
    if (this.#firstFault !== undefined && this.#builder.draft.profiles.length === 0) throw this.#firstFault
  }

  /** The reader is at item `i` of the list of profiles. */
  read(reader: JsonReader, i: number): void {
    const at = reader.offset
    const fields = noFields()
    let cut: JsonError | undefined
    try {
      readFields(reader, fields)
    } catch (error) {
      if (!this.#lenient || !(error instanceof JsonError)) throw error
      cut = error
    }
    const evented = fields.type === 'evented' || (fields.type === '' && fields.events !== NONE_YET)
    const lists = evented ? [fields.events] : [fields.samples, fields.weights]
    if (!evented && fields.type !== 'sampled' && fields.type !== '') {
      this.#firstFault ??= new JsonError(
        this.#bytes,
        at,
        `a profile must be evented or sampled, not ${JSON.stringify(fields.type)}`,
        `[${i}]`,
      )
      this.#notes.addDamage('skipped-profiles', 'profiles that are neither evented nor sampled are skipped')
      return
    }
    if (lists.includes(NONE_YET)) {
      if (cut !== undefined) throw cut
      reader.fail(evented ? 'an evented profile without events' : 'a sampled profile without samples and weights', at)
    }
    const meaning = meaningOfUnit(fields.unit)
    new OneProfile(this.#bytes, this.#builder, this.#frames, this.#notes, fields, meaning, {
      lenient: this.#lenient,
      number: this.#number,
      stack: this.#stack,
      path: `[${i}]`,
    }).read(evented)
    if (cut !== undefined) throw cut
  }
}

interface Tools {
  readonly lenient: boolean
  readonly number: ScaledNumber
  readonly stack: StackOfFrames
  readonly path: string
}

class OneProfile {
  readonly #bytes: Uint8Array
  readonly #builder: ProfilesBuilder
  readonly #frames: GrowingInts
  readonly #notes: NoteList
  readonly #fields: ProfileFields
  readonly #meaning: UnitMeaning
  readonly #tools: Tools
  readonly #samples: EventSamples
  readonly #sets = new SequenceInterner()
  #shift: number
  /** Added to times, so that none is negative. */
  #moved = 0n
  #start = 0n
  /** The current position on the axis. */
  #now = 0n
  #evented = false

  constructor(
    bytes: Uint8Array,
    builder: ProfilesBuilder,
    frames: GrowingInts,
    notes: NoteList,
    fields: ProfileFields,
    meaning: UnitMeaning,
    tools: Tools,
  ) {
    this.#bytes = bytes
    this.#builder = builder
    this.#frames = frames
    this.#notes = notes
    this.#fields = fields
    this.#meaning = meaning
    this.#tools = tools
    this.#shift = meaning.shift
    this.#samples = new EventSamples(true, this.#isTimed)
    this.#setThread()
  }

  get #isTimed(): boolean {
    return this.#meaning.isTime && !this.#fields.extra.aggregated
  }

  read(evented: boolean): void {
    const { startFrom, startTo } = this.#fields
    const places = this.#places(evented)
    this.#shift = this.#meaning.shift + places
    const given = startFrom === NONE_YET ? 0n : this.#numberAt(startFrom, startTo)
    if (this.#isTimed && given < 0n) {
      this.#moved = -given
      this.#notes.add('negative-times', 'times below zero: the profile is shifted so that it begins at 0')
    }
    this.#start = given + this.#moved
    this.#now = this.#start
    this.#evented = evented
    if (evented) this.#readEvents()
    else this.#readSamples()
    this.#finish(places)
  }

  /** Decimals that numbers have beyond the shift of their unit. Times are rounded to the nanosecond. */
  #places(evented: boolean): number {
    const { extra, weights, events } = this.#fields
    if (extra.places !== undefined) return extra.places
    if (this.#meaning.isTime) return 0
    const places = new DecimalPlaces(MAX_PLACES)
    const reader = this.#readerAt(evented ? events : weights)
    this.#guard(
      reader,
      () => (evented ? 'events' : 'weights'),
      () => {
        reader.beginArray()
        while (reader.nextItem()) {
          if (evented) findNumber(reader, 'at', places)
          else addNumber(reader, places)
        }
      },
    )
    return places.places
  }

  #readSamples(): void {
    const stacks = this.#readerAt(this.#fields.samples)
    const weights = this.#readerAt(this.#fields.weights)
    // The list that is being read, for the path of an error.
    let list: 'samples' | 'weights' = 'samples'
    const read = (): void => {
      stacks.beginArray()
      list = 'weights'
      weights.beginArray()
      for (;;) {
        list = 'samples'
        const hasStack = stacks.nextItem()
        list = 'weights'
        const hasWeight = weights.nextItem()
        if (hasStack !== hasWeight) this.#unpaired(hasStack ? stacks : weights, hasStack)
        if (!hasStack || !hasWeight) return
        list = 'samples'
        const row = this.#readStack(stacks)
        list = 'weights'
        this.#pass(row, weights.tryNull() ? 0n : this.#readNumber(weights))
      }
    }
    this.#guard(stacks, () => list, read)
  }

  #unpaired(reader: JsonReader, hasStack: boolean): void {
    if (!this.#tools.lenient) reader.fail(hasStack ? 'more samples than weights' : 'more weights than samples')
    this.#notes.add('unpaired', 'samples without a weight and weights without a sample are skipped')
  }

  #readStack(reader: JsonReader): number {
    const { stack } = this.#tools
    stack.clear()
    reader.beginArray()
    while (reader.nextItem()) stack.push(this.#location(reader))
    return stack.row()
  }

  #location(reader: JsonReader): number {
    const frame = reader.uint32()
    if (frame < this.#frames.length) return this.#frames.array[frame]
    this.#notes.add('missing-frames', 'frames that are not in the list of frames are called [unknown]')
    return this.#builder.location({})
  }

  #readEvents(): void {
    const { events } = this.#fields
    const reader = this.#readerAt(events)
    const { stack } = this.#tools
    const notes = this.#notes
    stack.clear()
    let zeroLength = 0
    let openedAt = -1n
    this.#guard(
      reader,
      () => 'events',
      () => {
        reader.beginArray()
        while (reader.nextItem()) {
          const at = reader.offset
          const event = this.#readEvent(reader)
          if (event === undefined) {
            notes.add('other-events', 'events that neither open nor close a frame are skipped')
            continue
          }
          const { opens, location, time } = event
          if (time < this.#now) reader.fail('an event is earlier than the event before it', at)
          this.#pass(stack.row(), time - this.#now)
          if (opens) {
            stack.push(location)
            openedAt = time
          } else {
            const above = stack.framesAbove(location)
            if (above < 0) {
              notes.addDamage('unmatched-ends', 'events that close a frame which is not open are skipped')
              continue
            }
            notes.add('early-ends', 'frames that are still open when their caller closes end with it', above)
            // A call without a duration that contained no call with one.
            if (openedAt === time) zeroLength++
            openedAt = -1n
            stack.pop(above + 1)
          }
        }
      },
    )
    notes.add('zero-length-calls', 'calls without a duration are skipped', zeroLength)
    if (stack.length === 0) return
    notes.add('unclosed-frames', 'frames that are never closed end with the profile', stack.length)
    const { endFrom, endTo } = this.#fields
    const end = endFrom === NONE_YET ? this.#now : this.#numberAt(endFrom, endTo) + this.#moved
    if (end > this.#now) this.#pass(stack.row(), end - this.#now)
  }

  /** Returns undefined for an event of an unknown type. */
  #readEvent(reader: JsonReader): { opens: boolean; location: number; time: bigint } | undefined {
    const from = reader.offset
    let isOther = false
    let opens: boolean | undefined
    let location = NONE_YET
    let time: bigint | undefined
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'frame') location = this.#location(reader)
      else if (key === 'at') time = this.#readNumber(reader) + this.#moved
      else if (key === 'type') {
        const type = reader.string()
        isOther = type !== 'O' && type !== 'C'
        opens = type === 'O'
      }
    }
    if (isOther) return undefined
    if (opens === undefined || location === NONE_YET || time === undefined) {
      return reader.fail('an event has no type, frame or at', from)
    }
    return { opens, location, time }
  }

  /** Adds the time that the stack lasted. */
  #pass(stack: number, length: bigint): void {
    // An empty stack is a gap if the unit is a time, and an observation without a stack otherwise.
    const isNothing = stack === 0 && (this.#isTimed || this.#evented)
    if (!isNothing && (length !== 0n || !this.#evented)) {
      this.#samples.add(stack, 0, lowHalf(length), highHalf(length), lowHalf(this.#now), highHalf(this.#now))
    }
    this.#now += length
    // Without times, the position is only a sum, which may be larger.
    if (this.#isTimed && (this.#now > MAX_INT64 || this.#now < -MAX_INT64)) throw new RangeError('times exceed 64 bits')
  }

  #readNumber(reader: JsonReader): bigint {
    reader.peek()
    const from = reader.offset
    reader.number()
    return this.#numberAt(from, reader.offset)
  }

  #numberAt(from: number, to: number): bigint {
    const { number } = this.#tools
    if (!number.read(this.#bytes, from, to, this.#shift)) {
      throw new JsonError(this.#bytes, from, 'a number exceeds 64 bits', '')
    }
    if (number.rounded) this.#notes.add('rounded-values', 'numbers with too many decimals are rounded')
    return number.value
  }

  #finish(places: number): void {
    const { name, extra, endFrom, endTo } = this.#fields
    const builder = this.#builder
    // Times are in nanoseconds, whatever unit the extra names.
    const fits = extra.unit !== undefined && (!this.#meaning.isTime || canonicalUnit(extra.unit) === 'ns')
    const unit = fits ? extra.unit : scaledUnit(this.#meaning.unit, places)
    const timed = this.#isTimed
    const end = endFrom === NONE_YET || !timed ? this.#now : this.#numberAt(endFrom, endTo) + this.#moved
    const last = end > this.#now ? end : this.#now
    builder.profile({
      type: extra.type ?? this.#meaning.type,
      unit,
      timeUnixNano: timed ? this.#start : 0,
      durationNano: timed && last > this.#start ? last - this.#start : 0,
      attributes: name === '' ? [] : [builder.attribute(SPEEDSCOPE_ATTRIBUTES.profileName, name)],
    })
    this.#samples.writeTo(builder, this.#sets)
    if (timed && this.#start < PLAUSIBLE_TIME) {
      this.#notes.add('relative-times', 'times count from the start of the recording, not from 1970')
    }
    if (!this.#meaning.isTime && !extra.aggregated && this.#samples.length > 1) {
      this.#notes.add('order', 'samples that are not measured in time are summed by stack, without their order')
    }
  }

  #setThread(): void {
    const { id, name } = this.#fields.extra
    const builder = this.#builder
    const set: AttributeIndex[] = []
    if (id !== undefined) set.push(builder.attribute(ATTRIBUTES.threadId, id))
    if (name !== undefined) set.push(builder.attribute(ATTRIBUTES.threadName, name))
    this.#sets.intern(Int32Array.from(set), 0, set.length)
  }

  #readerAt(offset: number): JsonReader {
    return new JsonReader(this.#bytes, { offset })
  }

  /** Adds the path of the list to errors. With `lenient` the list ends at the error instead. */
  #guard(reader: JsonReader, list: () => string, run: () => void): void {
    try {
      run()
    } catch (error) {
      if (error instanceof RangeError) this.#fail(reader, error.message)
      if (!(error instanceof JsonError)) throw error
      if (this.#tools.lenient) return this.#notes.add('skipped', 'a list is read up to its first error')
      const path = `${this.#tools.path}.${list()}${error.path}`
      throw new JsonError(this.#bytes, error.offset, error.what, path)
    }
  }

  #fail(reader: JsonReader, what: string): never {
    throw new JsonError(this.#bytes, reader.offset, what, this.#tools.path)
  }
}

function addNumber(reader: JsonReader, places: DecimalPlaces): void {
  if (reader.tryNull()) return
  const from = reader.offset
  reader.number()
  places.add(reader.bytes, from, reader.offset)
}

function findNumber(reader: JsonReader, name: string, places: DecimalPlaces): void {
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey())
    if (key === name) addNumber(reader, places)
}
