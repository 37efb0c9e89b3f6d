// Reads the memory map at the end of a legacy profile, in the form of /proc/self/maps or in a shorter one. It applies the same
// repairs as pprof's own tools.
import { partitionPoint } from '../../model/columns/binary-search.ts'
import type { LineReader } from './line-reader.ts'

export interface MemoryRange {
  start: bigint
  limit: bigint
  offset: bigint
  file: string
  buildId: string
}

const SENTINELS = ['--- Memory map: ---', 'MAPPED_LIBRARIES:']
/** Far longer than any path. Longer lines are not part of a memory map, and the patterns get slow on them. */
const MAX_LINE = 1 << 13
/** Real files have few variables, each for a directory. The limits bound the work that a short malicious file can cause. */
const MAX_VARIABLES = 50
const MAX_VALUE = 512

// 00400000-00fcb000 r-xp 00001000 08:01 1234   /bin/app
const RANGE = String.raw`^(?:0x)?([\da-f]{1,16})(?:[\s-]\s*)(?:0x)?([\da-f]{1,16}):?`
const PERMISSIONS = String.raw`(?:\s+([-rwxp]+))?`
const PROC = new RegExp(
  `${RANGE}${PERMISSIONS}${String.raw`(?:\s+([\da-f]{1,16}))?\s+[\da-f]+:[\da-f]+\s+\d+(?:\s+(\S+))?`}`,
  'i',
)
// 0x40000-0x80000 /bin/app (@ff00) abc123
const BRIEF = new RegExp(
  `${RANGE}${PERMISSIONS}${String.raw`(?:\s+(\S+))?(?:\s+\(@([\da-f]{1,16})\))?(?:\s+([\da-f]+))?`}`,
  'i',
)
const LOG_PREFIX = /^[^[\]]+:\d+\]\s/
const LIBRARY = /[.]so$|[.]so[._]\d+/
/** The address at which Linux loads programs that are not position-independent. */
const PROGRAM_START = 0x400000n

export function isMemoryMapStart(line: LineReader): boolean {
  if (line.isBlank || line.to - line.from > MAX_LINE) return false
  const text = line.text()
  return SENTINELS.some(sentinel => text.includes(sentinel))
}

/** Skips to the memory map, starting at the current line, and reads it. Returns an empty list if there is none. */
export function findMemoryMap(line: LineReader): MemoryRange[] {
  while (!isMemoryMapStart(line)) if (!line.next()) return []
  return readMemoryMap(line)
}

/** Reads the lines after the current one. The list has executable ranges only. */
export function readMemoryMap(line: LineReader): MemoryRange[] {
  const ranges: MemoryRange[] = []
  const variables = new Map<string, string>()
  while (line.next()) {
    if (line.isBlank || line.to - line.from > MAX_LINE) continue
    const text = replaceVariables(line.text().replace(LOG_PREFIX, ''), variables)
    const range = parseRange(text)
    if (range === undefined) {
      // `build=/home/me` defines `$build`.
      const equals = text.indexOf('=')
      const value = text.slice(equals + 1).trim()
      if (equals > 0 && variables.size < MAX_VARIABLES && value.length <= MAX_VALUE) {
        variables.set(`$${text.slice(0, equals).trim()}`, value)
      }
    } else if (range !== 'not executable') ranges.push(range)
  }
  return mainFirst(joined(ranges))
}

/** Replaces in one pass. Variables within values are not replaced, because a few lines could then grow without limit. */
function replaceVariables(text: string, variables: ReadonlyMap<string, string>): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf('$'); at >= 0 && result.length < MAX_LINE; at = text.indexOf('$', at + 1)) {
    for (const [name, value] of variables) {
      if (at < from || !text.startsWith(name, at)) continue
      result += text.slice(from, at) + value
      from = at + name.length
      break
    }
  }
  return from === 0 ? text : (result + text.slice(from)).slice(0, MAX_LINE)
}

function parseRange(text: string): MemoryRange | 'not executable' | undefined {
  const proc = PROC.exec(text) ?? undefined
  const brief = proc === undefined ? (BRIEF.exec(text) ?? undefined) : undefined
  const [, start, limit, permissions] = proc ?? brief ?? []
  if (start === undefined) return undefined
  if (permissions !== undefined && !permissions.includes('x')) return 'not executable'
  const [file, offset, buildId] =
    proc === undefined ? [brief?.[4], brief?.[5], brief?.[6]] : [proc[5], proc[4], undefined]
  return {
    start: BigInt(`0x${start}`),
    limit: BigInt(`0x${limit}`),
    offset: offset === undefined ? 0n : BigInt(`0x${offset}`),
    file: file ?? '',
    buildId: buildId ?? '',
  }
}

