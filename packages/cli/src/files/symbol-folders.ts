// Finds the debug files of binaries in folders: in the layout of /usr/lib/debug, or as files anywhere below, by build id.
import { openSync, readSync, closeSync, readFileSync, readdirSync, statSync, existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import type { BinarySymbols, MappedBinary, ObjectFile } from '@hearth/profile'
import { SymbolFileError, SymbolIndex, htlhash, openObject, readSymbols } from '@hearth/profile'
import { CliError } from '../errors.ts'

/** Folders of build machines have some ten thousand files. More are not looked through. */
const MAX_FILES = 200_000

interface FoundFile {
  readonly path: string
  readonly hasDebugInfo: boolean
}

/** The binaries and debug files below some folders. Files are opened when a mapping asks for them. */
export class SymbolFolders {
  readonly #folders: readonly string[]
  /** Every file that is an executable, library or debug file, by build id and by name. */
  #byBuildId: Map<string, FoundFile[]> | undefined
  readonly #byName = new Map<string, FoundFile[]>()

  constructor(folders: readonly string[]) {
    for (const folder of folders) {
      if (!existsSync(folder)) {
        throw new CliError(
          2,
          `--symbols: ${folder} does not exist`,
          'Use a folder or file with binaries or debug files.',
        )
      }
    }
    this.#folders = folders
  }

  /** The symbols of a mapping's binary. Undefined if no file has its build id, or, without a build id, its name. */
  find({ filename, buildIds }: MappedBinary): BinarySymbols | undefined {
    const found = this.#files({ filename, buildIds })
    // A debug file has lines. The binary itself, if it is there too, knows the segments.
    const best = found.find(({ hasDebugInfo }) => hasDebugInfo) ?? found.at(0)
    if (best === undefined) return undefined
    const symbols = this.#read(best.path)
    const binary = found.find(({ path }) => path !== best.path)
    const segments = (binary === undefined ? undefined : this.#object(binary.path)?.segments) ?? symbols.segments
    return { index: symbols.index, segments: hasOffsets(segments) ? segments : symbols.segments }
  }

  /** The binary itself, if its code is there. */
  code(binary: MappedBinary): { path: string; machine: string; segments: BinarySymbols['segments'] } | undefined {
    for (const { path } of [...this.#files(binary), ...this.#scannedFiles(binary)]) {
      const object = this.#object(path)
      if (object?.format !== 'elf') continue
      const hasCode = object.sections.some(({ executable, content }) => executable && content().length > 0)
      if (hasCode) return { path, machine: object.machine, segments: object.segments }
    }
    return undefined
  }

  #files({ filename, buildIds }: MappedBinary): readonly FoundFile[] {
    const wanted = Object.values(buildIds)
    if (wanted.length > 0) return wanted.flatMap(buildId => this.#withBuildId(buildId))
    return filename === '' ? [] : (this.#scanned(), this.#byName.get(basename(filename)) ?? [])
  }

  /** A debug file in the layout of /usr/lib/debug hides the binary, which may be in another folder. */
  #scannedFiles({ buildIds }: MappedBinary): readonly FoundFile[] {
    return Object.values(buildIds).flatMap(buildId => this.#scanned().get(buildId) ?? [])
  }

  #read(path: string): BinarySymbols {
    try {
      const bytes = new Uint8Array(readFileSync(path))
      const { object, index } = readSymbols(bytes, {
        codecs: nodeCodecs,
        supplement: this.#supplementOf(bytes),
        package: this.#package(path),
        splitUnit: (_, name) => this.#splitUnit(name),
      })
      return { index: SymbolIndex.open(index), segments: object?.segments ?? [] }
    } catch (error) {
      if (!(error instanceof SymbolFileError)) throw error
      throw new CliError(1, `${path}: ${error.message}`, 'Remove the broken file from the folder.', { cause: error })
    }
  }

  #supplementOf(bytes: Uint8Array): ObjectFile | undefined {
    const supplement = openObject(bytes, { codecs: nodeCodecs })?.supplement
    if (supplement === undefined) return undefined
    const found = this.#withBuildId(supplement.buildId).at(0)
    return found && this.#object(found.path)
  }

  #splitUnit(name: string): ObjectFile | undefined {
    this.#scanned()
    const found = this.#byName.get(basename(name))?.at(0)
    return found && this.#object(found.path)
  }

  /** `app.dwp` has the split units of `app` and of `app.debug`. */
  #package(path: string): ObjectFile | undefined {
    const names = [`${path}.dwp`, path.replace(/\.debug$/, '.dwp')]
    const beside = names.find(each => existsSync(each))
    if (beside !== undefined) return this.#object(beside)
    this.#scanned()
    const found = names.flatMap(each => this.#byName.get(basename(each)) ?? []).at(0)
    return found && this.#object(found.path)
  }

  #object(path: string): ObjectFile | undefined {
    return openObject(new Uint8Array(readFileSync(path)), { codecs: nodeCodecs })
  }

  #withBuildId(buildId: string): readonly FoundFile[] {
    const direct = this.#folders
      .flatMap(folder => ['', 'usr/lib/debug', 'lib/debug'].map(below => join(folder, below, '.build-id')))
      .map(folder => join(folder, buildId.slice(0, 2), `${buildId.slice(2)}.debug`))
      .find(path => existsSync(path))
    if (direct !== undefined) return [{ path: direct, hasDebugInfo: true }]
    return this.#scanned().get(buildId) ?? []
  }

  #scanned(): Map<string, FoundFile[]> {
    if (this.#byBuildId !== undefined) return this.#byBuildId
    const byBuildId = (this.#byBuildId = new Map<string, FoundFile[]>())
    let files = 0
    for (const path of this.#folders.flatMap(filesBelow)) {
      if (++files > MAX_FILES) {
        throw new CliError(1, `--symbols: more than ${MAX_FILES} files`, 'Use a smaller folder.')
      }
      if (!isObjectFile(path)) continue
      const bytes = new Uint8Array(readFileSync(path))
      const object = openOrSkip(bytes)
      if (object === undefined) continue
      const hasDebugInfo = object.sections.some(({ name }) => /^(?:\.z?debug_info|__debug_info)$/.test(name))
      const found = { path, hasDebugInfo }
      append(this.#byName, basename(path), found)
      for (const id of [object.buildId, object.goBuildId, htlhash(bytes)]) {
        if (id !== undefined) append(byBuildId, id, found)
      }
    }
    return byBuildId
  }
}

/** A broken file in a folder of many is no reason to stop: its binary stays without names. */
function openOrSkip(bytes: Uint8Array): ObjectFile | undefined {
  try {
    return openObject(bytes, { codecs: nodeCodecs })
  } catch (error) {
    if (error instanceof SymbolFileError) return undefined
    throw error
  }
}

function hasOffsets(segments: BinarySymbols['segments']): boolean {
  return segments.some(({ executable, fileSize }) => executable && fileSize > 0)
}

function append(map: Map<string, FoundFile[]>, key: string, file: FoundFile): void {
  const files = map.get(key)
  if (files === undefined) map.set(key, [file])
  else files.push(file)
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** Looks at the first bytes only: ELF, Mach-O, universal Mach-O, PE. */
function isObjectFile(path: string): boolean {
  const head = Buffer.alloc(4)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, head, 0, 4, 0) < 4) return false
  } finally {
    closeSync(file)
  }
  const magic = head.toString('hex')
  return ['7f454c46', 'cefaedfe', 'cffaedfe', 'cafebabe'].includes(magic) || magic.startsWith('4d5a')
}
