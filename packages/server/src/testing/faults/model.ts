// The model of a fault test: which requests were acknowledged, and what the store must have of them.
import type { SentRequest } from '../sent-request.ts'

/** The part of a server process that the model needs. */
export interface CheckedServer {
  /** Resolves when everything that was acknowledged before the call is visible. */
  settled(): Promise<void>
  /** Returns each row as the text of a tuple. */
  select(sql: string): Promise<readonly string[]>
  prepared(): Promise<{ readonly codes: readonly string[] }>
}

/** Rows by request in the tables of all signals. */
export const STORED_ROWS =
  'SELECT lower(hex(request)) AS id, toUInt32(count()) AS n FROM (SELECT request FROM profiles UNION ALL SELECT request FROM spans ' +
  'UNION ALL SELECT request FROM logs UNION ALL SELECT request FROM metric_points) GROUP BY request'
export const STORED_REQUESTS = 'SELECT lower(hex(request)) AS id, toUInt32(count()) AS n FROM requests GROUP BY request'

/** Problems with which acknowledged rows may be missing. */
const LOSSES: ReadonlySet<string> = new Set(['parts-broken', 'groups-broken', 'journal-lost'])

export class Model {
  readonly #sent: (n: number) => SentRequest
  readonly #known = new Map<string, number>()
  #made = 0
  /** Requests of which rows are lost because of damage that the server reported. */
  readonly lost = new Set<string>()
  readonly violations: string[] = []

  constructor(sent: (n: number) => SentRequest) {
    this.#sent = sent
  }

  /** For the senders. */
  readonly make = (n: number): SentRequest => {
    const request = this.#sent(n)
    this.#known.set(request.id, request.items)
    this.#made = Math.max(this.#made, n + 1)
    return request
  }

  /**
   * Compares the store with the requests that were acknowledged before the call. Returns the problems that the server reports.
   * Later ones may still be in the journal when the rows are read.
   */
  async check(acknowledged: readonly SentRequest[], server: CheckedServer): Promise<readonly string[]> {
    const before = [...acknowledged]
    await server.settled()
    const heads = countsOf(await server.select(STORED_REQUESTS))
    const items = countsOf(await server.select(STORED_ROWS))
    const { codes } = await server.prepared()
    const isReported = codes.some(code => LOSSES.has(code))
    for (const [id, n] of items) {
      const expected = this.#known.get(id)
      if (expected === undefined) this.#violate(`the store has rows of ${id}, which was never sent`)
      else if (n > expected) this.#violate(`${id} has ${n} rows instead of ${expected}`)
    }
    for (const [id, n] of heads) if (n > 1) this.#violate(`${id} is stored ${n} times`)
    for (const { id, items: expected } of before) {
      if (this.lost.has(id)) continue
      const isComplete = (items.get(id) ?? 0) === expected && heads.get(id) === 1
      if (isComplete) continue
      if (isReported) this.lost.add(id)
      else this.#violate(`${id} was acknowledged and has ${items.get(id) ?? 0} of ${expected} rows`)
    }
    return codes
  }

  #violate(message: string): void {
    this.violations.push(message)
  }
}

function countsOf(rows: readonly string[]): ReadonlyMap<string, number> {
  return new Map(rows.map(row => /'(\w+)',(\d+)/.exec(row) ?? []).map(([, id, n]) => [id, Number(n)]))
}
