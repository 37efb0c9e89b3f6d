// The servers that share the store. Each reports regularly that it runs, and the time before which everything that it received is in
// the tables. The minimum of these times is the time before which the data of all servers is complete. Symbols that later requests
// refer to must not be deleted by another server.
//
// A time of receipt is compared only with the reports of the server that received the request, so clocks of servers need not agree.
// Whether a server is silent is decided by the clock of the store.
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import { quoteText } from '../sql-text.ts'

export interface MembersOptions {
  readonly engine: Engine
  /** The identity of this server. */
  readonly server: string
  readonly version: string
  /** See CommitQueue. */
  readonly visibleBefore: () => bigint
  /** Unix milliseconds of the first request that this server has not inserted yet. Undefined if there is none. */
  readonly pendingSince: () => number | undefined
  readonly onError: (error: unknown) => void
}

export interface StoreMember {
  readonly server: string
  readonly host: string
  readonly version: string
  /** Unix milliseconds. */
  readonly seen: number
  readonly pendingSince: number | undefined
  readonly isStopped: boolean
}

const REPORT_MS = 2000
/** A server that has been silent for this long does not count for the data of screens. Its journal may have older requests. */
const SILENT_MS = 20_000
/** While a screen waits for data of other servers, their reports are read at this interval. */
const READ_AGAIN_MS = 100
/** A server that has been silent for this long has lost its journal, or will never come back. */
const FORGET_MS = 14 * 86_400_000

export class Members {
  readonly #options: MembersOptions
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #isReporting = false
  #completeBefore = 0n
  #reading: Promise<void> | undefined

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** Resolves when other servers can see this one. */
  async start(): Promise<void> {
    await this.#report(false)
    await this.#readComplete()
    this.#timer = setInterval(() => {
      if (this.#isReporting) return
      this.#isReporting = true
      this.#turn = this.#report(false)
        .catch(this.#options.onError)
        .finally(() => (this.#isReporting = false))
    }, REPORT_MS).unref()
  }

  /** Call when no more requests are accepted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#turn
    await this.#report(true)
  }

  /** The time in nanoseconds before which the data of all servers is complete, as far as is known. */
  visibleBefore(): bigint {
    return this.#completeBefore
  }

  /** Resolves when the data that all servers received before the time is visible to queries. Rejects when the signal aborts. */
  async visible(before: bigint, signal: AbortSignal): Promise<void> {
    for (;;) {
      await (this.#reading ??= this.#readComplete().finally(() => (this.#reading = undefined)))
      if (before <= this.#completeBefore) return
      await sleep(READ_AGAIN_MS, undefined, { signal })
    }
  }

  /** Servers that run or may come back with a journal. */
  async list(): Promise<readonly StoreMember[]> {
    const block = await this.#options.engine.select(
      'SELECT server, host, version, stopped, toUnixTimestamp64Milli(seen) AS seen_ms, ' +
        'toUnixTimestamp64Milli(pending_since) AS pending_ms FROM servers FINAL ' +
        `WHERE seen > now64(9) - toIntervalMillisecond(${FORGET_MS}) ORDER BY host, server`,
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

  async #readComplete(): Promise<void> {
    // Servers of earlier versions report 1970 if no request waits, and the time of their report by their own clock.
    const block = await this.#options.engine.select(
      'SELECT count() AS n, toUnixTimestamp64Milli(min(if(toUnixTimestamp64Milli(pending_since) = 0, seen, pending_since))) AS ms ' +
        'FROM servers FINAL WHERE (stopped = 0 OR toUnixTimestamp64Milli(pending_since) > 0) ' +
        `AND seen > now64(9) - toIntervalMillisecond(${SILENT_MS})`,
    )
    // Without a report, also of this server, nothing is known.
    if (Number(block.column('n').bigint(0)) === 0) return
    this.#completeBefore = block.column('ms').bigint(0) * 1_000_000n
  }

  async #report(isStopped: boolean): Promise<void> {
    const { engine, server, version, visibleBefore, pendingSince } = this.#options
    const pending = isStopped ? (pendingSince() ?? 0) : Number(visibleBefore() / 1_000_000n)
    await engine.command(
      'INSERT INTO servers (server, host, version, seen, pending_since, stopped) SETTINGS async_insert = 0 VALUES ' +
        `(${quoteText(server)}, ${quoteText(hostname())}, ${quoteText(version)}, now64(9), ` +
        `fromUnixTimestamp64Milli(toInt64(${pending})), ${isStopped ? 1 : 0})`,
    )
  }
}
