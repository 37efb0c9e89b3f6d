// Walks the entries of one unit and collects its functions and the calls that were inlined into them.
//
//   compile unit
//     subprogram A            instance 0
//       lexical block
//         inlined B           instance 1, parent 0, called at A's line 12
//           inlined C         instance 2, parent 1
import { TAG } from './constants.ts'
import { Entry, type EntryReader } from './entry-reader.ts'
import type { DwarfFunctionName, FunctionNames } from './function-names.ts'
import { eachRange } from './range-lists.ts'

/** A function's code, or an inlined call's. */
export interface FunctionInstance {
  readonly name: DwarfFunctionName
  /** The instance that this one was inlined into; -1 for a function's own code. */
  readonly parent: number
  readonly depth: number
  readonly callFile: number
  readonly callLine: number
  readonly callColumn: number
}

export interface InstanceRange {
  readonly start: number
  readonly end: number
  readonly instance: number
}

export interface UnitFunctions {
  readonly instances: readonly FunctionInstance[]
  readonly ranges: readonly InstanceRange[]
}

/** Deeper nesting does not occur in compiled code. It bounds the stack of a broken file. */
const MAX_DEPTH = 10_000

/**
 * Reads all entries below the unit's first one. `isCode` rejects ranges that the linker removed, whose addresses are 0 or
 * all ones.
 */
export function readUnitFunctions(
  reader: EntryReader,
  names: FunctionNames,
  unitLow: number,
  isCode: (start: number) => boolean,
): UnitFunctions {
  const { unit } = reader
  const cursor = unit.file.info
  const instances: FunctionInstance[] = []
  const ranges: InstanceRange[] = []
  const entry = new Entry()
  /** The instance around the entries of each open level. */
  const enclosing: number[] = []
  let around = -1
  while (cursor.at < unit.end) {
    const code = cursor.uleb()
    if (code === 0) {
      if (enclosing.length === 0) break
      around = enclosing.pop()!
      continue
    }
    const abbreviation = unit.abbreviations[code]
    if (abbreviation === undefined) throw cursor.error(`unknown abbreviation ${code}`)
    const { tag } = abbreviation
    let inside = around
    if (tag === TAG.subprogram || tag === TAG.inlinedSubroutine) {
      reader.read(abbreviation, entry)
      const after = cursor.at
      const instance = instances.length
      let hasCode = false
      eachRange(reader, entry, unitLow, (start, end) => {
        unit.file.work.spend(1)
        if (!(start < end) || !isCode(start)) return
        hasCode = true
        ranges.push({ start, end, instance })
      })
      if (hasCode) {
        const parent = tag === TAG.inlinedSubroutine ? around : -1
        instances.push({
          name: names.nameOf(entry, unit),
          parent,
          depth: parent < 0 ? 0 : instances[parent].depth + 1,
          callFile: entry.callFile,
          callLine: entry.callLine,
          callColumn: entry.callColumn,
        })
        inside = instance
      }
      cursor.seek(after)
    } else {
      reader.skip(abbreviation)
    }
    if (abbreviation.hasChildren) {
      if (enclosing.length >= MAX_DEPTH) throw cursor.error(`entries are nested more than ${MAX_DEPTH} deep`)
      enclosing.push(around)
      around = inside
    }
  }
  return { instances, ranges }
}
