// Caches the keys of a JSON text as strings. A file of a million samples has the same ten keys a million times.
import { decodeUtf8 } from '../utf8.ts'

const SLOTS = 256
const PROBES = 4
/** Longer keys are not cached. */
export const MAX_CACHED_KEY_LENGTH = 64
const QUOTE = 0x22

// The engine stores each property name once, so comparing two of them (all literals are property names) compares pointers.
// The object is in dictionary mode from the start, so it creates no hidden classes.
const names = Object.create(null) as Record<string, number>

function unique(text: string): string {
  names[text] = 0
  const [name] = Object.keys(names)
  delete names[text]
  return name
}

export class KeyCache {
  private readonly bytes: Uint8Array
  // The place where the text of a cached key first occurred. The input itself stores the text, so nothing is copied.
  private readonly from = new Float64Array(SLOTS).fill(-1)
  private readonly length = new Uint8Array(SLOTS)
  private readonly name: string[] = new Array<string>(SLOTS).fill('')
  // The key that followed this one last time. Objects of one kind have their keys in the same order, so this guess is nearly
  // always right. One comparison then replaces the scan for the quote and the hash.
  private readonly after = new Uint8Array(SLOTS)
  private last = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Returns the key whose opening quote is at `open` if it is the expected one. */
  guess(open: number): string | undefined {
    const { bytes } = this
    const slot = this.after[this.last]
    let cached = this.from[slot]
    const length = this.length[slot]
    const close = open + 1 + length
    if (cached < 0 || close >= bytes.length || bytes[close] !== QUOTE) return undefined
    for (let i = open + 1; i < close; i++) if (bytes[i] !== bytes[cached++]) return undefined
    this.last = slot
    return this.name[slot]
  }

  /** The text length of the key that `guess` or `find` returned last. */
  lastLength(): number {
    return this.length[this.last]
  }

  /** Returns the key with the text [from, to), which has no escapes and at most MAX_CACHED_KEY_LENGTH bytes. */
  find(from: number, to: number): string {
    const { bytes } = this
    let hash = to - from
    for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0
    const home = (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (SLOTS - 1)
    let free = home
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = (home + probe) & (SLOTS - 1)
      if (this.from[slot] < 0) {
        free = slot
        break
      }
      if (this.holds(slot, from, to)) return this.follow(slot)
    }
    this.from[free] = from
    this.length[free] = to - from
    this.name[free] = unique(decodeUtf8(bytes, from, to))
    return this.follow(free)
  }

  private holds(slot: number, from: number, to: number): boolean {
    if (this.length[slot] !== to - from) return false
    const { bytes } = this
    let cached = this.from[slot]
    for (let i = from; i < to; i++) if (bytes[i] !== bytes[cached++]) return false
    return true
  }

  private follow(slot: number): string {
    this.after[this.last] = slot
    this.last = slot
    return this.name[slot]
  }
}
