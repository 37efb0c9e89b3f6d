// Under load, several groups are inserted together, one insert per table, which saves most of the work of inserts and merges.
// One token then covers the rows of all groups. After a crash the same groups must be retried under the same token:
//   journal/applying.json   the groups being inserted together, and their token
//   journal/applied.json    the groups that are in the engine and can be removed
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { QuarantineKind, QuarantineNote } from './quarantine-note.ts'
import type { JournalDisk } from './journal-disk.ts'
import { errorCode } from './journal-disk.ts'

export interface ApplyRecord {
  /** Common prefix of the tokens of all tables. */
  readonly token: string
  /** The numbers of the groups. */
  readonly groups: readonly number[]
  /** Tables whose combined insert failed. They are inserted group by group with the groups' own tokens. */
  readonly apart: readonly string[]
}

export interface DoneRecord {
  readonly applied: readonly number[]
  readonly aside: readonly { readonly group: number; readonly kind: QuarantineKind; readonly note: QuarantineNote }[]
}

export class RecordFile<Content> {
  readonly #directory: string
  readonly #path: string
  readonly #disk: JournalDisk
  readonly #durable: boolean

  constructor(directory: string, name: 'applying' | 'applied', disk: JournalDisk, durable: boolean) {
    this.#directory = directory
    this.#path = join(directory, `${name}.json`)
    this.#disk = disk
    this.#durable = durable
  }

  /** Writes atomically. */
  async write(content: Content): Promise<void> {
    const temporary = `${this.#path}.tmp`
    const text = JSON.stringify(content)
    const bytes = new TextEncoder().encode(JSON.stringify({ check: crc32(text), content }))
    await this.#disk.write(temporary, [bytes], this.#durable)
    await this.#disk.rename(temporary, this.#path)
    if (this.#durable) await this.#disk.syncDirectory(this.#directory)
  }

  async remove(): Promise<void> {
    await this.#disk.remove(this.#path)
    if (this.#durable) await this.#disk.syncDirectory(this.#directory)
  }

  /** Returns undefined if there is no file or it is incomplete, which can happen after a power loss without durable mode. */
  async read(): Promise<Content | undefined> {
    let text
    try {
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
    try {
      const { check, content } = JSON.parse(text) as { check: number; content: Content }
      return check === crc32(JSON.stringify(content)) ? content : undefined
    } catch {
      return undefined
    }
  }
}
