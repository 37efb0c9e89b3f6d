// Readable names: demangled C++ and Rust symbols, and source positions of generated scripts.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Profiles } from '@hearth/profile'
import { SourceMap, SourceMapError, applySourceMaps, demangleNames } from '@hearth/profile'
import { CliError } from '../errors.ts'

export interface SymbolOptions {
  /** Mangled names stay in the system name. */
  readonly demangle?: boolean
  /** A folder with source maps, each named after its script plus `.map`. */
  readonly sourceMaps?: string
}

export function withSymbols(profiles: Profiles, { demangle = false, sourceMaps }: SymbolOptions): Profiles {
  const mapped = sourceMaps === undefined ? profiles : applySourceMaps(profiles, mapsIn(sourceMaps)).profiles
  return demangle ? demangleNames(mapped).profiles : mapped
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
