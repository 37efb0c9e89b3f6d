// Sessions of the embedded engine. A session runs one query at a time; several sessions on one directory run concurrently.
import type { Session } from 'chdb'
import { EngineError } from '../engine.ts'
import { quoteText } from '../sql-text.ts'

export interface Limits {
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
}

const MAX_CLEARING_ATTEMPTS = 5

const UNKNOWN: Limits = { maxSeconds: -1, maxMemoryBytes: -1 }

/** A session and its current settings. */
export class PooledSession {
  readonly session: Session
  /** The log comment that identifies its queries, to kill them. */
  readonly comment: string
  #limits: Limits
  #failed = false

  constructor(session: Session, comment: string, readOnly: boolean, limits: Limits) {
    this.session = session
    this.comment = comment
    this.#limits = limits
    // A list of 100,000 ids is 2 MB of text, eight times the default limit of a statement.
    session.query(`SET max_query_size = 0, log_comment = ${quoteText(comment)}, ${limitsText(limits)}`)
    // 2: read-only, but settings can be changed.
    if (readOnly) session.query('SET readonly = 2')
  }

  /** Sets the limits of the next query, whatever the previous one had. */
  async prepare(limits: Limits): Promise<void> {
    if (this.#failed) await this.#clear()
    const { maxSeconds, maxMemoryBytes } = this.#limits
    if (limits.maxSeconds === maxSeconds && limits.maxMemoryBytes === maxMemoryBytes) return
    // Recorded only after success, so that the next query sets again whatever fails here.
    this.#limits = UNKNOWN
    await this.session.queryAsync(`SET ${limitsText(limits)}`)
    this.#limits = limits
  }

  /** Call after a failed statement. */
  fail(): void {
    this.#failed = true
  }

  async tidy(): Promise<void> {
    if (this.#failed) await this.#clear()
  }

  /**
   * Discards rows that a failed statement left. The engine puts them before the result of the next statement, which may
   * belong to another caller. Repeats until a result is as expected.
   */
  async #clear(): Promise<void> {
    for (let tries = 0; this.#failed && tries < MAX_CLEARING_ATTEMPTS; tries++) {
      try {
        const response = await this.session.queryAsync("SELECT 'clear'", { format: 'TabSeparated' })
        this.#failed = Buffer.from(response.bytes()).toString('latin1') !== 'clear\n'
      } catch {
        // A late cancellation of the previous query may have hit this one.
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

  /** Waits for a free session in order of arrival. A signal ends the wait. */
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

  /** Starts nothing new. Resolves when all running queries have ended. */
  async drain(): Promise<void> {
    this.#closed = true
    for (const waiter of this.#waiting.splice(0)) waiter.fail(closedError())
    if (this.#free.length === this.#all.length) return
    await new Promise<void>(resolve => {
      this.#drained = resolve
    })
  }

  /** Sessions that run a query. */
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
