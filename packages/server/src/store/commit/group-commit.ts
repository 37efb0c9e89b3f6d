// Collects requests for a short time and commits them together: one set of files and, in durable mode, one round of fsyncs.
// While a group is being written, the next one is filled.
import type { CatalogDelta } from '../catalog-delta.ts'
import { RefusedError } from '../keeper.ts'
import { freeBuffers } from '../../workers/free-buffers.ts'
import type { GroupFile, TakenRows } from './group-file.ts'
import type { CommittedGroup } from './journal.ts'
import { errorCode, messageOf } from './journal-disk.ts'
import type { JournalRequest } from './manifest.ts'
import type { RowSource } from './row-source.ts'

/** A request whose rows are in the open group. */
export interface AddedRows {
  /** The size of the rows. */
  readonly rowBytes: number
}

export interface GroupCommitOptions {
  /** Milliseconds that a group stays open. With 0, each request is a group. */
  readonly window: number
  readonly groupBytes: number
  readonly groupRequests: number
  /** A group with this many requests does not wait for the window if no other group is being written. */
  readonly enoughRequests: number
  readonly source: RowSource
  readonly journal: {
    write(files: readonly GroupFile[], requests: readonly JournalRequest[]): Promise<CommittedGroup>
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
  readonly request: JournalRequest
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

class OpenGroup {
  /** Requests that are being added. They never reject. */
  readonly adding: Promise<void>[] = []
  readonly waiting: Waiting[] = []
  readonly opened: number
  /** Unix milliseconds of its first request. */
  readonly receivedFrom: number
  rows: Promise<TakenRows> | undefined
  isTaken = false
  failure: RefusedError | undefined
  bytes = 0
  timer: NodeJS.Timeout | undefined

  constructor(opened: number, receivedFrom: number) {
    this.opened = opened
    this.receivedFrom = receivedFrom
  }
}

export class GroupCommit {
  readonly #options: GroupCommitOptions
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
    return (this.#closed.at(0) ?? this.#open)?.receivedFrom
  }

  /** `add` adds the request's rows to the source. The result rejects if that fails. `committed` settles with the group. */
  add<Added extends AddedRows>(
    request: JournalRequest,
    add: () => Promise<Added>,
  ): { readonly added: Promise<Added>; readonly committed: Promise<void> } {
    const { window, groupRequests } = this.#options
    const group = (this.#open ??= new OpenGroup(this.#options.elapsed(), request.received))
    const added = add()
    const committed = new Promise<void>((resolve, reject) => {
      const entered = ({ rowBytes }: Added): void => this.#enter(group, { request, resolve, reject }, rowBytes)
      group.adding.push(added.then(entered, reject))
    })
    if (window === 0 || group.adding.length >= groupRequests) this.#close()
    else {
      group.timer ??= setTimeout(() => this.#closeGroup(group), window)
      this.#closeIfEnough()
    }
    return { added, committed }
  }

  /** Commits the open group without waiting for the window. Never rejects: failures go to the requests. */
  async flush(): Promise<void> {
    this.#close()
    await this.#writing
  }

  /** Fails the groups whose rows were lost with their thread. Call it before rows are added to another thread. */
  lost(cause: Error): void {
    const refusal = new RefusedError('rows-lost', 1, `the rows of the request were lost: ${cause.message}`)
    refusal.cause = cause
    const groups = this.#closed.filter(({ isTaken }) => !isTaken)
    if (this.#open !== undefined) {
      clearTimeout(this.#open.timer)
      groups.push(this.#open)
      this.#bytes -= this.#open.bytes
      this.#open = undefined
    }
    for (const group of groups) this.#fail(group, refusal)
    // Rows of the failed groups that were on their way arrive in the next thread.
    this.#options.source.discard()
  }

  #enter(group: OpenGroup, waiting: Waiting, rowBytes: number): void {
    if (group.failure !== undefined) return waiting.reject(group.failure)
    group.waiting.push(waiting)
    group.bytes += rowBytes
    this.#bytes += rowBytes
    if (group.bytes >= this.#options.groupBytes) this.#closeGroup(group)
  }

  #closeGroup(group: OpenGroup): void {
    if (group === this.#open) this.#close()
  }

  #closeIfEnough(): void {
    const requests = this.#open?.adding.length ?? 0
    if (this.#closed.length === 0 && requests >= this.#options.enoughRequests) this.#close()
  }

  #close(): void {
    const group = this.#open
    if (group === undefined) return
    clearTimeout(group.timer)
    this.#open = undefined
    group.rows = this.#options.source.take()
    // The error is handled when it is the group's turn.
    group.rows.catch(() => {})
    this.#closed.push(group)
    if (this.#closed.length === 1) this.#writing = this.#writeClosed()
  }

  async #writeClosed(): Promise<void> {
    for (;;) {
      const group = this.#closed.at(0)
      if (group === undefined) return this.#closeIfEnough()
      try {
        await this.#commit(group)
      } catch (error) {
        if (group.failure === undefined) {
          this.#failAll(error)
          return
        }
      }
      this.#closed.shift()
      this.#bytes -= group.bytes
      for (const { resolve } of group.waiting) resolve()
    }
  }

  async #commit(group: OpenGroup): Promise<void> {
    const { journal, elapsed, onCommitted } = this.#options
    const { files, delta } = await group.rows!
    group.isTaken = true
    await Promise.all(group.adding)
    if (files.length === 0 || group.failure !== undefined) return
    const begun = elapsed()
    const requests = group.waiting.map(({ request }) => request)
    const committed = await journal.write(files, requests)
    // Megabytes under load.
    freeBuffers(files.map(({ content }) => content.buffer))
    const done = elapsed()
    const times = { writeMs: done - begun, waitMs: done - group.opened }
    onCommitted(committed, { requests: requests.length, ...times, delta })
  }

  /** Fails all groups behind a failed one, because their rows may refer to symbols announced in it. */
  #failAll(error: unknown): void {
    const { source, onFailed } = this.#options
    const groups = this.#closed.splice(0)
    if (this.#open !== undefined) {
      clearTimeout(this.#open.timer)
      groups.push(this.#open)
      this.#open = undefined
    }
    this.#bytes = 0
    source.discard()
    const refusal = refusalOf(error)
    onFailed(refusal)
    for (const group of groups) this.#fail(group, refusal)
  }

  #fail(group: OpenGroup, refusal: RefusedError): void {
    group.failure = refusal
    for (const { reject } of group.waiting.splice(0)) reject(refusal)
  }
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
