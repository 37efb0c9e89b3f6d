// Converts the lines of callchains to rows of the dictionary. Each distinct line is parsed once; after that a frame costs one
// lookup by its bytes.
import type {
  AttributeIndex,
  FunctionIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
} from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { LINE_STRIDE } from '../../model/columns/dictionary.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from '../../model/build/intern.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { UNKNOWN } from './plain-text.ts'
import { parseDigits } from '../../wire/decimal.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { PERF_ATTRIBUTES } from '../recordings/perf-recording.ts'
import { FrameLine, SourceLine } from './frame-line.ts'
import { buildIdInPath, frameTypeOf } from './frame-type.ts'
import type { Names } from './names.ts'

/** Columns of a frame. */
const ADDRESS = 0
const SYMBOL = 2
const MAPPING = 3
const OFFSET = 4
const TYPE = 5
const KIND = 6
const STRIDE = 7
/** Bits of the kind. The kind is NONE for lines that are not frames. */
const INLINED = 1
const LACKS_ADDRESS = 2

const MARK = encodeUtf8(' (inlined)')

export class PerfFrameReader {
  readonly #builder: ProfilesBuilder
  readonly #bytes: Uint8Array
  readonly #names: Names
  /** Row 0 is the empty line, which is not a frame. */
  readonly #lines = new BytesInterner(new GrowingBytes(1 << 16))
  /** Columns: address (64 bits), string of the symbol or 0, mapping, rows of attributes or NONE, kind. */
  readonly #frames = new GrowingInts(STRIDE * 1024)
  /** The location of each frame alone; NONE until it is needed. */
  readonly #locations = new GrowingInts(1024)
  readonly #mappings = new Map<string, MappingIndex>()
  readonly #buildIds = new Map<string, string>()
  /** Source positions: string of the file, line (64 bits). */
  readonly #sources = new SequenceInterner()
  /** Frames with the calls inlined into them, and with sources: pairs of frame and source. */
  readonly #joins = new SequenceInterner()
  readonly #joinLocations = new GrowingInts()
  readonly #frameLine = new FrameLine()
  readonly #sourceLine = new SourceLine()
  readonly #long = { lo: 0, hi: 0 }
  /** The current sample: pairs of frame and source or NONE. */
  #pairs = new Int32Array(512)
  #stack = new Int32Array(256)
  #depth = 0
  /** True if no frame of the sample is inlined or has a source. */
  #isPlain = true
  /** The range of the frame that was added last. */
  #lastFrom = 0
  #lastTo = 0

  constructor(builder: ProfilesBuilder, bytes: Uint8Array, names: Names) {
    this.#builder = builder
    this.#bytes = bytes
    this.#names = names
    this.#locations.push(NONE)
    this.#frames.reserve(STRIDE)
    this.#frames.length = STRIDE
  }

  /** Sets the build id of a file, for the following frames. */
  setBuildId(file: string, buildId: string): void {
    this.#buildIds.set(file, buildId)
  }

  get depth(): number {
    return this.#depth
  }

  clear(): void {
    this.#depth = 0
    this.#isPlain = true
  }

