// State that all servers of a store see: JSON by name and tenant, with a version. A server writes the next version. If another one
// has written it first, the write fails and the server has the other state.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import { quoteText } from '../sql-text.ts'
import { claim } from './claim.ts'

interface Known {
  readonly version: bigint
  readonly json: string
  /** Counts the changes by other servers. */
  readonly changes: number
}

type ChangeListener = (tenant: string) => void

export interface SharedStateOptions {
  readonly engine: Engine
  /** The identity of this server. */
  readonly server: string
  readonly onError: (error: unknown) => void
}

/** Another server changed the same state first. */
export class StateConflictError extends Error {
  override readonly name = 'StateConflictError'
}

const CONFLICT = 'another server changed this at the same time; try again'
const REFRESH_MS = 2000
/** A replica shows a row of another one after this time. */
const READ_AGAIN_MS = 50
const MAX_READS = 100

export class SharedState {
  readonly #options: SharedStateOptions
  readonly #known = new Map<string, Known>()
  readonly #listeners = new Map<string, ChangeListener[]>()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: SharedStateOptions) {
    this.#options = options
  }

  /** Resolves when the state of other servers is known. */
  async start(): Promise<void> {
    await this.refresh()
    this.#timer = setInterval(() => void this.refresh().catch(this.#options.onError), REFRESH_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#turn.catch(() => undefined)
  }

  /** The newest known state as JSON. */
  read(name: string, tenant: string): string | undefined {
    return this.#known.get(keyOf(name, tenant))?.json
  }

  /** Tenants with a state of the name. */
  tenants(name: string): string[] {
    return [...this.#known.keys()].flatMap(key => (key.startsWith(`${name} `) ? [key.slice(name.length + 1)] : []))
  }

  /** Calls the listener when another server has changed a state of the name. */
  onChange(name: string, listener: ChangeListener): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener])
  }

  /** How often other servers have changed the state, as far as is known. */
  changes(name: string, tenant: string): number {
    return this.#known.get(keyOf(name, tenant))?.changes ?? 0
  }

  /** Rejects with StateConflictError if another server has changed the state since there were `changes` changes. */
  write(name: string, tenant: string, json: string, changes = this.changes(name, tenant)): Promise<void> {
    return this.#inTurn(async () => {
      const { engine, server } = this.#options
      const key = keyOf(name, tenant)
      const version = (this.#known.get(key)?.version ?? 0n) + 1n
      if (this.changes(name, tenant) !== changes) throw new StateConflictError(CONFLICT)
      await claim(engine, 'shared_state', `state ${key} ${version}`, {
        name: quoteText(name),
        tenant: quoteText(tenant),
        version: String(version),
        content: quoteText(json),
        server: quoteText(server),
        changed: 'now64(9)',
      })
      for (let reads = 0; (this.#known.get(key)?.version ?? 0n) < version; reads++) {
        if (reads > 0) await sleep(READ_AGAIN_MS)
        if (reads > MAX_READS) throw new Error(`the store does not show version ${version} of ${key}`)
        await this.#read(`name = ${quoteText(name)} AND tenant = ${quoteText(tenant)}`, json)
      }
      if (this.changes(name, tenant) !== changes) throw new StateConflictError(CONFLICT)
    })
  }

  /** Reads what other servers have written. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const block = await this.#options.engine.select(
        'SELECT name, tenant, max(version) AS newest FROM shared_state GROUP BY name, tenant',
      )
      const changed: string[] = []
      for (let row = 0; row < block.rows; row++) {
        const [name, tenant] = [block.column('name').text(row), block.column('tenant').text(row)]
        if ((this.#known.get(keyOf(name, tenant))?.version ?? 0n) < block.column('newest').bigint(row))
          changed.push(`(${quoteText(name)}, ${quoteText(tenant)})`)
      }
      if (changed.length > 0) await this.#read(`(name, tenant) IN (${changed.join(', ')})`)
    })
  }

  /** A state equal to `own` is not the change of another server. */
  async #read(where: string, own?: string): Promise<void> {
    const block = await this.#options.engine.select(
      'SELECT name, tenant, max(version) AS newest, argMax(content, version) AS json FROM shared_state ' +
        `WHERE ${where} GROUP BY name, tenant`,
    )
    for (let row = 0; row < block.rows; row++) {
      const [name, tenant] = [block.column('name').text(row), block.column('tenant').text(row)]
      const key = keyOf(name, tenant)
      const version = block.column('newest').bigint(row)
      const before = this.#known.get(key)
      if ((before?.version ?? 0n) >= version) continue
      const json = block.column('json').text(row)
      const isOwn = json === own
      this.#known.set(key, { version, json, changes: (before?.changes ?? 0) + (isOwn ? 0 : 1) })
      if (!isOwn) for (const listener of this.#listeners.get(name) ?? []) listener(tenant)
    }
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const running = this.#turn.catch(() => undefined).then(run)
    this.#turn = running
    return running
  }
}

/** Names have no spaces. */
function keyOf(name: string, tenant: string): string {
  return `${name} ${tenant}`
}
