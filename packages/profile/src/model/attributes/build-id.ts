// The names of the build id attributes, and htlhash, a build id that can be computed for any file. htlhash is the first
// 16 bytes of SHA-256(head || tail || length), in hex. head and tail are the first and last 4096 bytes; they overlap in
// files below 8192 bytes and are shorter in files below 4096. length is 8 bytes, big-endian.
import { sha256 } from '../../wire/sha256.ts'
import { ATTRIBUTES } from './semantic-conventions.ts'
import { hexOf } from '../text/hex.ts'

export type BuildIdKind = 'gnu' | 'go' | 'htlhash' | 'profiling'

/** The number of bytes at each end of a file that the hash covers. */
export const HTLHASH_WINDOW = 4096

const HASH_BYTES = 16
const LENGTH_BYTES = 8
const MAX_SIZE = 2n ** 64n - 1n

/** Returns the kind of build id that an attribute key holds, or undefined for other keys. */
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

/** The id that Breakpad makes of a GNU build id: the first 16 bytes as a GUID, and the age 0. Undefined if it is no hex. */
export function breakpadId(gnu: string): string | undefined {
  if (!/^[0-9a-f]+$/i.test(gnu)) return undefined
  const id = gnu.toLowerCase().padEnd(32, '0')
  const swapped = (from: number, to: number): string => id.slice(from, to).match(/../g)!.toReversed().join('')
  return `${swapped(0, 8)}${swapped(8, 12)}${swapped(12, 16)}${id.slice(16, 32)}0`
}

export function htlhash(file: Uint8Array): string {
  return htlhashOf(file, file, BigInt(file.length))
}

/**
 * Computes htlhash from the ends of a file. `head` must start at the start of the file and `tail` must end at its end;
 * both may be longer than needed. Throws RangeError if they do not fit the size, because the hash would look valid and
 * be wrong.
 */
export function htlhashOf(head: Uint8Array, tail: Uint8Array, size: bigint): string {
  if (size < 0n || size > MAX_SIZE) throw new RangeError(`file size ${size} is not in 0..2^64-1`)
  const window = size < HTLHASH_WINDOW ? Number(size) : HTLHASH_WINDOW
  checkEnd('head', head.length, window, size)
  checkEnd('tail', tail.length, window, size)
  const input = new Uint8Array(2 * window + LENGTH_BYTES)
  input.set(head.subarray(0, window), 0)
  input.set(tail.subarray(tail.length - window), window)
  new DataView(input.buffer).setBigUint64(2 * window, size)
  return hexOf(sha256(input).subarray(0, HASH_BYTES))
}

function checkEnd(name: string, length: number, window: number, size: bigint): void {
  if (length < window) throw new RangeError(`${name} has ${length} bytes, the hash needs ${window}`)
  if (BigInt(length) > size) throw new RangeError(`${name} has ${length} bytes, the file only ${size}`)
}
