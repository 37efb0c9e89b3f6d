// The common part of writing a content-addressed row: decides whether it is new, and writes its key.
import type { RowContext } from '../group-rows.ts'
import type { ColumnsOf } from '../native/table.ts'
import type { symbolKey } from '../schema/shared-columns.ts'
import type { SymbolLedger } from '../symbol-ledger.ts'
import { announce } from './ledger.ts'

const encoder = new TextEncoder()

export class SymbolRows {
  readonly #ledger: SymbolLedger
  readonly #tenant: string
  readonly #tenantBytes: Uint8Array
  readonly #day: number

  constructor(context: RowContext, ledger: SymbolLedger) {
    ledger.startDay(context.day)
    this.#ledger = ledger
    this.#tenant = context.tenant
    this.#tenantBytes = encoder.encode(context.tenant)
    this.#day = context.day
  }

  /** Settles the id in `words`. If the row must be written, pushes its key and returns true. */
  start(table: string, columns: ColumnsOf<typeof symbolKey>, words: Int32Array): boolean {
    if (!announce(this.#ledger, this.#tenant, table, words)) return false
    columns.tenant.pushBytes(this.#tenantBytes)
    columns.id.pushHalves(words[0], words[1])
    columns.check.pushHalves(words[2], words[3])
    columns.last_seen.push(this.#day)
    return true
  }
}
