// What tells one build of an executable from another: the names of the build id attributes, and the id that can be made
// for any file. htlhash = the first 16 bytes of SHA-256(head || tail || length), in hex, where head and tail are the first
// and the last 4096 bytes (overlapping in files below 8192, shorter in files below 4096) and length is 8 bytes big-endian.
import { sha256 } from '../../wire/sha256.ts'
import { ATTRIBUTES } from './semantic-conventions.ts'

export type BuildIdKind = 'gnu' | 'go' | 'htlhash' | 'profiling'

/** How much of either end of a file the hash covers. */
export const HTLHASH_WINDOW = 4096

const HASH_BYTES = 16
const LENGTH_BYTES = 8
const LARGEST_SIZE = 2n ** 64n - 1n

/** Which build id an attribute holds, by its key; undefined for any other attribute. */
export function parseBuildId(key: string): BuildIdKind | undefined {
  switch (key) {
    case ATTRIBUTES.buildIdGnu:
      return 'gnu'
    case ATTRIBUTES.buildIdGo:
      return 'go'
    case ATTRIBUTES.buildIdHtlhash:
      return 'htlhash'
    case ATTRIBUTES.buildIdProfiling:
      return 'profiling'
    default:
      return undefined
  }
}

export function htlhash(file: Uint8Array): string {
  return htlhashOf(file, file, BigInt(file.length))
}

/**
 * For a file of which only the ends were read. `head` must begin where the file begins and `tail` end where it ends;
 * they may be longer than needed. Throws RangeError where they are too short or too long for a file of that size,
 * since the hash would come out well formed and wrong.
 */
export function htlhashOf(head: Uint8Array, tail: Uint8Array, size: bigint): string {
  if (size < 0n || size > LARGEST_SIZE) throw new RangeError(`file size ${size} is not in 0..2^64-1`)
  const window = size < HTLHASH_WINDOW ? Number(size) : HTLHASH_WINDOW
  checkEnd('head', head.length, window, size)
  checkEnd('tail', tail.length, window, size)
  const input = new Uint8Array(2 * window + LENGTH_BYTES)
  input.set(head.subarray(0, window), 0)
  input.set(tail.subarray(tail.length - window), window)
  new DataView(input.buffer).setBigUint64(2 * window, size)
  return hex(sha256(input).subarray(0, HASH_BYTES))
}

function checkEnd(name: string, length: number, window: number, size: bigint): void {
  if (length < window) throw new RangeError(`${name} has ${length} bytes, the hash needs ${window}`)
  if (BigInt(length) > size) throw new RangeError(`${name} has ${length} bytes, the file only ${size}`)
}

function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}
