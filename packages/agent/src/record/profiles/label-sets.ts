// The links and attributes of samples as rows of a payload: those of the thread, and those of the active span.
import type { AttributeIndex, ProfilesBuilder } from '@hearth/profile/recording'
import { SequenceInterner } from '@hearth/profile/recording'
import type { SampleLabels } from '../samples/sample-labels.ts'
import type { Thread } from './thread-part.ts'

/** Distinguishes the samples of one stack. */
export interface LabelRow {
  readonly link: number
  /** Row of the attribute sets. */
  readonly attributes: number
}

/** No link and no attributes. */
export const UNLABELLED: LabelRow = { link: 0, attributes: 0 }

export class LabelSets {
  readonly #builder: ProfilesBuilder
  readonly #sets = new SequenceInterner()
  readonly #threads = new Map<Thread, ThreadLabels>()

  constructor(builder: ProfilesBuilder) {
    this.#builder = builder
    // Row 0: no attributes.
    this.#sets.intern(new Int32Array(0), 0, 0)
  }

  of(thread: Thread, labels: SampleLabels): LabelRow {
    let { own, known } = this.#threads.get(thread) ?? {}
    if (own === undefined || known === undefined) {
      own = [this.#builder.attribute('thread.id', thread.id), this.#builder.attribute('thread.name', thread.name)]
      known = new Map()
      this.#threads.set(thread, { own, known })
    }
    let found = known.get(labels)
    if (found === undefined) known.set(labels, (found = this.#add(own, labels)))
    return found
  }

  /** Adds the attributes of a row to the column of a payload. */
  copy(row: number, column: { pushAll(array: Int32Array, start: number, end: number): void }): void {
    column.pushAll(this.#sets.pool.array, this.#sets.start(row), this.#sets.end(row))
  }

  #add(own: readonly AttributeIndex[], labels: SampleLabels): LabelRow {
    const builder = this.#builder
    const set = [...own]
    for (const { key, value } of labels.attributes) {
      if (key === '' || key === 'thread.id' || key === 'thread.name') continue
      set.push(builder.attribute(key, Number.isSafeInteger(value) ? BigInt(value as number) : value))
    }
    const rows = Int32Array.from(set).sort()
    const link =
      labels.traceId === undefined || labels.spanId === undefined
        ? 0
        : builder.link(Buffer.from(labels.traceId, 'hex'), Buffer.from(labels.spanId, 'hex'))
    return { link, attributes: this.#sets.intern(rows, 0, rows.length) }
  }
}

interface ThreadLabels {
  readonly own: readonly AttributeIndex[]
  readonly known: Map<SampleLabels, LabelRow>
}
