// Finds requests that several servers of one store have received: a sender that gets no response from one server sends its request to
// the next one, while the first has it in its journal already. One copy is kept.
//
//   1. Before the inserts, a server skips requests of which another server has stored a complete copy.
//   2. After the inserts, it looks again. Only a race leaves several complete copies. Then the first received one stays.
//
// The row in `requests` is inserted last and marks a complete copy. So step 1 never trusts a copy that may stay incomplete, and both
// servers of a race agree in step 2.
import type { Engine, RequestKey } from '../engine.ts'
import type { Layout } from '../schema/ddl.ts'
import { onCluster, storedName } from '../schema/ddl.ts'
import { datedTables } from '../schema/all-tables.ts'
import { quoteName, quoteText, requestKeySql, requestKeysText } from '../sql-text.ts'
import { storedRequests } from './stored-requests.ts'

export interface OtherCopiesOptions {
  readonly engine: Engine
  readonly layout: Layout
  /** Requests with one content that were received within this time are copies. */
  readonly windowMs: number
}

const MS_PER_DAY = 86_400_000
/** Limits the length of a statement. */
const REQUESTS_A_STATEMENT = 5000

/** A request of this server, and when complete copies of it were received in Unix milliseconds, its own included. */
interface Copied {
  readonly key: RequestKey
  readonly received: readonly number[]
}

export class OtherCopies {
  readonly #options: OtherCopiesOptions

  constructor(options: OtherCopiesOptions) {
    this.#options = options
  }

  /** The requests to skip. Rows of them that an earlier run has inserted are deleted. */
  async storedElsewhere(requests: readonly RequestKey[]): Promise<readonly RequestKey[]> {
    const copied = await this.#copies(requests)
    const skipped = copied.flatMap(({ key, received }) =>
      received.length > 0 && !received.includes(key.received) ? [key] : [],
    )
    if (skipped.length > 0) await this.#remove(skipped)
    return skipped
  }

  /** Deletes copies that were received later than others. */
  async removeLater(requests: readonly RequestKey[]): Promise<void> {
    const copied = await this.#copies(requests)
    const later = copied.flatMap(({ key, received }) => {
      const first = Math.min(...received)
      return received.flatMap(time => (time === first ? [] : [{ ...key, received: time }]))
    })
    if (later.length > 0) await this.#remove(later)
  }

  async #copies(requests: readonly RequestKey[]): Promise<Copied[]> {
    const { engine, windowMs } = this.#options
    const found = new Map<string, number[]>()
    for (let from = 0; from < requests.length; from += REQUESTS_A_STATEMENT) {
      const some = requests.slice(from, from + REQUESTS_A_STATEMENT)
      const times = some.map(({ received }) => received)
      const [first, last] = [Math.min(...times) - windowMs, Math.max(...times) + windowMs]
      const ids = some.map(({ tenant, id }) => `(${quoteText(tenant)}, toFixedString(unhex('${id}'), 16))`)
      const block = await engine.select(
        "SELECT CAST(tenant, 'String') AS name, lower(hex(request)) AS id, toUnixTimestamp64Milli(received) AS ms FROM requests " +
          `WHERE day >= toDate(${Math.floor(first / MS_PER_DAY)}) AND day <= toDate(${Math.floor(last / MS_PER_DAY)}) ` +
          `AND received >= fromUnixTimestamp64Milli(toInt64(${first})) AND (tenant, request) IN (${ids.join(', ')})`,
      )
      for (let row = 0; row < block.rows; row++) {
        const key = `${block.column('id').text(row)} ${block.column('name').text(row)}`
        found.set(key, [...(found.get(key) ?? []), Number(block.column('ms').bigint(row))])
      }
    }
    return requests.map(key => {
      const all = found.get(`${key.id} ${key.tenant}`) ?? []
      return { key, received: all.filter(time => Math.abs(time - key.received) <= windowMs) }
    })
  }

  async #remove(keys: readonly RequestKey[]): Promise<void> {
    const { engine, layout } = this.#options
    for (const { name } of datedTables) {
      const present = await storedRequests(engine, name, keys)
      if (present.length === 0) continue
      await engine.command(
        `ALTER TABLE ${quoteName(storedName(name, layout))}${onCluster(layout)} ` +
          `DELETE WHERE ${requestKeySql} IN ${requestKeysText(present)} SETTINGS mutations_sync = 2`,
      )
    }
  }
}
