// Writes the text of `perf script`: every observation is a sample, sorted by time, followed by its callers.
import type { StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import { GrowingBytes } from '../../model/columns/growing-columns.ts'
import type { BytesInterner } from '../../model/build/intern.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { writeInt64 } from '../../wire/decimal.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { EventTexts } from './event-texts.ts'
import { PerfObservations } from './observations.ts'
import { PlainText } from './plain-text.ts'
import { PerfStackTexts } from './stack-texts.ts'
import { ThreadTexts } from './thread-texts.ts'
import { headerText } from './write-header.ts'

const LF = 0x0a
const ZERO = 0x30
const SPACE = 0x20
const NANOS = 9
/** Upper halves of 64-bit numbers. */
const MAX_HIGH = 2 ** 31 - 1
const MIN_HIGH = -(2 ** 31)

export function writePerfScript(payload: Profiles, options: WriteOptions = {}): WriteResult {
  return new Writer(payload, options.type).run()
}

class Writer {
  readonly #payload: Profiles
  readonly #notes = new NoteList()
  readonly #plain = new PlainText()
  readonly #threads: ThreadTexts
  readonly #events: EventTexts
  readonly #stacks: PerfStackTexts
  readonly #observations: PerfObservations
  readonly #out = new GrowingBytes(1 << 16)
  readonly #digits = new Uint8Array(64)

  constructor(payload: Profiles, type: string | undefined) {
    this.#payload = payload
    const profiles = chosenProfiles(payload, type)
    this.#notes.add('profiles', 'profiles of other types were not written', payload.profiles.length - profiles.length)
    this.#threads = new ThreadTexts(payload, this.#plain)
    this.#events = new EventTexts(payload, profiles, this.#plain, this.#notes)
    this.#stacks = new PerfStackTexts(payload.dictionary, this.#plain)
    this.#observations = new PerfObservations(payload, this.#threads.texts, this.#events.texts, this.#stacks)
    for (const [place, profile] of profiles.entries()) this.#addProfile(place, profile)
  }

  run(): WriteResult {
    const header = encodeUtf8(headerText(this.#payload, this.#events, this.#events.clock, this.#notes))
    this.#out.append(header, 0, header.length)
    const order = this.#observations.inOrder()
    for (let i = 0; i < order.length;) i = this.#writeFrom(order, i)
    this.#note()
    return { bytes: this.#out.array.slice(0, this.#out.length), notes: this.#notes.list() }
  }

  #addProfile(place: number, profile: number): void {
    const { profiles, samples } = this.#payload
    const pid = this.#processOf(profile)
    const notes = this.#notes
    const hasOnlyOnes = this.#hasOnlyOnes(profile)
    notes.add('ones', 'values next to timestamps were dropped because all are 1', hasOnlyOnes ? 1 : 0)
    for (let sample = profiles.samplesFrom(profile); sample < profiles.samplesTo(profile); sample++) {
      const key = this.#threads.key(sample, pid)
      this.#observations.add(sample, this.#threads.text(key), this.#events.text(place), !hasOnlyOnes)
      notes.add(
        'attributes',
        'attributes of samples other than process, thread and CPU were dropped',
        this.#threads.lost(key),
      )
      if (samples.link(sample) !== 0) notes.add('links', 'links of samples to spans were dropped')
      if (samples.observations(sample) === 0)
        notes.add('empty-samples', 'samples without values and timestamps were dropped')
    }
  }

  /** Returns whether every observation has a time and the value 1. */
  #hasOnlyOnes(profile: number): boolean {
    const { profiles, samples } = this.#payload
    const from = profiles.samplesFrom(profile)
    const to = profiles.samplesTo(profile)
    if (from === to || samples.timestampsFrom(from) === samples.timestampsTo(from)) return false
    const values = [samples.valuesFrom(from), samples.valuesTo(to - 1)]
    for (let k = values[0]; k < values[1]; k++)
      if (samples.values.lo(k) !== 1 || samples.values.hi(k) !== 0) return false
    return values[0] < values[1]
  }

  /** The process id of the profile's resource, or -1. */
  #processOf(profile: number): number {
    const { resources, scopes } = this.#payload
    let scope = 0
    while (scopes.to(scope) <= profile) scope++
    let resource = 0
    while (resources.to(resource) <= scope) resource++
    const pid = resources.resource(resource).attributes.find(({ key }) => key === ATTRIBUTES.processPid)?.value
    return typeof pid === 'bigint' && pid >= 0n && pid < 2n ** 31n ? Number(pid) : NONE
  }

  /** Writes one sample, including those that can be joined with it. Returns the index of the next one. */
  #writeFrom(order: Int32Array, place: number): number {
    const observations = this.#observations
    const { values } = this.#payload.samples
    const i = order[place]
    let low = observations.value(i) === NONE ? 1 : values.lo(observations.value(i)) >>> 0
    let high = observations.value(i) === NONE ? 0 : values.hi(observations.value(i))
    let next = place + 1
    for (; next < order.length && observations.canJoin(i, order[next]); next++) {
      const value = observations.value(order[next])
      low += values.lo(value) >>> 0
      high += values.hi(value) + (low > 0xffff_ffff ? 1 : 0)
      low >>>= 0
    }
    // A sum above 64 bits is written as several maximum values and the rest, independent of the order of values.
    for (; high > MAX_HIGH; high -= MAX_HIGH + 1) {
      this.#sample(i, -1, MAX_HIGH)
      low++
      if (low > 0xffff_ffff) high++
      low >>>= 0
    }
    for (; high < MIN_HIGH; high -= MIN_HIGH) this.#sample(i, 0, MIN_HIGH)
    this.#sample(i, low | 0, high)
    return next
  }

  #sample(i: number, lo: number, hi: number): void {
    const observations = this.#observations
    const { timestamps } = this.#payload.samples
    this.#text(this.#threads.texts, observations.thread(i))
    const time = observations.time(i)
    if (time !== NONE) this.#time(timestamps.lo(time), timestamps.hi(time))
    if (observations.value(i) !== NONE) this.#period(lo, hi)
    this.#text(this.#events.texts, observations.event(i))
    this.#byte(LF)
    this.#stack(observations.stack(i))
    this.#byte(LF)
  }

  #stack(stack: StackIndex): void {
    const from = this.#stacks.start(stack)
    this.#out.append(this.#stacks.bytes, from, this.#stacks.end(stack))
  }

  /** Writes `12345.000000001: `. */
  #time(lo: number, hi: number): void {
    const digits = this.#digits
    const start = NANOS + 1
    // At least ten digits, so that there is a digit before the dot.
    digits.fill(ZERO, 0, start)
    const end = writeInt64(lo, hi, true, digits, start)
    const from = Math.min(start, end - NANOS - 1)
    for (let length = end - NANOS - from; length < 5; length++) this.#byte(SPACE)
    this.#out.append(digits, from, end - NANOS)
    this.#byte(0x2e)
    this.#out.append(digits, end - NANOS, end)
    this.#byte(0x3a)
    this.#byte(SPACE)
  }

  #period(lo: number, hi: number): void {
    const end = writeInt64(lo, hi, false, this.#digits, 0)
    for (let length = end; length < 10; length++) this.#byte(SPACE)
    this.#out.append(this.#digits, 0, end)
    this.#byte(SPACE)
  }

  #text({ rows, pool }: BytesInterner, row: number): void {
    const from = rows.array[2 * row]
    this.#out.append(pool.array, from, from + rows.array[2 * row + 1])
  }

  readonly #one = new Uint8Array(1)

  #byte(byte: number): void {
    this.#one[0] = byte
    this.#out.append(this.#one, 0, 1)
  }

  #note(): void {
    const notes = this.#notes
    const { losses } = this.#stacks
    notes.add('order', 'timestamps of samples were sorted', this.#observations.unordered)
    notes.add('frame-types', 'frame types that the file name does not show were dropped', losses.frameTypes)
    notes.add('location-attributes', 'other attributes of locations were dropped', losses.attributes)
    notes.add(
      'mapping-ranges',
      'address ranges of files were dropped; addresses are relative to the file',
      losses.ranges,
    )
    notes.add('mapping-attributes', 'build ids and other attributes of mappings were dropped', losses.mappingAttributes)
    notes.add('function-fields', 'system names and start lines of functions were dropped', losses.functionFields)
    notes.add('columns', 'columns of source lines were dropped', losses.columns)
    notes.add('renamed', 'names were changed because the text could not be read back otherwise', this.#plain.changed)
  }
}

function chosenProfiles({ profiles, dictionary }: Profiles, type: string | undefined): number[] {
  const all = Array.from({ length: profiles.length }, (_, i) => i)
  if (type === undefined) return all
  const chosen = all.filter(i => dictionary.strings.text(profiles.type(i)) === type)
  if (chosen.length > 0) return chosen
  const types = new Set(all.map(i => dictionary.strings.text(profiles.type(i))))
  throw new RangeError(`there is no profile of type ${JSON.stringify(type)}, only ${[...types].join(', ')}`)
}
