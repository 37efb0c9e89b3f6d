// The text of each stack in a line, root first. Stacks with equal texts share a number, even if they differ otherwise.
import type { LocationIndex, StackIndex } from '../../../model/columns/brand.ts'
import { NONE } from '../../../model/columns/brand.ts'
import type { Dictionary } from '../../../model/columns/dictionary.ts'
import { UNKNOWN_NAME } from '../../../model/text/frame-name.ts'
import { GrowingBytes } from '../../../model/columns/growing-columns.ts'
import { BytesInterner } from '../../../model/build/intern.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { NoteList } from '../../format.ts'
import { isAttributeList, isBlank, isNumber } from '../line-tail.ts'
import type { NameOptions } from './name-locations.ts'
import { LocationNames } from './name-locations.ts'
import { escaped } from '../percent.ts'

const SEMICOLON = Uint8Array.of(0x3b)
const SPACE = Uint8Array.of(0x20)
const HASH = 0x23
const UNKNOWN = encodeUtf8(UNKNOWN_NAME)

export class FoldedStackTexts {
  #texts = new BytesInterner(new GrowingBytes(1 << 16))
  readonly #dictionary: Dictionary
  readonly #names: LocationNames
  readonly #escaped: boolean
  readonly #notes: NoteList
  /** The text of each stack. NONE until it is used. */
  readonly #rows: Int32Array
  readonly #line = new GrowingBytes(1024)

  constructor(dictionary: Dictionary, options: NameOptions, notes: NoteList) {
    this.#dictionary = dictionary
    this.#names = new LocationNames(dictionary, options, notes)
    this.#escaped = options.escaped
    this.#notes = notes
    this.#rows = new Int32Array(dictionary.stacks.length).fill(NONE)
  }

  /** One more than the number of texts, because they are numbered from 1. */
  get count(): number {
    return this.#texts.length
  }

  get bytes(): Uint8Array {
    return this.#texts.pool.array
  }

  offset(text: number): number {
    return this.#texts.rows.array[2 * text]
  }

  length(text: number): number {
    return this.#texts.rows.array[2 * text + 1]
  }

  /** Frees all texts. */
  release(): void {
    this.#texts = new BytesInterner(new GrowingBytes())
  }

  text(stack: StackIndex): number {
    const known = this.#rows[stack]
    return known === NONE ? (this.#rows[stack] = this.#make(stack)) : known
  }

  #make(stack: StackIndex): number {
    const { stacks } = this.#dictionary
    const line = this.#line
    line.length = 0
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) this.#append(stacks.locations.at(k))
    if (stacks.to(stack) === stacks.from(stack))
      this.#notes.add('empty-stack', 'stacks without frames are written as [unknown]')
    if (this.#escaped) this.#escapeEnd()
    if (line.length === 0) line.append(UNKNOWN, 0, UNKNOWN.length)
    return this.#texts.intern(line.array, 0, line.length)
  }

  #append(location: LocationIndex): void {
    const names = this.#names
    const from = names.from(location)
    if (this.#line.length > 0) this.#line.append(SEMICOLON, 0, 1)
    // A line that begins with # is a comment. A line that begins with a space and # is not.
    else if (beginsWithHash(names.pool.array, from, names.to(location))) this.#line.append(SPACE, 0, 1)
    this.#line.append(names.pool.array, from, names.to(location))
  }

  /** Escapes spaces at the end, and the last one before text that looks like a value or attributes. */
  #escapeEnd(): void {
    const line = this.#line
    let end = line.length
    while (end > 0 && isBlank(line.array[end - 1])) end--
    let blank = end
    while (blank > 0 && !isBlank(line.array[blank - 1]) && line.array[blank - 1] !== SEMICOLON[0]) blank--
    const ambiguous = isNumber(line.array, blank, end) || isAttributeList(line.array, blank, end)
    let before = blank
    while (before > 0 && isBlank(line.array[before - 1])) before--
    // With only spaces before it, the text must be the name: the space may be the one before a #.
    const from = ambiguous && before > 0 && before < blank ? blank - 1 : end
    const tail = line.array.slice(from, line.length)
    line.length = from
    for (const [i, byte] of tail.entries()) {
      if (isBlank(byte) && (i === 0 || from + i >= end)) line.append(escaped(byte), 0, 3)
      else line.append(tail, i, i + 1)
    }
  }
}

function beginsWithHash(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from
  while (at < to && bytes[at] === SPACE[0]) at++
  return at < to && bytes[at] === HASH
}
