// The servers that share the store. Each says regularly that it runs, and since when requests wait in its journal. Symbols that such
// requests refer to must not be deleted by another server.
import { hostname } from 'node:os'
import type { Engine } from '../engine.ts'
import { quoteText } from '../sql-text.ts'

export interface MembersOptions {
  readonly engine: Engine
  /** The identity of this server. */
  readonly server: string
  readonly version: string
  /** Unix milliseconds of the oldest commit that this server has not inserted yet. */
  readonly pendingSince: () => number | undefined
  readonly onError: (error: unknown) => void
  readonly now?: () => number
}

export interface Member {
  readonly server: string
  readonly host: string
  readonly version: string
  /** Unix milliseconds. */
  readonly seen: number
  readonly pendingSince: number | undefined
  readonly isStopped: boolean
}

export const REPORT_MS = 5000
/** A server that has been silent for this long has lost its journal, or will never come back. */
const FORGET_MS = 14 * 86_400_000

export class Members {
  readonly #options: MembersOptions
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** Resolves when other servers can see this one. */
  async start(): Promise<void> {
    await this.#report(false)
    this.#timer = setInterval(() => {
      this.#turn = this.#report(false).catch(this.#options.onError)
    }, REPORT_MS).unref()
  }

  /** Call when no more requests are accepted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#turn
    await this.#report(true)
  }

  /** Servers that run or may come back with a journal. */
  async list(): Promise<readonly Member[]> {
    const since = this.#now() - FORGET_MS
    const block = await this.#options.engine.select(
      'SELECT server, host, version, stopped, toUnixTimestamp64Milli(seen) AS seen_ms, ' +
        'toUnixTimestamp64Milli(pending_since) AS pending_ms FROM servers FINAL ' +
        `WHERE seen > fromUnixTimestamp64Milli(toInt64(${since})) ORDER BY host, server`,
    )
    return Array.from({ length: block.rows }, (_, row) => {
      const pending = Number(block.column('pending_ms').bigint(row))
      return {
        server: block.column('server').text(row),
        host: block.column('host').text(row),
        version: block.column('version').text(row),
        seen: Number(block.column('seen_ms').bigint(row)),
        pendingSince: pending === 0 ? undefined : pending,
        isStopped: block.column('stopped').number(row) === 1,
      }
    })
  }

  /** Unix milliseconds since when requests may wait in any journal. Undefined if none waits. */
  async pendingSince(): Promise<number | undefined> {
    const others = (await this.list()).filter(({ server }) => server !== this.#options.server)
    const times = others.flatMap(({ isStopped, seen, pendingSince }) => {
      if (pendingSince !== undefined) return [pendingSince]
      // It may have accepted requests since.
      return isStopped ? [] : [seen]
    })
    const own = this.#options.pendingSince()
    const all = own === undefined ? times : [...times, own]
    return all.length === 0 ? undefined : Math.min(...all)
  }

  async #report(isStopped: boolean): Promise<void> {
    const { engine, server, version, pendingSince } = this.#options
    const now = Math.floor(this.#now())
    const time = (ms: number): string => `fromUnixTimestamp64Milli(toInt64(${Math.floor(ms)}))`
    await engine.command(
      'INSERT INTO servers (server, host, version, seen, pending_since, stopped) SETTINGS async_insert = 0 VALUES ' +
        `(${quoteText(server)}, ${quoteText(hostname())}, ${quoteText(version)}, ${time(now)}, ` +
        `${time(pendingSince() ?? 0)}, ${isStopped ? 1 : 0})`,
    )
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }
}
