// Finds the symbols of binaries among files: by build id, by name, and by the links between the parts of debug information.
//
//   app ──► app.debug       the same build id, or .gnu_debuglink with a checksum
//   app.debug ──► app.dwp, *.dwo       split units, by name
//   app.debug ──► shared.debug         the supplement of dwz, by build id
import { crc32 } from '../../../wire/compression/crc32.ts'
import type { Codecs } from '../../../wire/compression/compression.ts'
import { breakpadId, htlhash } from '../../../model/attributes/build-id.ts'
import { baseName } from '../../../model/text/frame-name.ts'
import type { BinarySymbols, MappedBinary } from '../apply-symbols.ts'
import { isPackage } from '../dwarf/package-file.ts'
import { SymbolIndex } from '../index/symbol-index.ts'
import { processOfJitdump } from '../listings/jitdump.ts'
import type { ObjectFile, Segment } from '../object/object-file.ts'
import { formatOfSymbols, openObject, readSymbols, type SymbolFormat } from '../read-symbols.ts'
import { SymbolFileError } from '../symbol-file-error.ts'

/** A file that may have symbols. It is read for each use, so that not all files are in memory at once. */
export interface OpenableFile {
  readonly path: string
  /** The first 4 KiB, or all. */
  readonly head: () => Uint8Array
  readonly read: () => Uint8Array
}

export interface SymbolFilesOptions {
  readonly codecs?: Codecs | undefined
  /** A file that is known to have a build id, before all files are looked at. */
  readonly withBuildId?: (buildId: string) => OpenableFile | undefined
  /** Called for a file that is needed and broken. May throw another error. */
  readonly onBroken?: (path: string, error: SymbolFileError) => void
}

/** A binary with its code. */
export interface CodeOfBinary {
  readonly path: string
  readonly machine: string
  readonly segments: readonly Segment[]
}

interface KnownFile extends OpenableFile {
  readonly name: string
  readonly format: SymbolFormat
  readonly buildIds: readonly string[]
  readonly hasDebugInfo: boolean
  readonly isPackage: boolean
  readonly debugLink: ObjectFile['debugLink']
  /** The process of a perf map or a jitdump. */
  readonly pid: bigint | undefined
}

