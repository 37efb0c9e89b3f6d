// Frames, the boxes of a flame graph. A location has one frame for each function that was inlined there. The grouping decides
// which frames are the same: one frame per function, line, address or file.
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
  buildIdOf,
  codeAddress,
  frameType,
  functionFile,
  functionName,
  isFrameType,
  unnamedName,
  mappingFile,
} from '../../model/text/frame-name.ts'
import { compareLongs, compareTexts } from '../../model/columns/order.ts'
import type { FrameRow, FrameTable } from '../tree/frame-table.ts'
import { framesOfRows } from '../tree/frame-table.ts'
import type { RootFrame } from './root-frames.ts'
import { compareRoots, rootName } from './root-frames.ts'

/**
 * Decides which frames are the same. Names are compared by content, so duplicate rows of a dictionary are one frame.
 *
 *   function     name (system name where that is empty) and file; without either name: mapping file, see `addresses`
 *   line         function and line number
 *   address      mapping file, address and function, because inlined calls share an address; locations without an
 *                address are grouped by line
 *   file         source file; the mapping's file in brackets if the source is unknown
 *   mapping      the mapping's file
 *   frame-type   the attribute profile.frame.type
 *
 * Addresses are those of the mapped file if the mapping is known; see codeAddress. A frame without any information
 * and a stack without locations are UNKNOWN_FRAME.
 */
export type GroupBy = 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'

export interface Grouping {
  readonly by: GroupBy
  /**
   * Whether inlined calls have their own frames. If not, a location is only its outermost (last) line: the function
   * that exists in the machine code, including all calls inlined into it.
   */
  readonly inlined: boolean
  /**
   * Whether frames without a name are distinguished by their addresses. If not, those of a library are one frame, and neighbours
   * in a stack are merged: one function without a name would otherwise be as many frames as it has instructions.
   */
  readonly addresses?: boolean | undefined
}

/** The frame without any information, `[unknown]` in every table. */
export const UNKNOWN_FRAME = 0

const Key = { symbol: 1, address: 2, mapping: 3, file: 4, type: 5 } as const
const ROW_STRIDE = 3
const MAX_CACHED_ROWS = 1 << 16

/**
 * The frames of one dictionary. Tables that `sharedLocationFrames` makes together use the same frame numbers. Frames for
 * attribute values (see root-frames.ts) have the highest numbers.
 */
export class LocationFrames {
  readonly dictionary: Dictionary
  readonly grouping: Grouping
  /** The end of each location's run in `frames`. No run is empty. */
  readonly end: Int32Array
  /** Frames of each location, leaf first: callees before the callers they were inlined into. */
  readonly frames: Int32Array
  /**
   * Whether equal neighbours in a stack are merged. With coarse groupings, thirty calls within one file or library are
   * one step. Functions keep their recursion. Frames that stand for all unnamed ones of a library are merged in any grouping.
   */
  collapses(frame: number): boolean {
    return this.#isCoarse || this.#rows.isLibrary(frame)
  }

