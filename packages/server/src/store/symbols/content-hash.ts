// The hash that names content-addressed rows: 128 bits. One half is the row's id. The other half is its check, which shows
// two contents with one id. It has four lanes of 32 bits, which JavaScript multiplies in one instruction. Every step is
// invertible, so no input is lost before the end. Hashes are stored: any change here needs a migration.
// It does not resist deliberate collisions. Rows belong to a tenant, who could harm only itself.

/** The id of a row in a content-addressed table. 0 means "not set". */
export interface SymbolId {
  readonly lo: number
  readonly hi: number
}

/** Words of a hash: id low, id high, check low, check high. */
export const HASH_WORDS = 4

const A = 0x6c8e_9cf5
const B = 0x3c6e_f372 | 1
const C = 0x510e_527f
const D = 0x1f83_d9ab
const MIX_A = 0x85a3_08d3 | 0
const MIX_B = 0x9e37_79b1 | 0
const MIX_C = 0xc2b2_ae3d | 0
const MIX_D = 0x27d4_eb2f

function finalMix(word: number): number {
  word = Math.imul(word ^ (word >>> 16), 0x7feb_352d)
  word = Math.imul(word ^ (word >>> 15), 0x846c_a68b | 0)
  return word ^ (word >>> 16)
}

function finish(a: number, b: number, c: number, d: number, length: number, out: Int32Array, at: number): void {
  a = (a ^ length) + b + c + d
  b = finalMix(b + a)
  c = finalMix(c + a)
  d = finalMix(d + a)
  a = finalMix(a)
  a = (a + b + c + d) | 0
  b = (b + a) | 0
  // Both zero means "not set". One hash in 2^64 has this value.
  out[at] = a === 0 && b === 0 ? 1 : a
  out[at + 1] = b
  out[at + 2] = c + a
  out[at + 3] = d + a
}

/** Writes the four words of the hash of `ints[from, to)` to `out`, starting at `at`. */
export function hashInts(seed: number, ints: Int32Array, from: number, to: number, out: Int32Array, at: number): void {
  let a = seed
  let b = Math.imul(seed, B) | 0
  let c = seed ^ C
  let d = ~seed
  let i = from
  for (const last = to - 3; i < last; i += 4) {
    a ^= Math.imul(ints[i], A)
    a = Math.imul(((a << 15) | (a >>> 17)) + b, MIX_A)
    b ^= Math.imul(ints[i + 1], B)
    b = Math.imul(((b << 17) | (b >>> 15)) + c, MIX_B)
    c ^= Math.imul(ints[i + 2], C)
    c = Math.imul(((c << 19) | (c >>> 13)) + d, MIX_C)
    d ^= Math.imul(ints[i + 3], D)
    d = Math.imul(((d << 13) | (d >>> 19)) + a, MIX_D)
  }
  // The last words are mixed like the others. Missing words count as zero, and the length distinguishes them from zeros.
  if (i < to) {
    a ^= Math.imul(ints[i], A)
    a = Math.imul(((a << 15) | (a >>> 17)) + b, MIX_A)
    if (i + 1 < to) b ^= Math.imul(ints[i + 1], B)
    b = Math.imul(((b << 17) | (b >>> 15)) + c, MIX_B)
    if (i + 2 < to) c ^= Math.imul(ints[i + 2], C)
    c = Math.imul(((c << 19) | (c >>> 13)) + d, MIX_C)
    d = Math.imul(((d << 13) | (d >>> 19)) + a, MIX_D)
  }
  finish(a, b, c, d, (to - from) * 4, out, at)
}

/** The same for bytes. `view` covers all of `bytes`. */
export function hashBytes(
  seed: number,
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  out: Int32Array,
  at: number,
): void {
  let a = seed
  let b = Math.imul(seed, B) | 0
  let c = seed ^ C
  let d = ~seed
  let i = from
  for (const last = to - 15; i < last; i += 16) {
    a ^= Math.imul(view.getInt32(i, true), A)
    a = Math.imul(((a << 15) | (a >>> 17)) + b, MIX_A)
    b ^= Math.imul(view.getInt32(i + 4, true), B)
    b = Math.imul(((b << 17) | (b >>> 15)) + c, MIX_B)
    c ^= Math.imul(view.getInt32(i + 8, true), C)
    c = Math.imul(((c << 19) | (c >>> 13)) + d, MIX_C)
    d ^= Math.imul(view.getInt32(i + 12, true), D)
    d = Math.imul(((d << 13) | (d >>> 19)) + a, MIX_D)
  }
  if (i < to) {
    a ^= Math.imul(wordAt(bytes, view, i, to), A)
    a = Math.imul(((a << 15) | (a >>> 17)) + b, MIX_A)
    b ^= Math.imul(wordAt(bytes, view, i + 4, to), B)
    b = Math.imul(((b << 17) | (b >>> 15)) + c, MIX_B)
    c ^= Math.imul(wordAt(bytes, view, i + 8, to), C)
    c = Math.imul(((c << 19) | (c >>> 13)) + d, MIX_C)
    d ^= Math.imul(wordAt(bytes, view, i + 12, to), D)
    d = Math.imul(((d << 13) | (d >>> 19)) + a, MIX_D)
  }
  finish(a, b, c, d, to - from, out, at)
}

