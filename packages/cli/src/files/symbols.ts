// Names for people: C++ and Rust symbols demangled, positions in generated scripts turned into those of their sources.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Profiles } from '@hearth/profile'
import { SourceMap, SourceMapError, applySourceMaps, demangleNames } from '@hearth/profile'
import { CliError } from '../errors.ts'

export interface SymbolOptions {
  /** Raw names stay in the system name. */
  readonly demangle?: boolean
  /** A folder with the maps of scripts, each named as its script with `.map` behind. */
  readonly sourceMaps?: string
}

export function withSymbols(profiles: Profiles, { demangle = false, sourceMaps }: SymbolOptions): Profiles {
  const mapped = sourceMaps === undefined ? profiles : applySourceMaps(profiles, mapsIn(sourceMaps)).profiles
  return demangle ? demangleNames(mapped).profiles : mapped
}

function mapsIn(folder: string): (url: string) => SourceMap | undefined {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CliError(2, `--source-maps: ${folder} is not a directory`, 'Name the folder that holds the .map files.')
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
    throw new CliError(1, `${file}: ${error.message}`, 'Make the source map again, or take it out of the folder.', {
      cause: error,
    })
  }
}
