// The hash and the table of slots that all interning is made of. The multipliers are random per process: with known ones, a
// sender could craft keys that all collide and turn a payload into quadratic work.

// One for what was hashed so far, one for what comes in. With a single one, two words that differ in their top bit leave a
// difference that no odd multiplier hides, so that keys could be made to collide without knowing it.
const CARRIED = randomOdd()
const ENTERING = randomOdd()

function randomOdd(): number {
  return (Math.floor(Math.random() * 0x1_0000_0000) & ~7) | 5
}

export function mix(hash: number, word: number): number {
  const mixed = (Math.imul(hash, CARRIED) + Math.imul(word, ENTERING)) | 0
  return mixed ^ (mixed >>> 15)
}

/** Spreads what the last words brought over the low bits, which pick the slot. */
export function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  return mixed ^ (mixed >>> 13)
}

/** `view` lies over all of `bytes`: a word at a time is read through it, which is quicker than four bytes. */
export function hashBytes(bytes: Uint8Array, view: DataView, from: number, to: number): number {
  // Two lanes, because each step waits for the one before.
  let even = to - from
  let odd = 0
  let i = from
  for (const last = to - 7; i < last; i += 8) {
    even = mix(even, view.getInt32(i, true))
    odd = mix(odd, view.getInt32(i + 4, true))
  }
  if (i + 4 <= to) {
    even = mix(even, view.getInt32(i, true))
    i += 4
  }
  if (i < to) {
    let word = bytes[i]
    if (i + 1 < to) word |= bytes[i + 1] << 8
    if (i + 2 < to) word |= bytes[i + 2] << 16
    odd = mix(odd, word)
  }
  return finish(mix(even, odd))
}

export function hashInts(ints: Int32Array, from: number, to: number): number {
  let hash = to - from
  for (let i = from; i < to; i++) hash = mix(hash, ints[i])
  return finish(hash)
}

const FIRST_SLOTS = 128
/** Ints. Above, a table doubles: of 800,000 rows it has 16 MiB instead of 32. */
const QUADRUPLE_UP_TO = 1 << 19
/** Ints. From here on a table is filled more: at 13 million rows it has 128 MiB, where it had 512 before. */
const LARGE = 1 << 22

/**
 * Pairs of row + 1 (0 is free) and hash, side by side so that a probe touches one cache line. At most half full, large ones
 * four fifths: there a miss looks at a dozen pairs, which are two lines.
 */
export class HashIndex {
  slots = new Int32Array(FIRST_SLOTS)
  #rows = 0

  /** Takes the free slot into use for the next row, which it returns. */
  add(slot: number, hash: number): number {
    const row = this.#rows
    this.put(slot, row, hash)
    return row
  }

  /** Takes the free slot into use for a row that the caller numbers. */
  put(slot: number, row: number, hash: number): void {
    this.slots[slot] = row + 1
    this.slots[slot + 1] = hash
    const { length } = this.slots
    if (++this.#rows * 4 > length && this.#rows > room(length))
      this.#grow(length <= QUADRUPLE_UP_TO ? length * 4 : length * 2)
  }

  /** Makes it large enough for so many rows at once; worth it from some thousands. */
  expect(rows: number): void {
    let { length } = this.slots
    if (rows <= room(length)) return
    while (rows > room(length)) length *= 2
    this.#grow(length)
  }

  clear(): void {
    this.slots.fill(0)
    this.#rows = 0
  }

  #grow(length: number): void {
    const old = this.slots
    const slots = new Int32Array(length)
    const mask = length - 1
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0) continue
      let slot = (old[at + 1] << 1) & mask
      while (slots[slot] !== 0) slot = (slot + 2) & mask
      slots[slot] = old[at]
      slots[slot + 1] = old[at + 1]
    }
    this.slots = slots
  }
}

/** How many rows a table of so many ints takes. */
function room(length: number): number {
  return length < LARGE ? length / 4 : Math.floor(length * 0.4)
}
