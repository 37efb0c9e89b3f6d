// Replaces the positions and names of generated scripts (bundled, minified, compiled) by those of their sources. It keeps
// the generated position as attributes of the location, and the generated name as the function's system name.
import type { FunctionIndex, LocationIndex, StringIndex } from '../../model/columns/brand.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { LINE_STRIDE, LOCATION_STRIDE } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { DictionaryEdit } from '../dictionary-edit.ts'
import type { OriginalPosition, SourceMap } from './source-map.ts'

/** The attributes that keep the generated position. */
export const GENERATED_ATTRIBUTES = {
  position: ATTRIBUTES.generatedPosition,
  startLine: ATTRIBUTES.generatedStartLine,
} as const

/** The text between a name and the position that V8 records for the function: `f(`, `f=(`, `f = (`, `f=function(`… */
const AFTER_NAME = [
  '',
  '=',
  ' = ',
  '=async',
  '=async ',
  ' = async ',
  '=function',
  ' = function',
  '=async function',
  '=function*',
]

/**
 * Replaces positions in scripts by those in sources, and returns how many locations changed. Calls `find` once
 * for each file name. A function or position that the map does not know stays the same.
 */
export function applySourceMaps(
  profiles: Profiles,
  find: (scriptUrl: string) => SourceMap | undefined,
): { readonly profiles: Profiles; readonly count: number } {
  const applier = new SourceMapApplier(profiles, find)
  const count = applier.apply()
  return { profiles: count === 0 ? profiles : applier.finish(), count }
}

interface MappedLine {
  readonly function: FunctionIndex
  readonly line: number
  readonly column: number
}

class SourceMapApplier {
  readonly #profiles: Profiles
  readonly #find: (scriptUrl: string) => SourceMap | undefined
  readonly #maps = new Map<StringIndex, SourceMap | undefined>()
  #edit: DictionaryEdit | undefined

  constructor(profiles: Profiles, find: (scriptUrl: string) => SourceMap | undefined) {
    this.#profiles = profiles
    this.#find = find
  }

  finish(): Profiles {
    return this.#edit?.finish() ?? this.#profiles
  }

  apply(): number {
    const { locations } = this.#profiles.dictionary
    const lists = new GrowingInts()
    let count = 0
    for (let i = 0 as LocationIndex; i < locations.length; i++) {
      const { ints, base } = locations.attributes
      lists.pushAll(ints, base + locations.attributesFrom(i), base + locations.attributesTo(i))
      if (this.#applyTo(i, lists)) count++
      // Each added attribute shifts the running ends. Without an edit, there is none.
      if (this.#edit !== undefined) this.#edit.locations.array[i * LOCATION_STRIDE + 4] = lists.length
    }
    if (this.#edit !== undefined) {
      this.#edit.locationAttributes.length = 0
      this.#edit.locationAttributes.pushAll(lists.array, 0, lists.length)
    }
    return count
  }

  #applyTo(location: LocationIndex, list: GrowingInts): boolean {
    const { locations, functions, strings } = this.#profiles.dictionary
    const from = locations.linesFrom(location)
    const to = locations.linesTo(location)
    const generated: string[] = []
    let startLine = 0n
    let isChanged = false
    for (let k = from; k < to; k++) {
      const row = locations.lines.function(k)
      const map = this.#mapOf(functions.filename(row))
      const line = locations.lines.line(k)
      const place = `${strings.text(functions.filename(row))}:${line}:${locations.lines.column(k)}`
      const mapped = map === undefined ? undefined : this.#mappedLine(map, location, k)
      generated.push(mapped === undefined ? '' : place)
      if (mapped === undefined || this.#edit === undefined) continue
      const { array } = this.#edit.lines
      array.set([mapped.function, mapped.line, 0, mapped.column, 0], k * LINE_STRIDE)
      if (functions.startLine(row) !== line) startLine = functions.startLine(row)
      isChanged = true
    }
    if (!isChanged || this.#edit === undefined) return false
    list.push(this.#edit.attribute(GENERATED_ATTRIBUTES.position, generated.join('\n')))
    if (startLine !== 0n) list.push(this.#edit.attribute(GENERATED_ATTRIBUTES.startLine, startLine))
    return true
  }

  #mappedLine(map: SourceMap, location: LocationIndex, k: number): MappedLine | undefined {
    const { locations, functions, strings } = this.#profiles.dictionary
    const row = locations.lines.function(k)
    const line = Number(locations.lines.line(k))
    const column = Number(locations.lines.column(k))
    const startLine = Number(functions.startLine(row))
    if (this.#isMapped(location)) return undefined
    const startColumn = this.#numberOf(location, ATTRIBUTES.v8FunctionColumn) ?? (line === startLine ? column : 0)
    const start = startLine > 0 ? map.originalPositionFor(startLine, startColumn) : undefined
    const isAtStart = line === startLine && column === startColumn
    const place = isAtStart ? start : line > 0 ? map.originalPositionFor(line, column) : undefined
    const source = (start ?? place)?.source
    if (source === undefined || source === '') return undefined
    const edit = (this.#edit ??= new DictionaryEdit(this.#profiles))
    const name = functions.name(row)
    const original = startColumn > 0 ? originalName(map, strings.text(name), startLine, startColumn) : undefined
    const newName = original === undefined ? name : edit.string(original)
    const systemName = newName !== name && functions.systemName(row) === 0 ? name : functions.systemName(row)
    // A location has only one file, so a position in another file cannot be stored. The attribute keeps the generated position.
    const shown: OriginalPosition | undefined = place?.source === source ? place : undefined
    return {
      function: edit.function(newName, systemName, edit.string(source), start?.line ?? 0),
      line: shown?.line ?? 0,
      column: column > 0 ? (shown?.column ?? 0) : 0,
    }
  }

  #mapOf(filename: StringIndex): SourceMap | undefined {
    if (filename === 0) return undefined
    if (!this.#maps.has(filename))
      this.#maps.set(filename, this.#find(this.#profiles.dictionary.strings.text(filename)))
    return this.#maps.get(filename)
  }

  /** Whether the location was mapped before. */
  #isMapped(location: LocationIndex): boolean {
    const { locations, attributes, strings } = this.#profiles.dictionary
    return locations.attributesOf(location).some(i => strings.text(attributes.key(i)) === GENERATED_ATTRIBUTES.position)
  }

  #numberOf(location: LocationIndex, key: string): number | undefined {
    const { locations, attributes, strings } = this.#profiles.dictionary
    for (const i of locations.attributesOf(location)) {
      if (attributes.kind(i) === ValueKind.int && strings.text(attributes.key(i)) === key)
        return Number(attributes.value(i))
    }
    return undefined
  }
}

/**
 * V8 records the position of a function's parameters, which may map to the name of the first one. So the function's name is
 * taken only from a mapping that starts exactly where its generated name must start.
 */
function originalName(map: SourceMap, generated: string, line: number, column: number): string | undefined {
  if (generated === '' || generated.startsWith('(')) return undefined
  // V8 names a method `Class.method`. Only the last part is in the script.
  const last = generated.slice(generated.lastIndexOf('.') + 1)
  for (const between of AFTER_NAME) {
    const name = map.nameAt(line, column - between.length - last.length)
    if (name !== undefined && name !== '') return generated.slice(0, generated.length - last.length) + name
  }
  return undefined
}
