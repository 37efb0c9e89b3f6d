// Source maps, version 3 (ECMA-426). They map positions of a generated script to positions of its sources. Index maps, made
// of sections, become one table. Lines and columns count from 1 here, as everywhere in the model; maps count from 0.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { MAPPING_STRIDE, decodeMappings } from './source-map-mappings.ts'

/** An invalid source map. `offset` is the position in its mappings, if the fault is there. */
export class SourceMapError extends Error {
  override readonly name = 'SourceMapError'
  readonly offset: number | undefined

  constructor(what: string, offset?: number) {
    super(offset === undefined ? `source map: ${what}` : `source map: ${what} at character ${offset} of the mappings`)
    this.offset = offset
  }
}

export interface OriginalPosition {
  readonly source: string
  readonly line: number
  readonly column: number
  /** The original name of the identifier at the position. */
  readonly name: string | undefined
}

export class SourceMap {
  readonly #sources: readonly string[]
  readonly #names: readonly string[]
  /** Line, column, source, original line, original column, name; sorted by line and column. NONE for missing values. */
  readonly #rows: Int32Array
  readonly #length: number

  private constructor(sources: readonly string[], names: readonly string[], rows: Int32Array) {
    this.#sources = sources
    this.#names = names
    this.#rows = rows
    this.#length = rows.length / MAPPING_STRIDE
  }

  /** Throws SourceMapError. */
  static parse(text: string): SourceMap {
    let json: unknown
    try {
      // Servers may prepend a line that prevents the file from being run as a script.
      json = JSON.parse(text.replace(/^\)\]\}'?[^\n]*\n/, ''))
    } catch {
      throw new SourceMapError('is not JSON')
    }
    const sources: string[] = []
    const names: string[] = []
    const rows = new GrowingInts()
    for (const { line, column, map } of sectionsOf(json)) {
      const from = rows.length
      const sourceBase = sources.length
      const nameBase = names.length
      for (const source of sourcesOf(map)) sources.push(source)
      for (const name of stringsOf(map['names'] ?? [], 'names')) names.push(name ?? '')
      const { mappings } = map
      if (typeof mappings !== 'string') throw new SourceMapError('has no mappings')
      const fault = decodeMappings(mappings, { line, column, sourceBase, nameBase }, sources.length, names.length, rows)
      if (fault !== undefined) throw new SourceMapError(fault.what, fault.offset)
      dropOverlap(rows, from, line, column)
    }
    return new SourceMap(sources, names, sorted(rows.view().slice()))
  }

  get sources(): readonly string[] {
    return this.#sources
  }

  /** The memory of the mappings. */
  get byteLength(): number {
    return this.#rows.byteLength
  }

  /**
   * The original position of `line` and `column`. Without a column (0), only if all of the line comes from one line, because
   * a minified script has everything on one line.
   */
  originalPositionFor(line: number, column: number): OriginalPosition | undefined {
    if (column <= 0) return this.#positionOfLine(line - 1)
    const at = this.#lastUpTo(line - 1, column - 1)
    return at < 0 || this.#rows[at * MAPPING_STRIDE] !== line - 1 ? undefined : this.#position(at)
  }

  /** The original name of the identifier that starts exactly there. */
  nameAt(line: number, column: number): string | undefined {
    const at = this.#lastUpTo(line - 1, column - 1)
    if (at < 0) return undefined
    const row = at * MAPPING_STRIDE
    if (this.#rows[row] !== line - 1 || this.#rows[row + 1] !== column - 1) return undefined
    return this.#names[this.#rows[row + 5]]
  }

  #positionOfLine(line: number): OriginalPosition | undefined {
    const rows = this.#rows
    let found = -1
    const first = this.#lastUpTo(line, -1) + 1
    for (let at = first; at < this.#length && rows[at * MAPPING_STRIDE] === line; at++) {
      const row = at * MAPPING_STRIDE
      if (rows[row + 2] < 0) continue
      if (found < 0) found = at
      else if (rows[row + 2] !== rows[found * MAPPING_STRIDE + 2] || rows[row + 3] !== rows[found * MAPPING_STRIDE + 3])
        return undefined
    }
    return found < 0 ? undefined : this.#position(found)
  }

  /** The last row at or before the position; -1 if there is none. */
  #lastUpTo(line: number, column: number): number {
    const rows = this.#rows
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >>> 1
      const row = middle * MAPPING_STRIDE
      if (rows[row] < line || (rows[row] === line && rows[row + 1] <= column)) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  #position(at: number): OriginalPosition | undefined {
    const row = at * MAPPING_STRIDE
    const source = this.#rows[row + 2]
    if (source < 0) return undefined
    return {
      source: this.#sources[source],
      line: this.#rows[row + 3] + 1,
      column: this.#rows[row + 4] + 1,
      name: this.#names[this.#rows[row + 5]],
    }
  }
}

