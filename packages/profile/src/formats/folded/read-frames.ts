// Converts the text of stacks to rows of the dictionary. Each distinct text of a frame is parsed once. After that a
// frame costs one look-up by its bytes, and none if the previous line begins with the same frames, as in most sorted
// files.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type {
  AttributeIndex,
  FunctionIndex,
  LocationIndex,
  StackIndex,
  StringIndex,
} from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import { FUNCTION_STRIDE, LINE_STRIDE } from '../../model/columns/dictionary.ts'
import { LOCATION_HEAD } from '../../model/build/dictionary-builder.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { UNKNOWN_NAME } from '../../model/text/frame-name.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import type { Annotation } from './annotations.ts'
import { annotationOf, ANNOTATIONS, FOLDED_ATTRIBUTES, JIT, KERNEL, SUFFIX_LENGTH } from './annotations.ts'
import { FrameTexts } from './frame-texts.ts'
import { unescapeBytes } from './percent.ts'

const UNKNOWN = encodeUtf8(UNKNOWN_NAME)
const SPACE = 0x20
const HASH = 0x23
/** As stored in columns. 0 means none. */
const INLINED = ANNOTATIONS.indexOf('inlined') + 1
/**
 * Marks a text that is a name and was the first to add this string. Then no function or location has that name yet, so
 * they need no entry in the dictionary's index, as long as others with this name look for such a text first. For 13
 * million names this saves 256 MiB and half of the time.
 */
const OWNER = 0x80

export class FoldedFrameReader {
  /** Counts for the notes. Each distinct text counts once. */
  annotated = 0
  emptyFrames = 0
  invalidNames = 0
  readonly #builder: ProfilesBuilder
  readonly #escaped: boolean
  readonly #bytes: Uint8Array
  #texts: FrameTexts
  /** The location of each text. Until it is needed, its function as -1 - row. */
  #locations = new GrowingInts(1024)
  /** For each text the index of its annotation + 1, 0 if it has none, or OWNER. */
  #annotations = new GrowingBytes(1024)
  readonly #flags = new Uint8Array(1)
  /** The locations of runs of texts in which all but the first are inlined. */
  readonly #joins = new SequenceInterner()
  readonly #joinLocations = new GrowingInts()
  /** The previous line: its position, and for each of its frames the row of the text and the offset of its end. */
  #lineFrom = 0
  #lineTo = 0
  #depth = 0
  #frames = new Int32Array(256)
  #ends = new Int32Array(256)
  #leafFirst = new Int32Array(256)

  /** `escaped`: names have percent escapes. */
  constructor(builder: ProfilesBuilder, bytes: Uint8Array, escaped: boolean) {
    this.#builder = builder
    this.#bytes = bytes
    this.#texts = new FrameTexts(bytes, builder.dictionary.bytes)
    this.#escaped = escaped
  }

  /** Frees memory that only further stacks would need. In large files it is as much as the result. */
  finish(): void {
    this.#texts = new FrameTexts(this.#bytes, this.#builder.dictionary.bytes)
    this.#locations = new GrowingInts()
    this.#annotations = new GrowingBytes()
  }

