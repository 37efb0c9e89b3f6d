// Finds known frames of a chunk by their encoded bytes, usually four to eight. A known frame is not even decoded (10 ns instead of
// 50). The hash table uses open addressing and stores the entries inline.
import { finish, mix } from '../../../model/build/hash-index.ts'
import type { Cursor } from '../encoding/cursor.ts'

/** Frames are compared as three words. The caller handles longer ones. */
const MAX_BYTES = 12
const MAX_INTEGERS = 8
/** The ninth byte of an integer has eight data bits, so its high bit does not show whether the integer ends. */
const MAX_INTEGER_BYTES = 8
/** Columns: three words of the frame, location + 1. */
const STRIDE = 4
const LOCATION = 3
const FIRST_ENTRIES = 256
/** For each number of bytes, the masks of the three words. */
const KEPT = Int32Array.from({ length: 3 * (MAX_BYTES + 1) }, (_, i) => keptBits(Math.floor(i / 3) - 4 * (i % 3)))
/** End tables by the number of integers in a frame. */
const LENGTHS: (Uint8Array | undefined)[] = []

export class ShortFrames {
  readonly #view: DataView
  readonly #lengths: Uint8Array
  #slots = new Int32Array(FIRST_ENTRIES * STRIDE)
  #length = 0
  /** True if `take` stopped at a frame that `add` accepts. */
  stoppedAtNew = false

  /** `integers` is the number of integers in each frame. Returns undefined if this table does not support that number. */
  static of(bytes: Uint8Array, integers: number): ShortFrames | undefined {
    if (integers < 1 || integers > MAX_INTEGERS) return undefined
    return new ShortFrames(bytes, (LENGTHS[integers] ??= lengthsOf(integers)))
  }

  private constructor(bytes: Uint8Array, lengths: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#lengths = lengths
  }

  /** Writes the locations of the frames at the cursor to target[from, to). Stops at an unknown frame and returns its index. */
  take(cursor: Cursor, target: Int32Array, from: number, to: number): number {
    const view = this.#view
    const lengths = this.#lengths
    const slots = this.#slots
    const mask = slots.length - 1
    const last = view.byteLength - MAX_BYTES
    let p = cursor.pos
    let i = from
    this.stoppedAtNew = false
    for (; i < to && p <= last; i++) {
      let a = view.getInt32(p, true)
      let b = view.getInt32(p + 4, true)
      let c = view.getInt32(p + 8, true)
      const length = lengths[endsIn(a) | (endsIn(b) << 4) | (endsIn(c) << 8)]
      if (length === 0) break
      a &= KEPT[3 * length]
      b &= KEPT[3 * length + 1]
      c &= KEPT[3 * length + 2]
      let slot = Math.imul(finish(mix(mix(a, b), c)), STRIDE) & mask
      while (slots[slot + LOCATION] !== 0 && (slots[slot] !== a || slots[slot + 1] !== b || slots[slot + 2] !== c)) {
        slot = (slot + STRIDE) & mask
      }
      const location = slots[slot + LOCATION]
      if (location === 0) {
        this.stoppedAtNew = true
        break
      }
      target[i] = location - 1
      p += length
    }
    cursor.pos = p
    return i
  }

  /** Sets the location of the frame at which `take` stopped. */
  add(position: number, location: number): void {
    const view = this.#view
    const a = view.getInt32(position, true)
    const b = view.getInt32(position + 4, true)
    const c = view.getInt32(position + 8, true)
    const length = this.#lengths[endsIn(a) | (endsIn(b) << 4) | (endsIn(c) << 8)]
    if (++this.#length * STRIDE * 2 > this.#slots.length) this.#grow()
    this.#put(a & KEPT[3 * length], b & KEPT[3 * length + 1], c & KEPT[3 * length + 2], location + 1)
  }

  #put(a: number, b: number, c: number, location: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = Math.imul(finish(mix(mix(a, b), c)), STRIDE) & mask
    while (slots[slot + LOCATION] !== 0) slot = (slot + STRIDE) & mask
    slots[slot] = a
    slots[slot + 1] = b
    slots[slot + 2] = c
    slots[slot + LOCATION] = location
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Int32Array(old.length * 4)
    for (let at = 0; at < old.length; at += STRIDE) {
      if (old[at + LOCATION] !== 0) this.#put(old[at], old[at + 1], old[at + 2], old[at + LOCATION])
    }
  }
}

/** Returns a bit for each byte of a word that ends an integer. The product moves bits 0, 8, 16 and 24 to 28 and above. */
function endsIn(word: number): number {
  return Math.imul((~word >>> 7) & 0x0101_0101, 0x1020_4080) >>> 28
}

/** For each pattern of ends in 12 bytes, the end of the last integer; 0 if the pattern does not show it. */
function lengthsOf(integers: number): Uint8Array {
  return Uint8Array.from({ length: 1 << MAX_BYTES }, (_, pattern) => {
    let left = integers
    let begin = 0
    for (let i = 0; i < MAX_BYTES; i++) {
      if (i - begin >= MAX_INTEGER_BYTES) return 0
      if ((pattern & (1 << i)) === 0) continue
      begin = i + 1
      if (--left === 0) return i + 1
    }
    return 0
  })
}

function keptBits(bytes: number): number {
  return bytes >= 4 ? -1 : bytes <= 0 ? 0 : (1 << (8 * bytes)) - 1
}
