// A folder of debug files with their indexes, within a limit:
//
//   FOLDER/ID/file         as it was received
//   FOLDER/ID/index        bytes of a SymbolIndex, used without parsing
//   FOLDER/ID/about.json   written before the folder gets its name
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AboutFile } from './about-file.ts'
import { parseAbout } from './about-file.ts'
import { SymbolError } from './symbol-error.ts'

export interface StoredFile {
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
  readonly #files = new Map<string, StoredFile>()
  readonly #byBuildId = new Map<string, Set<StoredFile>>()
  #bytes = 0

  constructor(options: AreaOptions) {
    this.#options = options
    const { folder } = options
    mkdirSync(folder, { recursive: true })
    const found: StoredFile[] = []
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const about = entry.isDirectory() ? readAbout(path) : undefined
      if (about?.id === entry.name) found.push({ about, folder: path })
      // A rename that a crash interrupted, or a description of another version.
      else rmSync(path, { recursive: true, force: true })
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
  get files(): readonly StoredFile[] {
    return [...this.#files.values()]
  }

  get(id: string): StoredFile | undefined {
    return this.#files.get(id)
  }

  /** The files with any of the build ids. They count as used. */
  find(buildIds: readonly string[]): readonly StoredFile[] {
    const found = new Set<StoredFile>()
    for (const buildId of buildIds) for (const file of this.#byBuildId.get(buildId) ?? []) found.add(file)
    for (const file of found) {
      this.#files.delete(file.about.id)
      this.#files.set(file.about.id, file)
    }
    return [...found]
  }

  /** Throws SymbolError if a file of this size does not fit. */
  checkRoom(bytes: number): void {
    const { maxBytes, whenFull } = this.#options
    if (bytes > maxBytes || (whenFull === 'reject' && this.#bytes + bytes > maxBytes)) {
      throw new SymbolError(
        'quota',
        `${bytes} bytes more than the ${this.#bytes} in use exceed the quota for symbols of ${maxBytes} bytes; delete files, or raise symbols-quota`,
      )
    }
  }

  /** Moves the folder with `file` and `index` into the area. Replaces a file with the same content. */
  async add(incoming: string, about: AboutFile): Promise<StoredFile> {
    const known = this.#files.get(about.id)
    this.checkRoom(sizeOf(about) - (known === undefined ? 0 : sizeOf(known.about)))
    await writeFile(join(incoming, 'about.json'), JSON.stringify(about))
    const folder = join(this.#options.folder, about.id)
    if (known !== undefined) this.#remove(known)
    await rm(folder, { recursive: true, force: true })
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
    await rm(file.folder, { recursive: true, force: true })
    return true
  }

  async #trim(kept: string): Promise<void> {
    for (const id of this.#files.keys()) {
      if (this.#bytes <= this.#options.maxBytes) break
      if (id !== kept) await this.remove(id)
    }
  }

  #insert(file: StoredFile): void {
    const { about } = file
    this.#files.set(about.id, file)
    this.#bytes += sizeOf(about)
    for (const buildId of about.buildIds) {
      const files = this.#byBuildId.get(buildId) ?? new Set()
      this.#byBuildId.set(buildId, files.add(file))
    }
  }

  #remove(file: StoredFile): void {
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

function readAbout(folder: string): AboutFile | undefined {
  try {
    return parseAbout(readFileSync(join(folder, 'about.json'), 'utf8'))
  } catch {
    return undefined
  }
}
