// Turns the debug information of a file into intervals of addresses with their lines and inlined calls.
import { partitionPoint } from '../../../model/columns/binary-search.ts'
import type { IndexBuilder } from '../index/index-builder.ts'
import { NO_NODE } from '../index/index-builder.ts'
import type { FunctionSymbol, ObjectFile } from '../object/object-file.ts'
import type { WorkLimit } from '../work-limit.ts'
import { TAG, UNIT } from './constants.ts'
import { DebugFile, type UnitHeader } from './debug-file.ts'
import { Entry, EntryReader } from './entry-reader.ts'
import { FunctionNames, readText } from './function-names.ts'
import { END_OF_SEQUENCE, readLineTable, type DwarfLineTable } from './line-table.ts'
import { unitOfPackage } from './package-file.ts'
import { readUnitFunctions, type FunctionInstance, type InstanceRange, type UnitFunctions } from './unit-functions.ts'

export interface DwarfFiles {
  /** The file that `dwz` wrote, if `main` has a link to one. */
  readonly supplement?: ObjectFile | undefined
  /** The package (.dwp) with the split units of `main`. */
  readonly package?: ObjectFile | undefined
  /** Opens a split unit by its id and the name in the skeleton. Undefined if the file is missing. */
  readonly splitUnit?: ((id: bigint, name: string) => ObjectFile | undefined) | undefined
}

export interface DwarfReport {
  readonly units: number
  /** Units whose code is in a .dwo or .dwp file that was not given. */
  readonly missingSplitUnits: number
  /** Units that were skipped because they are broken, with the first reason. */
  readonly brokenUnits: number
  readonly firstError: string | undefined
}

/** Adds every function of `object` to the index. A broken unit is skipped and counted; the others are kept. */
export function indexDwarf(
  object: ObjectFile,
  symbols: readonly FunctionSymbol[],
  files: DwarfFiles,
  index: IndexBuilder,
): DwarfReport {
  const file = new DebugFile(object)
  if (files.supplement !== undefined) file.supplement = new DebugFile(files.supplement, object.base)
  const indexer = new DwarfIndexer(object, file, files, index, mangledNames(symbols))
  for (const unit of file.units) indexer.indexUnit(unit)
  return { units: file.units.length, ...indexer.report }
}

/**
 * GCC gives local functions of C++ no linkage name, and a plain name lacks namespace and parameters. The symbol that starts
 * at the function has both.
 */
