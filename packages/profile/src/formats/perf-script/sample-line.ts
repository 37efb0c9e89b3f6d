// Parses the first line of a sample. Its columns depend on how perf was called, and the thread name may contain spaces and
// digits. So the parser looks for the time first: nothing else has digits, a dot, digits and a colon.
//
//   name  pid/tid  [cpu]  seconds.fraction:  period  event:  text
//   Web Content  7564/7571  [002]  2574592.839818:  339347  cycles:u:
//
// pid, cpu, time, period, event and text are optional. The first of two ids is the process. A single id is the thread.
import { NONE } from '../../model/columns/brand.ts'
import {
  COLON,
  DOT,
  isBlank,
  isDigit,
  isWhole,
  skipBlanks,
  SLASH,
  startsWith,
  trimEnd,
  wordEnd,
  wordStart,
} from './text.ts'

const OTHER_RECORD = 'PERF_RECORD_'
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
/** The maximum length of columns such as `UK` or `d..2.` between the CPU and the time. */
const MAX_FLAGS = 5

/** A range of bytes; `from` is NONE if it is missing. */
export interface TextRange {
  from: number
  to: number
}

/** The columns before the time: thread name, ids and CPU. */
export class ThreadColumns {
  readonly name: TextRange = { from: NONE, to: NONE }
  readonly pid: TextRange = { from: NONE, to: NONE }
  readonly tid: TextRange = { from: NONE, to: NONE }
  readonly cpu: TextRange = { from: NONE, to: NONE }

  /** Parses bytes[from, to) backwards. Returns false if they are something else. */
  parse(bytes: Uint8Array, from: number, to: number): boolean {
    clear(this.pid)
    clear(this.cpu)
    let end = trimEnd(bytes, from, to)
    let start = wordStart(bytes, from, end)
    if (isFlags(bytes, start, end)) {
      end = trimEnd(bytes, from, start)
      start = wordStart(bytes, from, end)
    }
    if (end - start > 2 && bytes[start] === OPEN_BRACKET && bytes[end - 1] === CLOSE_BRACKET) {
      if (!isWhole(bytes, start + 1, end - 1)) return false
      set(this.cpu, start + 1, end - 1)
      end = trimEnd(bytes, from, start)
      start = wordStart(bytes, from, end)
    }
    if (!this.#ids(bytes, start, end)) return false
    const name = skipBlanks(bytes, from, start)
    set(this.name, name, trimEnd(bytes, name, start))
    return true
  }

  #ids(bytes: Uint8Array, from: number, to: number): boolean {
    const slash = bytes.subarray(from, to).indexOf(SLASH)
    if (slash < 0) {
      set(this.tid, from, to)
      return isWhole(bytes, from, to)
    }
    set(this.pid, from, from + slash)
    set(this.tid, from + slash + 1, to)
    return isWhole(bytes, from, from + slash) && isWhole(bytes, from + slash + 1, to)
  }
}

export class SampleLine {
  /** The end of the thread columns. */
  threadTo = 0
  /** Without the colon. */
  readonly time: TextRange = { from: NONE, to: NONE }
  readonly period: TextRange = { from: NONE, to: NONE }
  /** Without the colon. */
  readonly event: TextRange = { from: NONE, to: NONE }
  /** The start of the rest: the frame of a sample without callers, the fields of a tracepoint, or nothing. */
  restFrom = 0
  /** True if the line is another record than a sample: `PERF_RECORD_FORK(1:1):(0:0)`. */
  isOtherRecord = false
  readonly #thread = new ThreadColumns()

  /** Makes it the line of a sample without any columns. */
  clear(): void {
    clear(this.time)
    clear(this.period)
    clear(this.event)
    this.isOtherRecord = false
  }

