// The rows of the open group: requests are added one after another until the group is taken.
import { catalogDelta } from './catalog-delta.ts'
import type { GroupFile, TakenRows } from './commit/group-file.ts'
import { groupFile } from './commit/group-file.ts'
import type { RowSource } from './commit/row-source.ts'
import type { RowContext } from './group-rows.ts'
import { BatchPool, GroupRows } from './group-rows.ts'
import type { ReceivedRequest } from './keeper.ts'
import type { TableBatch } from './native/table.ts'

/** Appends the request's rows. If it throws, they are rolled back. */
export type RowWriter = (rows: GroupRows, context: RowContext, request: ReceivedRequest) => void

export class RowGroup implements RowSource {
  readonly #write: RowWriter
  readonly #forget: () => void
  readonly #pool = new BatchPool()
  #rows: GroupRows

  /** `forget` calls SymbolLedger.forgetAll. */
  constructor(write: RowWriter, forget: () => void) {
    this.#write = write
    this.#forget = forget
    this.#rows = new GroupRows(this.#pool)
  }

  /** Returns the size of the request's rows. Throws if they cannot be written, and leaves the others. */
  add(context: RowContext, request: ReceivedRequest): number {
    const rows = this.#rows
    const before = rows.byteLength
    const mark = rows.mark()
    try {
      this.#write(rows, context, request)
      for (const batch of rows.batches()) checkColumns(batch)
    } catch (error) {
      rows.rollBack(mark)
      // The rollback removed the symbols that this request announced.
      this.#forget()
      throw error
    }
    return rows.byteLength - before
  }

  async take(): Promise<TakenRows> {
    const rows = this.#rows
    this.#rows = new GroupRows(this.#pool)
    const delta = catalogDelta(rows.batches())
    // One table after another, and without references to the rows of those before, so that their memory can be freed.
    const files: GroupFile[] = []
    for (const name of rows.names()) files.push(...rows.takeBatch(name, groupFile))
    return { files, delta }
  }

  discard(): void {
    this.#rows.release()
    this.#forget()
  }

  async forget(): Promise<void> {
    this.#forget()
  }
}

/** A forgotten column would fail the complete group on write. This check fails only the one request. */
function checkColumns(batch: TableBatch): void {
  const { rows, table } = batch
  for (const [name, column] of Object.entries(batch.columns))
    if (column.length !== rows) throw new Error(`${table.name}.${name} has ${column.length} rows instead of ${rows}`)
}
