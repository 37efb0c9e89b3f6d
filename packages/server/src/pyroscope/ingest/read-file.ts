// Reads a profile file inside of a request, with a limit on its decompressed size. Errors in the file are errors of the
// sender.
import { nodeCodecs } from '@hearth/codecs'
import type { KnownSymbols, Profiles } from '@hearth/profile'
import {
  CompressionError,
  EmptyInputError,
  FormatError,
  UnknownFormatError,
  decompress,
  readProfile,
} from '@hearth/profile'
import { Code, Refusal, tooLarge } from '../../receive/refusal.ts'
import { UnfoldError } from './stack-counts.ts'

/** The limit on the decompressed size of all files of one request. */
export class OpenBudget {
  readonly limit: number
  readonly #symbols: KnownSymbols | undefined
  #left: number

  constructor(limit: number, symbols?: KnownSymbols) {
    this.limit = limit
    this.#symbols = symbols
    this.#left = limit
  }

  /** Decompresses gzip and zstd. Throws Refusal. */
  open(file: Uint8Array): Uint8Array {
    return this.read(() => {
      const { bytes } = decompress(file, nodeCodecs, this.#left)
      this.#left -= bytes.length
      if (this.#left < 0) throw new UnfoldError('the profiles decompress to more than the limit')
      return bytes
    })
  }

  /** Throws Refusal. */
  readFile(format: string, file: Uint8Array, labels?: Uint8Array): Profiles {
    const bytes = this.open(file)
    const symbols = this.#symbols
    const options = {
      format,
      codecs: nodeCodecs,
      limit: this.limit,
      ...(labels === undefined ? {} : { labels }),
      ...(symbols === undefined ? {} : { symbols }),
    }
    return this.read(() => readProfile(bytes, options)).profiles
  }

  /** Runs a reader, or a conversion of its result. Throws Refusal. */
  read<Result>(run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      throw this.#refusalOf(error)
    }
  }

  #refusalOf(error: unknown): unknown {
    if (error instanceof UnfoldError) return tooLarge(this.limit, error.message)
    if (error instanceof CompressionError && error.reason === 'limit') return tooLarge(this.limit, error.message)
    const kinds = [FormatError, CompressionError, UnknownFormatError, EmptyInputError, RangeError]
    if (!kinds.some(kind => error instanceof kind) || !(error instanceof Error)) return error
    return new Refusal(422, Code.invalidArgument, 'undecodable', error.message)
  }
}
