// A lease in the store: of all servers that share it, at most one holds the lease at a time and does its work. The holder renews the
// lease. If it is gone, another server takes over when the lease has expired.
//
//   term   holder   until
//     41   a        12:00:15     a renews its lease by claiming term 42. If a does not, and it is past 12:00:15,
//     42   a        12:00:20     any server may claim term 42. The store keeps one of several claims.
//
// Times are those of the store, so clocks of servers need not agree. A holder counts the time itself from before its claim, so it
// stops before others can start.
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import { quoteText } from '../sql-text.ts'
import { claim } from './claim.ts'

export interface LeaseOptions {
  readonly engine: Engine
  readonly name: string
  /** The identity of this server. */
  readonly holder: string
  /** How long a holder that is gone keeps others waiting. */
  readonly milliseconds: number
  readonly onError: (error: unknown) => void
  /** Called when this server gets the lease, and not when it renews it. */
  readonly onHeld?: () => void
  /** A monotonic clock in milliseconds. */
  readonly elapsed?: () => number
}

interface Term {
  readonly number: bigint
  readonly holder: string
  readonly hasExpired: boolean
}

export class Lease {
  readonly #options: LeaseOptions
  readonly #elapsed: () => number
  #heldUntil = -Infinity
  #holder = ''
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #isReleased = false

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#elapsed = options.elapsed ?? (() => performance.now())
  }

  /** Whether this server may do the work now. Call it before every step. */
  isHeld(): boolean {
    return this.#elapsed() < this.#heldUntil
  }

  /** The identity of the server that held the lease last; empty if none did. */
  get holder(): string {
    return this.#holder
  }

  /** Renews the lease three times in its time, or tries to get it. */
  start(): void {
    const { milliseconds, onError } = this.#options
    const run = (): void => void this.renew().catch(onError)
    run()
    this.#timer = setInterval(run, milliseconds / 3).unref()
  }

  /** Renews the lease or takes one that has expired. Returns whether this server holds it. */
  renew(): Promise<boolean> {
    const renewing = this.#turn.catch(() => undefined).then(() => this.#renew())
    this.#turn = renewing
    return renewing
  }

  /** Resolves when this server holds the lease. */
  async wait(signal?: AbortSignal): Promise<void> {
    const pause = Math.min(this.#options.milliseconds / 3, 1000)
    while (!(await this.renew())) await sleep(pause, undefined, signal === undefined ? {} : { signal })
  }

  /** Gives the lease up, so that others need not wait until it expires. */
  async release(): Promise<void> {
    clearInterval(this.#timer)
    await this.#turn.catch(() => undefined)
    this.#isReleased = true
    if (!this.isHeld()) return
    this.#heldUntil = -Infinity
    const term = await this.#read()
    if (term?.holder === this.#options.holder) await this.#claim(term.number + 1n, 0)
  }

  async #renew(): Promise<boolean> {
    if (this.#isReleased) return false
    const { holder, milliseconds, onHeld } = this.#options
    const before = await this.#read()
    const isOwn = before?.holder === holder
    if (before !== undefined && !isOwn && !before.hasExpired) return this.#lose(before.holder)
    const begun = this.#elapsed()
    const number = (before?.number ?? 0n) + 1n
    await this.#claim(number, milliseconds)
    const after = await this.#read()
    if (after?.holder !== holder) return this.#lose(after?.holder ?? '')
    // A replica may not show the new term yet. Then the old one counts.
    if (after.number < number) return this.isHeld()
    const isNew = !this.isHeld()
    this.#heldUntil = begun + milliseconds
    this.#holder = holder
    if (isNew) onHeld?.()
    return this.isHeld()
  }

  #lose(holder: string): boolean {
    this.#heldUntil = -Infinity
    this.#holder = holder
    return false
  }

  async #claim(number: bigint, milliseconds: number): Promise<void> {
    const { engine, name, holder } = this.#options
    await claim(engine, 'leases', `lease ${name} ${number}`, {
      name: quoteText(name),
      term: String(number),
      holder: quoteText(holder),
      until: `now64(9) + toIntervalMillisecond(${Math.round(milliseconds)})`,
    })
  }

  async #read(): Promise<Term | undefined> {
    const { engine, name } = this.#options
    const block = await engine.select(
      'SELECT term, holder, toUInt8(until <= now64(9)) AS expired FROM leases WHERE name = {name:String} ' +
        'ORDER BY term DESC LIMIT 1',
      { parameters: { name } },
    )
    if (block.rows === 0) return undefined
    return {
      number: block.column('term').bigint(0),
      holder: block.column('holder').text(0),
      hasExpired: block.column('expired').number(0) === 1,
    }
  }
}
