// Reads perf.data in two passes. The first pass collects everything that describes the records (record-list.ts). The second one
// goes in the order of time, follows the memory maps of each process and turns samples into observations.
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { TimeRange } from '../../model/columns/time-range.ts'
import { commonRange, timeFields } from '../recordings/event-samples.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import {
  CLOCKS,
  openRecording,
  PERF_ATTRIBUTES,
  PERF_CLOCK,
  periodFields,
  REALTIME,
  unitOfEvent,
} from '../recordings/perf-recording.ts'
import type { EventAttr } from './event-attr.ts'
import { isClock, isDummy } from './event-name.ts'
import type { OnCut } from './file-header.ts'
import { readFileHeader } from './file-header.ts'
import { MappedFiles, nameOffset, recordRange } from './mapped-files.ts'
import { FORMAT } from './perf-bytes.ts'
import { Processes } from './processes.ts'
import { MAX_BYTES, RecordList } from './record-list.ts'
import { recordsByTime } from './record-order.ts'
import { CpuMode, Misc, RecordType } from './record-types.ts'
import { SampleReader } from './sample-reader.ts'
import { StackReader } from './stack-reader.ts'
import { ThreadAttributes } from './thread-attributes.ts'

export function readPerfData(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  if (bytes.length > MAX_BYTES)
    throw new FormatError(FORMAT, MAX_BYTES, `${bytes.length} bytes exceed the limit of 2 GiB`)
  const notes = new NoteList()
  const onCut: OnCut = ({ message }) => notes.addDamage('truncated', `the file is truncated: ${message}`)
  const header = readFileHeader(bytes, onCut)
  if (header.isUnfinished) {
    notes.add(
      'unfinished',
      'the recorder was stopped before it finished the file; everything after the header was read',
    )
  }
  const list = new RecordList(header, options, notes, onCut)
  if (list.events.attrs.length === 0 && options.lenient !== true) {
    throw list.file.fault(Math.min(header.data.from, bytes.length), 'the file describes no events')
  }
  list.noteSkipped()
  return new Reader(list, options, notes).run()
}

class Reader {
  readonly #list: RecordList
  readonly #options: ReadOptions
  readonly #notes: NoteList
  readonly #builder = new ProfilesBuilder()
  readonly #files: MappedFiles
  readonly #processes = new Processes()
  readonly #stacks: StackReader
  readonly #threads: ThreadAttributes
  readonly #samples: SampleReader
  /** The name of the clock if timestamps are not Unix time. */
  readonly #clock: string | undefined

