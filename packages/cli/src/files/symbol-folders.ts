// The binaries and debug files in folders: in the layout of /usr/lib/debug, or anywhere below.
import { closeSync, existsSync, openSync, readSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import type { OpenableFile } from '@hearth/profile'
import { SymbolFiles } from '@hearth/profile'
import { CliError } from '../errors.ts'
import { fileBytes } from './file-bytes.ts'

/** Folders of build machines have some ten thousand files. More are not looked through. */
const MAX_FILES = 200_000
const HEAD_BYTES = 4096

/** `folders` may also be files. */
export function symbolsInFolders(folders: readonly string[]): SymbolFiles {
  for (const folder of folders) {
    if (!existsSync(folder))
      throw new CliError(2, `--symbols: ${folder} does not exist`, 'Use a folder or file with binaries or debug files.')
  }
  return new SymbolFiles(() => filesBelow(folders), {
    codecs: nodeCodecs,
    withBuildId(buildId) {
      const path = folders
        .flatMap(folder => ['', 'usr/lib/debug', 'lib/debug'].map(below => join(folder, below, '.build-id')))
        .map(folder => join(folder, buildId.slice(0, 2), `${buildId.slice(2)}.debug`))
        .find(each => existsSync(each))
      return path === undefined ? undefined : openable(path)
    },
    onBroken(path, error) {
      throw new CliError(1, `${path}: ${error.message}`, 'Remove the broken file from the folder.', { cause: error })
    },
  })
}

/** The files beside a binary, which may have the other parts of its debug information. */
export function openable(path: string): OpenableFile {
  return { path, head: () => headOf(path), read: () => fileBytes(path) }
}

function* filesBelow(folders: readonly string[]): Generator<OpenableFile> {
  let files = 0
  for (const path of folders.flatMap(pathsBelow)) {
    if (++files > MAX_FILES) throw new CliError(1, `--symbols: more than ${MAX_FILES} files`, 'Use a smaller folder.')
    yield openable(path)
  }
}

function pathsBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function headOf(path: string): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES)
  const file = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(file)
  }
}
