// The ids of symbols written today, by tenant and table, in open-addressing tables with four words per entry. When the ledger
// is full, it evicts the least recently used tables, and their symbols are written again.
import type { SymbolLedger } from '../symbol-ledger.ts'
import { HASH_WORDS, MAX_CONTENT_IDS, toNextId } from './content-hash.ts'

const FIRST_SLOTS = 64
/** Slots are between three eighths and three quarters full: 22 to 43 bytes per entry. */
const MAX_LOAD = 0.75
const DEFAULT_MAX_ENTRIES = 4_000_000

/** Thrown by `isNew` for an id that another content has. Use the content's next id, see `announce`. */
export class SymbolCollision extends Error {
  override readonly name = 'SymbolCollision'

  constructor(table: string) {
    super(`two contents in ${table} have one id`)
  }
}

const KNOWN = 0
const NEW = 1
const TAKEN = 2

/** Ids with their checks. A slot with id 0 is free. */
class IdSet {
  readonly tenant: string
  readonly table: string
  entries = 0
  /** The call count at the last use. */
  used = 0
  #slots = new Int32Array(FIRST_SLOTS * HASH_WORDS)

  constructor(tenant: string, table: string) {
    this.tenant = tenant
    this.table = table
  }

  add(idLo: number, idHi: number, checkLo: number, checkHi: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let at = (idLo << 2) & mask
    while (slots[at] !== 0 || slots[at + 1] !== 0) {
      if (slots[at] === idLo && slots[at + 1] === idHi)
        return slots[at + 2] === checkLo && slots[at + 3] === checkHi ? KNOWN : TAKEN
      at = (at + HASH_WORDS) & mask
    }
    slots[at] = idLo
    slots[at + 1] = idHi
    slots[at + 2] = checkLo
    slots[at + 3] = checkHi
    if (++this.entries * HASH_WORDS > slots.length * MAX_LOAD) this.#grow()
    return NEW
  }

  #grow(): void {
    const old = this.#slots
    const slots = new Int32Array(old.length * 2)
    const mask = slots.length - 1
    for (let from = 0; from < old.length; from += HASH_WORDS) {
      if (old[from] === 0 && old[from + 1] === 0) continue
      let at = (old[from] << 2) & mask
      while (slots[at] !== 0 || slots[at + 1] !== 0) at = (at + HASH_WORDS) & mask
      for (let i = 0; i < HASH_WORDS; i++) slots[at + i] = old[from + i]
    }
    this.#slots = slots
  }
}

export interface LedgerOptions {
  /** Over all tenants and tables. Default: 4 million, which is at most 172 MB. */
  readonly maxEntries?: number
}

export class MemoryLedger implements SymbolLedger {
  /** Number of collisions since the start. */
  collisions = 0
  /** Number of evicted entries since the start. */
  dropped = 0
  readonly #maxEntries: number
  readonly #sets = new Map<string, Map<string, IdSet>>()
  #last: IdSet = new IdSet('', '')
  #entries = 0
  #calls = 0
  #epoch = 0
  #day = 0

  constructor({ maxEntries = DEFAULT_MAX_ENTRIES }: LedgerOptions = {}) {
    this.#maxEntries = maxEntries
  }

  get epoch(): number {
    return this.#epoch
  }

  get entries(): number {
    return this.#entries
  }

  startDay(day: number): void {
    // A request received just before midnight may arrive after one of the new day. It must not reset the ledger again.
    if (day <= this.#day) return
    this.forgetAll()
    this.#day = day
  }

  isNew(tenant: string, table: string, idLo: number, idHi: number, checkLo: number, checkHi: number): boolean {
    if (idLo === 0 && idHi === 0) return false
    const set = this.#setOf(tenant, table)
    set.used = ++this.#calls
    const found = set.add(idLo, idHi, checkLo, checkHi)
    if (found === KNOWN) return false
    if (found === TAKEN) {
      this.collisions++
      throw new SymbolCollision(table)
    }
    if (++this.#entries > this.#maxEntries) this.#dropColdest()
    return true
  }

  use(tenant: string): void {
    const used = ++this.#calls
    for (const set of this.#sets.get(tenant)?.values() ?? []) set.used = used
  }

  forgetAll(): void {
    this.#epoch++
    this.#sets.clear()
    this.#last = new IdSet('', '')
    this.#entries = 0
  }

  #setOf(tenant: string, table: string): IdSet {
    // Consecutive calls are usually for one table.
    if (this.#last.table === table && this.#last.tenant === tenant) return this.#last
    let tables = this.#sets.get(tenant)
    if (tables === undefined) this.#sets.set(tenant, (tables = new Map<string, IdSet>()))
    let set = tables.get(table)
    if (set === undefined) tables.set(table, (set = new IdSet(tenant, table)))
    return (this.#last = set)
  }

  /** Frees a quarter of the capacity at once, because finding the least recently used set scans all sets. */
  #dropColdest(): void {
    this.#epoch++
    const sets = [...this.#sets.values()].flatMap(tables => [...tables.values()]).toSorted((a, b) => a.used - b.used)
    for (const set of sets) {
      if (this.#entries <= this.#maxEntries * 0.75) break
      this.#sets.get(set.tenant)?.delete(set.table)
      this.#entries -= set.entries
      this.dropped += set.entries
    }
    for (const [tenant, tables] of this.#sets) if (tables.size === 0) this.#sets.delete(tenant)
    this.#last = new IdSet('', '')
  }
}

/**
 * Returns whether the row whose hash is in `words` must be written. If another content has its id, this puts the content's
 * next id into `words`. Rows that refer to it must then use that id.
 */
export function announce(ledger: SymbolLedger, tenant: string, table: string, words: Int32Array, at = 0): boolean {
  for (let ids = 1; ; ids++) {
    try {
      return ledger.isNew(tenant, table, words[at], words[at + 1], words[at + 2], words[at + 3])
    } catch (error) {
      if (!(error instanceof SymbolCollision) || ids === MAX_CONTENT_IDS) throw error
      toNextId(words, at)
    }
  }
}
