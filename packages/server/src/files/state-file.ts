// A small JSON file that survives crashes and damage. A write is atomic, adds a checksum and keeps the previous version:
//   NAME                   { "check": CRC-32 of the content as compact JSON, "content": … }
//   NAME.previous          the version before. A new file has a copy of its first version
//   NAME.damaged-TIME      a version that was damaged. It is never overwritten or deleted
// A file without a checksum is accepted if it has the right shape, because an earlier version of Hearth may have written it.
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { copyFile, link, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { FileDisk } from './file-disk.ts'
import { errorCode, realFileDisk } from './file-disk.ts'

/** The file is damaged and has no intact previous version, or its content has the wrong shape. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

export interface StateFileOptions<Content> {
  /** Checks the shape of the content. Throws an error whose message names the invalid part. */
  readonly parse: (json: unknown) => Content
  readonly disk?: FileDisk
  /** Whether a write waits until it would survive a power loss. Default: true. */
  readonly durable?: boolean
  /** A file without an intact version counts as missing instead of throwing. The damaged file is kept. */
  readonly optional?: boolean
  /** The file is written often and removed soon, so that a copy of its first version is not worth its time. */
  readonly shortLived?: boolean
}

export interface StateRead<Content> {
  /** Undefined if there is no file. */
  readonly content: Content | undefined
  /** Describes the damage if the previous version or none is used. */
  readonly damage: string | undefined
}

export const PREVIOUS = '.previous'
export const DAMAGED = '.damaged-'

export class StateFile<Content> {
  readonly path: string
  readonly #options: StateFileOptions<Content>

  constructor(path: string, options: StateFileOptions<Content>) {
    this.path = path
    this.#options = options
  }

  /**
   * Returns the newest intact version. Moves a damaged file aside. Throws StateFileError if no version is intact, unless the
   * file is optional. Also throws it if the content has a wrong shape: then nothing is moved.
   */
  read(): StateRead<Content> {
    const text = readIfPresent(this.path)
    const state = this.#checked(text)
    if (state.fault === undefined) return { content: state.content, damage: undefined }
    const previous = this.#checked(readIfPresent(this.path + PREVIOUS))
    if (text === undefined && previous.fault === MISSING) return { content: undefined, damage: undefined }
    // A power loss without sync leaves empty files.
    if (text?.trim() === '' && previous.fault === MISSING)
      return { content: undefined, damage: `${this.path} is empty, and it has no previous version` }
    if (previous.fault !== undefined && this.#options.optional !== true)
      throw new StateFileError(`${this.path} ${state.fault}, and it has no intact previous version`)
    return {
      content: previous.content,
      damage: this.#setAside(state.fault, text !== undefined, previous.fault === undefined),
    }
  }

  /** Checks the content first, so that a file can always be read back. */
  async write(content: Content): Promise<void> {
    const { disk = realFileDisk, durable = true } = this.#options
    const current = await readFile(this.path, 'utf8').catch(undefinedIfMissing)
    for (const [from, to, text] of this.#renames(content, current)) {
      if (text !== undefined) await disk.write(from, [Buffer.from(text)], durable)
      await disk.rename(from, to)
    }
    if (durable) await disk.syncDirectory(dirname(this.path))
  }

  writeSync(content: Content): void {
    fs.mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    for (const [from, to, text] of this.#renames(content, readIfPresent(this.path))) {
      if (text !== undefined) {
        fs.writeFileSync(from, text, { mode: 0o600, flush: true })
        keepOwner(from)
      }
      fs.renameSync(from, to)
    }
    syncDirectory(dirname(this.path))
  }

  /** Removes the file and its previous version. Damaged versions stay. */
  async remove(): Promise<void> {
    const { disk = realFileDisk, durable = true } = this.#options
    // The previous version first: alone, it would look like a lost file.
    for (const path of [this.path + PREVIOUS, this.path]) await disk.remove(path)
    if (durable) await disk.syncDirectory(dirname(this.path))
  }

  /** The files to write, and their names afterwards. `text` is missing for a file that only gets another name. */
  #renames(
    content: Content,
    current: string | undefined,
  ): readonly (readonly [from: string, to: string, text?: string])[] {
    const text = encodeState(content)
    this.#parsed((JSON.parse(text) as { readonly content: unknown }).content)
    // One name for all processes, so that kills leave at most one such file.
    const half = `${this.path}.tmp`
    const replace = [half, this.path, text] as const
    const previous = this.path + PREVIOUS
    if (current === undefined)
      return this.#options.shortLived === true || fs.existsSync(previous)
        ? [replace]
        : [replace, [half, previous, text]]
    if (decodeState(current).fault !== undefined) return [[this.path, damagedName(this.path)], replace]
    return [[half, previous, current], replace]
  }

