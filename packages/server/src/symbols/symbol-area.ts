// A folder of debug files with their indexes, within a limit:
//
//   FOLDER/ID/file         as it was received
//   FOLDER/ID/index        bytes of a SymbolIndex, used without parsing
//   FOLDER/ID/about.json   a state file, written before the folder gets its name
import type { Dirent } from 'node:fs'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DAMAGED, StateFile, damagedName } from '../files/state-file.ts'
import type { AboutFile } from './about-file.ts'
import { parseAbout } from './about-file.ts'
import { DebugFileError } from './debug-file-error.ts'

export interface StoredDebugFile {
  readonly about: AboutFile
  readonly folder: string
}

export interface AreaOptions {
  readonly folder: string
  readonly maxBytes: number
  /** A full area rejects a file, or drops the files that were not used for the longest time. */
  readonly whenFull: 'reject' | 'drop'
}

export class SymbolArea {
  readonly #options: AreaOptions
  /** The least recently used first. */
  readonly #files = new Map<string, StoredDebugFile>()
  readonly #byBuildId = new Map<string, Set<StoredDebugFile>>()
  #bytes = 0

  constructor(options: AreaOptions) {
    this.#options = options
    const { folder } = options
    mkdirSync(folder, { recursive: true })
    const found: StoredDebugFile[] = []
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.includes(DAMAGED)) continue
      const about = this.#read(entry)
      if (about !== undefined) found.push({ about, folder: join(folder, entry.name) })
    }
    for (const file of found.toSorted((a, b) => a.about.created - b.about.created)) this.#insert(file)
  }

  get bytes(): number {
    return this.#bytes
  }

  get maxBytes(): number {
    return this.#options.maxBytes
  }

  /** The oldest or least recently used first. */
  get files(): readonly StoredDebugFile[] {
    return [...this.#files.values()]
  }

  get(id: string): StoredDebugFile | undefined {
    return this.#files.get(id)
  }

  /** The files with any of the build ids. They count as used. */
  find(buildIds: readonly string[]): readonly StoredDebugFile[] {
    const found = new Set<StoredDebugFile>()
    for (const buildId of buildIds) for (const file of this.#byBuildId.get(buildId) ?? []) found.add(file)
    for (const file of found) {
      this.#files.delete(file.about.id)
      this.#files.set(file.about.id, file)
    }
    return [...found]
  }

  /** Throws DebugFileError if a file of this size does not fit. */
  checkRoom(bytes: number): void {
    const { maxBytes, whenFull } = this.#options
    if (bytes > maxBytes || (whenFull === 'reject' && this.#bytes + bytes > maxBytes)) {
      throw new DebugFileError(
        'quota',
        `${bytes} bytes more than the ${this.#bytes} in use exceed the quota for symbols of ${maxBytes} bytes; delete files, or raise symbols-quota`,
      )
    }
  }

  /** Moves the folder with `file` and `index` into the area. Replaces a file with the same content. */
  async add(incoming: string, about: AboutFile): Promise<StoredDebugFile> {
    const known = this.#files.get(about.id)
    this.checkRoom(sizeOf(about) - (known === undefined ? 0 : sizeOf(known.about)))
    await this.#aboutFile(incoming).write(about)
    const folder = join(this.#options.folder, about.id)
    if (known !== undefined) this.#remove(known)
    await this.#delete(folder)
    await mkdir(this.#options.folder, { recursive: true })
    await rename(incoming, folder)
    const added = { about, folder }
    this.#insert(added)
    if (this.#options.whenFull === 'drop') await this.#trim(about.id)
    return added
  }

  async remove(id: string): Promise<boolean> {
    const file = this.#files.get(id)
    if (file === undefined) return false
    this.#remove(file)
    await this.#delete(file.folder)
    return true
  }

  /** Undefined if the folder has no intact description. A damaged upload is kept under another name. */
  #read(entry: Dirent): AboutFile | undefined {
    const { folder, whenFull } = this.#options
    const path = join(folder, entry.name)
    const read = entry.isDirectory() ? this.#aboutFile(path).read() : undefined
    if (read?.content?.id === entry.name) return read.content
    // Without a description, a crash has interrupted its deletion.
    const isRest = read?.content === undefined && read?.damage === undefined
    if (isRest || whenFull === 'drop') rmSync(path, { recursive: true, force: true })
    else renameSync(path, damagedName(path))
    return undefined
  }

  #aboutFile(folder: string): StateFile<AboutFile> {
    // A file of a cache can be fetched again.
    const shortLived = this.#options.whenFull === 'drop'
    return new StateFile(join(folder, 'about.json'), { parse: parseAbout, optional: true, durable: false, shortLived })
  }

  /** The description goes first, so that nothing takes the rest for a complete file. */
  async #delete(folder: string): Promise<void> {
    await this.#aboutFile(folder).remove()
    await rm(folder, { recursive: true, force: true })
  }

  async #trim(kept: string): Promise<void> {
    for (const id of this.#files.keys()) {
      if (this.#bytes <= this.#options.maxBytes) break
      if (id !== kept) await this.remove(id)
    }
  }

  #insert(file: StoredDebugFile): void {
    const { about } = file
    this.#files.set(about.id, file)
    this.#bytes += sizeOf(about)
    for (const buildId of about.buildIds) {
      const files = this.#byBuildId.get(buildId) ?? new Set()
      this.#byBuildId.set(buildId, files.add(file))
    }
  }

  #remove(file: StoredDebugFile): void {
    const { about } = file
    this.#files.delete(about.id)
    this.#bytes -= sizeOf(about)
    for (const buildId of about.buildIds) {
      const files = this.#byBuildId.get(buildId)
      files?.delete(file)
      if (files?.size === 0) this.#byBuildId.delete(buildId)
    }
  }
}

export function sizeOf({ fileBytes, indexBytes }: AboutFile): number {
  return fileBytes + indexBytes
}
