// Caches words per row of a request's tables, computed when a row is first needed. The memory is reused for the next request.
import type { Dictionary, DictionaryOrigin } from '@hearth/profile'
import { SequenceInterner } from '@hearth/profile'
import type { SymbolLedger } from '../symbol-ledger.ts'
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

  /** Keeps the first rows, and resets the others. */
  keep(kept: number, rows: number): void {
    if (rows > this.done.length) {
      const { words, done } = this
      this.reset(rows)
      this.words.set(words)
      this.done.set(done)
    }
    this.done.fill(0, kept, rows)
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

/** Lists of attributes differ between requests, even if the attributes are the same. */
const MAX_KEPT_RUNS = 4096

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
  #ledger: SymbolLedger | undefined
  #epoch = 0
  #tenant = ''

  /** Keeps what the origin of the dictionary has in common with the last one, if its rows still count as stored. */
  resume(dictionary: Dictionary, origin: DictionaryOrigin, tenant: string, ledger: SymbolLedger): void {
    const { strings, attributes, stacks } = origin
    if (ledger !== this.#ledger || ledger.epoch !== this.#epoch || tenant !== this.#tenant) {
      this.#ledger = ledger
      this.#epoch = ledger.epoch
      this.#tenant = tenant
      return this.reset(dictionary)
    }
    ledger.use(tenant)
    this.texts.keep(strings, dictionary.strings.length)
    this.attributes.keep(attributes, dictionary.attributes.length)
    this.singles.keep(attributes, dictionary.attributes.length)
    this.stacks.keep(stacks, dictionary.stacks.length)
    if (attributes < dictionary.attributes.length || this.runs.length > MAX_KEPT_RUNS) this.runs.clear()
  }

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

/** Scratch memory by origin of the dictionary, and one for dictionaries without. The ids of repeated symbols are then known. */
export class SymbolScratches {
  #other = new SymbolScratch()
  readonly #byOrigin = new WeakMap<DictionaryOrigin, SymbolScratch>()

  /** Drops the memory of a large request. */
  trim(): void {
    if (this.#other.texts.done.length > KEEP_ROWS || this.#other.locations.done.length > KEEP_ROWS)
      this.#other = new SymbolScratch()
  }

  /** Ready for the dictionary. */
  for(dictionary: Dictionary, tenant: string, ledger: SymbolLedger): SymbolScratch {
    const { origin } = dictionary
    if (origin === undefined) {
      this.#other.reset(dictionary)
      return this.#other
    }
    let scratch = this.#byOrigin.get(origin)
    if (scratch === undefined) this.#byOrigin.set(origin, (scratch = new SymbolScratch()))
    scratch.resume(dictionary, origin, tenant, ledger)
    return scratch
  }
}