  /** Parses a line with a time. */
  parseTimed(bytes: Uint8Array, from: number, to: number): boolean {
    for (let colon = bytes.indexOf(COLON, from); colon >= 0 && colon < to; colon = bytes.indexOf(COLON, colon + 1)) {
      const start = timeStart(bytes, from, colon, to)
      // A thread name may look like a time too, but then no ids precede it.
      if (start === NONE || !this.#thread.parse(bytes, from, start)) continue
      this.threadTo = start
      set(this.time, start, colon)
      return this.#columns(bytes, colon + 1, to, true)
    }
    return false
  }

  /** Parses a line without a time. The ids are the first word that is followed by the columns after ids. */
  parseUntimed(bytes: Uint8Array, from: number, to: number): boolean {
    clear(this.time)
    for (let word = skipBlanks(bytes, from, to); word < to;) {
      const end = wordEnd(bytes, word, to)
      const next = skipBlanks(bytes, end, to)
      if (isIds(bytes, word, end)) {
        const hasCpu = next < to && bytes[next] === OPEN_BRACKET
        this.threadTo = hasCpu ? wordEnd(bytes, next, to) : end
        if (this.#thread.parse(bytes, from, this.threadTo) && this.#columns(bytes, this.threadTo, to, false))
          return true
      }
      word = next
    }
    return false
  }

  /** Parses period, event and the rest. `isOptional`: a line with a time needs no event. */
  #columns(bytes: Uint8Array, from: number, to: number, isOptional: boolean): boolean {
    clear(this.period)
    clear(this.event)
    let at = skipBlanks(bytes, from, to)
    let end = wordEnd(bytes, at, to)
    this.isOtherRecord = startsWith(bytes, at, to, OTHER_RECORD)
    if (isWhole(bytes, at, end)) {
      const next = skipBlanks(bytes, end, to)
      const nextEnd = wordEnd(bytes, next, to)
      // An address without letters looks like a period, but no event follows it.
      if (next === to || isEvent(bytes, next, nextEnd)) {
        set(this.period, at, end)
        at = next
        end = nextEnd
      }
    }
    if (isEvent(bytes, at, end)) {
      set(this.event, at, end - 1)
      at = skipBlanks(bytes, end, to)
    }
    this.restFrom = at
    return isOptional || this.event.from !== NONE || this.isOtherRecord
  }
}

/** The start of the time that ends before a colon, or NONE. */
function timeStart(bytes: Uint8Array, from: number, colon: number, to: number): number {
  if (colon + 1 < to && !isBlank(bytes[colon + 1])) return NONE
  let at = colon
  while (at > from && isDigit(bytes[at - 1])) at--
  if (at === colon || at <= from || bytes[at - 1] !== DOT) return NONE
  const dot = at - 1
  at = dot
  while (at > from && isDigit(bytes[at - 1])) at--
  return at === dot || at === from || !isBlank(bytes[at - 1]) ? NONE : at
}

function isIds(bytes: Uint8Array, from: number, to: number): boolean {
  const slash = bytes.subarray(from, to).indexOf(SLASH)
  if (slash < 0) return isWhole(bytes, from, to)
  return isWhole(bytes, from, from + slash) && isWhole(bytes, from + slash + 1, to)
}

function isEvent(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from > 1 && bytes[to - 1] === COLON
}

/** Returns whether the range has only a few letters, or the state of interrupts as in `d..2`. */
function isFlags(bytes: Uint8Array, from: number, to: number): boolean {
  if (to === from || to - from > MAX_FLAGS) return false
  let others = 0
  for (let at = from; at < to; at++) {
    const letter = bytes[at] | 0x20
    if (letter >= 0x61 && letter <= 0x7a) continue
    if (bytes[at] !== DOT && !isDigit(bytes[at])) return false
    others++
  }
  return others === 0 || bytes.subarray(from, to).includes(DOT)
}

function set(place: TextRange, from: number, to: number): void {
  place.from = from
  place.to = to
}

function clear(place: TextRange): void {
  set(place, NONE, NONE)
}
