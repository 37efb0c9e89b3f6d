// The address ranges of functions that are not in one piece: .debug_ranges (DWARF 2 to 4) and .debug_rnglists (5).
import type { EntryReader, Entry } from './entry-reader.ts'

export type AddRange = (start: number, end: number) => void

/** Bounds the work that one broken list can cause. The largest function of Chromium has some hundreds of ranges. */
const MAX_RANGES = 1_000_000

/** Calls `add` for every range of an entry. `unitLow` is the start of the unit, from which DWARF 2 to 4 count. */
export function eachRange(reader: EntryReader, entry: Entry, unitLow: number, add: AddRange): void {
  if (entry.ranges >= 0) {
    if (reader.unit.version >= 5) readRangeList(reader, entry, unitLow, add)
    else readRanges(reader, entry.ranges, unitLow, add)
  } else if (!Number.isNaN(entry.lowPc) && !Number.isNaN(entry.highPc)) {
    add(entry.lowPc, entry.highIsLength ? entry.lowPc + entry.highPc : entry.highPc)
  }
}

function readRanges(reader: EntryReader, offset: number, unitLow: number, add: AddRange): void {
  const { main, ranges } = reader.bases
  const wide = reader.unit.addressBytes === 8
  const cursor = main.section('ranges').seek(offset + (main === reader.unit.file ? 0 : ranges))
  // Units in several pieces state 0 as their start, so that their ranges are plain addresses.
  let base = unitLow >= 0 ? unitLow : undefined
  for (let count = 0; count < MAX_RANGES; count++) {
    const at = cursor.at
    const from = cursor.size(wide)
    const to = cursor.size(wide)
    if (from === 0 && to === 0) return
    if (from >= (wide ? 2 ** 64 - 2 ** 12 : 0xffff_ffff)) {
      cursor.seek(at + reader.unit.addressBytes)
      base = cursor.address(wide, main.base)
    } else if (base === undefined) {
      cursor.seek(at)
      const start = cursor.address(wide, main.base)
      add(start, cursor.address(wide, main.base))
    } else {
      add(base + from, base + to)
    }
  }
}

function readRangeList(reader: EntryReader, entry: Entry, unitLow: number, add: AddRange): void {
  const { unit, bases } = reader
  const cursor = unit.file.section('rnglists')
  const wide = unit.addressBytes === 8
  let offset = entry.ranges
  if (entry.rangesAreIndexed) {
    cursor.seek(bases.rangeLists + entry.ranges * unit.offsetBytes)
    offset = bases.rangeLists + cursor.size(unit.offsetBytes === 8)
  }
  cursor.seek(offset)
  let base = Number.isNaN(unitLow) ? 0 : unitLow
  for (let count = 0; count < MAX_RANGES; count++) {
    switch (cursor.u8()) {
      case 0:
        return
      case 1:
        base = reader.indexedAddress(cursor.uleb())
        break
      case 2: {
        const from = reader.indexedAddress(cursor.uleb())
        add(from, reader.indexedAddress(cursor.uleb()))
        break
      }
      case 3: {
        const from = reader.indexedAddress(cursor.uleb())
        add(from, from + cursor.uleb())
        break
      }
      case 4: {
        const from = base + cursor.uleb()
        add(from, base + cursor.uleb())
        break
      }
      case 5:
        base = cursor.address(wide, unit.file.base)
        break
      case 6: {
        const from = cursor.address(wide, unit.file.base)
        add(from, cursor.address(wide, unit.file.base))
        break
      }
      case 7: {
        const from = cursor.address(wide, unit.file.base)
        add(from, from + cursor.uleb())
        break
      }
      default:
        throw cursor.error('unknown kind of range list entry')
    }
  }
}
