// State of the Broker outside the store: one JSON file per tenant in the data directory, written atomically.
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { isTenantName } from '../access/access-file.ts'

class StateFileError extends Error {
  override readonly name = 'StateFileError'
}

/** Files `NAME-TENANT.json` of one kind. */
export class StateFiles<State> {
  readonly #directory: string
  readonly #name: string
  readonly #schema: z.ZodType<State>
  /** The next state to write for each tenant while a write is in progress. */
  readonly #waiting = new Map<string, State>()
  readonly #writing = new Map<string, Promise<void>>()

  constructor(directory: string, name: string, schema: z.ZodType<State>) {
    this.#directory = directory
    this.#name = name
    this.#schema = schema
  }

  /** Tenants with a state file. */
  tenants(): string[] {
    let names: string[]
    try {
      names = readdirSync(this.#directory)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
    const prefix = `${this.#name}-`
    return names
      .filter(name => name.startsWith(prefix) && name.endsWith('.json'))
      .map(name => name.slice(prefix.length, -'.json'.length))
      .filter(isTenantName)
  }

  /** Returns undefined if there is no file. Throws StateFileError if the content is invalid. */
  read(tenant: string): State | undefined {
    const file = this.#file(tenant)
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
    return this.#parsed(file, text)
  }

  /** Writes synchronously. */
  write(tenant: string, state: State): void {
    const file = this.#file(tenant)
    const text = this.#text(file, state)
    mkdirSync(this.#directory, { recursive: true })
    const half = `${file}.${process.pid}.tmp`
    writeFileSync(half, text, { mode: 0o600 })
    renameSync(half, file)
  }

  /** Writes in the background. If states follow in quick succession, only the last is written. Rejects if writing fails. */
  writeSoon(tenant: string, state: State): Promise<void> {
    this.#waiting.set(tenant, state)
    const before = this.#writing.get(tenant)
    if (before !== undefined) return before
    const writing = this.#writeWaiting(tenant).finally(() => this.#writing.delete(tenant))
    this.#writing.set(tenant, writing)
    return writing
  }

  /** Resolves when no write is pending. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing.values())
  }

  async #writeWaiting(tenant: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true })
    const file = this.#file(tenant)
    const half = `${file}.${process.pid}.soon.tmp`
    for (let state = this.#waiting.get(tenant); state !== undefined; state = this.#waiting.get(tenant)) {
      this.#waiting.delete(tenant)
      await writeFile(half, this.#text(file, state), { mode: 0o600 })
      await rename(half, file)
    }
  }

  /** Validates before writing, so that a file can always be read back. */
  #text(file: string, state: State): string {
    const text = `${JSON.stringify(state, undefined, 2)}\n`
    this.#parsed(file, text)
    return text
  }

  #parsed(file: string, text: string): State {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch (error) {
      throw new StateFileError(`${file}: ${error instanceof Error ? error.message : 'not JSON'}`, { cause: error })
    }
    const parsed = this.#schema.safeParse(json)
    if (parsed.success) return parsed.data
    const { path, message } = parsed.error.issues[0]
    throw new StateFileError(`${file}: ${path.join('.')}: ${message}`)
  }

  #file(tenant: string): string {
    return join(this.#directory, `${this.#name}-${tenant}.json`)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
