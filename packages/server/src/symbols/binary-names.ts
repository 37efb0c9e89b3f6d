// Names of addresses in a query thread: opens the indexes that the main thread finds, and keeps the last ones in memory.
import { open } from 'node:fs/promises'
import type { BinarySymbols, MappedBinary, MappedRange, Segment, SymbolFrame } from '@hearth/profile'
import { SymbolFileError, SymbolIndex, addressInFile } from '@hearth/profile'
import { segmentsOf } from './about-file.ts'
import type { FoundBinary, UnresolvedReason } from './found-binary.ts'

/** Finds the files of binaries, in their order. */
export type FindBinaries = (request: {
  readonly tenant: string
  readonly binaries: readonly MappedBinary[]
}) => Promise<readonly FoundBinary[]>

/** The names in one binary. */
export interface BinaryNames {
  readonly found: FoundBinary
  /** For applySymbols. Undefined for lists of the kernel, whose addresses need more than the segments. */
  readonly symbols: BinarySymbols | undefined
  /** The functions at an address of a profile, innermost first, or the reason why there are none. */
  lookup(address: bigint, range: MappedRange): readonly SymbolFrame[] | UnresolvedReason
}

/** An index has about a third of the size of its debug file. */
const MAX_BYTES = 512 * 2 ** 20

export class SymbolNames {
  readonly #find: FindBinaries
  /** The least recently used first. */
  readonly #indexes = new Map<string, { readonly index: SymbolIndex; readonly bytes: number }>()
  #bytes = 0

  constructor(find: FindBinaries) {
    this.#find = find
  }

  /** The names of each binary. Waits for no download. */
  async of(tenant: string, binaries: readonly MappedBinary[]): Promise<readonly BinaryNames[]> {
    if (binaries.length === 0) return []
    const all = await this.#find({ tenant, binaries })
    const names: BinaryNames[] = []
    for (const found of all) {
      const index = found.index === undefined ? undefined : await this.#open(found.index)
      names.push(found.index === undefined || index === undefined ? withoutIndex(found) : withIndex(found, index))
    }
    return names
  }

  async #open(path: string): Promise<SymbolIndex | undefined> {
    const known = this.#indexes.get(path)
    if (known !== undefined) {
      this.#indexes.delete(path)
      this.#indexes.set(path, known)
      return known.index
    }
    const bytes = await readAligned(path)
    if (bytes === undefined) return undefined
    let index: SymbolIndex
    try {
      index = SymbolIndex.open(bytes)
    } catch (error) {
      // An index of another version counts as missing until its file is uploaded again.
      if (error instanceof SymbolFileError) return undefined
      throw error
    }
    this.#indexes.set(path, { index, bytes: bytes.length })
    this.#bytes += bytes.length
    for (const [oldest, entry] of this.#indexes) {
      if (this.#bytes <= MAX_BYTES || oldest === path) break
      this.#indexes.delete(oldest)
      this.#bytes -= entry.bytes
    }
    return index
  }
}

function withoutIndex(found: FoundBinary): BinaryNames {
  return { found, symbols: undefined, lookup: () => found.reason ?? 'no-debug-info' }
}

function withIndex(found: FoundBinary & { readonly index: string }, index: SymbolIndex): BinaryNames {
  const segments: readonly Segment[] = segmentsOf(found.segments)
  const kernelStart = found.kernelStart === undefined ? undefined : BigInt(`0x${found.kernelStart}`)
  return {
    found,
    symbols: kernelStart === undefined ? { index, segments } : undefined,
    lookup(address, range) {
      // The eBPF profiler has addresses of the kernel relative to the start of its code, perf has them as they are.
      const inFile =
        kernelStart === undefined
          ? addressInFile(address, range, segments)
          : address < kernelStart
            ? address + kernelStart
            : address
      const frames = index.lookup(inFile).filter(({ name }) => name !== '')
      return frames.length === 0 ? (found.reason ?? 'not-in-file') : frames
    },
  }
}

/** In a buffer of its own, because an index starts at a multiple of 8. Undefined if the file was deleted in the meantime. */
async function readAligned(path: string): Promise<Uint8Array | undefined> {
  let file
  try {
    file = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { size } = await file.stat()
    const bytes = new Uint8Array(size)
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(bytes, at, size - at, at)
      if (bytesRead === 0) return undefined
      at += bytesRead
    }
    return bytes
  } finally {
    await file.close()
  }
}
