// Collects requests for a short time and commits them together: one set of files and, in durable mode, one round of fsyncs.
// While a group is being written, the next one is filled.
import type { CatalogDelta } from '../catalog-delta.ts'
import { catalogDelta } from '../catalog-delta.ts'
import type { RowContext } from '../group-rows.ts'
import { BatchPool, GroupRows } from '../group-rows.ts'
import type { ReceivedRequest } from '../keeper.ts'
import { RefusedError } from '../keeper.ts'
import type { TableBatch } from '../native/table.ts'
import type { CommittedGroup } from './journal.ts'
import { errorCode, messageOf } from './journal-disk.ts'
import type { JournalRequest } from './manifest.ts'

/** Appends the request's rows. If it throws, they are rolled back. */
export type RowWriter = (rows: GroupRows, context: RowContext, request: ReceivedRequest) => void

export interface GroupCommitOptions {
  /** Milliseconds that a group stays open. With 0, each request is a group. */
  readonly window: number
  readonly groupBytes: number
  readonly groupRequests: number
  readonly write: RowWriter
  /** No announced symbol counts as stored any more. */
  readonly forget: () => void
  readonly journal: {
    write(batches: readonly TableBatch[], requests: readonly JournalRequest[]): Promise<CommittedGroup>
  }
  /** Called in commit order, before the requests are answered. */
  readonly onCommitted: (group: CommittedGroup, commit: GroupCommitted) => void
  readonly onFailed: (error: RefusedError) => void
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number
}

export interface GroupCommitted {
  readonly requests: number
  /** Milliseconds of writing, and since the group was opened. */
  readonly writeMs: number
  readonly waitMs: number
  readonly delta: CatalogDelta
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

class OpenGroup {
  readonly rows: GroupRows
  readonly requests: JournalRequest[] = []
  readonly waiting: Waiting[] = []
  readonly opened: number
  bytes = 0
  timer: NodeJS.Timeout | undefined

  constructor(opened: number, pool: BatchPool) {
    this.opened = opened
    this.rows = new GroupRows(pool)
  }
}

export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #pool = new BatchPool()
  #open: OpenGroup | undefined
  /** Closed groups. The first is being written. */
  readonly #closed: OpenGroup[] = []
  #writing: Promise<void> = Promise.resolve()
  #bytes = 0

  constructor(options: GroupCommitOptions) {
    this.#options = options
  }

  /** Bytes of rows that are not in the journal yet. */
  get bytes(): number {
    return this.#bytes
  }

  /** Unix milliseconds of the first request that is not in the journal yet. */
  get oldestReceived(): number | undefined {
    return (this.#closed.at(0) ?? this.#open)?.requests.at(0)?.received
  }

  /** Writes the request's rows at once and throws if that fails. `committed` settles with the group. `bytes` is the size of the rows. */
  add(context: RowContext, request: ReceivedRequest): { readonly bytes: number; readonly committed: Promise<void> } {
    const { write, forget, window, groupBytes, groupRequests } = this.#options
    const group = (this.#open ??= new OpenGroup(this.#options.elapsed(), this.#pool))
    const before = group.bytes
    const mark = group.rows.mark()
    try {
      write(group.rows, context, request)
      for (const batch of group.rows.batches()) checkColumns(batch)
    } catch (error) {
      group.rows.rollBack(mark)
      // The rollback removed the symbols that this request announced.
      forget()
      if (group.waiting.length === 0) this.#open = undefined
      throw error
    }
    group.bytes = group.rows.byteLength
    this.#bytes += group.bytes - before
    group.requests.push({
      tenant: context.tenant,
      id: Buffer.from(context.request).toString('hex'),
      received: Number(context.received / 1_000_000n),
    })
    const committed = new Promise<void>((resolve, reject) => group.waiting.push({ resolve, reject }))
    if (window === 0 || group.bytes >= groupBytes || group.waiting.length >= groupRequests) this.#close()
    else group.timer ??= setTimeout(() => this.#close(), window)
    return { bytes: group.bytes - before, committed }
  }

  /** Commits the open group without waiting for the window. Never rejects: failures go to the requests. */
  async flush(): Promise<void> {
    this.#close()
    await this.#writing
  }

  #close(): void {
    const group = this.#open
    if (group === undefined) return
    clearTimeout(group.timer)
    this.#open = undefined
    this.#closed.push(group)
    if (this.#closed.length === 1) this.#writing = this.#writeClosed()
  }

  async #writeClosed(): Promise<void> {
    for (;;) {
      const group = this.#closed.at(0)
      if (group === undefined) return
      try {
        await this.#commit(group)
      } catch (error) {
        this.#failAll(error)
        return
      }
      this.#closed.shift()
      this.#bytes -= group.bytes
      for (const { resolve } of group.waiting) resolve()
    }
  }

  async #commit(group: OpenGroup): Promise<void> {
    const { journal, elapsed, onCommitted } = this.#options
    const batches = group.rows.batches()
    if (batches.length === 0) return
    const begun = elapsed()
    const committed = await journal.write(batches, group.requests)
    const delta = catalogDelta(batches)
    group.rows.release()
    const done = elapsed()
    const { length: requests } = group.requests
    onCommitted(committed, { requests, writeMs: done - begun, waitMs: done - group.opened, delta })
  }

  /** Fails all groups behind a failed one, because their rows may refer to symbols announced in it. */
  #failAll(error: unknown): void {
    const { forget, onFailed } = this.#options
    const groups = this.#closed.splice(0)
    if (this.#open !== undefined) {
      clearTimeout(this.#open.timer)
      groups.push(this.#open)
      this.#open = undefined
    }
    this.#bytes = 0
    forget()
    const refusal = refusalOf(error)
    onFailed(refusal)
    for (const group of groups) for (const { reject } of group.waiting) reject(refusal)
  }
}

/** A forgotten column would fail the complete group on write. This check fails only the one request. */
function checkColumns(batch: TableBatch): void {
  const { rows, table } = batch
  for (const [name, column] of Object.entries(batch.columns))
    if (column.length !== rows) throw new Error(`${table.name}.${name} has ${column.length} rows instead of ${rows}`)
}

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function refusalOf(error: unknown): RefusedError {
  const full = DISK_FULL.has(errorCode(error))
  const refusal = full
    ? new RefusedError('disk-full', 10, 'the disk of the journal is full')
    : new RefusedError('store-lost', 10, `cannot write the journal: ${messageOf(error)}`)
  refusal.cause = error
  return refusal
}
