// The hash function and the slot table behind all interning. The multipliers are random per process. With known
// multipliers, a sender could craft keys that all collide and make a payload take quadratic time.

// One multiplier for the hash so far, one for the incoming word. With a single one, two words that differ in their top
// bit leave a difference that no odd multiplier hides, so keys could be made to collide without knowing it.
const CARRIED = randomOdd()
const ENTERING = randomOdd()

function randomOdd(): number {
  return (Math.floor(Math.random() * 0x1_0000_0000) & ~7) | 5
}

export function mix(hash: number, word: number): number {
  const mixed = (Math.imul(hash, CARRIED) + Math.imul(word, ENTERING)) | 0
  return mixed ^ (mixed >>> 15)
}

/** Spreads the last words over the low bits, which choose the slot. */
export function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  return mixed ^ (mixed >>> 13)
}

/** `view` covers all of `bytes`. Reading whole words through it is faster than four single bytes. */
export function hashBytes(bytes: Uint8Array, view: DataView, from: number, to: number): number {
  // Two lanes, because each step depends on the previous one.
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
/** In ints. Above this size a table doubles: 800,000 rows then take 16 MiB instead of 32. */
const QUADRUPLE_UP_TO = 1 << 19
/** In ints. From this size on a table is filled further: 13 million rows take 128 MiB instead of 512. */
const LARGE = 1 << 22

/**
 * Pairs of row + 1 (0 is free) and hash, next to each other so that a probe touches one cache line. Tables are at most
 * half full. Large ones are at most four fifths full: a miss there reads a dozen pairs, which are two cache lines.
 */
export class HashIndex {
  slots = new Int32Array(FIRST_SLOTS)
  #rows = 0

  /** Uses the free slot for the next row and returns that row. */
  add(slot: number, hash: number): number {
    const row = this.#rows
    this.put(slot, row, hash)
    return row
  }

  /** Uses the free slot for a row that the caller numbers. */
  put(slot: number, row: number, hash: number): void {
    this.slots[slot] = row + 1
    this.slots[slot + 1] = hash
    const { length } = this.slots
    if (++this.#rows * 4 > length && this.#rows > room(length))
      this.#grow(length <= QUADRUPLE_UP_TO ? length * 4 : length * 2)
  }

  /** Makes room for this many rows at once. Worth it from a few thousand rows. */
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

/** Returns the number of rows that fit into a table of `length` ints. */
function room(length: number): number {
  return length < LARGE ? length / 4 : Math.floor(length * 0.4)
}
