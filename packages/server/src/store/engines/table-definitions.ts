// Copies of the definitions of the embedded store's tables. Without its definition, the engine neither finds the rows of a table
// nor opens the store at all:
//   store/store/xxx/UUID/TABLE.sql            the definitions, written by the engine
//   store/store/xxx/UUID/format_version.txt   one byte per table, which the engine also requires
//   store/table-definitions.json              the copies, a state file
// A definition that differs from its copy at the start is damaged: the copies are dropped before a statement changes a table, and
// made again afterwards.
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../files/file-disk.ts'
import { StateFile, damagedName } from '../../files/state-file.ts'

/** Texts of the definitions by their path in the store. */
type Copies = Readonly<Record<string, string>>

const CHANGES =
  /^\s*(?:CREATE|DROP|RENAME|EXCHANGE|ALTER\s+TABLE\s+\S+\s+(?:ADD|MODIFY|RENAME|RESET|COMMENT|DROP\s+COLUMN))\b/i
const FILE = /^store\/[\w-]+\/[\w-]+\/(?:[^/]+\.sql|format_version\.txt)$/

export class TableDefinitions {
  readonly #directory: string
  readonly #file: StateFile<Copies>

  constructor(storeDirectory: string) {
    this.#directory = storeDirectory
    this.#file = new StateFile(join(storeDirectory, 'table-definitions.json'), {
      parse: parseCopies,
      optional: true,
      // A start writes many copies, and a power loss only costs the protection until the next start.
      durable: false,
      shortLived: true,
    })
  }

  /** Replaces damaged and deleted definitions by their copies. The damaged ones are kept beside the copies. Call before the engine starts. */
  restore(): void {
    const { content = {} } = this.#file.read()
    for (const [path, text] of Object.entries(content)) {
      const full = join(this.#directory, path)
      const found = readIfPresent(full)
      if (found?.equals(Buffer.from(text)) === true) continue
      if (found !== undefined) renameSync(full, damagedName(join(this.#directory, basename(path))))
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, text, { flush: true })
    }
  }

  /** Runs a statement. If it changes a table, the copies are made again. */
  async during(sql: string, run: () => Promise<void>): Promise<void> {
    if (!CHANGES.test(sql)) return run()
    // A crash in the middle leaves no copies, which are made again at the next start.
    if (Object.keys(this.#file.read().content ?? {}).length > 0) await this.#file.write({})
    await run()
    await this.#file.write(this.#definitions())
  }

  #definitions(): Copies {
    const copies: Record<string, string> = {}
    const inside = (folder: string): readonly string[] =>
      namesIn(join(this.#directory, folder)).map(name => join(folder, name))
    for (const path of inside('store').flatMap(inside).flatMap(inside))
      if (FILE.test(path)) copies[path] = readFileSync(join(this.#directory, path), 'utf8')
    return copies
  }
}

function parseCopies(json: unknown): Copies {
  for (const [path, text] of Object.entries(json as object))
    if (typeof text !== 'string' || !FILE.test(path)) throw new Error('not a definition')
  return json as Copies
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return []
    throw error
  }
}

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