type JsonObject = Readonly<Record<string, unknown>>

interface Section {
  readonly line: number
  readonly column: number
  readonly map: JsonObject
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sectionsOf(json: unknown): readonly Section[] {
  if (!isObject(json)) throw new SourceMapError('is not an object')
  if (json['version'] !== 3 && json['version'] !== '3') throw new SourceMapError('is not of version 3')
  const { sections } = json
  if (sections === undefined) return [{ line: 0, column: 0, map: json }]
  if (!Array.isArray(sections)) throw new SourceMapError('has sections that are not a list')
  let before = { line: 0, column: 0 }
  return sections.map((section: unknown) => {
    if (!isObject(section) || !isObject(section['offset'])) throw new SourceMapError('has a section without an offset')
    const line = positionOf(section['offset']['line'])
    const column = positionOf(section['offset']['column'])
    if (line < before.line || (line === before.line && column < before.column))
      throw new SourceMapError('has sections out of order')
    before = { line, column }
    if (!isObject(section['map'])) throw new SourceMapError('has a section without a map')
    return { line, column, map: section['map'] }
  })
}

function positionOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0x3fff_ffff)
    throw new SourceMapError('has a section without a position')
  return value
}

function stringsOf(value: unknown, what: string): readonly (string | undefined)[] {
  if (!Array.isArray(value)) throw new SourceMapError(`has ${what} that are not a list`)
  return value.map((item: unknown) => (typeof item === 'string' ? item : undefined))
}

/** Sources without a name are empty. */
function sourcesOf(map: JsonObject): string[] {
  const root = map['sourceRoot']
  const prefix = typeof root === 'string' && root !== '' ? (root.endsWith('/') ? root : `${root}/`) : ''
  return stringsOf(map['sources'] ?? [], 'sources').map(source => {
    if (source === undefined) return ''
    return /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(source) ? source : prefix + source
  })
}

/** Drops the rows of a section behind the start of the next one. */
function dropOverlap(rows: GrowingInts, from: number, line: number, column: number): void {
  let keep = 0
  let to = 0
  for (; to < from; to += MAPPING_STRIDE) {
    const { array } = rows
    if (array[to] > line || (array[to] === line && array[to + 1] >= column)) continue
    if (keep !== to) array.copyWithin(keep, to, to + MAPPING_STRIDE)
    keep += MAPPING_STRIDE
  }
  if (keep === from) return
  rows.array.copyWithin(keep, from, rows.length)
  rows.length -= from - keep
}

/** Most maps are sorted already. */
function sorted(rows: Int32Array): Int32Array {
  let isSorted = true
  for (let at = MAPPING_STRIDE; at < rows.length && isSorted; at += MAPPING_STRIDE) {
    isSorted = rows[at] !== rows[at - MAPPING_STRIDE] || rows[at + 1] >= rows[at + 1 - MAPPING_STRIDE]
  }
  if (isSorted) return rows
  const order = Array.from({ length: rows.length / MAPPING_STRIDE }, (_, i) => i * MAPPING_STRIDE)
  order.sort((a, b) => rows[a] - rows[b] || rows[a + 1] - rows[b + 1])
  const result = new Int32Array(rows.length)
  for (const [i, at] of order.entries()) result.set(rows.subarray(at, at + MAPPING_STRIDE), i * MAPPING_STRIDE)
  return result
}
