// The damaged parts of a ClickHouse server that this server or another one has detached: in a state file, and in the store, so that
// all servers that share it report the same parts.
import { join } from 'node:path'
import { StateFile } from '../../files/state-file.ts'
import type { SharedState } from '../sharing/shared-state.ts'
import { StateConflictError } from '../sharing/shared-state.ts'

export interface MarkedPart {
  readonly table: string
  readonly part: string
  /** The tenant and the day of its rows. Missing if they are unknown. */
  readonly tenant?: string | undefined
  readonly day?: string | undefined
  /** An administrator has accepted the loss, so that it is no longer reported. */
  readonly isAccepted: boolean
}

type SharedMarks = Pick<SharedState, 'read' | 'write' | 'onChange'>

/** The place of the marks in the shared state, whose other entries belong to tenants. */
const NAME = 'damaged-parts'
const ALL_TENANTS = '*'
const MAX_TRIES = 5

export class PartMarks {
  readonly #file: StateFile<readonly MarkedPart[]>
  readonly #onError: (error: unknown) => void
  #parts: readonly MarkedPart[]
  #shared: SharedMarks | undefined
  #onChange: () => Promise<void> = async () => {}

  constructor(dataDirectory: string, onError: (error: unknown) => void) {
    this.#onError = onError
    this.#file = new StateFile(join(dataDirectory, 'damaged-parts.json'), { parse: parseMarks, optional: true })
    this.#parts = this.#file.read().content ?? []
  }

  of(table: string, part: string): (Pick<MarkedPart, 'isAccepted'> & Partition) | undefined {
    const mark = this.#parts.find(each => each.table === table && each.part === part)
    return mark === undefined ? undefined : { tenant: mark.tenant, day: mark.day, isAccepted: mark.isAccepted }
  }

  /** Replaces an earlier mark of the same part. */
  async add(mark: MarkedPart): Promise<void> {
    const others = this.#parts.filter(({ table, part }) => table !== mark.table || part !== mark.part)
    this.#parts = [...others, mark]
    await this.#file.write(this.#parts)
  }

  /** Shows the marks to other servers, in the background: the caller may hold up queries, also those of the shared state. */
  publish(): void {
    void this.#publish().catch(this.#onError)
  }

  /** Calls `onChange` for the marks of other servers: now if there are some, and whenever they add one. */
  async share(shared: SharedMarks, onChange: () => Promise<void>): Promise<void> {
    this.#shared = shared
    this.#onChange = onChange
    shared.onChange(NAME, () => void this.#merge(shared).catch(this.#onError))
    await this.#publish()
  }

  /** Writes the marks that the store lacks. */
  async #publish(): Promise<void> {
    for (let tries = 1; this.#shared !== undefined; tries++) {
      await this.#merge(this.#shared)
      const text = JSON.stringify(this.#parts)
      if (text === textIn(this.#shared)) return
      try {
        await this.#shared.write(NAME, ALL_TENANTS, text)
        return
      } catch (error) {
        if (!(error instanceof StateConflictError) || tries === MAX_TRIES) throw error
      }
    }
  }

  /** Adds the marks in the store. A loss that was accepted once stays accepted. */
  async #merge(shared: SharedMarks): Promise<void> {
    const merged = new Map(this.#parts.map(mark => [keyOf(mark), mark]))
    let isChanged = false
    for (const mark of parseMarks(JSON.parse(textIn(shared)))) {
      const own = merged.get(keyOf(mark))
      if (own !== undefined && (own.isAccepted || !mark.isAccepted)) continue
      merged.set(keyOf(mark), mark)
      isChanged = true
    }
    this.#parts = [...merged.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    if (!isChanged) return
    await this.#file.write(this.#parts)
    await this.#onChange()
  }
}

function keyOf({ table, part }: MarkedPart): string {
  return `${table} ${part}`
}

function textIn(shared: SharedMarks): string {
  return shared.read(NAME, ALL_TENANTS) ?? '[]'
}

interface Partition {
  readonly tenant: string | undefined
  readonly day: string | undefined
}

/** Reads a partition as ClickHouse writes it: `('default','2026-11-18')`. */
export function partitionIn(text: string): Partition {
  const [, tenant, day] = /^\('([^'\\]*)','(\d{4}-\d\d-\d\d)'\)$/.exec(text) ?? []
  return { tenant, day }
}

function parseMarks(json: unknown): readonly MarkedPart[] {
  if (!Array.isArray(json)) throw new Error('not a list of damaged parts')
  for (const { table, part, isAccepted } of json as readonly Partial<MarkedPart>[])
    if (typeof table !== 'string' || typeof part !== 'string' || typeof isAccepted !== 'boolean')
      throw new Error('not a list of damaged parts')
  return json as readonly MarkedPart[]
}
