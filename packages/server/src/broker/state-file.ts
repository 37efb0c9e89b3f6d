// State of the Broker outside the store: one state file per tenant in the data directory.
import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { isTenantName } from '../access/access-file.ts'
import { StateFile } from '../files/state-file.ts'
import type { SharedState } from '../store/sharing/shared-state.ts'
import { StateConflictError } from '../store/sharing/shared-state.ts'

/** Copies of the states that other servers of the same store see, see store/sharing/shared-state.ts. */
export type SharedCopies = Pick<SharedState, 'read' | 'tenants' | 'changes' | 'write' | 'onChange'>

interface Waiting<State> {
  readonly state: State
  /** The changes by other servers that the state takes into account. */
  readonly changes: number
}

/** Files `NAME-TENANT.json` of one kind. */
export class StateFiles<State> {
  readonly #directory: string
  readonly #name: string
  readonly #schema: z.ZodType<State>
  readonly #shared: SharedCopies | undefined
  /** The next state to write for each tenant while a write is in progress. */
  readonly #waiting = new Map<string, Waiting<State>>()
  readonly #writing = new Map<string, Promise<void>>()
  /** The last write of each tenant's file. */
  readonly #fileWrites = new Map<string, Promise<void>>()

  /** With `shared`, the state of the store counts, and files are copies of it. */
  constructor(directory: string, name: string, schema: z.ZodType<State>, shared?: SharedCopies) {
    this.#directory = directory
    this.#name = name
    this.#schema = schema
    this.#shared = shared
    // A backup has the files, and the embedded store reads them after a migration.
    shared?.onChange(name, tenant => void this.#copy(tenant).catch(() => undefined))
  }

  /** Calls the listener when another server has changed the state of a tenant. */
  onChange(listener: (tenant: string) => void): void {
    this.#shared?.onChange(this.#name, listener)
  }

  /** Tenants with a state. */
  tenants(): string[] {
    return [...new Set([...this.#tenantsWithFile(), ...(this.#shared?.tenants(this.#name) ?? [])])]
  }

  #tenantsWithFile(): string[] {
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
    const shared = this.#shared?.read(this.#name, tenant)
    return shared === undefined ? this.#file(tenant).read().content : this.#parsed(JSON.parse(shared))
  }

  /** Writes synchronously. */
  write(tenant: string, state: State): void {
    this.#file(tenant).writeSync(state)
  }

  /**
   * Writes in the background. If states follow in quick succession, only the last is written. Rejects if writing fails, or if
   * another server has changed the state at the same time.
   */
  writeSoon(tenant: string, state: State): Promise<void> {
    this.#waiting.set(tenant, { state, changes: this.#shared?.changes(this.#name, tenant) ?? 0 })
    const before = this.#writing.get(tenant)
    if (before !== undefined) return before
    const writing = this.#writeWaiting(tenant).finally(() => this.#writing.delete(tenant))
    this.#writing.set(tenant, writing)
    return writing
  }

  /** Resolves when no write is pending. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing.values())
    await Promise.allSettled(this.#fileWrites.values())
  }

  async #writeWaiting(tenant: string): Promise<void> {
    for (let next = this.#waiting.get(tenant); next !== undefined; next = this.#waiting.get(tenant)) {
      this.#waiting.delete(tenant)
      const { state, changes } = next
      await this.#shared?.write(this.#name, tenant, JSON.stringify(state), changes)
      await this.#writeFile(tenant, state)
    }
  }

  async #copy(tenant: string): Promise<void> {
    const state = this.read(tenant)
    if (state !== undefined) await this.#writeFile(tenant, state)
  }

  #writeFile(tenant: string, state: State): Promise<void> {
    const before = this.#fileWrites.get(tenant) ?? Promise.resolve()
    const writing = before
      .catch(() => undefined)
      .then(async () => {
        await mkdir(this.#directory, { recursive: true })
        await this.#file(tenant).write(state)
      })
    this.#fileWrites.set(tenant, writing)
    return writing
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

const MAX_TRIES = 5

/** Runs a change of a state, again with the latest state if another server has changed it at the same time. */
export async function changeAgain<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof StateConflictError) || tries === MAX_TRIES) throw error
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
