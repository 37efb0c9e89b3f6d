// Reads SAMPLE records: finds the event of each, reads its fields and adds the observation to that event's profile.
//
//   header 8 | fields of fixed size, see event-attr.ts | READ | CALLCHAIN: count, addresses | skipped fields
import type { StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import { EventSamples } from '../recordings/event-samples.ts'
import type { NoteList } from '../format.ts'
import type { ReadField } from './counter-values.ts'
import { CounterValues, readFieldAt } from './counter-values.ts'
import type { EventAttr } from './event-attr.ts'
import type { EventList } from './event-list.ts'
import type { PerfBytes } from './perf-bytes.ts'
import type { Processes } from './processes.ts'
import { CpuMode, Misc, SampleBit } from './record-types.ts'
import type { StackReader } from './stack-reader.ts'
import type { ThreadAttributes } from './thread-attributes.ts'

/** Fields of samples that are skipped and counted. */
const OTHER_FIELDS: readonly (readonly [bit: number, name: string])[] = [
  [SampleBit.addr, 'accessed addresses'],
  [SampleBit.raw, 'fields of tracepoints'],
  [SampleBit.regsIntr, 'registers'],
  [SampleBit.weight | SampleBit.weightStruct, 'weights'],
  [SampleBit.dataSource, 'data sources'],
  [SampleBit.transaction, 'transactions'],
  [SampleBit.physicalAddress, 'physical addresses'],
  [SampleBit.cgroup, 'control groups'],
  [SampleBit.dataPageSize | SampleBit.codePageSize, 'page sizes'],
  [SampleBit.aux, 'hardware traces'],
]

/** The sources for the fields of a sample. */
export interface SampleContext {
  readonly file: PerfBytes
  readonly events: EventList
  readonly stacks: StackReader
  readonly processes: Processes
  readonly threads: ThreadAttributes
  /** Added to every timestamp. */
  readonly shiftLo: number
  readonly shiftHi: number
}

export class SampleReader {
  /** The samples of each event, in the order of events. */
  readonly samples: readonly EventSamples[]
  /** The number of samples without a known event, and of periods beyond the range of values. */
  unknownEvents = 0
  largePeriods = 0
  readonly #context: SampleContext
  /** The position of the event id in a sample; 0 if all samples belong to the first event. */
  readonly #idAt: number
  readonly #counters = new CounterValues()
  // State of the current sample.
  #stack = 0 as StackIndex
  #set = 0
  #timeLo = 0
  #timeHi = 0

  constructor(context: SampleContext) {
    this.#context = context
    const { attrs } = context.events
    this.#idAt = idPlace(attrs)
    this.samples = attrs.map(attr => new EventSamples(hasPeriod(attr), attr.layout.time !== 0))
  }

  /** Returns the problem with the record, or undefined. */
  read(at: number): string | undefined {
    const { file, events } = this.#context
    const size = file.u16(at + 6)
    const end = at + size
    const event = this.#eventOf(at, size)
    if (event === NONE) {
      this.unknownEvents++
      return undefined
    }
    const attr = events.attrs[event]
    const { layout, sampleType } = attr
    if (layout.tail > size) return `sample of ${size} bytes whose fields need ${layout.tail}`
    let tail = at + layout.tail
    let counters: ReadField | undefined
    if ((sampleType & SampleBit.read) !== 0) {
      counters = readFieldAt(file, attr, tail, end)
      if (counters === undefined) return 'sample whose counters exceed its size'
      tail = counters.end
    }
    const pid = layout.tid === 0 ? NONE : file.i32(at + layout.tid)
    const tid = layout.tid === 0 ? NONE : file.i32(at + layout.tid + 4)
    const mode = modeOf(file.u16(at + 4))
    const chain = (sampleType & SampleBit.callchain) === 0 ? undefined : this.#chain(pid, mode, tail, end)
    if (chain === false) return 'sample whose callchain exceeds its size'
    this.#stack = chain ?? this.#single(pid, mode, layout.ip === 0 ? NONE : at + layout.ip)
    const cpu = layout.cpu === 0 ? NONE : file.i32(at + layout.cpu)
    this.#set = this.#context.threads.set(pid, tid, this.#context.processes.name(tid), cpu)
    if (layout.time !== 0) this.#setTime(file.lo(at + layout.time), file.hi(at + layout.time))
    if (counters !== undefined) this.#addCounters(event, tid, counters)
    else if (layout.period !== 0) this.#add(event, file.lo(at + layout.period), file.hi(at + layout.period))
    else this.#add(event, Number(BigInt.asIntN(32, attr.period)), Number(BigInt.asIntN(32, attr.period >> 32n)))
    return undefined
  }

  #eventOf(at: number, size: number): number {
    const { file, events } = this.#context
    if (this.#idAt === 0) return events.attrs.length === 0 ? NONE : 0
    return this.#idAt + 8 > size ? NONE : events.byId(file, at + this.#idAt)
  }

  /** Returns false for an invalid chain, undefined for one without addresses. */
  #chain(pid: number, mode: CpuMode, at: number, end: number): StackIndex | undefined | false {
    const { file, stacks } = this.#context
    if (at + 8 > end) return false
    const count = file.size(at)
    return count > (end - at - 8) / 8 ? false : stacks.chain(pid, mode, at + 8, count)
  }

  #single(pid: number, mode: CpuMode, at: number): StackIndex {
    return at === NONE ? (0 as StackIndex) : this.#context.stacks.single(pid, mode, at)
  }

  #setTime(lo: number, hi: number): void {
    const { shiftLo, shiftHi } = this.#context
    const low = (lo >>> 0) + (shiftLo >>> 0)
    this.#timeLo = low | 0
    this.#timeHi = (hi + shiftHi + (low > 0xffff_ffff ? 1 : 0)) | 0
  }

  #addCounters(event: number, tid: number, { at, count, stride, idOffset }: ReadField): void {
    const { file, events } = this.#context
    const counters = this.#counters
    for (let i = 0, counter = at; i < count; i++, counter += stride) {
      const owner = idOffset === 0 ? event : events.byId(file, counter + idOffset)
      if (owner === NONE) {
        this.unknownEvents++
        continue
      }
      const copy = events.attrs[owner].inherits ? tid : NONE
      const idLo = idOffset === 0 ? event : file.lo(counter + idOffset)
      const idHi = idOffset === 0 ? 0 : file.hi(counter + idOffset)
      counters.advance(idLo, idHi, copy, file.lo(counter), file.hi(counter))
      // An event that did not occur has no observation.
      if (counters.lo !== 0 || counters.hi !== 0) this.#add(owner, counters.lo, counters.hi)
    }
  }

  #add(event: number, valueLo: number, valueHi: number): void {
    const isLarge = valueHi < 0
    if (isLarge) this.largePeriods++
    const lo = isLarge ? -1 : valueLo
    const hi = isLarge ? 0x7fff_ffff : valueHi
    this.samples[event].add(this.#stack, this.#set, lo, hi, this.#timeLo, this.#timeHi)
  }

  /** Adds notes about skipped fields. */
  noteFields(notes: NoteList): void {
    for (const [event, { sampleType }] of this.#context.events.attrs.entries()) {
      const count = this.samples[event].length
      if ((sampleType & SampleBit.stackUser) !== 0) {
        // Totals of callers are too small, and every graph is flat.
        notes.addDamage(
          'user-stacks',
          'copies of user stacks for unwinding were skipped, so callers in user code are missing; record with --call-graph fp',
          count,
        )
      } else if ((sampleType & SampleBit.regsUser) !== 0) {
        notes.add('user-registers', 'registers of samples were skipped', count)
      }
      if ((sampleType & SampleBit.branchStack) !== 0) {
        notes.add('branch-stacks', 'branch records of samples were skipped', count)
      }
      const others = OTHER_FIELDS.filter(([bits]) => (sampleType & bits) !== 0).map(([, name]) => name)
      if (others.length > 0) notes.add('sample-fields', `fields of samples were skipped: ${others.join(', ')}`, count)
    }
    notes.add('unknown-events', 'samples of events that the file does not describe were skipped', this.unknownEvents)
    notes.add('large-periods', 'periods above 2^63 - 1 were reduced to that value', this.largePeriods)
  }
}

/** Returns whether an event's samples have a value. */
function hasPeriod({ sampleType, isFrequency, period }: EventAttr): boolean {
  return (sampleType & (SampleBit.period | SampleBit.read)) !== 0 || (!isFrequency && period > 0n)
}

function idPlace(attrs: readonly EventAttr[]): number {
  if (attrs.length < 2) return 0
  if (attrs.every(({ layout }) => layout.identifier !== 0)) return attrs[0].layout.identifier
  // Without identifiers at the front, all events must have their ids at the same position.
  return attrs[0].layout.id
}

function modeOf(misc: number): CpuMode {
  const mode = misc & Misc.cpuModeMask
  return mode > CpuMode.guestUser ? CpuMode.unknown : (mode as CpuMode)
}
