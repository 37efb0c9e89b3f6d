// Decompression of sections: zlib, zstd and xz, with limits on what comes out.
import { DEFAULT_LIMIT, type Codecs } from '../../../wire/compression/compression.ts'
import { inflateZlib } from '../../../wire/compression/inflate.ts'
import { SymbolFileError } from '../symbol-file-error.ts'

export interface SectionCodecs {
  /** `size` is what the section's header states. */
  readonly unzlib: (bytes: Uint8Array, size: number) => Uint8Array
  readonly unzstd: (bytes: Uint8Array, size: number) => Uint8Array
}

export function sectionCodecs(codecs: Codecs | undefined, limit: number = DEFAULT_LIMIT): SectionCodecs {
  const checked = (kind: string, size: number, open: () => Uint8Array): Uint8Array => {
    if (size > limit) throw new SymbolFileError(kind, `a section of ${size} bytes exceeds the limit of ${limit}`)
    try {
      return open()
    } catch (error) {
      throw new SymbolFileError(kind, error instanceof Error ? error.message : String(error))
    }
  }
  return {
    unzlib: (bytes, size) => checked('zlib', size, () => inflateZlib(bytes, size)),
    unzstd: (bytes, size) =>
      checked('zstd', size, () => {
        if (codecs?.unzstd === undefined) throw new Error('this build has no zstd decoder; pass codecs.unzstd')
        return codecs.unzstd(bytes, size)
      }),
  }
}
