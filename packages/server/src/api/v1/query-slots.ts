// How many questions of a tenant are answered at the same time: others of it wait for their turn, so that one tenant's
// dashboard does not keep the rest from answers, and those that would wait too long are told to come back.
import { RequestError } from './failure.ts'

interface Turn {
  readonly begin: () => void
}

const RETRY_SECONDS = 2

export class QuerySlots {
  readonly #running: number
  readonly #waiting: number
  readonly #tenants = new Map<string, { running: number; readonly turns: Turn[] }>()

  constructor(running: number, waiting: number) {
    this.#running = running
    this.#waiting = waiting
  }

  /** Throws RequestError where too many wait already, and the signal's reason where it aborts before the turn. */
  async run<T>(tenant: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const state = this.#tenants.get(tenant) ?? { running: 0, turns: [] }
    this.#tenants.set(tenant, state)
    if (state.running < this.#running) state.running++
    else {
      if (state.turns.length >= this.#waiting) {
        throw new RequestError(429, 'too-many-questions', 'too many questions at the same time', RETRY_SECONDS)
      }
      // Whoever ends hands its slot over, so the count stays.
      await turn(state.turns, signal)
    }
    try {
      return await task()
    } finally {
      const next = state.turns.shift()
      if (next !== undefined) next.begin()
      else if (--state.running === 0) this.#tenants.delete(tenant)
    }
  }
}

function turn(turns: Turn[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      turns.splice(turns.indexOf(mine), 1)
      reject(signal.reason)
    }
    const mine: Turn = {
      begin: () => {
        signal.removeEventListener('abort', leave)
        resolve()
      },
    }
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    turns.push(mine)
  })
}
