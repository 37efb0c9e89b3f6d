// Turns the text of stacks into rows of the dictionary. Each distinct text of a frame is looked at once; after that a frame
// costs one look-up by its bytes, and none where the line before began with the same frames, as in sorted files most do.
import type { ProfilesBuilder } from '../../model/builder.ts'
import type { AttributeIndex, FunctionIndex, LocationIndex, StackIndex, StringIndex } from '../../model/brand.ts'
import { NONE } from '../../model/brand.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { SequenceInterner } from '../../model/intern.ts'
import { UNKNOWN_NAME } from '../../model/frame-name.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import type { Annotation } from './annotations.ts'
import { annotationOf, ANNOTATIONS, FOLDED_ATTRIBUTES, JIT, KERNEL, SUFFIX_LENGTH } from './annotations.ts'
import { FrameTexts } from './frame-texts.ts'
import { unescapeBytes } from './percent.ts'

const SPACE = 0x20
const HASH = 0x23
const INLINED = ANNOTATIONS.indexOf('inlined')

export class FrameReader {
  /** What was found along the way, for the notes. Each distinct text counts once. */
  annotated = 0
  emptyFrames = 0
  invalidNames = 0
  readonly #builder: ProfilesBuilder
  readonly #escaped: boolean
  readonly #bytes: Uint8Array
  readonly #texts: FrameTexts
  /** For each text its location (NONE until it is needed), its function, and the place of its annotation or NONE. */
  readonly #locations = new GrowingInts(1024)
  readonly #functions = new GrowingInts(1024)
  readonly #annotations = new GrowingInts(1024)
  /** The locations of runs of texts of which all but the first are inlined. */
  readonly #joins = new SequenceInterner()
  readonly #joinLocations = new GrowingInts()
  /** The line before: where it was, and for each of its frames the text's row and the offset of its end. */
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
    this.#texts = new FrameTexts(bytes)
    this.#escaped = escaped
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
      if (frame === this.#locations.length) this.#addFrame(at, texts.end)
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
      if (location === NONE) met = false
      if (annotations[frame] === INLINED) inlined = true
    }
    if (inlined) return this.#inlinedStack()
    if (!met) for (let k = 0; k < depth; k++) leafFirst[depth - 1 - k] = this.#locationOf(frames[k])
    return this.#builder.dictionary.stack(leafFirst, 0, depth)
  }

  /** How many frames the line before begins with in the same way, up to and with the semicolon after each. */
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

  #addFrame(from: number, to: number): void {
    const annotation = annotationOf(this.#bytes, from, to)
    if (annotation !== undefined) this.annotated++
    const name = this.#name(from, annotation === undefined ? to : to - SUFFIX_LENGTH)
    const none = 0 as StringIndex
    const row = this.#builder.dictionary.function(name, none, none, 0, 0)
    this.#functions.push(row)
    this.#annotations.push(annotation === undefined ? NONE : ANNOTATIONS.indexOf(annotation))
    this.#locations.push(NONE)
  }

  /** Made when first needed: a frame that others are always inlined into has no location of its own. */
  #locationOf(frame: number): LocationIndex {
    const locations = this.#locations.array
    if (locations[frame] === NONE) {
      const row = this.#functions.array[frame] as FunctionIndex
      locations[frame] = this.#location([row], ANNOTATIONS[this.#annotations.array[frame]])
    }
    return locations[frame] as LocationIndex
  }

  #name(from: number, to: number): StringIndex {
    const { dictionary } = this.#builder
    if (from === to) {
      this.emptyFrames++
      return this.#builder.string(UNKNOWN_NAME)
    }
    const plain = this.#escaped ? unescapeBytes(this.#bytes, from, to) : this.#bytes.subarray(from, to)
    if (isUtf8(plain, 0, plain.length)) return dictionary.string(plain, 0, plain.length)
    this.invalidNames++
    const repaired = encodeUtf8(decodeUtf8(plain, 0, plain.length))
    return dictionary.string(repaired, 0, repaired.length)
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

  /** Inlined frames become lines of the location of the frame that they follow. */
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

  /** The location of frames [from, to) of this line: one with those that were inlined into it. */
  #joined(from: number, to: number): LocationIndex {
    const row = this.#joins.intern(this.#frames, from, to)
    if (row === this.#joinLocations.length) {
      const functions = Array.from(
        this.#frames.subarray(from, to),
        frame => this.#functions.array[frame] as FunctionIndex,
      )
      const outer = ANNOTATIONS[this.#annotations.array[this.#frames[from]]]
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

/** A line that begins with `#` is a comment, so a name that does is written after a blank. */
function unhashed(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[from] !== SPACE) return from
  let at = from
  while (at < to && bytes[at] === SPACE) at++
  return at < to && bytes[at] === HASH ? from + 1 : from
}
