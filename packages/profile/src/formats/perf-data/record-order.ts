// Sorts records by time. The kernel writes one buffer for each CPU and perf empties them in turn, so a file consists of a few
// sorted sequences.
import { NONE } from '../../model/columns/brand.ts'
import { sortedBy } from '../recordings/sorted-by.ts'
import { RecordType, SampleBit } from './record-types.ts'
import type { EventAttr } from './event-attr.ts'
import type { EventList } from './event-list.ts'
import type { PerfBytes } from './perf-bytes.ts'
import type { RecordList } from './record-list.ts'

/** The offsets of the records, sorted by time. */
export function recordsByTime(list: RecordList): Int32Array {
  const { events, offsets } = list
  const places = offsets.view()
  // Records without times stay in file order: before 2.6.38 the kernel gave most records no time.
  if (events.attrs.length === 0 || events.attrs.some(attr => !attr.sampleIdAll || attr.layout.timeFromEnd === 0))
    return places
  const times = recordTimes(list, places)
  if (isSorted(times)) return places
  return sortedBy(times).map(i => places[i])
}

/** Times in nanoseconds since the first one, exact up to 104 days. Records without a time come first. */
function recordTimes({ file, events }: RecordList, places: Int32Array): Float64Array {
  const times = new Float64Array(places.length).fill(-Infinity)
  const clock = new RecordClock(file, events)
  let startLo = 0
  let startHi = 0
  for (let i = 0; i < places.length; i++) {
    const at = clock.timeAt(places[i])
    if (at === NONE) continue
    const lo = file.lo(at) >>> 0
    const hi = file.hi(at) >>> 0
    // Records that perf synthesizes for the initial state have the time 0 or the highest one.
    if ((lo === 0 && hi === 0) || (lo === 0xffff_ffff && hi === lo)) continue
    if (startLo === 0 && startHi === 0) {
      startLo = lo
      startHi = hi
    }
    times[i] = (hi - startHi) * 0x1_0000_0000 + (lo - startLo)
  }
  return times
}

/** Finds the time of a record. */
class RecordClock {
  readonly #file: PerfBytes
  readonly #events: EventList
  readonly #first: EventAttr
  /** True if all records have their event id at the same position. */
  readonly #identified: boolean
  readonly #sameTrailer: boolean
  readonly #sameSample: boolean

  constructor(file: PerfBytes, events: EventList) {
    this.#file = file
    this.#events = events
    const { attrs } = events
    this.#first = attrs[0]
    this.#identified = attrs.every(({ sampleType }) => (sampleType & SampleBit.identifier) !== 0)
    this.#sameTrailer = attrs.every(({ layout }) => layout.timeFromEnd === attrs[0].layout.timeFromEnd)
    this.#sameSample = attrs.every(({ layout }) => layout.time === attrs[0].layout.time)
  }

  /** The position of the record's time, or NONE. */
  timeAt(at: number): number {
    const file = this.#file
    const size = file.u16(at + 6)
    if (file.u32(at) === RecordType.sample) {
      const { time } = (this.#sameSample ? this.#first : this.#attr(at + 8, size)).layout
      return time === 0 || time + 8 > size ? NONE : at + time
    }
    const { timeFromEnd, trailer } = (this.#sameTrailer ? this.#first : this.#attr(at + size - 8, size)).layout
    return timeFromEnd === 0 || trailer + 8 > size ? NONE : at + size - timeFromEnd
  }

  #attr(idAt: number, size: number): EventAttr {
    if (!this.#identified || size < 16) return this.#first
    const event = this.#events.byId(this.#file, idAt)
    return event === NONE ? this.#first : this.#events.attrs[event]
  }
}

function isSorted(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if (times[i] < times[i - 1]) return false
  return true
}