  /** The stack in bytes[from, to), root first. */
  stack(from: number, to: number): StackIndex {
    const start = unhashed(this.#bytes, from, to)
    const texts = this.#texts
    let depth = this.#sharedFrames(start, to)
    let at = depth === 0 ? start : start + this.#ends[depth - 1] + 1
    for (; at <= to; at = texts.end + 1) {
      if (depth === this.#frames.length) this.#grow()
      const frame = texts.next(at, to)
      if (frame === this.#locations.length) this.#addFrame(frame, at, texts.end)
      this.#frames[depth] = frame
      this.#ends[depth++] = texts.end - start
    }
    this.#lineFrom = start
    this.#lineTo = to
    this.#depth = depth
    return this.#stackOfFrames()
  }

  #stackOfFrames(): StackIndex {
    const locations = this.#locations.array
    const annotations = this.#annotations.array
    const frames = this.#frames
    const leafFirst = this.#leafFirst
    const depth = this.#depth
    let inlined = false
    let met = true
    for (let k = 0; k < depth; k++) {
      const frame = frames[k]
      const location = locations[frame]
      leafFirst[depth - 1 - k] = location
      if (location < 0) met = false
      if (annotations[frame] === INLINED) inlined = true
    }
    if (inlined) return this.#inlinedStack()
    if (!met) for (let k = 0; k < depth; k++) leafFirst[depth - 1 - k] = this.#locationOf(frames[k])
    return this.#builder.dictionary.stack(leafFirst, 0, depth)
  }

  /** The number of frames that equal those of the previous line, including the semicolon after each. */
  #sharedFrames(from: number, to: number): number {
    const same = this.#texts.common(from, this.#lineFrom, Math.min(to - from, this.#lineTo - this.#lineFrom))
    const ends = this.#ends
    let low = 0
    let high = this.#depth
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle] < same) low = middle + 1
      else high = middle
    }
    return low
  }

  #addFrame(frame: number, from: number, to: number): void {
    const annotation = annotationOf(this.#bytes, from, to)
    this.#flags[0] = 0
    if (annotation !== undefined) {
      this.annotated++
      this.#flags[0] = ANNOTATIONS.indexOf(annotation) + 1
    }
    const row = this.#newFunction(frame, from, annotation === undefined ? to : to - SUFFIX_LENGTH, to)
    this.#locations.push(-1 - row)
    this.#annotations.append(this.#flags, 0, 1)
  }

  /** Adds the function of a new text, whose name ends at `nameTo`. */
  #newFunction(frame: number, from: number, nameTo: number, to: number): FunctionIndex {
    if (from === nameTo) {
      this.emptyFrames++
      return this.#functionOf(UNKNOWN)
    }
    if (this.#escaped || !isUtf8(this.#bytes, from, nameTo)) return this.#functionOf(this.#plainName(from, nameTo))
    const { functions, strings, bytes } = this.#builder.dictionary
    // The bytes of the text are already in the pool, and its name is their prefix.
    const offset = this.#texts.offset(frame)
    const nameEnd = offset + nameTo - from
    const known = strings.length
    const name = strings.intern(bytes.array, offset, nameEnd)
    if (name < known || nameTo !== to) return this.#functionOf(bytes.array.subarray(offset, nameEnd))
    this.#flags[0] = OWNER
    const { pool } = functions
    const key = pool.reserve(FUNCTION_STRIDE)
    for (let i = 1; i < FUNCTION_STRIDE; i++) key[pool.length + i] = 0
    key[pool.length] = name
    return functions.appendTail(FUNCTION_STRIDE) as FunctionIndex
  }

  #functionOf(name: Uint8Array): FunctionIndex {
    const owner = this.#ownerOf(name, 0, name.length)
    if (owner !== NONE) return this.#function(owner)
    const { dictionary } = this.#builder
    const none = 0 as StringIndex
    return dictionary.function(dictionary.string(name, 0, name.length), none, none, 0, 0)
  }

  /** The text that equals this name and added it, or NONE. */
  #ownerOf(name: Uint8Array, from: number, to: number): number {
    const frame = this.#texts.find(name, from, to)
    return frame !== NONE && frame < this.#locations.length && this.#annotations.array[frame] === OWNER ? frame : NONE
  }

  #function(frame: number): FunctionIndex {
    const location = this.#locations.array[frame]
    if (location < 0) return (-1 - location) as FunctionIndex
    const { locations } = this.#builder.dictionary
    return locations.pool.array[locations.start(location) + LOCATION_HEAD] as FunctionIndex
  }

  /** Created on first use: a frame that always has others inlined into it needs no location of its own. */
  #locationOf(frame: number): LocationIndex {
    const { array } = this.#locations
    if (array[frame] < 0) array[frame] = this.#newLocation(this.#function(frame), this.#annotations.array[frame])
    return array[frame] as LocationIndex
  }

  #newLocation(row: FunctionIndex, flags: number): LocationIndex {
    const { locations, functions, strings, bytes } = this.#builder.dictionary
    if (flags === OWNER) {
      const { pool } = locations
      const key = pool.reserve(LOCATION_HEAD + LINE_STRIDE)
      key.fill(0, pool.length, pool.length + LOCATION_HEAD + LINE_STRIDE)
      key[pool.length + LOCATION_HEAD - 1] = 1
      key[pool.length + LOCATION_HEAD] = row
      return locations.appendTail(LOCATION_HEAD + LINE_STRIDE) as LocationIndex
    }
    if (flags === 0) {
      const name = functions.pool.array[row * FUNCTION_STRIDE]
      const from = strings.rows.array[2 * name]
      const owner = this.#ownerOf(bytes.array, from, from + strings.rows.array[2 * name + 1])
      if (owner !== NONE) return this.#locationOf(owner)
    }
    return this.#location([row], ANNOTATIONS[flags - 1])
  }

  /** The name as UTF-8, with escapes decoded. */
  #plainName(from: number, to: number): Uint8Array {
    const plain = this.#escaped ? unescapeBytes(this.#bytes, from, to) : this.#bytes.subarray(from, to)
    if (isUtf8(plain, 0, plain.length)) return plain
    this.invalidNames++
    return encodeUtf8(decodeUtf8(plain))
  }

  #location(functions: readonly FunctionIndex[], annotation: Annotation | undefined): LocationIndex {
    return this.#builder.location({
      lines: functions.map(row => ({ function: row })),
      attributes: annotation === undefined ? [] : [this.#attribute(annotation)],
    })
  }

  #attribute(annotation: Annotation): AttributeIndex {
    switch (annotation) {
      case 'kernel':
        return this.#builder.attribute(ATTRIBUTES.frameType, KERNEL)
      case 'jit':
        return this.#builder.attribute(ATTRIBUTES.frameType, JIT)
      case 'waker':
        return this.#builder.attribute(FOLDED_ATTRIBUTES.waker, true)
      case 'inlined':
        return this.#builder.attribute(FOLDED_ATTRIBUTES.inlined, true)
    }
  }

  /** Inlined frames become lines of the location of the frame before them. */
  #inlinedStack(): StackIndex {
    const annotations = this.#annotations.array
    const frames = this.#frames
    const rootFirst = this.#leafFirst
    const depth = this.#depth
    let count = 0
    for (let k = 0; k < depth;) {
      let next = k + 1
      while (next < depth && annotations[frames[next]] === INLINED) next++
      rootFirst[count++] = next - k === 1 ? this.#locationOf(frames[k]) : this.#joined(k, next)
      k = next
    }
    return this.#builder.dictionary.stack(rootFirst.subarray(0, count).reverse(), 0, count)
  }

  /** The location of frames [from, to) of this line: a frame and those inlined into it. */
  #joined(from: number, to: number): LocationIndex {
    const row = this.#joins.intern(this.#frames, from, to)
    if (row === this.#joinLocations.length) {
      const functions = Array.from(this.#frames.subarray(from, to), frame => this.#function(frame))
      const outer = ANNOTATIONS[this.#annotations.array[this.#frames[from]] - 1]
      this.#joinLocations.push(this.#location(functions.reverse(), outer))
    }
    return this.#joinLocations.array[row] as LocationIndex
  }

  #grow(): void {
    this.#frames = grown(this.#frames)
    this.#ends = grown(this.#ends)
    this.#leafFirst = grown(this.#leafFirst)
  }
}

function grown(old: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const array = new Int32Array(old.length * 2)
  array.set(old)
  return array
}

/** A line that begins with `#` is a comment, so a name that begins with it is written after a space. */
function unhashed(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[from] !== SPACE) return from
  let at = from
  while (at < to && bytes[at] === SPACE) at++
  return at < to && bytes[at] === HASH ? from + 1 : from
}
