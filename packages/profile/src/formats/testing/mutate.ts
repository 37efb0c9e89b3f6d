// Breaks valid input like networks, disks and hostile senders do: flipped bits, truncation, pieces moved, repeated or taken
// from another file, inflated numbers and lengths.
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { Random } from './random.ts'
import { below } from './random.ts'
import { join } from './wire.ts'

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array

/** Bytes that some reader treats specially: extreme varints and lengths, brackets, quotes, zeros, invalid UTF-8. */
const SPECIAL: readonly ArrayLike<number>[] = [
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0x07],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80],
  [0x00],
  [0x7f],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  encodeUtf8('[[[[[[[['),
  encodeUtf8('{"'),
  encodeUtf8('99999999999999999999'),
  encodeUtf8('-1'),
  encodeUtf8(';;  \n'),
]

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, random) {
    const result = bytes.slice()
    if (result.length > 0) result[below(random, result.length)] ^= 1 << below(random, 8)
    return result
  },
  function setByte(bytes, random) {
    const result = bytes.slice()
    if (result.length > 0) result[below(random, result.length)] = below(random, 256)
    return result
  },
  function cut(bytes, random) {
    return bytes.slice(0, below(random, bytes.length + 1))
  },
  function cutStart(bytes, random) {
    return bytes.slice(below(random, Math.min(16, bytes.length) + 1))
  },
  function remove(bytes, random) {
    const from = below(random, bytes.length + 1)
    return join(bytes.subarray(0, from), bytes.subarray(from + 1 + below(random, 16)))
  },
  function insertSpecial(bytes, random) {
    const at = below(random, bytes.length + 1)
    return join(bytes.subarray(0, at), Uint8Array.from(SPECIAL[below(random, SPECIAL.length)]), bytes.subarray(at))
  },
  function overwriteSpecial(bytes, random) {
    const special = SPECIAL[below(random, SPECIAL.length)]
    const at = below(random, bytes.length + 1)
    return join(bytes.subarray(0, at), Uint8Array.from(special), bytes.subarray(at + special.length))
  },
  function double(bytes, random) {
    const from = below(random, bytes.length + 1)
    const piece = bytes.subarray(from, from + 1 + below(random, 64))
    return join(bytes.subarray(0, from), piece, piece, bytes.subarray(from + piece.length))
  },
  function splice(bytes, random, other) {
    return join(bytes.subarray(0, below(random, bytes.length + 1)), other.subarray(below(random, other.length + 1)))
  },
  function nudgeLength(bytes, random) {
    const result = bytes.slice()
    if (result.length > 0) result[below(random, result.length)] += below(random, 2) === 0 ? 1 : -1
    return result
  },
]

/** Applies one to four mutations. */
export function mutated(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let result = bytes
  for (let count = 1 + below(random, 4); count > 0; count--) {
    result = MUTATIONS[below(random, MUTATIONS.length)](result, random, other)
  }
  return result
}
