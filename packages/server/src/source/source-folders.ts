// Finds source files in checkouts. Paths in profiles are those of the build machine, so a file is found by the longest end of
// its path that exists below a folder:
//
//   /build/shop/src/cart/price.cc  ──►  checkout/src/cart/price.cc
//
// Paths come from profiles, which are untrusted: only visible text files within the folders are read.
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** Generated files may be larger than any that a person reads. */
export const MAX_SOURCE_BYTES = 4 * 2 ** 20
/** Paths with more directories are looked up by their last ones. */
const MAX_DEPTH = 64

export interface SourceText {
  /** The path below the folder. */
  readonly path: string
  readonly text: string
}

export class SourceFolders {
  readonly #folders: readonly string[]

  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** Undefined if no folder has the file, or if it is too large or no text. */
  async find(path: string): Promise<SourceText | undefined> {
    for (const folder of this.#folders) {
      for (const below of pathEnds(path)) {
        const text = await textWithin(folder, below)
        if (text !== undefined) return { path: below, text }
      }
    }
    return undefined
  }
}

/**
 * The path below each of its folders, the longest first. Ends with hidden parts are skipped: the crates of Rust are below `.cargo`
 * on the build machine.
 */
export function* pathEnds(path: string): Generator<string> {
  const all = partsOf(path)
  const parts = all.slice(all.findLastIndex(isHidden) + 1)
  for (let from = Math.max(0, parts.length - MAX_DEPTH); from < parts.length; from++) yield parts.slice(from).join('/')
}

/** The folders and the name of a file. Empty for hidden files, which may contain secrets, such as .env or .git/config. */
export function visibleParts(path: string): readonly string[] {
  const parts = partsOf(path)
  return parts.some(isHidden) ? [] : parts
}

function partsOf(path: string): readonly string[] {
  return path.split(/[/\\]+/).filter(part => part !== '' && part !== '.')
}

function isHidden(part: string): boolean {
  return part.startsWith('.') || part.includes('\0')
}

async function textWithin(folder: string, below: string): Promise<string | undefined> {
  try {
    const root = await realpath(folder)
    // A link may lead out of the folder.
    const file = await realpath(join(root, below))
    if (!file.startsWith(root + sep)) return undefined
    return await readText(file)
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

async function readText(file: string): Promise<string | undefined> {
  const opened = await open(file, 'r')
  try {
    const stat = await opened.stat()
    if (!stat.isFile() || stat.size > MAX_SOURCE_BYTES) return undefined
    const bytes = Buffer.alloc(stat.size)
    const { bytesRead } = await opened.read(bytes, 0, bytes.length, 0)
    const text = bytes.subarray(0, bytesRead)
    return text.includes(0) ? undefined : text.toString('utf8')
  } finally {
    await opened.close()
  }
}

function isAbsence(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EISDIR', 'ENXIO'].includes(code)
}
