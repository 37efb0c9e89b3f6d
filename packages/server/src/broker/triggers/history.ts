// The history of triggers: each capture with its result, and each blocked capture with the guard that blocked it. Repeated
// blocks only increase a count, so that a storm leaves the rest readable.
import { z } from 'zod'
import { CAPTURE_STATES } from '../captures/capture-record.ts'
import type { StateFiles } from '../state-file.ts'
import { GUARDS } from './guards.ts'
import { TELEMETRY_ITEM_KINDS } from './telemetry-item.ts'

const nano = z.string().regex(/^-?\d+$/)

/** Besides the guards: no matching component is subscribed, or several are and the item does not identify one. */
const HELD_BACK = [...GUARDS, 'not-subscribed', 'no-instance'] as const
export type HeldBack = (typeof HELD_BACK)[number]

export const firedItem = z.strictObject({
  kind: z.enum(TELEMETRY_ITEM_KINDS),
  description: z.string().meta({ description: 'A short description' }),
  time: nano.meta({ description: 'Its own time, or the time of arrival if it has none' }),
  traceId: z.string().optional(),
  spanId: z.string().optional(),
})

export const historyEntry = z.strictObject({
  id: z.int(),
  trigger: z.string(),
  service: z.string(),
  instance: z.string(),
  first: nano.meta({ description: 'Time of the first occurrence' }),
  last: nano.meta({ description: 'Time of the last occurrence' }),
  count: z.int().meta({ description: 'Number of occurrences' }),
  item: firedItem.meta({ description: 'The last item that matched the rule' }),
  heldBack: z
    .enum(HELD_BACK)
    .optional()
    .meta({ description: 'The reason why no capture was started; missing if one was' }),
  lookBack: z.boolean().optional().meta({ description: 'Whether the capture looked back at the span itself' }),
  capture: z.string().optional().meta({ description: 'The id of the capture' }),
  state: z.enum(CAPTURE_STATES).optional().meta({ description: 'State of the capture' }),
  profileIds: z.array(z.string()).optional(),
  error: z.string().optional(),
})

export const historyFile = z.strictObject({ next: z.int(), entries: z.array(historyEntry) })

type FiredItem = z.infer<typeof firedItem>
export type TriggerHistoryEntry = z.infer<typeof historyEntry>
export type HistoryFile = z.infer<typeof historyFile>

/** Number of entries to keep per tenant. */
const KEPT = 500
const WRITE_AFTER_MS = 1000

export interface Happening {
  readonly trigger: string
  readonly service: string
  readonly instance: string
  readonly item: FiredItem
}

export class History {
  readonly #tenant: string
  readonly #files: StateFiles<HistoryFile>
  readonly #onError: (error: unknown) => void
  /** Latest first. */
  readonly #entries: TriggerHistoryEntry[]
  #next: number
  #timer: NodeJS.Timeout | undefined

  constructor(tenant: string, files: StateFiles<HistoryFile>, onError: (error: unknown) => void) {
    this.#tenant = tenant
    this.#files = files
    this.#onError = onError
    const { next, entries } = this.#read()
    this.#next = next
    this.#entries = entries
  }

  /** Entries older than `before`, latest first. */
  list({
    trigger,
    limit,
    before,
  }: {
    trigger?: string
    limit: number
    before?: number
  }): readonly TriggerHistoryEntry[] {
    return this.#entries
      .filter(entry => (trigger === undefined || entry.trigger === trigger) && entry.id < (before ?? Infinity))
      .slice(0, limit)
  }

  captured(happening: Happening, capture: string, lookBack: boolean, now: bigint): number {
    return this.#add({ ...happening, first: `${now}`, last: `${now}`, count: 1, capture, lookBack, state: 'running' })
  }

  heldBack(happening: Happening, heldBack: HeldBack, now: bigint): void {
    const same = this.#entries.findIndex(
      entry =>
        entry.trigger === happening.trigger &&
        entry.service === happening.service &&
        entry.instance === happening.instance &&
        (entry.heldBack === heldBack || entry.capture !== undefined),
    )
    // A capture in between starts a new entry.
    if (same !== -1 && this.#entries[same].heldBack === heldBack) {
      const entry = this.#entries[same]
      this.#entries[same] = { ...entry, item: happening.item, last: `${now}`, count: entry.count + 1 }
      this.#writeSoon()
    } else this.#add({ ...happening, first: `${now}`, last: `${now}`, count: 1, heldBack })
  }

  /** Records the result of a capture. */
  ended(id: number, outcome: Pick<TriggerHistoryEntry, 'state' | 'profileIds' | 'error'>): void {
    const index = this.#entries.findIndex(entry => entry.id === id)
    if (index === -1) return
    this.#entries[index] = { ...this.#entries[index], ...outcome }
    this.#writeSoon()
  }

  /** Removes the entries of a trigger. */
  forget(trigger: string): void {
    const kept = this.#entries.filter(entry => entry.trigger !== trigger)
    this.#entries.splice(0, Infinity, ...kept)
    this.#writeSoon()
  }

  /** Writes pending changes. */
  async close(): Promise<void> {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    await this.#write()
  }

  #add(entry: Omit<TriggerHistoryEntry, 'id'>): number {
    const id = this.#next++
    this.#entries.unshift({ id, ...entry })
    if (this.#entries.length > KEPT) this.#entries.length = KEPT
    this.#writeSoon()
    return id
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref()
  }

  async #write(): Promise<void> {
    this.#timer = undefined
    try {
      await this.#files.writeSoon(this.#tenant, { next: this.#next, entries: [...this.#entries] })
    } catch (error) {
      this.#onError(error)
    }
  }

  #read(): { next: number; entries: TriggerHistoryEntry[] } {
    try {
      const { next, entries } = this.#files.read(this.#tenant) ?? { next: 1, entries: [] }
      // Captures that ran when the server stopped have no result.
      const ended = entries.map(entry =>
        entry.state === 'running' ? { ...entry, state: 'failed' as const, error: 'the server was stopped' } : entry,
      )
      return { next, entries: ended }
    } catch (error) {
      this.#onError(error)
      return { next: 1, entries: [] }
    }
  }
}