  /** Keeps the damaged file and describes it. */
  #setAside(fault: string, exists: boolean, hasPrevious: boolean): string {
    const used = hasPrevious ? 'its previous version is used' : 'it starts empty'
    if (!exists) return `${this.path} ${fault}; ${used}`
    const aside = damagedName(this.path)
    try {
      fs.renameSync(this.path, aside)
    } catch (error) {
      // Another process was faster.
      if (errorCode(error) !== 'ENOENT') throw error
    }
    return `${this.path} ${fault}; ${used}, and the damaged file is kept as ${aside}`
  }

  #checked(text: string | undefined): { readonly content?: Content; readonly fault?: string } {
    const { content, fault } = decodeState(text)
    if (fault !== undefined) return { fault }
    try {
      return { content: this.#parsed(content) }
    } catch (error) {
      if (this.#options.optional !== true) throw error
      return { fault: 'has an unknown content' }
    }
  }

  #parsed(json: unknown): Content {
    try {
      return this.#options.parse(json)
    } catch (error) {
      throw new StateFileError(`${this.path}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
}

const MISSING = 'is missing'

/** The name under which a damaged file is kept. */
export function damagedName(path: string): string {
  const time = new Date().toISOString().replace(/[-:.]/g, '')
  return `${path}${DAMAGED}${time}-${randomBytes(2).toString('hex')}`
}

/** Puts a copy of the previous version in the place of a file. Returns false if there is a file again, which stays. */
export async function restorePrevious(path: string): Promise<boolean> {
  const copy = `${path}.restored`
  await copyFile(path + PREVIOUS, copy)
  try {
    // Unlike a rename, a link replaces nothing.
    await link(copy, path)
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return false
  } finally {
    await rm(copy, { force: true })
  }
}

export function encodeState(content: unknown): string {
  return `${JSON.stringify({ check: crc32(JSON.stringify(content)), content }, undefined, 2)}\n`
}

/** `fault` reads like "has the wrong checksum". It is undefined for an intact file. */
export function decodeState(text: string | undefined): { readonly content?: unknown; readonly fault?: string } {
  if (text === undefined) return { fault: MISSING }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { fault: 'is not complete JSON' }
  }
  if (typeof json !== 'object' || json === null) return { fault: 'is not a JSON object' }
  const { check, content } = json as { readonly check?: unknown; readonly content?: unknown }
  if (check === undefined && content === undefined) return { content: json }
  return content !== undefined && check === crc32(JSON.stringify(content))
    ? { content }
    : { fault: 'has the wrong checksum' }
}

function readIfPresent(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (error) {
    return undefinedIfMissing(error)
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error
}

/** Root writes for the owner of the folder, such as the user of a service, which reads the file as soon as it has its name. */
function keepOwner(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = fs.statSync(dirname(path))
  if (uid !== 0) fs.chownSync(path, uid, gid)
}

function syncDirectory(path: string): void {
  const directory = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(directory)
  } finally {
    fs.closeSync(directory)
  }
}
