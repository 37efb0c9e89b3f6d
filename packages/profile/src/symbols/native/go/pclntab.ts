// Go's table of functions and lines (pclntab), which is in every Go binary, stripped or not. Versions 1.2, 1.16, 1.18 and 1.20
// differ in their headers and in the width of fields. From Go 1.12 on the calls that were inlined are read too. Earlier
// tables name the outer function only.
//
//   header ─► functions: entry, offset ─► function: name, tables of pc ─► file, line, inlined call
import { ByteCursor } from '../byte-cursor.ts'
import { NO_NODE, type IndexBuilder } from '../index/index-builder.ts'
import { sectionNamed, type ObjectFile } from '../object/object-file.ts'
import { SymbolFileError } from '../symbol-file-error.ts'
import { WorkLimit } from '../work-limit.ts'

const MAGICS = new Map([
  [0xffff_fffb, 12],
  [0xffff_fffa, 116],
  [0xffff_fff0, 118],
  [0xffff_fff1, 120],
])

const INLINE_TREE_PCDATA = 2
const INLINE_TREE_FUNCDATA = 3
/** Before Go 1.16. */
const FORMER_INLINE_TREE_FUNCDATA = 4
const NO_FUNCDATA = 0xffff_ffff

/** Bounds what a broken count can make the reader do. Large Go programs have some 200,000 functions. */
const MAX_FUNCTIONS = 5_000_000
const MAX_INLINE_DEPTH = 1000

interface Tables {
  readonly version: number
  readonly pointerBytes: number
  readonly quantum: number
  readonly count: number
  /** The address that entries count from, as a distance from the image base. */
  readonly text: number
  readonly names: ByteCursor
  readonly units: ByteCursor
  readonly files: ByteCursor
  readonly pcs: ByteCursor
  readonly work: WorkLimit
  readonly functions: ByteCursor
  /** The data that inline trees are in, from the base of `funcdata` offsets on. */
  readonly funcdata: ByteCursor | undefined
  /** The distance of the data from the image base, which pointers to it count from. */
  readonly funcdataStart: number
}

interface GoFunction {
  readonly entry: number
  readonly name: string
  readonly startLine: number
  readonly fileTable: number
  readonly lineTable: number
  readonly unit: number
  readonly inlineTable: number
  readonly inlineTree: number
}

/** Finds the table in its section, or in one of data, where position-independent and stripped binaries may have it. */
function findPclntab(object: ObjectFile): { bytes: Uint8Array; address: bigint } | undefined {
  const named = sectionNamed(object, '.gopclntab', '.data.rel.ro.gopclntab', '__gopclntab')
  if (named !== undefined) return { bytes: named.content(), address: named.address }
  for (const section of object.sections) {
    if (!/^(?:\.rodata|\.data\.rel\.ro|__rodata|\.rdata)$/.test(section.name)) continue
    const bytes = section.content()
    for (let at = 0; at + 16 < bytes.length; at += 4) {
      if (isHeader(bytes, at, object.littleEndian))
        return { bytes: bytes.subarray(at), address: section.address + BigInt(at) }
    }
  }
  return undefined
}

/** The word of the magic, then two zeros, the instruction quantum and the pointer size. */
function isHeader(bytes: Uint8Array, at: number, littleEndian: boolean): boolean {
  if (bytes[at + 1] !== 0xff || bytes[at + 2] !== 0xff) return false
  const quantum = bytes[at + 6]
  const pointerBytes = bytes[at + 7]
  return (
    bytes[littleEndian ? at + 3 : at] === 0xff &&
    [0xfb, 0xfa, 0xf0, 0xf1].includes(bytes[littleEndian ? at : at + 3]) &&
    bytes[at + 4] === 0 &&
    bytes[at + 5] === 0 &&
    (quantum === 1 || quantum === 2 || quantum === 4) &&
    (pointerBytes === 4 || pointerBytes === 8)
  )
}

/** Adds every Go function to the index. Returns how many, or undefined if the file has no such table. */
export function indexPclntab(object: ObjectFile, index: IndexBuilder): number | undefined {
  const found = findPclntab(object)
  if (found === undefined || found.bytes.length < 16) return undefined
  const tables = readHeader(object, found.bytes, found.address)
  const indexer = new PclntabIndexer(object, tables, index)
  for (let row = 0; row < tables.count; row++) indexer.indexFunction(row)
  return tables.count
}

