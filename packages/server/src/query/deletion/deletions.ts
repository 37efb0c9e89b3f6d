// The deletions that an administrator requested, and their progress. A file keeps them, so that a deletion continues after a
// restart: it says when the data is gone, and must not forget.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { SIGNALS } from '@hearth/signals'
import { StateFile } from '../../files/state-file.ts'
import type { DeletionStore } from './delete-data.ts'
import { countMatching, deleteData, replacedParts } from './delete-data.ts'

export const deletionRecord = z.strictObject({
  id: z.string(),
  state: z.enum(['running', 'deleted', 'gone', 'failed']).meta({
    description:
      'running; deleted: queries do not see the data any more; gone: no file on disk has it; failed, see `error`',
  }),
  tenant: z.string(),
  by: z.string().meta({ description: 'The name of the token or person' }),
  signals: z.array(z.enum(SIGNALS)),
  selector: z.string(),
  from: z.string().meta({ description: 'Nanoseconds since 1970' }),
  to: z.string(),
  receivedBefore: z.string().meta({ description: 'Data that was received later is not deleted' }),
  requested: z.string().meta({ description: 'ISO 8601' }),
  deleted: z.string().optional().meta({ description: 'When queries stopped to see the data' }),
  gone: z.string().optional().meta({ description: 'When the last file with the data was removed from disk' }),
  rows: z.record(z.string(), z.number()).meta({ description: 'The number of deleted rows by table' }),
  remaining: z.number().optional().meta({ description: 'Matching items that were found afterwards: 0 proves it' }),
  error: z.string().optional(),
})
export type DeletionRecord = z.infer<typeof deletionRecord>

const fileSchema = z.strictObject({
  deletions: z.array(deletionRecord.extend({ parts: z.array(z.string()).optional() })),
})
type Kept = z.infer<typeof fileSchema>['deletions'][number]

export type NewDeletion = Pick<DeletionRecord, 'tenant' | 'by' | 'signals' | 'selector' | 'from' | 'to'>

export interface DeletionsOptions {
  readonly store: DeletionStore
  readonly dataDirectory: string
  readonly onDeleting: (tenant: string) => void
  /** Called when a deletion has started, is gone from disk, or failed. */
  readonly onChange?: (record: DeletionRecord) => void
  readonly onError: (error: unknown) => void
}

const KEPT = 1000
const POLL_MS = 1000
const NANO_PER_MS = 1_000_000n

export class Deletions {
  readonly #options: DeletionsOptions
  readonly #file: StateFile<z.infer<typeof fileSchema>>
  #records: readonly Kept[]
  readonly #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()

  /** Continues the deletions that an earlier run did not finish. */
  constructor(options: DeletionsOptions) {
    this.#options = options
    this.#file = new StateFile(join(options.dataDirectory, 'deletions.json'), {
      parse: value => fileSchema.parse(value),
      optional: true,
    })
    this.#records = this.#file.read().content?.deletions ?? []
    for (const { id, state } of this.#records) if (state === 'running' || state === 'deleted') this.#continue(id)
  }

  /** Latest first. */
  list(tenant: string): readonly DeletionRecord[] {
    return this.#records.filter(record => record.tenant === tenant).map(shown)
  }

  find(tenant: string, id: string): DeletionRecord | undefined {
    return this.list(tenant).find(record => record.id === id)
  }

  /** The number of matching items by signal, for a dry run. Throws QueryError. */
  async count(wanted: NewDeletion): Promise<Readonly<Record<string, number>>> {
    const store = this.#options.store
    await store.visible()
    return Object.fromEntries(await countMatching(store, requestOf(wanted, BigInt(Date.now()) * NANO_PER_MS)))
  }

  /** Returns at once. Throws QueryError for an invalid selector. */
  async start(wanted: NewDeletion): Promise<DeletionRecord> {
    const now = Date.now()
    const receivedBefore = BigInt(now) * NANO_PER_MS
    await countMatching(this.#options.store, requestOf(wanted, receivedBefore))
    const record: Kept = {
      id: randomBytes(6).toString('hex'),
      state: 'running',
      ...wanted,
      receivedBefore: String(receivedBefore),
      requested: new Date(now).toISOString(),
      rows: {},
    }
    this.#records = [record, ...this.#records].slice(0, KEPT)
    this.#write()
    this.#options.onChange?.(shown(record))
    this.#continue(record.id)
    return shown(record)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** One deletion at a time: each rewrites parts. */
  #continue(id: string): void {
    this.#running = this.#running.then(() => this.#run(id)).catch((error: unknown) => this.#options.onError(error))
  }

  async #run(id: string): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { onChange } = this.#options
    try {
      if (this.#get(id).state === 'running') await this.#delete(id)
      // Not in turn: the next deletion need not wait for the disk.
      void this.#waitUntilGone(id).catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.onError(error)
      })
    } catch (error) {
      // A deletion that a shutdown interrupts continues at the next start.
      if (this.#stop.signal.aborted) return
      this.#options.onError(error)
      this.#update(id, { state: 'failed', error: error instanceof Error ? error.message : String(error) })
      onChange?.(shown(this.#get(id)))
    }
  }

  async #delete(id: string): Promise<void> {
    const { store, onDeleting } = this.#options
    const record = this.#get(id)
    const request = requestOf(record, BigInt(record.receivedBefore))
    const deleted = await deleteData(request, { store, signal: this.#stop.signal, onDeleting })
    const rows = { ...record.rows }
    for (const [table, count] of deleted) if (count > 0) rows[table] = (rows[table] ?? 0) + count
    const left = [...(await countMatching(store, request)).values()].reduce((sum, count) => sum + count, 0)
    const parts = await replacedParts(store, Object.keys(rows))
    this.#update(id, { state: 'deleted', deleted: new Date().toISOString(), rows, remaining: left, parts: [...parts] })
  }

  async #waitUntilGone(id: string): Promise<void> {
    const { store, onChange } = this.#options
    for (;;) {
      const { parts = [], rows } = this.#get(id)
      const present = new Set(parts.length === 0 ? [] : await replacedParts(store, Object.keys(rows)))
      if (!parts.some(part => present.has(part))) break
      await sleep(POLL_MS, undefined, { signal: this.#stop.signal })
    }
    this.#update(id, { state: 'gone', gone: new Date().toISOString(), parts: undefined })
    onChange?.(shown(this.#get(id)))
  }

  #get(id: string): Kept {
    const record = this.#records.find(each => each.id === id)
    if (record === undefined) throw new Error(`no deletion ${id}`)
    return record
  }

  #update(id: string, change: Partial<Kept>): void {
    this.#records = this.#records.map(record => (record.id === id ? { ...record, ...change } : record))
    this.#write()
  }

  #write(): void {
    this.#file.writeSync({ deletions: [...this.#records] })
  }
}

function shown({ parts: _, ...record }: Kept): DeletionRecord {
  return record
}

function requestOf({ tenant, signals, selector, from, to }: NewDeletion, receivedBefore: bigint) {
  return { tenant, signals, selector, from: BigInt(from), to: BigInt(to), receivedBefore }
}
