// The text of each location in a line: the names of its functions, outermost first. A semicolon ends a name and a line
// break ends a line, so both are replaced or escaped. Each location is processed once, and its losses are counted.
import type { LocationIndex } from '../../../model/columns/brand.ts'
import { NONE } from '../../../model/columns/brand.ts'
import type { Dictionary } from '../../../model/columns/dictionary.ts'
import { addressName, functionName, mappingFile } from '../../../model/text/frame-name.ts'
import { GrowingBytes } from '../../../model/columns/growing-columns.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { NoteList } from '../../format.ts'
import type { Annotation } from '../annotations.ts'
import { annotationOf, FOLDED_ATTRIBUTES, JIT, KERNEL, suffixOf } from '../annotations.ts'
import { appendEscaped, escaped } from '../percent.ts'

const SEMICOLON = 0x3b
const COLON = 0x3a
const SPACE = 0x20
const LF = 0x0a
const CR = 0x0d
const PERCENT = 0x25
const SUFFIX_MARK = 3

export interface NameOptions {
  /** Mark kernel, jit, inlined and waker frames. */
  readonly annotations: boolean
  /** Use percent escapes instead of replacing characters that a name cannot contain. */
  readonly escaped: boolean
}

export class LocationNames {
  /** The bytes that the offsets below refer to. */
  readonly pool = new GrowingBytes(4096)
  readonly #dictionary: Dictionary
  readonly #options: NameOptions
  readonly #notes: NoteList
  /** Start and end in the pool for each location. NONE until it is used. */
  readonly #places: Int32Array

  constructor(dictionary: Dictionary, options: NameOptions, notes: NoteList) {
    this.#dictionary = dictionary
    this.#options = options
    this.#notes = notes
    this.#places = new Int32Array(2 * dictionary.locations.length).fill(NONE)
  }

  from(location: LocationIndex): number {
    if (this.#places[2 * location] === NONE) this.#name(location)
    return this.#places[2 * location]
  }

  to(location: LocationIndex): number {
    return this.#places[2 * location + 1]
  }

  #name(location: LocationIndex): void {
    const { locations } = this.#dictionary
    const annotation = this.#annotation(location)
    const from = locations.linesFrom(location)
    const to = locations.linesTo(location)
    this.#places[2 * location] = this.pool.length
    if (from === to) this.#frame(location, NONE, annotation)
    for (let k = to - 1; k >= from; k--) {
      if (k < to - 1) this.pool.append(Uint8Array.of(SEMICOLON), 0, 1)
      this.#frame(location, k, k === to - 1 ? annotation : this.#options.annotations ? 'inlined' : undefined)
    }
    this.#places[2 * location + 1] = this.pool.length
    if (to - from > 1 && !this.#options.annotations) {
      this.#notes.add('inlining', 'inlined calls are written like any other call', to - from - 1)
    }
  }

  #frame(location: LocationIndex, line: number, annotation: Annotation | undefined): void {
    const { strings } = this.#dictionary
    const row = functionName(this.#dictionary, line)
    const length = strings.byteLength(row)
    const start = this.pool.length
    if (length > 0) this.#append(strings.bytes, strings.offset(row), strings.offset(row) + length)
    else {
      const name = encodeUtf8(addressName(this.#dictionary, location))
      this.#append(name, 0, name.length)
    }
    this.#countLosses(location, line, length > 0)
    if (annotation === undefined) this.#keepFromMark(start)
    else {
      const suffix = encodeUtf8(suffixOf(annotation))
      this.pool.append(suffix, 0, suffix.length)
    }
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    if (this.#options.escaped) {
      appendEscaped(
        bytes,
        from,
        to,
        byte => byte === SEMICOLON || byte === LF || byte === CR || byte === PERCENT,
        this.pool,
      )
      return
    }
    const start = this.pool.append(bytes, from, to)
    const { array, length } = this.pool
    let semicolon = false
    let lineBreak = false
    for (let at = start; at < length; at++) {
      const byte = array[at]
      if (byte === SEMICOLON) {
        semicolon = true
        array[at] = COLON
      } else if (byte === LF || byte === CR) {
        lineBreak = true
        array[at] = SPACE
      }
    }
    if (semicolon) this.#notes.add('semicolon-in-name', 'semicolons in names are replaced by colons')
    if (lineBreak) this.#notes.add('newline-in-name', 'line breaks in names are replaced by spaces')
  }

  /** A name that ends like an annotation would be read as one. */
  #keepFromMark(start: number): void {
    const { pool } = this
    if (annotationOf(pool.array, start, pool.length) === undefined) return
    if (!this.#options.escaped) {
      this.#notes.add('annotation-in-name', 'names end in _[k], _[j], _[i] or _[w], which readers interpret as a mark')
      return
    }
    const suffix = pool.array.slice(pool.length - SUFFIX_MARK, pool.length)
    pool.length -= SUFFIX_MARK + 1
    pool.append(escaped(0x5f), 0, 3)
    pool.append(suffix, 0, SUFFIX_MARK)
  }

  /** The mark of the location itself, which its outermost frame gets. */
  #annotation(location: LocationIndex): Annotation | undefined {
    const { locations, attributes, strings } = this.#dictionary
    let annotation: Annotation | undefined
    let left = 0
    for (let k = locations.attributesFrom(location); k < locations.attributesTo(location); k++) {
      const attribute = locations.attributes.at(k)
      const found = markOf(strings.text(attributes.key(attribute)), attributes.value(attribute))
      if (this.#options.annotations && found !== undefined && annotation === undefined) annotation = found
      else left++
    }
    this.#notes.add('location-attributes', 'attributes of locations', left)
    return annotation
  }

  #countLosses(location: LocationIndex, line: number, named: boolean): void {
    const { strings, functions, locations } = this.#dictionary
    if (line === NONE || line === locations.linesTo(location) - 1) {
      if (named && locations.address(location) !== 0n) this.#notes.add('addresses', 'addresses of locations')
      if (named && strings.byteLength(mappingFile(this.#dictionary, location)) > 0)
        this.#notes.add('mappings', 'mappings of locations')
    }
    if (line === NONE) return
    const row = locations.lines.function(line)
    if (locations.lines.line(line) !== 0n || locations.lines.column(line) !== 0n)
      this.#notes.add('line-numbers', 'line numbers')
    if (strings.byteLength(functions.filename(row)) > 0) this.#notes.add('file-names', 'file names of functions')
    if (functions.startLine(row) !== 0n) this.#notes.add('start-lines', 'start lines of functions')
    const systemName = functions.systemName(row)
    if (
      strings.byteLength(functions.name(row)) > 0 &&
      strings.byteLength(systemName) > 0 &&
      strings.text(systemName) !== strings.text(functions.name(row))
    ) {
      this.#notes.add('system-names', 'system names of functions')
    }
  }
}

function markOf(key: string, value: unknown): Annotation | undefined {
  if (key === ATTRIBUTES.frameType) return value === KERNEL ? 'kernel' : value === JIT ? 'jit' : undefined
  if (value !== true) return undefined
  return key === FOLDED_ATTRIBUTES.waker ? 'waker' : key === FOLDED_ATTRIBUTES.inlined ? 'inlined' : undefined
}