function readHeader(object: ObjectFile, bytes: Uint8Array, address: bigint): Tables {
  const cursor = new ByteCursor('pclntab', bytes, object.littleEndian)
  const version = MAGICS.get(cursor.u32())
  if (version === undefined || !isHeader(bytes, 0, object.littleEndian)) {
    throw new SymbolFileError('pclntab', 'unknown version', 0)
  }
  const quantum = bytes[6]
  const pointerBytes = bytes[7]
  const wide = pointerBytes === 8
  cursor.seek(8)
  const count = cursor.size(wide)
  if (count > MAX_FUNCTIONS || count * 4 > bytes.length) throw cursor.error(`${count} functions`)
  const part = (offset: number): ByteCursor => {
    if (offset > bytes.length) throw cursor.error(`a table at ${offset} is outside the section`)
    return new ByteCursor('pclntab', bytes.subarray(offset), object.littleEndian)
  }
  if (version === 12) {
    const functions = part(8 + pointerBytes)
    const fileTable = functions.seek((count * 2 + 1) * pointerBytes).u32()
    const whole = part(0)
    return {
      version,
      pointerBytes,
      quantum,
      count,
      functions,
      text: 0,
      names: whole,
      units: whole,
      files: part(fileTable),
      pcs: whole,
      work: workOf(whole),
      ...inlineTreesBeforeModules(object),
    }
  }
  cursor.skip(pointerBytes)
  const textStart = version >= 118 ? cursor.address(wide, object.base) : 0
  const [names, units, files, pcs, functions] = Array.from({ length: 5 }, () => part(cursor.size(wide)))
  const module = version >= 118 ? findModule(object, { address, bytes, version, wide }) : undefined
  const trees = version >= 118 ? { funcdata: module?.funcdata, funcdataStart: 0 } : inlineTreesBeforeModules(object)
  return {
    version,
    pointerBytes,
    quantum,
    count,
    names,
    units,
    files,
    pcs,
    work: workOf(pcs),
    functions,
    text: module?.text ?? (textStart >= 0 ? textStart : textSection(object)),
    ...trees,
  }
}

/** Before version 118 functions have pointers to the data of their inlined calls. It is in one section. */
function inlineTreesBeforeModules(object: ObjectFile): Pick<Tables, 'funcdata' | 'funcdataStart'> {
  const section = sectionNamed(object, '.rodata', '.data.rel.ro', '__rodata', '.rdata')
  if (section === undefined) return { funcdata: undefined, funcdataStart: 0 }
  const funcdata = new ByteCursor('function data', section.content(), object.littleEndian)
  return { funcdata, funcdataStart: object.base.distance(section.address) }
}

/** A function's tables are read again for every call that was inlined into it. */
function workOf(pcs: ByteCursor): WorkLimit {
  return new WorkLimit('pclntab', 16 * pcs.end)
}

function textSection(object: ObjectFile): number {
  const text = sectionNamed(object, '.text', '__text')
  return text === undefined ? 0 : object.base.distance(text.address)
}

/** The fields of the runtime's description of the program that the reader needs, by version. */
const MODULE_FIELDS = { 118: { text: 22, gofunc: [38] }, 120: { text: 22, gofunc: [43, 40] } } as const

/**
 * The runtime's description of the program begins with a pointer to the table and says where text and function data begin. With an
 * external linker, position-independent files can have the pointers in relocations only: then nothing is found.
 */
function findModule(
  object: ObjectFile,
  { address, bytes: table, version, wide }: { address: bigint; bytes: Uint8Array; version: number; wide: boolean },
): { text: number; funcdata: ByteCursor | undefined } | undefined {
  const pointerBytes = wide ? 8 : 4
  const fields = MODULE_FIELDS[version >= 120 ? 120 : 118]
  const bytesOfFields = (Math.max(...fields.gofunc) + 2) * pointerBytes
  const start = object.base.distance(address)
  for (const section of object.sections) {
    if (!MODULE_SECTION.test(section.name)) continue
    const bytes = section.content()
    const cursor = new ByteCursor('module data', bytes, object.littleEndian)
    for (let at = 0; at + bytesOfFields <= bytes.length; at += pointerBytes) {
      if (cursor.seek(at).address(wide, object.base) !== start) continue
      const pointer = (field: number): number => cursor.seek(at + field * pointerBytes).address(wide, object.base)
      const text = pointer(fields.text)
      if (!(text >= 0 && text < pointer(fields.text + 1))) continue
      // From Go 1.26 on the function data is in the table, and the next field is the end of the table. Go 1.27 has more fields before.
      const isInTable = (field: number): boolean =>
        pointer(field) > start && pointer(field) <= pointer(field + 1) && pointer(field + 1) <= start + table.length
      const [last] = fields.gofunc
      const gofunc = isInTable(last) ? last : fields.gofunc[fields.gofunc.length - 1]
      return { text, funcdata: dataFrom(object, pointer(gofunc)) }
    }
  }
  return undefined
}