  constructor(list: RecordList, options: ReadOptions, notes: NoteList) {
    const { file, events, features } = list
    this.#list = list
    this.#options = options
    this.#notes = notes
    this.#files = new MappedFiles(this.#builder, file, list.buildIds)
    this.#stacks = new StackReader(this.#builder, file, this.#files, this.#processes)
    this.#threads = new ThreadAttributes(this.#builder, file)
    const reference = features.clockReference
    const shift = reference === undefined ? 0n : reference.wall - reference.time
    const clock = events.attrs.find(attr => attr.clock !== undefined)?.clock
    const isUnix = reference !== undefined || clock === REALTIME
    this.#clock = isUnix ? undefined : clock === undefined ? PERF_CLOCK : (CLOCKS.get(clock) ?? `clock ${clock}`)
    this.#samples = new SampleReader({
      file,
      events,
      stacks: this.#stacks,
      processes: this.#processes,
      threads: this.#threads,
      shiftLo: lowHalf(shift),
      shiftHi: highHalf(shift),
    })
  }

  run(): ReadResult {
    for (const at of recordsByTime(this.#list)) {
      const fault = this.#record(at)
      if (fault === undefined) continue
      const error = this.#list.file.fault(at, fault)
      if (this.#options.lenient !== true) throw error
      this.#notes.addDamage('skipped-records', `invalid records were skipped, the first: ${error.message}`)
    }
    openRecording(this.#builder, this.#list.features.recording)
    const range = commonRange(this.#samples.samples)
    for (const [event, attr] of this.#list.events.attrs.entries()) this.#profile(event, attr, range)
    this.#note(range)
    return { profiles: this.#builder.build(), notes: this.#notes.list(), generation: '' }
  }

  /** Returns the problem with the record, or undefined. */
  #record(at: number): string | undefined {
    const { file } = this.#list
    const type = file.u32(at)
    const size = file.u16(at + 6)
    switch (type) {
      case RecordType.sample:
        return this.#samples.read(at)
      case RecordType.mmap:
      case RecordType.mmap2:
      case RecordType.ksymbol:
        if (size <= nameOffset(type)) return `memory map of only ${size} bytes`
        if (type === RecordType.ksymbol) this.#ksymbol(at)
        else this.#mmap(at)
        return undefined
      case RecordType.comm:
        if (size <= 16) return `thread name of only ${size} bytes`
        this.#processes.rename(file.i32(at + 12), at)
        return undefined
      default: {
        if (size < 24) return `record of type ${type} with only ${size} bytes`
        const [pid, parent, tid, parentTid] = [
          file.i32(at + 8),
          file.i32(at + 12),
          file.i32(at + 16),
          file.i32(at + 20),
        ]
        if (type === RecordType.exit) this.#processes.exit(pid, tid)
        else this.#processes.fork(pid, parent, tid, parentTid, (file.u16(at + 4) & Misc.forkExec) === 0)
        return undefined
      }
    }
  }

  #mmap(at: number): void {
    const { file } = this.#list
    const pid = file.i32(at + 8)
    const mode = file.u16(at + 4) & Misc.cpuModeMask
    const isGuest = mode === CpuMode.guestKernel || mode === CpuMode.guestUser
    const isOfKernel = mode === CpuMode.kernel || mode === CpuMode.guestKernel || pid === -1
    const isEmpty = file.lo(at + 24) === 0 && file.hi(at + 24) === 0
    // The end of the kernel itself is unknown until its modules are known, so some recorders write a length of 0.
    if (isEmpty && !(isOfKernel && this.#files.isKernel(at))) return
    if (isGuest && !isOfKernel) return
    const maps = !isOfKernel
      ? this.#processes.mapsToChange(pid)
      : isGuest
        ? this.#stacks.guestKernel
        : this.#stacks.kernel
    maps.insert(recordRange(file, at), this.#files.add(at))
  }

  /** Adds or removes a BPF program or other code that the kernel generated. */
  #ksymbol(at: number): void {
    const { file } = this.#list
    const isGone = (file.u16(at + 22) & 1) !== 0
    if (!isGone && file.u32(at + 16) > 0) this.#stacks.kernel.insert(recordRange(file, at), this.#files.add(at))
  }

  #profile(event: number, attr: EventAttr, range: TimeRange | undefined): void {
    const samples = this.#samples.samples[event]
    if (samples.length === 0 && isDummy(attr)) return
    const builder = this.#builder
    const type = this.#list.events.name(event)
    const unit = isClock(attr) ? 'nanoseconds' : unitOfEvent(type)
    const time = samples.hasTimestamps && samples.length > 0 && range !== undefined ? timeFields(range) : {}
    const attributes = []
    if (attr.isFrequency) attributes.push(builder.attribute(PERF_ATTRIBUTES.frequency, BigInt.asIntN(64, attr.period)))
    if (samples.hasTimestamps && samples.length > 0 && this.#clock !== undefined) {
      attributes.push(builder.attribute(PERF_ATTRIBUTES.clock, this.#clock))
    }
    const period = periodFields(type, unit, attr.period, attr.isFrequency)
    builder.profile({ type, unit: samples.isCounted ? unit : 'count', ...time, ...period, attributes })
    samples.writeTo(builder, this.#threads.sets)
  }

  #note(range: TimeRange | undefined): void {
    const notes = this.#notes
    this.#samples.noteFields(notes)
    if (range !== undefined && this.#clock !== undefined) {
      const advice = this.#clock === PERF_CLOCK ? '; record with -k CLOCK_MONOTONIC, for the times of a timeline' : ''
      notes.add('clock', `timestamps use the clock "${this.#clock}"; the file does not relate it to Unix time${advice}`)
    }
    if (this.#list.features.isDirectory) {
      notes.add(
        'directory',
        'the file belongs to a directory recording; the other files of the directory were not read',
      )
    }
    notes.add('invalid-text', 'file names were not valid UTF-8; invalid bytes became U+FFFD', this.#files.invalidNames)
  }
}
