// Several groups go into the engine as one insert a table, which under load saves most of its work: an insert has a price of
// its own, and so has merging what it made. A token then stands for the rows of all of them, so which groups they are has to
// be known after a crash, and the same ones tried again:
//   journal/applying.json   which groups are being applied as one, under which token
//   journal/applied.json    they are in the engine: what is left of them can go
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { AsideKind, AsideNote } from './journal.ts'
import type { JournalDisk } from './journal-disk.ts'
import { errorCode } from './journal-disk.ts'

export interface ApplyRecord {
  /** What the tokens of all tables begin with. */
  readonly token: string
  /** Their numbers. */
  readonly groups: readonly number[]
  /** Tables whose rows the engine did not take together, and which go in group by group, with tokens of their own. */
  readonly apart: readonly string[]
}

export interface DoneRecord {
  readonly applied: readonly number[]
  readonly aside: readonly { readonly group: number; readonly kind: AsideKind; readonly note: AsideNote }[]
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

  /** Whole or not at all. */
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

  /** Undefined where there is none, or none that is whole: after a power loss without durable mode. */
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
