// The rows of one group commit while requests are added: one batch per table, created on first use.
import type { ColumnKinds, TableDefinition } from './native/table.ts'
import { TableBatch } from './native/table.ts'

/** The request whose rows are being written. */
export interface RowContext {
  readonly tenant: string
  /** 16 bytes: the hash of the request's content. */
  readonly request: Uint8Array
  /** Unix nanoseconds by the server's clock. */
  readonly received: bigint
  /** Days since 1970 (UTC) of `received`. */
  readonly day: number
}

/** The length of each batch before a request was added. */
export type Mark = ReadonlyMap<TableBatch, number>

/** Larger batches are rare and not reused, to release their memory. */
const MAX_REUSED_BYTES = 16 * 1024 * 1024
/** One batch is written while the next is filled. */
const MAX_REUSED = 2

/** Written batches for reuse. Their arrays have grown to the size that a group needs. */
export class BatchPool {
  readonly #free = new Map<string, TableBatch[]>()

  take(table: TableDefinition): TableBatch {
    return this.#free.get(table.name)?.pop() ?? new TableBatch<ColumnKinds>(table)
  }

  giveBack(batch: TableBatch): void {
    const { name } = batch.table
    const free = this.#free.get(name) ?? []
    if (batch.byteLength > MAX_REUSED_BYTES || free.length >= MAX_REUSED) return
    batch.truncate(0)
    free.push(batch)
    this.#free.set(name, free)
  }
}

export class GroupRows {
  readonly #batches = new Map<string, TableBatch>()
  readonly #pool: BatchPool

  constructor(pool = new BatchPool()) {
    this.#pool = pool
  }

  batch<Kinds extends ColumnKinds>(table: TableDefinition<Kinds>): TableBatch<Kinds> {
    let batch = this.#batches.get(table.name)
    if (batch === undefined) {
      batch = this.#pool.take(table as unknown as TableDefinition)
      this.#batches.set(table.name, batch)
    }
    return batch as unknown as TableBatch<Kinds>
  }

  batches(): readonly TableBatch[] {
    return [...this.#batches.values()].filter(batch => batch.rows > 0)
  }

  /** The names of the tables. */
  names(): readonly string[] {
    return [...this.#batches.keys()]
  }

  /** Writes the rows of a table if it has some, and returns the batch to the pool. */
  takeBatch<Written>(name: string, write: (batch: TableBatch) => Written): readonly Written[] {
    const batch = this.#batches.get(name)
    if (batch === undefined) return []
    const written = batch.rows === 0 ? [] : [write(batch)]
    this.#batches.delete(name)
    this.#pool.giveBack(batch)
    return written
  }

  /** Returns the batches to the pool. */
  release(): void {
    for (const batch of this.#batches.values()) this.#pool.giveBack(batch)
    this.#batches.clear()
  }

  get byteLength(): number {
    let bytes = 0
    for (const batch of this.#batches.values()) bytes += batch.byteLength
    return bytes
  }

  mark(): Mark {
    return new Map([...this.#batches.values()].map(batch => [batch, batch.rows]))
  }

  /** Removes the rows of a request that failed. */
  rollBack(mark: Mark): void {
    for (const batch of this.#batches.values()) batch.truncate(mark.get(batch) ?? 0)
  }
}