/** The kernel and its modules, as perf and the eBPF profiler name them. */
const KERNEL = /^\[(?:guest\.)?kernel\.kallsyms|^vmlinux|^\[(?!heap|stack|anon|vdso|vsyscall)[\w-]+\]$|\.ko(?:\.\w+)?$/
const DEBUG_INFO = /^(?:\.z?debug_info(?:\.dwo)?|__debug_info)$/

export class SymbolFiles {
  readonly #list: () => Iterable<OpenableFile>
  readonly #options: SymbolFilesOptions
  readonly #byBuildId = new Map<string, KnownFile[]>()
  readonly #byName = new Map<string, KnownFile[]>()
  readonly #lists: KnownFile[] = []
  readonly #indexes = new Map<string, SymbolIndex | undefined>()
  #isScanned = false

  /** `list` is called when the first binary is looked for. */
  constructor(list: () => Iterable<OpenableFile>, options: SymbolFilesOptions = {}) {
    this.#list = list
    this.#options = options
  }

  /** Undefined if no file has a build id of the binary, or, for a binary without build ids, its name. */
  find(binary: MappedBinary): BinarySymbols | undefined {
    const found = this.#filesOf(binary)
    const linked = found.some(({ hasDebugInfo }) => hasDebugInfo) ? [] : found.flatMap(file => this.#linkedBy(file))
    const all = [...linked, ...found]
    // A debug file has lines. The binary itself, if it is there too, knows the segments.
    const best = all.find(({ hasDebugInfo }) => hasDebugInfo) ?? all.at(0) ?? this.#kernelList(binary)
    const symbols = best && this.#read(best)
    if (symbols === undefined || hasOffsets(symbols.segments)) return symbols
    const segments = all
      .filter(file => file !== best)
      .map(file => this.#object(file)?.segments ?? [])
      .find(hasOffsets)
    return { index: symbols.index, segments: segments ?? symbols.segments }
  }

  /**
   * The lists of code that just-in-time compilers wrote in a process; of all processes for undefined. A single list belongs to every
   * process: in a container a process has another number than outside.
   */
  compiled(pid: bigint | undefined): readonly SymbolIndex[] {
    this.#scan()
    const all = this.#lists.filter(file => file.pid !== undefined)
    const own = all.filter(file => pid === undefined || file.pid === pid)
    const used = own.length === 0 && all.length === 1 ? all : own
    return used.map(file => this.#indexOf(file)).filter(index => index !== undefined)
  }

  /** The file with the code of a binary. A debug file has sections of code without content. */
  code(binary: MappedBinary): CodeOfBinary | undefined {
    this.#scan()
    // A known debug file hides the binary, which may be elsewhere.
    const scanned = Object.values(binary.buildIds).flatMap(id => this.#byBuildId.get(id) ?? [])
    for (const file of [...this.#filesOf(binary), ...scanned]) {
      const object = this.#object(file)
      if (object?.format !== 'elf') continue
      const hasCode = object.sections.some(({ executable, content }) => executable && content().length > 0)
      if (hasCode) return { path: file.path, machine: object.machine, segments: object.segments }
    }
    return undefined
  }

  #filesOf({ filename, buildIds }: MappedBinary): readonly KnownFile[] {
    const wanted = Object.values(buildIds)
    if (wanted.length > 0) {
      const ofBreakpad = buildIds.gnu === undefined ? undefined : breakpadId(buildIds.gnu)
      return [...wanted, ...(ofBreakpad === undefined ? [] : [ofBreakpad])].flatMap(id => this.#withBuildId(id))
    }
    const name = baseName(filename)
    if (name === '') return []
    this.#scan()
    return [name, `${name}.debug`, `${name}.sym`].flatMap(each => this.#byName.get(each) ?? [])
  }

  #withBuildId(buildId: string): readonly KnownFile[] {
    const direct = this.#options.withBuildId?.(buildId)
    const known = direct && this.#describe(direct)
    if (known !== undefined) return [known]
    this.#scan()
    return this.#byBuildId.get(buildId) ?? []
  }

  /** The debug file that a stripped binary names, if its checksum is right. */
  #linkedBy({ debugLink }: KnownFile): readonly KnownFile[] {
    if (debugLink === undefined) return []
    this.#scan()
    return (this.#byName.get(debugLink.name) ?? []).filter(({ read }) => {
      const bytes = read()
      return crc32(bytes, 0, bytes.length) >>> 0 === debugLink.crc
    })
  }

  #kernelList({ filename }: MappedBinary): KnownFile | undefined {
    if (!KERNEL.test(baseName(filename))) return undefined
    this.#scan()
    return this.#lists.find(({ format }) => format === 'kallsyms')
  }

  #read(file: KnownFile): BinarySymbols | undefined {
    try {
      const bytes = file.read()
      const { object, index } = readSymbols(bytes, {
        codecs: this.#options.codecs,
        supplement: this.#supplementOf(bytes),
        package: this.#packageOf(file),
        splitUnit: (_, name) => this.#named(baseName(name)),
      })
      return { index: SymbolIndex.open(index), segments: object?.segments ?? [] }
    } catch (error) {
      return this.#broken(file.path, error)
    }
  }

  #indexOf(file: KnownFile): SymbolIndex | undefined {
    if (!this.#indexes.has(file.path)) this.#indexes.set(file.path, this.#read(file)?.index)
    return this.#indexes.get(file.path)
  }

  #supplementOf(bytes: Uint8Array): ObjectFile | undefined {
    const supplement = openObject(bytes, this.#options)?.supplement
    const found = supplement && this.#withBuildId(supplement.buildId).at(0)
    return found && this.#object(found)
  }

  /** `app.dwp` has the split units of `app` and of `app.debug`. */
  #packageOf({ path, name }: KnownFile): ObjectFile | undefined {
    this.#scan()
    const names = [`${name}.dwp`, name.replace(/\.debug$/, '.dwp')]
    const packages = names.flatMap(each => this.#byName.get(each) ?? []).filter(each => each.isPackage)
    const beside = packages.find(each => path.startsWith(each.path.slice(0, -each.name.length)))
    const found = beside ?? packages.at(0)
    return found && this.#object(found)
  }

  #named(name: string): ObjectFile | undefined {
    this.#scan()
    const found = this.#byName.get(name)?.at(0)
    return found && this.#object(found)
  }

  #object({ path, read }: KnownFile): ObjectFile | undefined {
    try {
      return openObject(read(), this.#options)
    } catch (error) {
      return this.#broken(path, error)
    }
  }

  #broken(path: string, error: unknown): undefined {
    if (!(error instanceof SymbolFileError)) throw error
    this.#options.onBroken?.(path, error)
  }

  #scan(): void {
    if (this.#isScanned) return
    this.#isScanned = true
    for (const file of this.#list()) {
      const known = this.#describe(file)
      if (known === undefined) continue
      append(this.#byName, known.name, known)
      for (const id of known.buildIds) append(this.#byBuildId, id, known)
      if (known.pid !== undefined || known.format === 'kallsyms') this.#lists.push(known)
    }
  }

  /** Undefined for other files, and for broken ones: a broken file among many is no reason to stop. */
  #describe(file: OpenableFile): KnownFile | undefined {
    try {
      return describe(file, this.#options)
    } catch (error) {
      if (error instanceof SymbolFileError) return undefined
      throw error
    }
  }
}

function describe(file: OpenableFile, options: SymbolFilesOptions): KnownFile | undefined {
  const format = formatOfSymbols(file.head())
  if (format === undefined) return undefined
  const bytes = file.read()
  const name = baseName(file.path)
  const [, mapPid] = /^perf-(\d+)\.map$/.exec(name) ?? []
  const object = openObject(bytes, options)
  const listed = format === 'breakpad' ? readSymbols(bytes).buildId : undefined
  const buildIds = [object?.buildId ?? listed, object?.goBuildId, object && htlhash(bytes)]
  return {
    ...file,
    name,
    format,
    buildIds: buildIds.filter(id => id !== undefined),
    hasDebugInfo: object?.sections.some(section => DEBUG_INFO.test(section.name)) ?? false,
    isPackage: object !== undefined && isPackage(object),
    debugLink: object?.debugLink,
    pid:
      format === 'jitdump'
        ? processOfJitdump(bytes)
        : format === 'perf-map' && mapPid !== undefined
          ? BigInt(mapPid)
          : undefined,
  }
}

function hasOffsets(segments: readonly Segment[]): boolean {
  return segments.some(({ executable, fileSize }) => executable && fileSize > 0)
}

function append(map: Map<string, KnownFile[]>, key: string, file: KnownFile): void {
  const files = map.get(key)
  if (files === undefined) map.set(key, [file])
  else files.push(file)
}