  readonly #isCoarse: boolean
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
    this.#isCoarse = isCoarse(rows.grouping.by)
    this.#rows = rows
    this.#roots = roots
  }

  /** The number of frames that come from locations. They have the lowest numbers. */
  get functions(): number {
    return this.#rows.length
  }

  /** The number of frames. */
  get length(): number {
    return this.functions + this.#roots.length
  }

  name(i: number): string {
    return i < this.functions ? this.#rows.name(i) : rootName(this.#roots[i - this.functions])
  }

  /** The attribute whose value the frame is; undefined for functions. */
  attribute(i: number): string | undefined {
    return i < this.functions ? undefined : this.#roots[i - this.functions].key
  }

  /** The source file; empty if it is unknown or not part of the grouping. */
  file(i: number): string {
    return i < this.functions ? this.#rows.file(i) : ''
  }

  /** The line number, if the grouping has lines and it is known. */
  line(i: number): bigint | undefined {
    return i < this.functions ? this.#rows.line(i) : undefined
  }

  /** The address, if the grouping has addresses. */
  address(i: number): bigint | undefined {
    return i < this.functions ? this.#rows.address(i) : undefined
  }

  /** The file of the mapping of the frame's first location; empty if there is none. */
  mapping(i: number): string {
    return i < this.functions ? this.#rows.mapping(i) : ''
  }

  /** The build id of that mapping. */
  buildId(i: number): string {
    return i < this.functions ? this.#rows.buildId(i) : ''
  }

  /** The `profile.frame.type` of the frame's first location. */
  kind(i: number): string | undefined {
    return i < this.functions ? this.#rows.kind(i) : undefined
  }

  /**
   * The rank of each frame by name, file, line and address. It compares code units, so it is the same on every machine.
   * Attribute values come after functions.
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

  /** Compares two frames by the same order without computing all ranks. */
  compare(a: number, b: number): number {
    const { functions } = this
    if (a < functions || b < functions) return a < functions && b < functions ? this.#rows.compare(a, b) : a - b
    return compareRoots(this.#roots[a - functions], this.#roots[b - functions])
  }

  /** Returns all functions with that name. There is one per file. */
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

  /** Returns the same table with other root frames. */
  withRoots(roots: readonly RootFrame[]): LocationFrames {
    return new LocationFrames(this.dictionary, this.#rows, this.end, this.frames, roots)
  }
}

export function locationFrames(dictionary: Dictionary, grouping: Grouping): LocationFrames {
  return sharedLocationFrames([dictionary], grouping)[0]
}

/** One table per dictionary with the same frame numbers in all of them, so that profiles of several payloads are comparable. */
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

/** The distinct frames. A row is the first occurrence of a frame (dictionary, location, line), from which its name is read. */
class FrameRows {
  readonly dictionaries: readonly Dictionary[]
  readonly grouping: Grouping
  readonly strings = new BytesInterner(new GrowingBytes())
  readonly #keys = new SequenceInterner()
  readonly #rows = new GrowingInts()
  /** 1 for frames that stand for all unnamed ones of a library. */
  readonly #libraries = new GrowingInts()
  #names: (string | undefined)[] = []
  /** Caches frames, because the next response is likely to use them too. Reading 10,000 of them takes 5 ms. */
  readonly #texts: (FrameRow | undefined)[] = []
  #ranks: Int32Array | undefined

  constructor(dictionaries: readonly Dictionary[], grouping: Grouping) {
    this.dictionaries = dictionaries
    this.grouping = grouping
    this.intern(Int32Array.of(Key.mapping, 0), 2, NONE, NONE, NONE, false)
  }

  get length(): number {
    return this.#keys.length
  }

  intern(
    key: Int32Array,
    length: number,
    dictionary: number,
    location: number,
    line: number,
    isLibrary: boolean,
  ): number {
    const known = this.#keys.length
    const frame = this.#keys.intern(key, 0, length)
    if (frame === known) {
      this.#rows.push(dictionary)
      this.#rows.push(location)
      this.#rows.push(line)
      this.#libraries.push(isLibrary ? 1 : 0)
    }
    return frame
  }

  isLibrary(i: number): boolean {
    return this.#libraries.array[i] === 1 && i < this.length
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
      buildId: this.buildId(i),
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
    if (i === UNKNOWN_FRAME || isCoarse(by) || this.isLibrary(i)) return undefined
    const dictionary = this.#dictionary(i)
    const named = dictionary.strings.byteLength(functionName(dictionary, this.#line(i))) > 0
    if (named && by !== 'address') return undefined
    if (dictionary.locations.address(this.#location(i)) === 0n) return undefined
    return codeAddress(dictionary, this.#location(i))
  }

  mapping(i: number): string {
    if (i === UNKNOWN_FRAME) return ''
    const dictionary = this.#dictionary(i)
    return dictionary.strings.text(mappingFile(dictionary, this.#location(i)))
  }

  buildId(i: number): string {
    if (i === UNKNOWN_FRAME) return ''
    const dictionary = this.#dictionary(i)
    return buildIdOf(dictionary, dictionary.locations.mapping(this.#location(i)))
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
      compareTexts(this.name(a), this.name(b)) ||
      compareTexts(this.file(a), this.file(b)) ||
      compareLongs(this.line(a) ?? 0n, this.line(b) ?? 0n) ||
      compareLongs(this.address(a) ?? 0n, this.address(b) ?? 0n) ||
      compareTexts(this.mapping(a), this.mapping(b)) ||
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
        return (
          strings.text(functionName(dictionary, this.#line(i))) ||
          (this.isLibrary(i) ? unnamedName : addressName)(dictionary, this.#location(i))
        )
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

/** Converts the locations of one dictionary to frames: computes the key of each and interns it. */
class FrameReader {
  readonly #dictionary: Dictionary
  readonly #number: number
  readonly #rows: FrameRows
  /** The number of each string by content; NONE until it is needed. */
  readonly #strings: Int32Array
  /** The number of each attribute's text if it is a frame type, otherwise NONE. Only that grouping fills it. */
  #types: Int32Array | undefined
  readonly #key = new Int32Array(8)
  #length = 0
  #isLibrary = false

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
    this.#isLibrary = false
    this.#makeKey(location, line)
    return this.#rows.intern(this.#key, this.#length, this.#number, location, line, this.#isLibrary)
  }

  #makeKey(location: LocationIndex, line: number): void {
    const dictionary = this.#dictionary
    const { by, addresses = false } = this.#rows.grouping
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
        if (by === 'address' || (name === 0 && addresses)) this.#pushAddress(location)
        else if (name === 0) this.#pushLibrary(location)
        // Lines without a function name are distinguished by their file, if they have one.
        if (name === 0 && file !== 0) this.#push(file)
        if (by === 'line' || (by === 'address' && dictionary.locations.address(location) === 0n)) this.#pushLine(line)
      }
    }
  }

  #pushMapping(location: LocationIndex): void {
    this.#push(Key.mapping, this.#string(mappingFile(this.#dictionary, location)))
  }

  /** The frame of all unnamed ones of the location's library, or of its frame type if the library is unknown. */
  #pushLibrary(location: LocationIndex): void {
    if (this.#string(mappingFile(this.#dictionary, location)) === 0) this.#pushType(location)
    else this.#pushMapping(location)
    // The frame without any information stays one frame for each call.
    this.#isLibrary = this.#key[1] !== 0 || this.#key[0] !== Key.mapping
  }

  #pushAddress(location: LocationIndex): void {
    if (this.#dictionary.locations.address(location) === 0n) {
      // Without a library, the frame type is all that is known.
      if (this.#string(mappingFile(this.#dictionary, location)) === 0) return this.#pushType(location)
      return this.#pushMapping(location)
    }
    const address = codeAddress(this.#dictionary, location)
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
