// Sessions of the embedded engine, lent to one query at a time: a session runs one query after the other, and several on
// one directory run side by side.
import type { Session } from 'chdb'
import { EngineError } from '../engine.ts'
import { quoteText } from '../sql-text.ts'

/** Parameters longer than this are emptied before the next query: they slow down every later one of the session by copying. */
const LONG_PARAMETER = 4096

export interface Limits {
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
}

const MOST_CLEARING_TRIES = 5

const UNKNOWN: Limits = { maxSeconds: -1, maxMemoryBytes: -1 }

/** A session, and what is set in it. */
export class PooledSession {
  readonly session: Session
  /** What its queries can be found by, to end them. */
  readonly comment: string
  #limits: Limits
  #failed = false
  /** Names of parameters with the length of their texts. There is no way to unset one. */
  readonly #parameters = new Map<string, number>()

  constructor(session: Session, comment: string, readOnly: boolean, limits: Limits) {
    this.session = session
    this.comment = comment
    this.#limits = limits
    // A list of 100,000 ids is 2 MB of text, eight times what a statement may have unless told.
    session.query(`SET max_query_size = 0, log_comment = ${quoteText(comment)}, ${limitsText(limits)}`)
    // 2: reads only, but settings may still be set.
    if (readOnly) session.query('SET readonly = 2')
  }

  /** Makes the session as the query wants it, whatever the one before wanted. */
  async prepare(sql: string, parameters: readonly (readonly [string, string])[], limits: Limits): Promise<void> {
    if (this.#failed) await this.#clear()
    const given = new Set(parameters.map(([name]) => name))
    for (const name of this.#parameters.keys())
      if (!given.has(name) && new RegExp(`\\{\\s*${name}\\s*:`).test(sql))
        throw new EngineError('refused', 456, `the statement needs a value for {${name}}`)
    const assignments = parameters.map(([name, text]) => `param_${name} = ${quoteText(text)}`)
    const long = [...this.#parameters].filter(([name, length]) => length > LONG_PARAMETER && !given.has(name))
    for (const [name] of long) assignments.push(`param_${name} = ''`)
    // Also with parameters alone the limits go along: they cost nothing there.
    const changed =
      limits.maxSeconds !== this.#limits.maxSeconds || limits.maxMemoryBytes !== this.#limits.maxMemoryBytes
    if (assignments.length > 0 || changed) assignments.push(limitsText(limits))
    if (assignments.length === 0) return
    // Not known until it is done, so that whatever fails here is set again by the next.
    this.#limits = UNKNOWN
    for (const [name] of long) this.#parameters.set(name, 0)
    for (const [name, text] of parameters) this.#parameters.set(name, text.length)
    await this.session.queryAsync(`SET ${assignments.join(', ')}`)
    this.#limits = limits
  }

  /** A statement of it has failed. */
  fail(): void {
    this.#failed = true
  }

  async tidy(): Promise<void> {
    if (this.#failed) await this.#clear()
  }

  /**
   * What a statement had put out before it failed is put before the answer of the next one, somebody else's: so it is asked
   * for here and thrown away, until an answer comes that is as it should be.
   */
  async #clear(): Promise<void> {
    for (let tries = 0; this.#failed && tries < MOST_CLEARING_TRIES; tries++) {
      try {
        const answer = await this.session.queryAsync("SELECT 'clear'", { format: 'TabSeparated' })
        this.#failed = Buffer.from(answer.bytes()).toString('latin1') !== 'clear\n'
      } catch {
        // Ended in the place of the one before, perhaps, which somebody had cancelled.
      }
    }
    if (this.#failed) throw new EngineError('unavailable', 0, 'a session of the store did not recover from a failure')
  }
}

function limitsText(limits: Limits): string {
  return `max_execution_time = ${limits.maxSeconds}, max_memory_usage = ${limits.maxMemoryBytes}`
}

interface Waiter {
  readonly take: (session: PooledSession) => void
  readonly fail: (error: Error) => void
}

export class SessionPool {
  readonly #all: readonly PooledSession[]
  readonly #free: PooledSession[]
  readonly #waiting: Waiter[] = []
  #closed = false
  #drained: (() => void) | undefined

  constructor(sessions: readonly PooledSession[]) {
    this.#all = sessions
    this.#free = [...sessions]
  }

  /** Waits for a free session, first come first served; a signal ends the wait. */
  acquire(signal?: AbortSignal): Promise<PooledSession> {
    if (this.#closed) return Promise.reject(closedError())
    if (signal?.aborted === true) return Promise.reject(cancelledError())
    const free = this.#free.pop()
    if (free !== undefined) return Promise.resolve(free)
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(cancelledError())
      }
      const waiter: Waiter = {
        take: session => {
          signal?.removeEventListener('abort', onAbort)
          resolve(session)
        },
        fail: error => {
          signal?.removeEventListener('abort', onAbort)
          reject(error)
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiter)
    })
  }

  release(session: PooledSession): void {
    const next = this.#waiting.shift()
    if (next !== undefined) next.take(session)
    else {
      this.#free.push(session)
      if (this.#free.length === this.#all.length) this.#drained?.()
    }
  }

  /** Nothing new is begun; resolves when what runs has ended. */
  async drain(): Promise<void> {
    this.#closed = true
    for (const waiter of this.#waiting.splice(0)) waiter.fail(closedError())
    if (this.#free.length === this.#all.length) return
    await new Promise<void>(resolve => {
      this.#drained = resolve
    })
  }

  /** Those that a query runs on. */
  busy(): readonly PooledSession[] {
    return this.#all.filter(session => !this.#free.includes(session))
  }

  closeSessions(): void {
    for (const { session } of this.#all) session.close()
  }
}

export function cancelledError(): EngineError {
  return new EngineError('cancelled', 394, 'the query was cancelled')
}

function closedError(): EngineError {
  return new EngineError('unavailable', 0, 'the store is closed')
}
