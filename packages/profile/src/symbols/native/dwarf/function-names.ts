// The names of functions: an entry has one, or refers to its declaration or its abstract origin, possibly in another unit or
// in the supplementary file.
import { Entry, EntryReader, type TextReference } from './entry-reader.ts'
import type { DebugFile, UnitHeader } from './debug-file.ts'

export interface DwarfFunctionName {
  /** The linkage name if there is one, as symbol tables have it, otherwise the plain name. Empty if there is neither. */
  readonly name: string
  readonly hasLinkageName: boolean
  readonly declarationFile: number
  readonly declarationLine: number
  /** The unit whose line table numbers `declarationFile`. */
  readonly unit: UnitHeader
}

/** Names that are kept for entries that refer to them again, mostly of the same unit. About 10 MB. */
const MAX_KNOWN = 50_000

/** A chain is at most: inlined call, abstract instance, declaration in a class, declaration in a partial unit. */
const MAX_HOPS = 8

export class FunctionNames {
  readonly #known = new Map<DebugFile, Map<number, DwarfFunctionName>>()
  #knownCount = 0
  readonly #readers = new Map<UnitHeader, EntryReader>()
  readonly #main: DebugFile

  constructor(main: DebugFile) {
    this.#main = main
  }

  /** The unit's own reader knows its bases. Units that are only referred to get a reader when needed. */
  use(reader: EntryReader): void {
    this.#readers.set(reader.unit, reader)
    if (this.#knownCount > MAX_KNOWN) {
      this.#known.clear()
      this.#knownCount = 0
    }
  }

  /** The name of an entry that was just read. Moves the cursor of .debug_info. */
  nameOf(entry: Entry, unit: UnitHeader): DwarfFunctionName {
    let name = entry.linkageName
    let plain = entry.name
    let { declarationFile, declarationLine, origin } = entry
    let from = unit
    if (name === undefined && origin !== undefined && plain === undefined && declarationLine === 0) {
      const known = this.#known.get(origin.file)?.get(origin.offset)
      if (known !== undefined) return known
    }
    const first = origin
    const next = new Entry()
    for (let hops = 0; origin !== undefined && name === undefined && hops < MAX_HOPS; hops++) {
      const reader = this.#readAt(origin.file, origin.offset, next)
      if (reader === undefined) break
      name = next.linkageName
      plain ??= next.name
      if (declarationLine === 0) {
        ;({ declarationFile, declarationLine } = next)
        from = reader.unit
      }
      origin = next.origin
    }
    const found = {
      name: readText(name ?? plain),
      hasLinkageName: name !== undefined,
      declarationFile,
      declarationLine,
      unit: from,
    }
    if (
      first !== undefined &&
      entry.linkageName === undefined &&
      entry.name === undefined &&
      entry.declarationLine === 0
    ) {
      let known = this.#known.get(first.file)
      if (known === undefined) this.#known.set(first.file, (known = new Map<number, DwarfFunctionName>()))
      known.set(first.offset, found)
      this.#knownCount++
    }
    return found
  }

  #readAt(file: DebugFile, offset: number, entry: Entry): EntryReader | undefined {
    const unit = file.unitAt(offset)
    if (unit === undefined) return undefined
    let reader = this.#readers.get(unit)
    if (reader === undefined) {
      reader = new EntryReader(unit, file === this.#main || file.supplement === undefined ? file : this.#main)
      this.#readBases(reader)
      this.#readers.set(unit, reader)
    }
    const cursor = file.info.seek(offset)
    const abbreviation = unit.abbreviations[cursor.uleb()]
    if (abbreviation === undefined) return undefined
    reader.read(abbreviation, entry)
    return reader
  }

  /** The first entry of a unit states where its indexed strings and addresses begin. */
  #readBases(reader: EntryReader): void {
    const cursor = reader.unit.file.info.seek(reader.unit.entries)
    const abbreviation = reader.unit.abbreviations[cursor.uleb()]
    if (abbreviation !== undefined) reader.read(abbreviation, new Entry())
  }
}

export function readText(reference: TextReference | undefined): string {
  return reference === undefined ? '' : reference.section.textAt(reference.offset)
}
