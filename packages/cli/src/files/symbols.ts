// Readable names: native frames by debug files, demangled C++ and Rust symbols, and source positions of generated scripts.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Profiles } from '@hearth/profile'
import { SourceMap, SourceMapError, applySourceMaps, applySymbols, demangleNames } from '@hearth/profile'
import { CliError } from '../errors.ts'
import { symbolsInFolders } from './symbol-folders.ts'

export interface SymbolOptions {
  /** Mangled names stay in the system name. */
  readonly demangle?: boolean
  /** A folder with source maps, each named after its script plus `.map`. */
  readonly sourceMaps?: string
  /** Folders or files with binaries or debug files. */
  readonly symbols?: readonly string[]
}

export function withSymbols(profiles: Profiles, options: SymbolOptions): Profiles {
  const { demangle = false, sourceMaps, symbols = [] } = options
  const named = symbols.length === 0 ? profiles : namedBy(symbols, profiles)
  const mapped = sourceMaps === undefined ? named : applySourceMaps(named, mapsIn(sourceMaps)).profiles
  return demangle ? demangleNames(mapped).profiles : mapped
}

function namedBy(folders: readonly string[], profiles: Profiles): Profiles {
  const known = symbolsInFolders(folders)
  return applySymbols(
    profiles,
    binary => known.find(binary),
    pid => known.compiled(pid),
  ).profiles
}

function mapsIn(folder: string): (url: string) => SourceMap | undefined {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CliError(2, `--source-maps: ${folder} is not a directory`, 'Use the folder that contains the .map files.')
  }
  const known = new Map<string, SourceMap | undefined>()
  return url => {
    const name = posix.basename(url.replace(/[?#].*$/, ''))
    if (!known.has(name)) known.set(name, readMap(join(folder, `${name}.map`)))
    return known.get(name)
  }
}

function readMap(file: string): SourceMap | undefined {
  if (!existsSync(file)) return undefined
  try {
    return SourceMap.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (!(error instanceof SourceMapError)) throw error
    throw new CliError(1, `${file}: ${error.message}`, 'Generate the source map again, or remove it from the folder.', {
      cause: error,
    })
  }
}
