// What keeps triggers from doing harm: chance, a cool-down for each trigger and instance, one capture at a time on an instance,
// and a budget a minute for each tenant. In this order, so that what is told is the guard closest to the trigger.

export const GUARDS = ['percentage', 'cool-down', 'running', 'budget', 'limit'] as const
export type Guard = (typeof GUARDS)[number]

export interface GuardOptions {
  /** Captures that triggers of a tenant may start in a minute; 10 unless given. */
  readonly budgetPerMinute?: number
  /** Milliseconds on any clock that only goes on. */
  readonly now?: () => number
  /** From 0 up to 1. */
  readonly random?: () => number
}

export interface Guarded {
  readonly tenant: string
  readonly trigger: { readonly name: string; readonly percentage: number; readonly coolDownMs: number }
  /** Of one tenant there is only one with this key. */
  readonly instance: string
  /** Whether a capture of the instance is going on. */
  readonly isRunning: boolean
}

const BUDGET_PER_MINUTE = 10
const MINUTE_MS = 60_000
/** Instances come and go: from here on, cool-downs that are over are looked for and let go of. */
const MANY = 1000

export class Guards {
  readonly #budget: number
  readonly #now: () => number
  readonly #random: () => number
  /** By tenant, trigger and instance: when the cool-down ends. */
  readonly #coolUntil = new Map<string, number>()
  /** By tenant: when captures of the last minute were started. */
  readonly #started = new Map<string, number[]>()
  #sweepAt = MANY

  constructor({ budgetPerMinute, now, random }: GuardOptions = {}) {
    this.#budget = budgetPerMinute ?? BUDGET_PER_MINUTE
    this.#now = now ?? (() => performance.now())
    this.#random = random ?? Math.random
  }

  /** Which guard is against it; where none is, the capture counts as started. */
  pass({ tenant, trigger, instance, isRunning }: Guarded): Guard | undefined {
    if (trigger.percentage < 100 && this.#random() * 100 >= trigger.percentage) return 'percentage'
    const now = this.#now()
    const key = JSON.stringify([tenant, trigger.name, instance])
    if ((this.#coolUntil.get(key) ?? -Infinity) > now) return 'cool-down'
    if (isRunning) return 'running'
    const started = (this.#started.get(tenant) ?? []).filter(time => time > now - MINUTE_MS)
    this.#started.set(tenant, started)
    if (started.length >= this.#budget) return 'budget'
    started.push(now)
    this.#coolUntil.set(key, now + trigger.coolDownMs)
    this.#sweep(now)
    return undefined
  }

  /** A trigger that was changed or removed starts afresh. */
  forget(tenant: string, trigger: string): void {
    const prefix = `${JSON.stringify([tenant, trigger]).slice(0, -1)},`
    for (const key of this.#coolUntil.keys()) if (key.startsWith(prefix)) this.#coolUntil.delete(key)
  }

  #sweep(now: number): void {
    if (this.#coolUntil.size < this.#sweepAt) return
    for (const [key, until] of this.#coolUntil) if (until <= now) this.#coolUntil.delete(key)
    this.#sweepAt = Math.max(MANY, 2 * this.#coolUntil.size)
  }
}
