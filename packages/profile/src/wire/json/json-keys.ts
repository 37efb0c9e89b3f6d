// The keys of a JSON text as strings, each made once: a file of a million samples has the same ten keys a million times.
import { decodeUtf8 } from '../utf8.ts'

const SLOTS = 256
const PROBES = 4
/** Longer keys are not kept. */
export const LONGEST_CACHED_KEY = 64
const QUOTE = 0x22

// Strings that served as a property name are unique in the engine, so comparing them with another such string (all
// literals are) compares two pointers. The object is a dictionary from the start: it leaves no hidden classes behind.
const names = Object.create(null) as Record<string, number>

function unique(text: string): string {
  names[text] = 0
  const [name] = Object.keys(names)
  delete names[text]
  return name
}

export class KeyCache {
  private readonly bytes: Uint8Array
  // Where the text of a kept key first stood. The input is its storage, so nothing is copied.
  private readonly from = new Float64Array(SLOTS).fill(-1)
  private readonly length = new Uint8Array(SLOTS)
  private readonly name: string[] = new Array<string>(SLOTS).fill('')
  // Which key came after this one the last time. Objects of one kind have their keys in the same order, so this guess
  // is nearly always right, and one comparison replaces the scan for the quote and the hash.
  private readonly after = new Uint8Array(SLOTS)
  private last = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** The key whose opening quote is at `open`, if it is the expected one. */
  guess(open: number): string | undefined {
    const { bytes } = this
    const slot = this.after[this.last]
    let kept = this.from[slot]
    const length = this.length[slot]
    const close = open + 1 + length
    if (kept < 0 || close >= bytes.length || bytes[close] !== QUOTE) return undefined
    for (let i = open + 1; i < close; i++) if (bytes[i] !== bytes[kept++]) return undefined
    this.last = slot
    return this.name[slot]
  }

  /** How long the text of the key is that `guess` or `find` gave last. */
  lastLength(): number {
    return this.length[this.last]
  }

  /** The key with the text [from, to), which has no escapes and at most LONGEST_CACHED_KEY bytes. */
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
    let kept = this.from[slot]
    for (let i = from; i < to; i++) if (bytes[i] !== bytes[kept++]) return false
    return true
  }

  private follow(slot: number): string {
    this.after[this.last] = slot
    this.last = slot
    return this.name[slot]
  }
}
