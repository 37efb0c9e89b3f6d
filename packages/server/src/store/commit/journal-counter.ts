// Numbers the groups of a journal, and notices if the journal was deleted or replaced by an older copy. The same counter is in
// a file of the journal and in the store:
//   journal/counter.json   the journal's id, and the number up to which groups may exist
//   table `journals`       the same as of the last reservation, and whether the journal can contain groups
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { StateFile } from '../../files/state-file.ts'
import type { Engine } from '../engine.ts'
import { quoteText } from '../sql-text.ts'
import type { JournalDisk } from './journal-disk.ts'

interface Counter {
  /** Different for every journal directory. */
  readonly journal: string
  /** Groups of the journal have lower numbers. */
  readonly reserved: number
  /** Descriptions of losses that an administrator has not seen yet. */
  readonly lost: readonly string[]
}

/** Numbers are reserved in steps, so that few commits write the file. A crash skips the rest of a step. */
const STEP = 1000

export function counterFile(journalDirectory: string, disk?: JournalDisk, durable?: boolean): StateFile<Counter> {
  return new StateFile(join(journalDirectory, 'counter.json'), {
    parse: parseCounter,
    optional: true,
    ...(disk === undefined ? {} : { disk }),
    ...(durable === undefined ? {} : { durable }),
  })
}

function parseCounter(json: unknown): Counter {
  const { journal, reserved, lost } = json as Partial<Counter>
  if (typeof journal !== 'string' || !Number.isSafeInteger(reserved) || !Array.isArray(lost))
    throw new Error('not a counter')
  return json as Counter
}

/** The state in the store. One row per server. */
interface StoredCounter {
  readonly journal: string
  readonly groups: number
  readonly open: boolean
}

export class JournalCounter {
  readonly #file: StateFile<Counter>
  readonly #server: string
  #counter: Counter
  /** Whether the file existed. */
  readonly #known: boolean
  /** Whether the file is damaged. Then the journal is there, and the store has the newest counter. */
  readonly #isDamaged: boolean
  #next = 1
  #engine: Engine | undefined
  #reserving: Promise<void> = Promise.resolve()

  /** `server` identifies the data directory in a store that several servers share. */
  constructor(file: StateFile<Counter>, server: string) {
    this.#file = file
    this.#server = server
    const { content, damage } = file.read()
    this.#known = content !== undefined
    this.#isDamaged = damage !== undefined
    this.#counter = content ?? { journal: randomUUID(), reserved: 1, lost: [] }
    this.#next = this.#counter.reserved
  }

  /** Losses that an administrator has not seen yet. */
  get lost(): readonly string[] {
    return this.#counter.lost
  }

  /** Call for every number that is in use. */
  skip(number: number): void {
    this.#next = Math.max(this.#next, number + 1)
  }

  /** Returns the number of the next group. Rejects if it cannot be reserved. */
  async take(): Promise<number> {
    const number = this.#next++
    while (number >= this.#counter.reserved) {
      this.#reserving = this.#reserving.catch(() => undefined).then(() => this.#reserve(number))
      await this.#reserving
    }
    return number
  }

  /** Compares the counters and marks the journal as open. Returns a new loss, or undefined. Call once, before the first group. */
  async compare(engine: Engine): Promise<string | undefined> {
    const stored = await this.#stored(engine)
    if (this.#isDamaged && stored !== undefined) this.#counter = { ...this.#counter, journal: stored.journal }
    const loss = this.#isDamaged ? undefined : this.#lossOf(stored)
    await this.#write({
      ...this.#counter,
      reserved: Math.max(this.#next + STEP, stored?.journal === this.#counter.journal ? stored.groups : 0),
      lost: loss === undefined ? this.#counter.lost : [...this.#counter.lost, loss],
    })
    await this.#mark(engine, true)
    this.#engine = engine
    return loss
  }

  /** The administrator has seen the losses. Returns whether there were some. */
  async seen(): Promise<boolean> {
    if (this.#counter.lost.length === 0) return false
    await this.#write({ ...this.#counter, lost: [] })
    return true
  }

  /** Call when the journal is empty and gets no more groups: it can be deleted from now on. */
  async close(): Promise<void> {
    if (this.#engine !== undefined) await this.#mark(this.#engine, false)
  }

  #lossOf(stored: StoredCounter | undefined): string | undefined {
    if (stored === undefined || !stored.open) return undefined
    const { journal, reserved } = this.#counter
    const rest = 'acknowledged requests that were not in the store yet are lost, unless the directory is put back'
    if (stored.journal !== journal)
      return `the journal of an earlier run is ${this.#known ? 'replaced by another one' : 'missing'}; ${rest}`
    return stored.groups > reserved
      ? `the journal ends at group ${reserved}, but the store has seen group ${stored.groups} of it; ${rest}`
      : undefined
  }

  async #stored(engine: Engine): Promise<StoredCounter | undefined> {
    // The embedded store belongs to one server, even if its identity was deleted together with the journal.
    const mine = engine.kind === 'embedded' ? '' : `WHERE server = ${quoteText(this.#server)} `
    const block = await engine.select(
      `SELECT journal, groups, open FROM journals FINAL ${mine}ORDER BY changed DESC LIMIT 1`,
    )
    if (block.rows === 0) return undefined
    return {
      journal: block.column('journal').text(0),
      groups: Number(block.column('groups').bigint(0)),
      open: block.column('open').number(0) === 1,
    }
  }

  async #reserve(number: number): Promise<void> {
    if (number < this.#counter.reserved) return
    await this.#write({ ...this.#counter, reserved: number + STEP })
    // The store follows later. If that fails, it has an older counter, which shows less but nothing wrong.
    if (this.#engine !== undefined) void this.#mark(this.#engine, true).catch(() => undefined)
  }

  async #write(counter: Counter): Promise<void> {
    await this.#file.write(counter)
    this.#counter = counter
  }

  async #mark(engine: Engine, open: boolean): Promise<void> {
    const { journal, reserved } = this.#counter
    await engine.command(
      'INSERT INTO journals (server, journal, groups, open, changed) ' +
        `SELECT ${quoteText(this.#server)}, ${quoteText(journal)}, ${reserved}, ${open ? 1 : 0}, now64(9)`,
    )
  }
}