/** The sections that can have the description of the program. */
const MODULE_SECTION = /^(?:\.go\.module|\.noptrdata|\.data|\.data\.rel\.ro|__go_module|__noptrdata|__data)$/

function dataFrom(object: ObjectFile, distance: number): ByteCursor | undefined {
  for (const section of object.sections) {
    const start = object.base.distance(section.address)
    if (section.address === 0n || distance < start || distance >= start + section.size) continue
    return new ByteCursor('function data', section.content().subarray(distance - start), object.littleEndian)
  }
  return undefined
}

class PclntabIndexer {
  readonly #object: ObjectFile
  #tables: Tables
  readonly #index: IndexBuilder
  readonly #paths = new Map<number, number>()

  constructor(object: ObjectFile, tables: Tables, index: IndexBuilder) {
    this.#object = object
    this.#tables = tables
    this.#index = index
  }

  indexFunction(row: number): void {
    try {
      this.#indexFunction(row)
    } catch (error) {
      // A later version of Go can have the data of inlined calls at another place. Functions and lines do not need it.
      if (!(error instanceof SymbolFileError) || this.#tables.funcdata === undefined) throw error
      this.#tables = { ...this.#tables, funcdata: undefined }
      this.#indexFunction(row)
    }
  }

  #indexFunction(row: number): void {
    const { entry, end, offset } = this.#row(row)
    if (!(entry >= 0 && entry < end)) return
    const found = this.#read(entry, offset)
    const files = new PcTable(this.#tables, found.fileTable, entry)
    const lines = new PcTable(this.#tables, found.lineTable, entry)
    const inlined = new PcTable(this.#tables, found.inlineTable, entry)
    const calls = new InlinedCalls(this.#tables, found, this.#index, pc => ({
      file: this.#path(found, new PcTable(this.#tables, found.fileTable, entry).valueAt(pc)),
      line: new PcTable(this.#tables, found.lineTable, entry).valueAt(pc),
      call: new PcTable(this.#tables, found.inlineTable, entry).valueAt(pc),
    }))
    this.#index.startRun()
    for (let at = entry; at < end;) {
      const file = this.#path(found, files.valueAt(at))
      const line = Math.max(0, lines.valueAt(at))
      const to = Math.min(end, files.end, lines.end, inlined.endAt(at))
      if (!(to > at)) return
      this.#index.interval(at, to, calls.node(inlined.valueAt(at), file, line))
      at = to
    }
  }

  #row(row: number): { entry: number; end: number; offset: number } {
    const { version, pointerBytes, functions, text } = this.#tables
    const wide = pointerBytes === 8
    if (version >= 118) {
      functions.seek(row * 8)
      const entry = text + functions.u32()
      const offset = functions.u32()
      return { entry, offset, end: text + functions.u32() }
    }
    functions.seek(row * 2 * pointerBytes)
    const entry = functions.address(wide, this.#object.base)
    const offset = functions.size(wide)
    return { entry, offset, end: functions.address(wide, this.#object.base) }
  }

  #read(entry: number, offset: number): GoFunction {
    const { version, pointerBytes, functions, names, pcs, funcdata, funcdataStart } = this.#tables
    // In version 1.2 offsets count from the header, of which `pcs` is a cursor.
    const cursor = version === 12 ? new ByteCursor('pclntab', pcs.bytes, pcs.littleEndian) : functions
    cursor.seek(offset)
    cursor.skip(version >= 118 ? 4 : pointerBytes)
    const name = names.textAt(cursor.u32())
    cursor.skip(8 + 4)
    const fileTable = cursor.u32()
    const lineTable = cursor.u32()
    const pcdataCount = cursor.u32()
    const unit = version >= 116 ? cursor.u32() : 0
    const startLine = version >= 120 ? cursor.i32() : 0
    cursor.skip(3)
    const funcdataCount = cursor.u8()
    const tables = cursor.at
    let inlineTable = 0
    let inlineTree = NO_FUNCDATA
    const treeFuncdata = version === 12 ? FORMER_INLINE_TREE_FUNCDATA : INLINE_TREE_FUNCDATA
    if (pcdataCount > INLINE_TREE_PCDATA && funcdataCount > treeFuncdata) {
      inlineTable = cursor.seek(tables + INLINE_TREE_PCDATA * 4).u32()
      if (version >= 118) inlineTree = cursor.seek(tables + (pcdataCount + treeFuncdata) * 4).u32()
      else {
        // Functions begin at a multiple of the size of pointers.
        const pointers = offset + Math.ceil((tables + pcdataCount * 4 - offset) / pointerBytes) * pointerBytes
        const start = cursor.seek(pointers + treeFuncdata * pointerBytes).address(pointerBytes === 8, this.#object.base)
        const isKnown = funcdata !== undefined && start >= funcdataStart && start - funcdataStart < funcdata.end
        if (isKnown) inlineTree = start - funcdataStart
      }
    }
    return { entry, name, startLine, fileTable, lineTable, unit, inlineTable, inlineTree }
  }

  #path({ unit }: GoFunction, file: number): number {
    const { version, units, files, names } = this.#tables
    if (file < 0) return 0
    const key = version >= 116 ? unit + file : file
    let path = this.#paths.get(key)
    if (path === undefined) {
      if (version >= 116) {
        const offset = units.seek(key * 4).u32()
        path = offset === 0xffff_ffff ? 0 : this.#index.string(files.textAt(offset))
      } else {
        path = this.#index.string(names.textAt(files.seek(file * 4).u32()))
      }
      this.#paths.set(key, path)
    }
    return path
  }
}

interface CallSite {
  readonly file: number
  readonly line: number
  readonly call: number
}

/** The nodes of a function and of the calls that were inlined into it. */
class InlinedCalls {
  readonly #tables: Tables
  readonly #function: GoFunction
  readonly #index: IndexBuilder
  readonly #siteAt: (pc: number) => CallSite
  readonly #parents = new Map<number, { readonly name: string; readonly startLine: number; readonly parent: number }>()
  #depth = 0

  constructor(tables: Tables, found: GoFunction, index: IndexBuilder, siteAt: (pc: number) => CallSite) {
    this.#tables = tables
    this.#function = found
    this.#index = index
    this.#siteAt = siteAt
  }

  /** `call` is a row of the inline tree, or negative for the function's own code. */
  node(call: number, file: number, line: number): number {
    const { funcdata } = this.#tables
    const { name, startLine, inlineTree } = this.#function
    if (call < 0 || funcdata === undefined || inlineTree === NO_FUNCDATA) {
      return this.#index.node(this.#index.function(name, startLine), file, line, 0, NO_NODE)
    }
    const inlined = this.#inlined(call)
    return this.#index.node(this.#index.function(inlined.name, inlined.startLine), file, line, 0, inlined.parent)
  }

  #inlined(call: number): { name: string; startLine: number; parent: number } {
    let known = this.#parents.get(call)
    if (known === undefined) {
      const { funcdata, names, version } = this.#tables
      const cursor = funcdata!
      const wide = version >= 120 ? 16 : 20
      cursor.seek(this.#function.inlineTree + call * wide)
      cursor.skip(version >= 120 ? 4 : 12)
      const name = names.textAt(cursor.u32())
      const pc = this.#function.entry + cursor.i32()
      const startLine = version >= 120 ? cursor.i32() : 0
      if (++this.#depth > MAX_INLINE_DEPTH) throw cursor.error('inlined calls form a cycle')
      const site = this.#siteAt(pc)
      known = { name, startLine, parent: this.node(site.call, site.file, Math.max(0, site.line)) }
      this.#depth--
      this.#parents.set(call, known)
    }
    return known
  }
}

/** A table from pc to a value, as differences: each pair is a change of the value and the length of its range. */
class PcTable {
  #value = -1
  #end: number
  #done: boolean
  #at: number
  readonly #start: number
  readonly #cursor: ByteCursor
  readonly #quantum: number
  readonly #work: WorkLimit

  /** Offset 0 means that there is no table. */
  constructor({ pcs, quantum, work }: Tables, offset: number, entry: number) {
    this.#cursor = pcs
    this.#work = work
    this.#quantum = quantum
    this.#at = offset
    this.#start = entry
    this.#end = entry
    this.#done = offset === 0
  }

  get end(): number {
    return this.#done ? Infinity : this.#end
  }

  endAt(pc: number): number {
    this.valueAt(pc)
    return this.end
  }

  /** The value at an address; -1 without a table. Addresses must not descend. */
  valueAt(pc: number): number {
    const cursor = this.#cursor
    while (!this.#done && this.#end <= pc) {
      cursor.seek(this.#at)
      this.#work.spend(1)
      const change = cursor.uleb()
      // A change of 0 ends the table, except in its first pair.
      if (change === 0 && this.#end !== this.#start) {
        this.#done = true
        this.#value = -1
        break
      }
      this.#value += change % 2 === 0 ? change / 2 : -(change + 1) / 2
      this.#end += cursor.uleb() * this.#quantum
      this.#at = cursor.at
    }
    return this.#value
  }
}
