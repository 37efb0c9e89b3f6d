// The rows of one group commit while requests are added to it: one batch a table, made when first asked for.
import type { ColumnKinds, TableDefinition } from './native/table.ts'
import { TableBatch } from './native/table.ts'

/** What is known of the request whose rows are being written. */
export interface RequestContext {
  readonly tenant: string
  /** 16 bytes: the hash of the request's content. */
  readonly request: Uint8Array
  /** Nanoseconds since 1970, by the server's clock. */
  readonly received: bigint
  /** Days since 1970 of `received`, UTC. */
  readonly day: number
}

/** How long each batch was when a request began. */
export type Mark = ReadonlyMap<TableBatch, number>

/** A table's rows beyond this are rare, and their memory is better given back. */
const LARGEST_REUSED = 16 * 1024 * 1024
/** While one is written, the next is filled. */
const MOST_REUSED = 2

/** Batches that were written, to be filled again: their arrays have grown to what a group needs. */
export class BatchPool {
  readonly #free = new Map<string, TableBatch[]>()

  take(table: TableDefinition): TableBatch {
    return this.#free.get(table.name)?.pop() ?? new TableBatch<ColumnKinds>(table)
  }

  giveBack(batch: TableBatch): void {
    const { name } = batch.table
    const free = this.#free.get(name) ?? []
    if (batch.byteLength > LARGEST_REUSED || free.length >= MOST_REUSED) return
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

  /** Once the rows are written: they are gone after this. */
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

  /** Takes back what a request wrote before it failed. */
  rollBack(mark: Mark): void {
    for (const batch of this.#batches.values()) batch.truncate(mark.get(batch) ?? 0)
  }
}