  /** Adds the frame in bytes[from, to), without spaces at both ends. Returns false if it is not a frame. */
  frame(from: number, to: number, needsAddress: boolean): boolean {
    const row = this.#row(this.#bytes, from, to)
    const kind = this.#frames.array[STRIDE * row + KIND]
    if (kind === NONE || (needsAddress && (kind & LACKS_ADDRESS) !== 0)) return false
    if (this.#depth === this.#stack.length) this.#grow()
    this.#pairs[2 * this.#depth] = row
    this.#pairs[2 * this.#depth + 1] = NONE
    this.#depth++
    this.#lastFrom = from
    this.#lastTo = to
    if ((kind & INLINED) !== 0) this.#isPlain = false
    return true
  }

  /** Sets the source of the frame that was added last. Returns false if the line is not a source position. */
  source(from: number, to: number): boolean {
    const source = this.#sourceLine
    if (this.#depth === 0 || !source.parse(this.#bytes, from, to)) return false
    // An inlined frame with a source has `(inlined)` after the source. The end of its own line is then part of the
    // name.
    if (source.isInlined) this.#pairs[2 * this.#depth - 2] = this.#inlinedRow(this.#lastFrom, this.#lastTo)
    this.#isPlain = false
    if (source.line.from === NONE) return true
    const long = this.#long
    const isNumber = parseDigits(this.#bytes, source.line.from, source.line.to, long) && long.hi >= 0
    const file = source.file.from === NONE ? 0 : this.#names.string(this.#bytes, source.file.from, source.file.to)
    if (file === 0 && (!isNumber || (long.lo === 0 && long.hi === 0))) return true
    const key = Int32Array.of(file, isNumber ? long.lo : 0, isNumber ? long.hi : 0)
    this.#pairs[2 * this.#depth - 1] = this.#sources.intern(key, 0, key.length)
    return true
  }

  #row(bytes: Uint8Array, from: number, to: number): number {
    const row = this.#lines.intern(bytes, from, to)
    if (row === this.#locations.length) this.#add(bytes, from, to)
    return row
  }

  #inlinedRow(from: number, to: number): number {
    const line = new Uint8Array(to - from + MARK.length)
    line.set(this.#bytes.subarray(from, to))
    line.set(MARK, to - from)
    return this.#row(line, 0, line.length)
  }

  /** The stack of the frames since `clear`. */
  stack(): StackIndex {
    const pairs = this.#pairs
    const stack = this.#stack
    if (!this.#isPlain) return this.#joinedStack()
    const locations = this.#locations.array
    for (let i = 0; i < this.#depth; i++) {
      const frame = pairs[2 * i]
      if (locations[frame] === NONE) locations[frame] = this.#location(2 * i, 2 * i + 2)
      stack[i] = locations[frame]
    }
    return this.#builder.dictionary.stack(stack, 0, this.#depth)
  }

  #joinedStack(): StackIndex {
    const pairs = this.#pairs
    let count = 0
    for (let i = 0; i < this.#depth;) {
      let next = i + 1
      // Inlined calls belong to the next frame as long as it has the same address.
      while (next < this.#depth && this.#isInlined(next - 1) && this.#sameAddress(i, next)) next++
      const row = this.#joins.intern(pairs, 2 * i, 2 * next)
      if (row === this.#joinLocations.length) this.#joinLocations.push(this.#location(2 * i, 2 * next))
      this.#stack[count++] = this.#joinLocations.array[row]
      i = next
    }
    return this.#builder.dictionary.stack(this.#stack, 0, count)
  }

  #isInlined(i: number): boolean {
    return (this.#frames.array[STRIDE * this.#pairs[2 * i] + KIND] & INLINED) !== 0
  }

  #sameAddress(i: number, k: number): boolean {
    const { array } = this.#frames
    const a = STRIDE * this.#pairs[2 * i]
    const b = STRIDE * this.#pairs[2 * k]
    return array[a] === array[b] && array[a + 1] === array[b + 1]
  }

  /** One location for the pairs [from, to). All but the last are inlined into it. */
  #location(from: number, to: number): LocationIndex {
    const pairs = this.#pairs
    const frames = this.#frames.array
    const lines = new Int32Array(((to - from) / 2) * LINE_STRIDE)
    let count = 0
    for (let pair = from; pair < to; pair += 2) {
      const symbol = frames[STRIDE * pairs[pair] + SYMBOL]
      const source = pairs[pair + 1]
      const [file, lo, hi] = source === NONE ? [0, 0, 0] : this.#sources.pool.array.subarray(3 * source, 3 * source + 3)
      // A frame without name and file has no line, unless others are inlined into it.
      if (symbol === 0 && file === 0 && to - from === 2) continue
      const row = this.#builder.dictionary.function(symbol as never, 0 as never, file as never, 0, 0)
      lines.set([row satisfies FunctionIndex, lo, hi, 0, 0], count * LINE_STRIDE)
      count++
    }
    const outer = STRIDE * pairs[to - 2]
    const isLone = this.#isInlined(to / 2 - 1)
    const attributes = [frames[outer + TYPE], frames[outer + OFFSET]].filter(row => row !== NONE)
    if (isLone) attributes.push(this.#builder.attribute(PERF_ATTRIBUTES.inlined, true))
    const set = Int32Array.from(attributes)
    const mapping = frames[outer + MAPPING] as MappingIndex
    const { dictionary } = this.#builder
    const isKnown =
      count > 0 || mapping !== 0 || set.length > 0 || frames[outer + ADDRESS] !== 0 || frames[outer + ADDRESS + 1] !== 0
    // A location without content would be row 0, which means "not set".
    if (!isKnown) return this.#builder.location({ lines: [{ function: this.#builder.function({ name: UNKNOWN }) }] })
    return dictionary.location(
      mapping,
      frames[outer + ADDRESS],
      frames[outer + ADDRESS + 1],
      lines,
      count,
      set,
      set.length,
    )
  }

  #add(bytes: Uint8Array, from: number, to: number): void {
    const line = this.#frameLine
    const isFrame = line.parse(bytes, from, to)
    this.#locations.push(NONE)
    const array = this.#frames.reserve(STRIDE)
    const row = this.#frames.length
    this.#frames.length += STRIDE
    array[row + KIND] = !isFrame ? NONE : (line.isInlined ? INLINED : 0) | (line.hasAddress ? 0 : LACKS_ADDRESS)
    if (!isFrame) return
    const file = line.file.from === NONE ? '' : this.#names.text(bytes, line.file.from, line.file.to)
    array[row + ADDRESS] = line.addressLo
    array[row + ADDRESS + 1] = line.addressHi
    array[row + SYMBOL] = line.symbol.from === NONE ? 0 : this.#names.string(bytes, line.symbol.from, line.symbol.to)
    array[row + MAPPING] = file === '' ? 0 : this.#mapping(file)
    const type = frameTypeOf(file, line.addressHi)
    array[row + TYPE] = type === undefined ? NONE : this.#builder.attribute(ATTRIBUTES.frameType, type)
    array[row + OFFSET] =
      line.offset === NONE ? NONE : this.#builder.attribute(PERF_ATTRIBUTES.symbolOffset, BigInt(line.offset))
  }

  #mapping(file: string): MappingIndex {
    let row = this.#mappings.get(file)
    if (row === undefined) {
      const attributes: AttributeIndex[] = []
      const buildId = this.#buildIds.get(file) ?? buildIdInPath(file)
      if (buildId !== undefined) attributes.push(this.#builder.attribute(ATTRIBUTES.buildIdGnu, buildId))
      row = this.#builder.mapping({ filename: file, attributes })
      this.#mappings.set(file, row)
    }
    return row
  }

  #grow(): void {
    const pairs = new Int32Array(2 * this.#pairs.length)
    pairs.set(this.#pairs)
    this.#pairs = pairs
    this.#stack = new Int32Array(2 * this.#stack.length)
  }
}