/** Joins adjacent ranges of the same file. */
function joined(ranges: readonly MemoryRange[]): MemoryRange[] {
  const result: MemoryRange[] = []
  for (const range of ranges) {
    const last = result.at(-1)
    if (last === undefined || !isContinued(last, range)) {
      result.push(range)
      continue
    }
    last.limit = range.limit
    if (range.file !== '') last.file = range.file
    if (range.buildId !== '') last.buildId = range.buildId
  }
  return result
}

function isContinued(a: MemoryRange, b: MemoryRange): boolean {
  const agree = (x: string, y: string): boolean => x === '' || y === '' || x === y
  if (!agree(a.file, b.file) || !agree(a.buildId, b.buildId) || a.limit !== b.start) return false
  return a.offset === 0n || b.offset === 0n || a.offset + (a.limit - a.start) === b.offset
}

/** Moves the main program to the front, where pprof's tools expect it: the first range that is neither a library nor `[vdso]`. */
function mainFirst(ranges: MemoryRange[]): MemoryRange[] {
  const main = ranges.findIndex(({ file }) => {
    const name = file.replaceAll('(deleted)', '').trim()
    return name !== '' && !LIBRARY.test(name) && !name.startsWith('[')
  })
  if (main > 0) [ranges[0], ranges[main]] = [ranges[main], ranges[0]]
  if (ranges.length > 1 && ranges[0].file.startsWith('/anon_hugepage') && ranges[0].limit === ranges[1].start)
    ranges.shift()
  // Some profilers write the start of the code instead of the start of the program.
  if (ranges.length > 0 && ranges[0].start - ranges[0].offset === PROGRAM_START) {
    ranges[0].start = PROGRAM_START
    ranges[0].offset = 0n
  }
  return ranges
}

/** Finds the first range of the list that contains an address. */
export class RangeIndex {
  readonly #ranges: readonly MemoryRange[]
  readonly #inside: LayeredRanges
  readonly #before: LayeredRanges

  constructor(ranges: readonly MemoryRange[]) {
    this.#ranges = ranges
    this.#inside = new LayeredRanges(ranges.map(({ start, limit }) => [start, limit]))
    // Some profilers omit the first part of a file that is mapped in two parts. It precedes the range and is `offset` bytes long.
    this.#before = new LayeredRanges(
      ranges.map(({ start, offset }) => [offset > start ? start : start - offset, start]),
    )
  }

  /** Returns -1 if no range contains the address. Corrects the start of a range that begins earlier than listed. */
  find(address: bigint): number {
    const inside = this.#inside.find(address)
    if (inside >= 0) return inside
    const before = this.#before.find(address)
    if (before < 0) return -1
    const range = this.#ranges[before]
    range.start -= range.offset
    range.offset = 0n
    return before
  }
}

/** Cuts overlapping ranges into disjoint pieces, where earlier ranges win. Lookups take log n for any input. */
class LayeredRanges {
  readonly #bounds: BigUint64Array
  /** The range that is visible between a bound and the next. */
  readonly #top: Int32Array

  constructor(ranges: readonly (readonly [start: bigint, limit: bigint])[]) {
    const bounds = BigUint64Array.from(new Set(ranges.flat())).sort()
    this.#bounds = bounds
    this.#top = new Int32Array(bounds.length).fill(-1)
    // next[i]: the first piece from i on that no range covers yet, or a step towards it.
    const next = Int32Array.from({ length: bounds.length + 1 }, (_, i) => i)
    const free = (piece: number): number => {
      let i = piece
      while (next[i] !== i) i = next[i] = next[next[i]]
      return i
    }
    for (const [row, [start, limit]] of ranges.entries()) {
      const end = this.#pieceOf(limit)
      for (let i = free(this.#pieceOf(start)); i < end; i = free(i)) {
        this.#top[i] = row
        next[i] = i + 1
      }
    }
  }

  find(address: bigint): number {
    const piece = this.#pieceOf(address)
    return piece < 0 ? -1 : this.#top[piece]
  }

  /** The index of the last bound that is not above the address, or -1. */
  #pieceOf(address: bigint): number {
    return partitionPoint(0, this.#bounds.length, i => this.#bounds[i] <= address) - 1
  }
}
