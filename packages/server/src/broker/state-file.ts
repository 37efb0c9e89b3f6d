// State of the Broker outside the store: one state file per tenant in the data directory.
import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { isTenantName } from '../access/access-file.ts'
import { StateFile } from '../files/state-file.ts'

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
      .flatMap(name =>
        name.startsWith(prefix) ? (/^(.*)\.json(?:\.previous)?$/.exec(name.slice(prefix.length))?.[1] ?? []) : [],
      )
      .filter((name, i, all) => isTenantName(name) && all.indexOf(name) === i)
  }

  /** Returns undefined if there is no intact file. A damaged one is kept, and reported by the server's readiness. */
  read(tenant: string): State | undefined {
    return this.#file(tenant).read().content
  }

  /** Writes synchronously. */
  write(tenant: string, state: State): void {
    this.#file(tenant).writeSync(state)
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
    for (let state = this.#waiting.get(tenant); state !== undefined; state = this.#waiting.get(tenant)) {
      this.#waiting.delete(tenant)
      await this.#file(tenant).write(state)
    }
  }

  #file(tenant: string): StateFile<State> {
    const path = join(this.#directory, `${this.#name}-${tenant}.json`)
    return new StateFile(path, { parse: json => this.#parsed(json), optional: true })
  }

  #parsed(json: unknown): State {
    const parsed = this.#schema.safeParse(json)
    if (parsed.success) return parsed.data
    const { path, message } = parsed.error.issues[0]
    throw new Error(`${path.join('.')}: ${message}`)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
