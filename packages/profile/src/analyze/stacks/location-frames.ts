// Frames: what the rows of a flame graph are. A location holds one frame for each function that was inlined there, and a
// grouping says which of them count as the same: one frame per function, per line, per address, per file...
//
//   location        0            1             2
//   lines           -            gc, run       main         run inlined gc: the first line is the innermost
//   end             1            3             4
//   frames          0          | 1, 2        | 3            location i has frames[end[i-1], end[i]), leaf first
//   name(frame)     [unknown]    gc, run       main
import type { AttributeIndex, LocationIndex, StringIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { BytesInterner, SequenceInterner } from '../../model/build/intern.ts'
import {
  UNKNOWN_NAME,
  addressName,
  bracketed,
  baseName,
  fileAddress,
  frameType,
  functionFile,
  functionName,
  isFrameType,
  mappingFile,
} from '../../model/text/frame-name.ts'
import type { FrameRow, FrameTable } from '../tree/frame-table.ts'
import { framesOfRows } from '../tree/frame-table.ts'
import type { RootFrame } from './root-frames.ts'
import { compareRoots, rootName } from './root-frames.ts'

/**
 * What makes two frames the same. Names are compared by content, so duplicate rows of a dictionary fall together.
 *
 *   function     name (system name where that is empty) and file; without either name: mapping file and address
 *   line         function and line number
 *   address      mapping file, address, and function, as an address has several where calls were inlined; locations
 *                without an address go by line
 *   file         source file; the mapping's file, in brackets, where the source is not known
 *   mapping      the mapping's file
 *   frame-type   the attribute profile.frame.type
 *
 * Addresses are offsets into the mapped file where the mapping tells; see fileAddress. What has no identity at all, and
 * a stack without locations, is UNKNOWN_FRAME.
 */
export type GroupBy = 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'

export interface Grouping {
  readonly by: GroupBy
  /**
   * Whether inlined calls are frames of their own. If not, a location is its outermost (last) line alone: the function
   * that exists in the machine code, with everything that was inlined into it.
   */
  readonly inlined: boolean
}

/** The frame of whatever nothing is known of; `[unknown]` in every table. */
export const UNKNOWN_FRAME = 0

const Key = { symbol: 1, address: 2, mapping: 3, file: 4, type: 5 } as const
const ROW_STRIDE = 3
const MAX_CACHED_ROWS = 1 << 16

/**
 * The frames of one dictionary. Tables made together by `sharedLocationFrames` share their frames' numbers. Frames that are no
 * functions but values of attributes, see root-frames.ts, come behind all others.
 */
export class LocationFrames {
  readonly dictionary: Dictionary
  readonly grouping: Grouping
  /** For each location where its run in `frames` ends. No run is empty. */
  readonly end: Int32Array
  /** Frames of each location, leaf first: callees before the callers they were inlined into. */
  readonly frames: Int32Array
  /**
   * Whether neighbours of the same frame in a stack become one. Thirty calls within one file or library are one step
   * there, so the coarse groupings do it; functions keep their recursion.
   */
  readonly collapses: boolean
  readonly #rows: FrameRows
  readonly #roots: readonly RootFrame[]
  #ranks: Int32Array | undefined
  #table: FrameTable | undefined

  constructor(
    dictionary: Dictionary,
    rows: FrameRows,
    end: Int32Array,
    frames: Int32Array,
    roots: readonly RootFrame[] = [],
  ) {
    this.dictionary = dictionary
    this.grouping = rows.grouping
    this.end = end
    this.frames = frames
    this.collapses = isCoarse(rows.grouping.by)
    this.#rows = rows
    this.#roots = roots
  }

  /** How many of the frames come from locations; these are the first ones. */
  get functions(): number {
    return this.#rows.length
  }

  /** How many frames there are. */
  get length(): number {
    return this.functions + this.#roots.length
  }

  name(i: number): string {
    return i < this.functions ? this.#rows.name(i) : rootName(this.#roots[i - this.functions])
  }

  /** The attribute of which the frame is a value; undefined for functions. */
  attribute(i: number): string | undefined {
    return i < this.functions ? undefined : this.#roots[i - this.functions].key
  }

  /** The source file; empty where it is not known or not part of the grouping. */
  file(i: number): string {
    return i < this.functions ? this.#rows.file(i) : ''
  }

  /** The line number where lines are part of the grouping and this one is known. */
  line(i: number): bigint | undefined {
    return i < this.functions ? this.#rows.line(i) : undefined
  }

  /** The address where it is part of what the frame is. */
  address(i: number): bigint | undefined {
    return i < this.functions ? this.#rows.address(i) : undefined
  }

  /** The file of the mapping, of the first location where several share the frame; empty where it has none. */
  mapping(i: number): string {
    return i < this.functions ? this.#rows.mapping(i) : ''
  }

  /** The `profile.frame.type`, of the first location where several share the frame. */
  kind(i: number): string | undefined {
    return i < this.functions ? this.#rows.kind(i) : undefined
  }

  /**
   * For each frame its place in the order of name, file, line and address, by code units: the same on every machine. Values
   * of attributes come behind the functions.
   */
  ranks(): Int32Array {
    if (this.#roots.length === 0) return this.#rows.ranks()
    if (this.#ranks !== undefined) return this.#ranks
    const ranks = new Int32Array(this.length)
    ranks.set(this.#rows.ranks())
    const sorted = this.#roots.map((_, r) => r).sort((a, b) => compareRoots(this.#roots[a], this.#roots[b]))
    for (const [place, r] of sorted.entries()) ranks[this.functions + r] = this.functions + place
    return (this.#ranks = ranks)
  }

  /** Which of two frames comes first in that order, without making it of all. */
  compare(a: number, b: number): number {
    const { functions } = this
    if (a < functions || b < functions) return a < functions && b < functions ? this.#rows.compare(a, b) : a - b
    return compareRoots(this.#roots[a - functions], this.#roots[b - functions])
  }

  /** All functions of that name. Functions of the same name in several files are several frames. */
  named(name: string): number[] {
    const found: number[] = []
    for (let i = 0; i < this.functions; i++) if (this.name(i) === name) found.push(i)
    return found
  }

  /** All frames as text. */
  get table(): FrameTable {
    return (this.#table ??= framesOfRows(Array.from({ length: this.length }, (_, i) => this.row(i))))
  }

  /** One frame as text. */
  row(i: number): FrameRow {
    return i < this.functions
      ? this.#rows.row(i)
      : { name: this.name(i), attribute: this.#roots[i - this.functions].key }
  }

  /** The frames that nodes refer to, in order of first use, and the row of each node in that list. */
  pick(frames: Uint32Array): { readonly frames: FrameTable; readonly frame: Uint32Array } {
    const rows: FrameRow[] = []
    const frame = new Uint32Array(frames.length)
    const numberOf = numbering(this.length, frames.length)
    for (let i = 0; i < frames.length; i++) {
      frame[i] = numberOf(frames[i])
      if (frame[i] === rows.length) rows.push(this.row(frames[i]))
    }
    return { frames: framesOfRows(rows), frame }
  }

  /** The same table with these behind its functions, instead of those that were there. */
  withRoots(roots: readonly RootFrame[]): LocationFrames {
    return new LocationFrames(this.dictionary, this.#rows, this.end, this.frames, roots)
  }
}

export function locationFrames(dictionary: Dictionary, grouping: Grouping): LocationFrames {
  return sharedLocationFrames([dictionary], grouping)[0]
}

/** One table per dictionary, with the same frame numbers in all of them: what makes profiles of several payloads comparable. */
export function sharedLocationFrames(dictionaries: readonly Dictionary[], grouping: Grouping): LocationFrames[] {
  const rows = new FrameRows(dictionaries, grouping)
  return dictionaries.map((dictionary, d) => new FrameReader(dictionary, d, rows).read())
}

/** Numbers values in the order of their first use. */
function numbering(limit: number, count: number): (value: number) => number {
  let used = 0
  if (limit > 8 * count) {
    const numbers = new Map<number, number>()
    return value => {
      const number = numbers.get(value)
      if (number !== undefined) return number
      numbers.set(value, used)
      return used++
    }
  }
  const numbers = new Int32Array(limit)
  return value => {
    if (numbers[value] === 0) numbers[value] = ++used
    return numbers[value] - 1
  }
}

function isCoarse(by: GroupBy): boolean {
  return by === 'file' || by === 'mapping' || by === 'frame-type'
}

/** The distinct frames. A row is where the frame was seen first, which is all it takes to name it: dictionary, location, line. */
class FrameRows {
  readonly dictionaries: readonly Dictionary[]
  readonly grouping: Grouping
  readonly strings = new BytesInterner(new GrowingBytes())
  readonly #keys = new SequenceInterner()
  readonly #rows = new GrowingInts()
  #names: (string | undefined)[] = []
  /** Frames of one response are likely to be in the next one: reading 10,000 of them takes 5 ms. */
  readonly #texts: (FrameRow | undefined)[] = []
  #ranks: Int32Array | undefined

  constructor(dictionaries: readonly Dictionary[], grouping: Grouping) {
    this.dictionaries = dictionaries
    this.grouping = grouping
    this.intern(Int32Array.of(Key.mapping, 0), 2, NONE, NONE, NONE)
  }

  get length(): number {
    return this.#keys.length
  }

  intern(key: Int32Array, length: number, dictionary: number, location: number, line: number): number {
    const known = this.#keys.length
    const frame = this.#keys.intern(key, 0, length)
    if (frame === known) {
      this.#rows.push(dictionary)
      this.#rows.push(location)
      this.#rows.push(line)
    }
    return frame
  }

  row(i: number): FrameRow {
    const known = this.#texts[i]
    if (known !== undefined) return known
    const row = {
      name: this.name(i),
      file: this.file(i),
      line: this.line(i)?.toString() ?? '',
      address: this.address(i)?.toString() ?? '',
      mapping: this.mapping(i),
      type: this.kind(i) ?? '',
    }
    if (i < MAX_CACHED_ROWS) this.#texts[i] = row
    return row
  }

  name(i: number): string {
    return (this.#names[i] ??= this.#readName(i))
  }

  file(i: number): string {
    const { by } = this.grouping
    if (i === UNKNOWN_FRAME || by === 'mapping' || by === 'frame-type') return ''
    const dictionary = this.#dictionary(i)
    return dictionary.strings.text(functionFile(dictionary, this.#line(i)))
  }

  line(i: number): bigint | undefined {
    const { by } = this.grouping
    const k = this.#line(i)
    if (k === NONE || (by !== 'line' && by !== 'address')) return undefined
    return this.#dictionary(i).locations.lines.line(k) || undefined
  }

  address(i: number): bigint | undefined {
    const { by } = this.grouping
    if (i === UNKNOWN_FRAME || isCoarse(by)) return undefined
    const dictionary = this.#dictionary(i)
    const named = dictionary.strings.byteLength(functionName(dictionary, this.#line(i))) > 0
    if (named && by !== 'address') return undefined
    if (dictionary.locations.address(this.#location(i)) === 0n) return undefined
    return fileAddress(dictionary, this.#location(i))
  }

  mapping(i: number): string {
    if (i === UNKNOWN_FRAME) return ''
    const dictionary = this.#dictionary(i)
    return dictionary.strings.text(mappingFile(dictionary, this.#location(i)))
  }

  kind(i: number): string | undefined {
    return i === UNKNOWN_FRAME ? undefined : frameType(this.#dictionary(i), this.#location(i))
  }

  ranks(): Int32Array {
    if (this.#ranks !== undefined) return this.#ranks
    const sorted = Array.from({ length: this.length }, (_, i) => i).sort((a, b) => this.compare(a, b))
    const ranks = new Int32Array(sorted.length)
    for (let rank = 0; rank < sorted.length; rank++) ranks[sorted[rank]] = rank
    return (this.#ranks = ranks)
  }

  compare(a: number, b: number): number {
    return (
      compare(this.name(a), this.name(b)) ||
      compare(this.file(a), this.file(b)) ||
      compare(this.line(a) ?? 0n, this.line(b) ?? 0n) ||
      compare(this.address(a) ?? 0n, this.address(b) ?? 0n) ||
      compare(this.mapping(a), this.mapping(b)) ||
      a - b
    )
  }

  #readName(i: number): string {
    if (i === UNKNOWN_FRAME) return UNKNOWN_NAME
    const dictionary = this.#dictionary(i)
    const { strings } = dictionary
    switch (this.grouping.by) {
      case 'mapping':
        return this.mapping(i)
      case 'frame-type':
        return this.kind(i)!
      case 'file':
        return this.file(i) || bracketed(baseName(this.mapping(i)))
      case 'function':
      case 'line':
      case 'address':
        return strings.text(functionName(dictionary, this.#line(i))) || addressName(dictionary, this.#location(i))
    }
  }

  #dictionary(i: number): Dictionary {
    return this.dictionaries[this.#rows.array[i * ROW_STRIDE]]
  }

  #location(i: number): LocationIndex {
    return this.#rows.array[i * ROW_STRIDE + 1] as LocationIndex
  }

  #line(i: number): number {
    return this.#rows.array[i * ROW_STRIDE + 2]
  }
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Turns the locations of one dictionary into frames: makes each one's key and interns it. */
class FrameReader {
  readonly #dictionary: Dictionary
  readonly #number: number
  readonly #rows: FrameRows
  /** For each string of the dictionary its number by content; NONE until it is wanted. */
  readonly #strings: Int32Array
  /** For each attribute the number of its text if it is a frame type, otherwise NONE. Made for that grouping only. */
  #types: Int32Array | undefined
  readonly #key = new Int32Array(8)
  #length = 0

  constructor(dictionary: Dictionary, number: number, rows: FrameRows) {
    this.#dictionary = dictionary
    this.#number = number
    this.#rows = rows
    this.#strings = new Int32Array(dictionary.strings.length).fill(NONE)
  }

  read(): LocationFrames {
    const { locations } = this.#dictionary
    const { by, inlined } = this.#rows.grouping
    const perLine = inlined && by !== 'mapping' && by !== 'frame-type'
    const end = new Int32Array(locations.length)
    const frames = new GrowingInts(locations.length)
    for (let i = 0; i < locations.length; i++) {
      const location = i as LocationIndex
      const from = locations.linesFrom(location)
      const to = locations.linesTo(location)
      if (from === to) frames.push(this.#frame(location, NONE))
      else for (let k = perLine ? from : to - 1; k < to; k++) frames.push(this.#frame(location, k))
      end[i] = frames.length
    }
    return new LocationFrames(this.#dictionary, this.#rows, end, frames.view())
  }

  #frame(location: LocationIndex, line: number): number {
    this.#length = 0
    this.#makeKey(location, line)
    return this.#rows.intern(this.#key, this.#length, this.#number, location, line)
  }

  #makeKey(location: LocationIndex, line: number): void {
    const dictionary = this.#dictionary
    const { by } = this.#rows.grouping
    switch (by) {
      case 'mapping':
        return this.#pushMapping(location)
      case 'frame-type':
        return this.#pushType(location)
      case 'file': {
        const file = this.#string(functionFile(dictionary, line))
        return file === 0 ? this.#pushMapping(location) : this.#push(Key.file, file)
      }
      case 'function':
      case 'line':
      case 'address': {
        const name = this.#string(functionName(dictionary, line))
        const file = this.#string(functionFile(dictionary, line))
        if (name !== 0) this.#push(Key.symbol, name, file)
        if (name === 0 || by === 'address') this.#pushAddress(location)
        // Lines without a function name are told apart by their file, which they may have all the same.
        if (name === 0 && file !== 0) this.#push(file)
        if (by === 'line' || (by === 'address' && dictionary.locations.address(location) === 0n)) this.#pushLine(line)
      }
    }
  }

  #pushMapping(location: LocationIndex): void {
    this.#push(Key.mapping, this.#string(mappingFile(this.#dictionary, location)))
  }

  #pushAddress(location: LocationIndex): void {
    if (this.#dictionary.locations.address(location) === 0n) return this.#pushMapping(location)
    const address = fileAddress(this.#dictionary, location)
    const file = this.#string(mappingFile(this.#dictionary, location))
    this.#push(Key.address, file, lowHalf(address), highHalf(address))
  }

  #pushLine(k: number): void {
    if (k === NONE) return
    const line = this.#dictionary.locations.lines.line(k)
    if (line !== 0n) this.#push(lowHalf(line), highHalf(line))
  }

  #pushType(location: LocationIndex): void {
    const { locations } = this.#dictionary
    this.#types ??= this.#readTypes()
    for (let k = locations.attributesFrom(location); k < locations.attributesTo(location); k++) {
      const type = this.#types[locations.attributes.at(k)]
      if (type !== NONE) return this.#push(Key.type, type)
    }
    this.#push(Key.mapping, 0)
  }

  #readTypes(): Int32Array {
    const { attributes } = this.#dictionary
    const types = new Int32Array(attributes.length).fill(NONE)
    for (let i = 0; i < attributes.length; i++) {
      const row = i as AttributeIndex
      if (!isFrameType(this.#dictionary, row)) continue
      const at = attributes.a(row)
      types[i] = this.#rows.strings.intern(attributes.bytes, at, at + attributes.b(row))
    }
    return types
  }

  #push(...ints: number[]): void {
    for (const int of ints) this.#key[this.#length++] = int
  }

  #string(i: StringIndex): number {
    const known = this.#strings[i]
    if (known !== NONE) return known
    const { strings } = this.#dictionary
    const offset = strings.offset(i)
    return (this.#strings[i] = this.#rows.strings.intern(strings.bytes, offset, offset + strings.byteLength(i)))
  }
}
