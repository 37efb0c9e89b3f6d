// Guards that limit captures by triggers: a percentage, a cool-down per trigger and instance, one capture per instance at a
// time, an optional hourly budget per trigger, and a budget per tenant and minute. They are checked in this order, so that
// the history names the most specific one.

export const GUARDS = ['percentage', 'cool-down', 'running', 'own-budget', 'budget', 'limit'] as const
export type Guard = (typeof GUARDS)[number]

export interface GuardOptions {
  /** Captures that all triggers of a tenant may start per minute. Default: 10. */
  readonly budgetPerMinute?: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Returns a number from 0 to below 1. */
  readonly random?: () => number
}

export interface Guarded {
  readonly tenant: string
  readonly trigger: {
    readonly name: string
    readonly percentage: number
    readonly coolDownMs: number
    readonly budgetPerHour?: number | undefined
  }
  /** Unique within the tenant. */
  readonly instance: string
  /** Whether a capture of the instance is running. */
  readonly isRunning: boolean
}

const BUDGET_PER_MINUTE = 10
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** From this size on, expired cool-downs are removed. */
const SWEEP_SIZE = 1000

export class Guards {
  /** Captures that all triggers of a tenant may start per minute. */
  readonly budgetPerMinute: number
  readonly #now: () => number
  readonly #random: () => number
  /** The end of the cool-down by tenant, trigger and instance. */
  readonly #coolUntil = new Map<string, number>()
  /** Start times of the captures of the last minute, by tenant. */
  readonly #started = new Map<string, number[]>()
  /** Start times of the captures of the last hour, by tenant and trigger, for triggers with a budget. */
  readonly #ownStarted = new Map<string, number[]>()
  #sweepAt = SWEEP_SIZE

  constructor({ budgetPerMinute, now, random }: GuardOptions = {}) {
    this.budgetPerMinute = budgetPerMinute ?? BUDGET_PER_MINUTE
    this.#now = now ?? (() => performance.now())
    this.#random = random ?? Math.random
  }

  /** Returns the guard that blocks the capture. If none does, counts the capture as started. */
  pass({ tenant, trigger, instance, isRunning }: Guarded): Guard | undefined {
    if (trigger.percentage < 100 && this.#random() * 100 >= trigger.percentage) return 'percentage'
    const now = this.#now()
    const key = JSON.stringify([tenant, trigger.name, instance])
    if ((this.#coolUntil.get(key) ?? -Infinity) > now) return 'cool-down'
    if (isRunning) return 'running'
    const own = startedSince(this.#ownStarted, JSON.stringify([tenant, trigger.name]), now - HOUR_MS)
    if (own.length >= (trigger.budgetPerHour ?? Infinity)) return 'own-budget'
    const started = startedSince(this.#started, tenant, now - MINUTE_MS)
    if (started.length >= this.budgetPerMinute) return 'budget'
    started.push(now)
    if (trigger.budgetPerHour !== undefined) own.push(now)
    this.#coolUntil.set(key, now + trigger.coolDownMs)
    this.#sweep(now)
    return undefined
  }

  /** Resets the guards of a trigger that was changed or removed. */
  forget(tenant: string, trigger: string): void {
    const key = JSON.stringify([tenant, trigger])
    this.#ownStarted.delete(key)
    const prefix = `${key.slice(0, -1)},`
    for (const each of this.#coolUntil.keys()) if (each.startsWith(prefix)) this.#coolUntil.delete(each)
  }

  #sweep(now: number): void {
    if (this.#coolUntil.size < this.#sweepAt) return
    for (const [key, until] of this.#coolUntil) if (until <= now) this.#coolUntil.delete(key)
    this.#sweepAt = Math.max(SWEEP_SIZE, 2 * this.#coolUntil.size)
  }
}

/** Removes and returns the list without older times. */
function startedSince(lists: Map<string, number[]>, key: string, since: number): number[] {
  const started = (lists.get(key) ?? []).filter(time => time > since)
  lists.set(key, started)
  return started
}
