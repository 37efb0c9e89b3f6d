// What keeps triggers from doing harm: chance, a cool-down for each trigger and instance, one capture at a time on an instance,
// a budget an hour for triggers that have one, and a budget a minute for each tenant. In this order, so that what is told
// is the guard closest to the trigger.

export const GUARDS = ['percentage', 'cool-down', 'running', 'own-budget', 'budget', 'limit'] as const
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
  readonly trigger: {
    readonly name: string
    readonly percentage: number
    readonly coolDownMs: number
    readonly budgetPerHour?: number | undefined
  }
  /** Of one tenant there is only one with this key. */
  readonly instance: string
  /** Whether a capture of the instance is going on. */
  readonly isRunning: boolean
}

const BUDGET_PER_MINUTE = 10
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Instances come and go: from here on, cool-downs that are over are looked for and let go of. */
const MANY = 1000

export class Guards {
  /** Captures that triggers of a tenant may start in a minute. */
  readonly budgetPerMinute: number
  readonly #now: () => number
  readonly #random: () => number
  /** By tenant, trigger and instance: when the cool-down ends. */
  readonly #coolUntil = new Map<string, number>()
  /** By tenant: when captures of the last minute were started. */
  readonly #started = new Map<string, number[]>()
  /** By tenant and trigger, of those that have a budget: when captures of the last hour were. */
  readonly #ownStarted = new Map<string, number[]>()
  #sweepAt = MANY

  constructor({ budgetPerMinute, now, random }: GuardOptions = {}) {
    this.budgetPerMinute = budgetPerMinute ?? BUDGET_PER_MINUTE
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

  /** A trigger that was changed or removed starts afresh. */
  forget(tenant: string, trigger: string): void {
    const key = JSON.stringify([tenant, trigger])
    this.#ownStarted.delete(key)
    const prefix = `${key.slice(0, -1)},`
    for (const each of this.#coolUntil.keys()) if (each.startsWith(prefix)) this.#coolUntil.delete(each)
  }

  #sweep(now: number): void {
    if (this.#coolUntil.size < this.#sweepAt) return
    for (const [key, until] of this.#coolUntil) if (until <= now) this.#coolUntil.delete(key)
    this.#sweepAt = Math.max(MANY, 2 * this.#coolUntil.size)
  }
}

/** Those that are later; the list is kept. */
function startedSince(lists: Map<string, number[]>, key: string, since: number): number[] {
  const started = (lists.get(key) ?? []).filter(time => time > since)
  lists.set(key, started)
  return started
}