function mangledNames(symbols: readonly FunctionSymbol[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  for (const { name, start } of symbols) if (/^_?_[ZR]/.test(name)) names.set(start, name)
  return names
}

class DwarfIndexer {
  readonly report = { missingSplitUnits: 0, brokenUnits: 0, firstError: undefined as string | undefined }
  readonly #file: DebugFile
  readonly #files: DwarfFiles
  readonly #index: IndexBuilder
  readonly #names: FunctionNames
  readonly #isCode: (start: number) => boolean
  readonly #entry = new Entry()
  readonly #mangledNames: ReadonlyMap<number, string>

  constructor(
    object: ObjectFile,
    file: DebugFile,
    files: DwarfFiles,
    index: IndexBuilder,
    mangled: ReadonlyMap<number, string>,
  ) {
    this.#mangledNames = mangled
    this.#file = file
    this.#files = files
    this.#index = index
    this.#names = new FunctionNames(file)
    this.#isCode = codeFilter(object)
  }

  indexUnit(unit: UnitHeader): void {
    if (unit.kind === UNIT.partial) return
    try {
      this.#indexUnit(unit)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.report.brokenUnits++
      this.report.firstError ??= error.message
    }
  }

  #indexUnit(unit: UnitHeader): void {
    const reader = new EntryReader(unit)
    const root = this.#readRoot(reader)
    if (root === undefined) return
    // Go's compiler puts texts into the entry itself, so reading them moves the cursor.
    const { at } = this.#file.info
    const { lowPc, statementList } = root
    const directory = readText(root.compilationDirectory)
    const dwoName = readText(root.dwoName)
    const dwoId = unit.dwoId ?? root.dwoId
    const lines =
      statementList < 0
        ? undefined
        : new UnitLines(readLineTable(this.#file, unit, statementList, directory), this, this.#file.work)
    this.#file.info.seek(at)
    const functions =
      dwoId !== undefined && dwoName !== '' && !root.hasChildren
        ? this.#splitFunctions(reader, dwoId, dwoName, lowPc)
        : this.#functions(reader, lowPc, root.hasChildren)
    this.#addUnit(functions, lines)
  }

  #functions(reader: EntryReader, unitLow: number, hasChildren: boolean): UnitFunctions {
    if (!hasChildren) return { instances: [], ranges: [] }
    this.#names.use(reader)
    return readUnitFunctions(reader, this.#names, unitLow, this.#isCode)
  }

  /** The entries of a split unit are in a file of their own; addresses and lines stay in the main file. */
  #splitFunctions(skeleton: EntryReader, id: bigint, name: string, unitLow: number): UnitFunctions {
    const packed = this.#files.package && unitOfPackage(this.#files.package, id)
    const object = packed ?? this.#files.splitUnit?.(id, name)
    if (object === undefined) {
      this.report.missingSplitUnits++
      return { instances: [], ranges: [] }
    }
    const file = new DebugFile(object, this.#file.base)
    for (const unit of file.units) {
      const reader = new EntryReader(unit, this.#file)
      const root = this.#readRoot(reader)
      if (root === undefined || (unit.dwoId ?? root.dwoId ?? id) !== id) continue
      reader.bases.addresses = skeleton.bases.addresses
      reader.bases.ranges = skeleton.bases.ranges
      const names = new FunctionNames(file)
      names.use(reader)
      return readUnitFunctions(reader, names, unitLow, this.#isCode)
    }
    this.report.missingSplitUnits++
    return { instances: [], ranges: [] }
  }

  #readRoot(reader: EntryReader): Entry | undefined {
    const { unit } = reader
    const cursor = unit.file.info.seek(unit.entries)
    const abbreviation = unit.abbreviations[cursor.uleb()]
    if (abbreviation === undefined) return undefined
    reader.read(abbreviation, this.#entry)
    const { tag } = abbreviation
    return tag === TAG.compileUnit || tag === TAG.skeletonUnit ? this.#entry : undefined
  }

  #addUnit({ instances, ranges }: UnitFunctions, lines: UnitLines | undefined): void {
    const nodes = new InstanceNodes(instances, lines, this.#index)
    for (const { start, instance } of ranges) {
      const { parent, name } = instances[instance]
      const mangled = parent < 0 && !name.hasLinkageName ? this.#mangledNames.get(start) : undefined
      if (mangled !== undefined) nodes.rename(instance, mangled)
    }
    const covered: [start: number, end: number][] = []
    for (const { start, end, instance } of innermostRanges(ranges, instances)) {
      const last = covered.at(-1)
      if (last?.[1] === start) last[1] = end
      else {
        this.#index.startRun()
        covered.push([start, end])
      }
      if (lines === undefined) this.#index.interval(start, end, nodes.leaf(instance, 0, 0, 0))
      else {
        lines.eachIn(start, end, (from, to, file, line, column) => {
          this.#index.interval(from, to, nodes.leaf(instance, file, line, column))
        })
      }
    }
    // Lines outside of every function: assembler, and the end of some optimised functions. Symbols name them.
    lines?.eachOutside(covered, this.#isCode, (from, to, file, line, column, isPadding) => {
      this.#index.startRun()
      this.#index.interval(from, to, this.#index.lineNode(file, line, column, isPadding))
    })
  }

  path(text: string): number {
    return this.#index.string(text)
  }
}

/** The nodes of a unit's instances: a leaf has a line of the line table, its callers have the line of the call. */
class InstanceNodes {
  readonly #instances: readonly FunctionInstance[]
  readonly #lines: UnitLines | undefined
  readonly #index: IndexBuilder
  readonly #functions: Int32Array
  readonly #callers: Int32Array

  constructor(instances: readonly FunctionInstance[], lines: UnitLines | undefined, index: IndexBuilder) {
    this.#instances = instances
    this.#lines = lines
    this.#index = index
    this.#functions = new Int32Array(instances.length).fill(-1)
    this.#callers = new Int32Array(instances.length).fill(-2)
  }

  rename(instance: number, name: string): void {
    this.#functions[instance] = this.#index.function(name, this.#instances[instance].name.declarationLine)
  }

  leaf(instance: number, file: number, line: number, column: number): number {
    return this.#index.node(this.#function(instance), file, line, column, this.#caller(instance))
  }

  /** The node that called an inlined instance. Parents come before their children, so this ends. */
  #caller(instance: number): number {
    const { parent, callFile, callLine, callColumn } = this.#instances[instance]
    if (parent < 0) return NO_NODE
    let node = this.#callers[instance]
    if (node === -2) {
      const file = this.#lines?.path(callFile) ?? 0
      node = this.#index.node(this.#function(parent), file, callLine, callColumn, this.#caller(parent))
      this.#callers[instance] = node
    }
    return node
  }

  #function(instance: number): number {
    let row = this.#functions[instance]
    if (row < 0) {
      const { name, declarationLine } = this.#instances[instance].name
      row = this.#functions[instance] = this.#index.function(name, declarationLine)
    }
    return row
  }
}

type EachLine = (from: number, to: number, file: number, line: number, column: number) => void

/** The rows of a line table, sequences in the order of their addresses. */
class UnitLines {
  readonly #table: DwarfLineTable
  readonly #paths: Int32Array
  readonly #indexer: { path: (text: string) => number }
  /** Pairs of first row and row of the end, by ascending address. */
  readonly #sequences: readonly (readonly [number, number])[]
  readonly #work: WorkLimit

  constructor(table: DwarfLineTable, indexer: { path: (text: string) => number }, work: WorkLimit) {
    this.#work = work
    this.#table = table
    this.#indexer = indexer
    this.#paths = new Int32Array(table.paths.length).fill(-1)
    const { count, lines, addresses } = table.rows
    const sequences: [number, number][] = []
    let first = 0
    for (let row = 0; row < count; row++) {
      if (lines[row] !== END_OF_SEQUENCE) continue
      if (row > first) sequences.push([first, row])
      first = row + 1
    }
    this.#sequences = sequences.toSorted((a, b) => addresses[a[0]] - addresses[b[0]])
  }

  path(file: number): number {
    if (!(file >= 0 && file < this.#paths.length)) return 0
    let row = this.#paths[file]
    if (row < 0) row = this.#paths[file] = this.#indexer.path(this.#table.paths[file])
    return row
  }

  /** Splits a range by lines. Parts without a line come with file, line and column 0. */
  eachIn(start: number, end: number, add: EachLine): void {
    const { addresses, files, lines, columns } = this.#table.rows
    let at = start
    for (let i = this.#sequenceFrom(start); i < this.#sequences.length && at < end; i++) {
      const [first, last] = this.#sequences[i]
      if (addresses[first] >= end) break
      this.#work.spend(1)
      for (let row = rowAt(addresses, first, last, at); row < last && addresses[row] < end; row++) {
        this.#work.spend(1)
        const to = Math.min(addresses[row + 1], end)
        const from = Math.max(addresses[row], at)
        if (to <= from) continue
        if (at < from) add(at, from, 0, 0, 0)
        add(from, to, this.path(files[row]), lines[row], columns[row])
        at = to
      }
    }
    if (at < end) add(at, end, 0, 0, 0)
  }

  /**
   * The lines outside of functions, whose pieces ascend and do not overlap. Lines of a sequence with functions are mostly
   * padding.
   */
  eachOutside(
    functions: readonly (readonly [start: number, end: number])[],
    isCode: (start: number) => boolean,
    add: (...line: [...Parameters<EachLine>, isPadding: boolean]) => void,
  ): void {
    const { addresses } = this.#table.rows
    for (const [first, last] of this.#sequences) {
      if (!isCode(addresses[first])) continue
      let at = addresses[first]
      const end = addresses[last]
      let next = partitionPoint(0, functions.length, i => functions[i][1] <= at)
      const hasFunctions = (functions.at(next)?.[0] ?? end) < end
      const addLine: EachLine = (start, to, file, line, column) => {
        if (line > 0) add(start, to, file, line, column, hasFunctions)
      }
      for (; at < end; next++) {
        const [from, to] = functions.at(next) ?? [end, end]
        if (at < from) this.eachIn(at, Math.min(from, end), addLine)
        at = to
      }
    }
  }

  /** The last sequence that begins at or before an address, or the first one. */
  #sequenceFrom(address: number): number {
    const { addresses } = this.#table.rows
    const after = partitionPoint(0, this.#sequences.length, i => addresses[this.#sequences[i][0]] <= address)
    return Math.max(0, after - 1)
  }
}

/** The last row of a sequence that begins at or before an address, or the first one. */
function rowAt(addresses: Float64Array, first: number, last: number, address: number): number {
  return Math.max(first, partitionPoint(first, last, row => addresses[row] <= address) - 1)
}

/** Splits nested ranges into pieces that do not overlap, each with its innermost instance. */
function* innermostRanges(
  ranges: readonly InstanceRange[],
  instances: readonly FunctionInstance[],
): Generator<InstanceRange> {
  const sorted = ranges.toSorted(
    (a, b) => a.start - b.start || instances[a.instance].depth - instances[b.instance].depth || b.end - a.end,
  )
  const open: InstanceRange[] = []
  let at = -Infinity
  function* advance(to: number): Generator<InstanceRange> {
    for (let top = open.at(-1); top !== undefined && at < to; top = open.at(-1)) {
      if (top.end > at) {
        const end = Math.min(top.end, to)
        yield { start: at, end, instance: top.instance }
        at = end
      }
      if (top.end <= at) open.pop()
    }
  }
  for (const range of sorted) {
    yield* advance(range.start)
    at = Math.max(at, range.start)
    open.push(range)
  }
  yield* advance(Infinity)
}

/** Accepts starts inside the executable part of the image. Relocatable files have no segments: all their code counts. */
function codeFilter(object: ObjectFile): (start: number) => boolean {
  const code = object.segments
    .filter(({ executable }) => executable)
    .map(({ address, memorySize }) => {
      const start = object.base.distance(address)
      return [start, start + memorySize] as const
    })
  if (code.length === 0) return start => start >= 0
  return start => code.some(([from, to]) => start >= from && start < to)
}
