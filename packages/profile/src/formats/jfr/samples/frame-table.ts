// Finds known frames of a chunk by their raw fields. A hit costs one hash and no lookup of constants. The hash table uses open
// addressing and stores the entries inline.
import { finish, mix } from '../../../model/build/hash-index.ts'

/** Positions of the halves of method, line, bytecode index and type, in an extractor's values. */
const METHOD = 0
const LINE = 2
const BYTECODE = 4
const TYPE = 6
const FRAME_INTS = 8
/** Entries also store location + 1 and the hash, in place of the unused high halves of line and bytecode index. */
const LOCATION = 3
const HASH = 5
const STRIDE = 8
const FIRST_ENTRIES = 256

export class JfrFrameTable {
  #slots = new Int32Array(FIRST_ENTRIES * STRIDE)
  #length = 0

  /** Returns the slot of a frame, which may be free. */
  find(frame: Int32Array): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = Math.imul(hashOf(frame), STRIDE) & mask; ; slot = (slot + STRIDE) & mask) {
      if (slots[slot + LOCATION] === 0) return slot
      if (
        slots[slot] === frame[METHOD] &&
        slots[slot + LINE] === frame[LINE] &&
        slots[slot + BYTECODE] === frame[BYTECODE] &&
        slots[slot + TYPE] === frame[TYPE] &&
        slots[slot + METHOD + 1] === frame[METHOD + 1] &&
        slots[slot + TYPE + 1] === frame[TYPE + 1]
      ) {
        return slot
      }
    }
  }

  /** Returns a negative number if the slot is free. */
  location(slot: number): number {
    return this.#slots[slot + LOCATION] - 1
  }

  /** Fills a free slot. */
  set(slot: number, frame: Int32Array, location: number): void {
    const slots = this.#slots
    for (let i = 0; i < FRAME_INTS; i++) slots[slot + i] = frame[i]
    slots[slot + LOCATION] = location + 1
    slots[slot + HASH] = hashOf(frame)
    if (++this.#length * STRIDE * 2 > slots.length) this.#grow()
  }

  #grow(): void {
    const old = this.#slots
    const slots = new Int32Array(old.length * 4)
    const mask = slots.length - 1
    for (let at = 0; at < old.length; at += STRIDE) {
      if (old[at + LOCATION] === 0) continue
      let slot = Math.imul(old[at + HASH], STRIDE) & mask
      while (slots[slot + LOCATION] !== 0) slot = (slot + STRIDE) & mask
      for (let i = 0; i < STRIDE; i++) slots[slot + i] = old[at + i]
    }
    this.#slots = slots
  }
}

function hashOf(frame: Int32Array): number {
  const line = frame[LINE]
  const bytecode = frame[BYTECODE]
  const start = mix(frame[TYPE], frame[METHOD])
  // Line and bytecode index fit into one word, except for generated code and recorders whose keys are addresses.
  if ((line | bytecode) >>> 16 === 0 && (frame[METHOD + 1] | frame[TYPE + 1]) === 0) {
    return finish(mix(start, line | (bytecode << 16)))
  }
  return finish(mix(mix(mix(mix(start, frame[METHOD + 1]), frame[TYPE + 1]), line), bytecode))
}