/** Reads up to four bytes. Bytes from `to` on count as zero. */
function wordAt(bytes: Uint8Array, view: DataView, i: number, to: number): number {
  if (i + 4 <= to) return view.getInt32(i, true)
  let word = 0
  for (let k = to - 1; k >= i; k--) word = (word << 8) | bytes[k]
  return word
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The seed of each table's hashes, so that equal words in two tables give different ids. */
export const Seed = {
  text: 0x0b1f_3a01,
  attribute: 0x0b1f_3a02,
  functions: 0x0b1f_3a03,
  mappings: 0x0b1f_3a04,
  locations: 0x0b1f_3a05,
  stacks: 0x0b1f_3a06,
  attribute_sets: 0x0b1f_3a07,
  resources: 0x0b1f_3a08,
  scopes: 0x0b1f_3a09,
  series: 0x0b1f_3a0a,
  nextId: 0x0b1f_3a0b,
} as const

const scratch = new Int32Array(HASH_WORDS)

/**
 * Replaces an id that another content has by the next id of the same content: the hash of the words so far. The check stays,
 * so that a row can be matched to its content under any of its ids.
 */
export function toNextId(words: Int32Array, at = 0): void {
  hashInts(Seed.nextId, words, at, at + HASH_WORDS, scratch, 0)
  words[at] = scratch[0]
  words[at + 1] = scratch[1]
}

/** Maximum number of ids of a content. More collisions than this are not chance. */
export const MAX_CONTENT_IDS = 4

const ids = new Int32Array(HASH_WORDS)

/** Returns whether a row with this id and check may have the content whose hash is in `words`. */
export function isIdOf(
  idLo: number,
  idHi: number,
  checkLo: number,
  checkHi: number,
  words: Int32Array,
  at = 0,
): boolean {
  if (words[at + 2] !== checkLo || words[at + 3] !== checkHi) return false
  if (words[at] === idLo && words[at + 1] === idHi) return true
  for (let i = 0; i < HASH_WORDS; i++) ids[i] = words[at + i]
  for (let i = 1; i < MAX_CONTENT_IDS; i++) {
    toNextId(ids)
    if (ids[0] === idLo && ids[1] === idHi) return true
  }
  return false
}

const encoder = new TextEncoder()
const encoded = new Uint8Array(4096)
const encodedView = viewOf(encoded)

/** A buffer of words to hash. */
export class HashInput {
  ints = new Int32Array(256)
  length = 0

  /** Resets the buffer, with room for `count` words. */
  start(count: number): void {
    if (count > this.ints.length) this.ints = new Int32Array(count * 2)
    this.length = 0
  }

  push(word: number): void {
    this.ints[this.length++] = word
  }

  pair(lo: number, hi: number): void {
    this.ints[this.length++] = lo
    this.ints[this.length++] = hi
  }

  words(words: Int32Array, at: number): void {
    for (let i = 0; i < HASH_WORDS; i++) this.ints[this.length++] = words[at + i]
  }

  /** Pushes the hash of a text in place of the text. */
  text(bytes: Uint8Array, from = 0, to = bytes.length): void {
    hashBytes(Seed.text, bytes, viewOf(bytes), from, to, this.ints, this.length)
    this.length += HASH_WORDS
  }

  /** The same for a string, by its UTF-8. */
  string(text: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    if (text.length * 3 > encoded.length) return this.text(encoder.encode(text))
    const { written } = encoder.encodeInto(text, encoded)
    hashBytes(Seed.text, encoded, encodedView, 0, written, this.ints, this.length)
    this.length += HASH_WORDS
  }

  hash(seed: number, out: Int32Array, at = 0): void {
    hashInts(seed, this.ints, 0, this.length, out, at)
  }
}
