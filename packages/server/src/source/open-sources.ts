// Opens places with source files: folders, archives and source maps. A place that comes first wins.
import { readFile, stat } from 'node:fs/promises'
import { SourceArchive } from './source-archive.ts'
import type { SourceText } from './source-folders.ts'
import { SourceFolders } from './source-folders.ts'

export interface Sources {
  /** Undefined if no place has the file. */
  find(path: string): Promise<SourceText | undefined>
}

/** Reads whole archives into memory. Throws FormatError, CompressionError or an error of the system. Calls `onPlace` before it opens each place. */
export async function openSources(places: readonly string[], onPlace: (place: string) => void): Promise<Sources> {
  const opened: Sources[] = []
  for (const place of places) {
    onPlace(place)
    const isFolder = (await stat(place)).isDirectory()
    opened.push(isFolder ? new SourceFolders([place]) : SourceArchive.read(new Uint8Array(await readFile(place))))
  }
  return {
    async find(path) {
      for (const each of opened) {
        const found = await each.find(path)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}
