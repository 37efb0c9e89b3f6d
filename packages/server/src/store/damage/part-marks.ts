// The damaged parts of a ClickHouse server that this server has detached, in a state file.
import { join } from 'node:path'
import { StateFile } from '../../files/state-file.ts'

export interface MarkedPart {
  readonly table: string
  readonly part: string
  /** The tenant and the day of its rows. Missing if they are unknown. */
  readonly tenant?: string | undefined
  readonly day?: string | undefined
  /** An administrator has accepted the loss, so that it is no longer reported. */
  readonly isAccepted: boolean
}

export class PartMarks {
  readonly #file: StateFile<readonly MarkedPart[]>
  #parts: readonly MarkedPart[]

  constructor(dataDirectory: string) {
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
