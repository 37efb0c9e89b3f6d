// Source files in one file: a tar archive (plain, gzip or zstd), or a source map with `sourcesContent`. Files are found by the longest
// end of a path, as in folders. A folder that contains the whole archive is skipped, as `git archive --prefix` makes one.
import { decompress, FormatError } from '@hearth/profile'
import { nodeCodecs } from '@hearth/codecs'
import { isTar, readTar } from './read-tar.ts'
import type { SourceText } from './source-folders.ts'
import { MAX_SOURCE_BYTES, pathEnds, visibleParts } from './source-folders.ts'

/** Decompressed. */
const MAX_ARCHIVE_BYTES = 2 ** 30

export class SourceArchive {
  /** By path below the archive. */
  readonly files: ReadonlyMap<string, Uint8Array | string>

  private constructor(files: ReadonlyMap<string, Uint8Array | string>) {
    this.files = withoutCommonFolder(files)
  }

  /** Throws FormatError or CompressionError. */
  static read(bytes: Uint8Array): SourceArchive {
    const content = decompress(bytes, nodeCodecs, MAX_ARCHIVE_BYTES).bytes
    const files = new Map<string, Uint8Array | string>()
    const add = (path: string, text: Uint8Array | string): void => {
      const parts = visibleParts(path)
      if (parts.length > 0 && text.length <= MAX_SOURCE_BYTES) files.set(parts.join('/'), text)
    }
    if (isTar(content)) for (const file of readTar(content)) add(file.path, file.content)
    else for (const { path, text } of contentOfMap(content)) add(path, text)
    return new SourceArchive(files)
  }

  /** Undefined if the archive does not have the file, or if it is no text. */
  async find(path: string): Promise<SourceText | undefined> {
    for (const below of pathEnds(path)) {
      const content = this.files.get(below)
      if (content === undefined) continue
      const text = typeof content === 'string' ? content : new TextDecoder().decode(content)
      if (!text.includes('\0')) return { path: below, text }
    }
    return undefined
  }
}

function withoutCommonFolder<T>(files: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  const folders = new Set([...files.keys()].map(path => path.slice(0, path.indexOf('/') + 1)))
  const [common = ''] = folders
  if (folders.size !== 1 || common === '') return files
  return new Map([...files].map(([path, content]) => [path.slice(common.length), content]))
}

/** The files of a source map, or of the maps in its sections. */
function contentOfMap(bytes: Uint8Array): { readonly path: string; readonly text: string }[] {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(bytes).replace(/^\)\]\}'?[^\n]*\n/, ''))
  } catch {
    throw new FormatError('source archive', 0, 'the content is neither a tar archive nor a source map')
  }
  const map = recordOf(json)
  const maps = Array.isArray(map['sections'])
    ? map['sections'].map(section => recordOf(recordOf(section)['map']))
    : [map]
  const files = maps.flatMap(({ sources, sourcesContent }) => {
    if (!Array.isArray(sources) || !Array.isArray(sourcesContent)) return []
    return sources.flatMap((source: unknown, i) => {
      const text: unknown = sourcesContent[i]
      return typeof source === 'string' && typeof text === 'string' ? [{ path: sourcePath(source), text }] : []
    })
  })
  if (files.length === 0) throw new FormatError('source archive', 0, 'the source map has no sourcesContent')
  return files
}

/** `webpack://shop/./src/price.ts` is src/price.ts, and `../src/price.ts` too: both are relative to folders of the build. */
function sourcePath(source: string): string {
  return source.replace(/^[a-z][\w+.-]*:\/\/[^/]*\//i, '').replace(/^(?:\.{1,2}\/)+/, '')
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
