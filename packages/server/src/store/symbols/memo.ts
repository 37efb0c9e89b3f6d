// Caches words per row of a request's tables, computed when a row is first needed. The memory is reused for the next request.
import type { Dictionary } from '@hearth/profile'
import { SequenceInterner } from '@hearth/profile'
import { HASH_WORDS, HashInput } from './content-hash.ts'

/** Memory for more rows than this (6 MB for the widest table) is not kept for the next request. */
const KEEP_ROWS = 1 << 18

export class Memo {
  readonly width: number
  /** `width` words per row. They are valid where `done` is not 0. */
  words = new Int32Array(0)
  done = new Uint8Array(0)

  constructor(width: number) {
    this.width = width
  }

  /** Resets for a table with this many rows. */
  reset(rows: number): void {
    if (rows > this.done.length || (this.done.length > KEEP_ROWS && rows <= KEEP_ROWS)) {
      const room = rows < KEEP_ROWS ? Math.min(rows * 2, KEEP_ROWS) : rows
      this.words = new Int32Array(room * this.width)
      this.done = new Uint8Array(room)
    } else this.done.fill(0, 0, rows)
  }
}

/** Scratch memory for one request at a time. */
export class SymbolScratch {
  /** Hashes of strings and attributes. */
  readonly texts = new Memo(HASH_WORDS)
  readonly attributes = new Memo(HASH_WORDS)
  /** Ids of the other tables. */
  readonly functions = new Memo(2)
  readonly mappings = new Memo(2)
  readonly locations = new Memo(2)
  readonly stacks = new Memo(2)
  /** Ids of sets with one attribute, by its row. Longer sets are keyed by their rows. */
  readonly singles = new Memo(2)
  runs = new SequenceInterner()
  runIds = new Int32Array(128)
  /** The content of the current row, and its hash. */
  readonly input = new HashInput()
  readonly run = new HashInput()
  readonly words = new Int32Array(HASH_WORDS)

  reset(dictionary: Dictionary): void {
    this.texts.reset(dictionary.strings.length)
    this.attributes.reset(dictionary.attributes.length)
    this.singles.reset(dictionary.attributes.length)
    this.functions.reset(dictionary.functions.length)
    this.mappings.reset(dictionary.mappings.length)
    this.locations.reset(dictionary.locations.length)
    this.stacks.reset(dictionary.stacks.length)
    if (this.runs.length <= KEEP_ROWS) this.runs.clear()
    else {
      this.runs = new SequenceInterner()
      this.runIds = new Int32Array(128)
    }
  }
}
