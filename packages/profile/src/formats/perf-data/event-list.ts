// The events of a recording: their descriptions, names, and the ids by which samples refer to them.
import { NONE } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import type { EventAttr } from './event-attr.ts'
import { attrSize, readAttr } from './event-attr.ts'
import { isStandard, nameOfEvent } from './event-name.ts'
import type { OnCut, PerfHeader, PerfSection } from './file-header.ts'
import { section } from './file-header.ts'
import type { PerfBytes } from './perf-bytes.ts'

/** An event id and 64 bytes of name. */
const OLD_NAME = 72

/** Each event takes 2 KB here. perf itself runs out of file handles long before this limit. */
const MAX_EVENTS = 1 << 16

export class EventList {
  readonly attrs: EventAttr[] = []
  /** Names of the types from 6 on. */
  readonly pmus = new Map<number, string>()
  /** The name of each event, if the file gives one. */
  readonly #names: (string | undefined)[] = []
  /** Names by `config`, from old files. */
  readonly #oldNames = new Map<bigint, string>()
  /** Pairs of halves. Unknown ids get a row at their first lookup. */
  readonly #ids = new SequenceInterner()
  /** The event of each id, or NONE. */
  readonly #owners = new GrowingInts()
  readonly #key = new Int32Array(2)

  /** The event with the 64-bit id at `at`, or NONE. */
  byId(file: PerfBytes, at: number): number {
    const lo = file.lo(at)
    const hi = file.hi(at)
    // The row first: adding it may replace the array.
    const row = this.#row(lo, hi)
    const owner = this.#owners.array[row]
    // Records that perf synthesizes have the id 0 and belong to the first event.
    return owner === NONE && lo === 0 && hi === 0 && this.attrs.length > 0 ? 0 : owner
  }

  name(event: number): string {
    const attr = this.attrs[event]
    // Old names are by `config` only. That distinguishes tracepoints, but not cycles from cpu-clock: both are 0.
    const oldName = isStandard(attr) ? undefined : this.#oldNames.get(attr.config)
    return this.#names[event] ?? oldName ?? nameOfEvent(attr, this.pmus)
  }

  /** Reads the event descriptions in a file's header. Each ends with the section of its ids. */
  readAttrs({ file, attrs, attrSize: stride }: PerfHeader, onCut: OnCut): void {
    if (attrs.from === attrs.to) return
    for (let at = attrs.from; at + stride <= attrs.to; at += stride) {
      const ids = section(file, at + stride - 16, 'ids of an event', onCut)
      this.#add(file, { from: at, to: at + stride - 16 }, ids)
    }
  }

  /** Reads a HEADER_ATTR record: a description, then ids. */
  readAttrRecord(file: PerfBytes, at: number, end: number): void {
    const to = at + 8 + attrSize(file, at + 8, end)
    this.#add(file, { from: at + 8, to }, { from: to, to: end })
  }

  readOldNames(file: PerfBytes, { from, to }: PerfSection): void {
    for (let at = from; at + OLD_NAME <= to; at += OLD_NAME) this.readOldName(file, at)
  }

  readOldName(file: PerfBytes, at: number): void {
    const name = file.text(at + 8, at + OLD_NAME)
    if (name !== '') this.#oldNames.set(file.u64(at), name)
  }

  /** Reads an EVENT_UPDATE record, which can have an event's name. */
  readUpdate(file: PerfBytes, at: number, end: number): void {
    if (end - at < 24 || file.size(at + 8) !== 2) return
    const event = this.byId(file, at + 16)
    const name = file.text(at + 24, end)
    if (event !== NONE && name !== '') this.#names[event] = name
  }

  /** Reads the feature that repeats all events with their names: count, size of a description, then the events. */
  readDescriptions(file: PerfBytes, { from, to }: PerfSection): void {
    if (to - from < 8) return
    const count = file.u32(from)
    const size = file.u32(from + 4)
    let at = from + 8
    for (let i = 0; i < count && size + 8 <= to - at; i++) {
      const idCount = file.u32(at + size)
      const nameLength = file.u32(at + size + 4)
      const nameAt = at + size + 8
      const idsAt = nameAt + nameLength
      if (idsAt + 8 * idCount > to) return
      // Both lists have the same order. The ids correct it if an event is missing.
      const event = idCount > 0 ? this.byId(file, idsAt) : i
      const name = file.text(nameAt, idsAt)
      if (event >= 0 && event < this.attrs.length && name !== '') this.#names[event] = name
      at = idsAt + 8 * idCount
    }
  }

  #add(file: PerfBytes, description: PerfSection, ids: PerfSection): void {
    const event = this.attrs.length
    if (event === MAX_EVENTS) throw file.fault(description.from, `more than ${MAX_EVENTS} events`)
    this.attrs.push(readAttr(file, description.from, description.to))
    this.#names.push(undefined)
    for (let at = ids.from; at + 8 <= ids.to; at += 8) {
      const row = this.#row(file.lo(at), file.hi(at))
      this.#owners.array[row] = event
    }
  }

  #row(lo: number, hi: number): number {
    this.#key[0] = lo
    this.#key[1] = hi
    const row = this.#ids.intern(this.#key, 0, 2)
    if (row === this.#owners.length) this.#owners.push(NONE)
    return row
  }
}
