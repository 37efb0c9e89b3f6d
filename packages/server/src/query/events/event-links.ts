// The spans of events, in the order in which they are added.
import { IdIndex } from '../../store/symbols/id-index.ts'
import { int32sOf } from '../../store/native/raw-numbers.ts'

export interface EventLink {
  /** Hex. */
  readonly traceId: string
  readonly spanId: string
}

/** Columns with eight bytes of each id: the first and the second half of trace ids, and span ids. */
export class LinkColumns {
  readonly bytes: readonly Uint8Array[]
  readonly words: readonly Int32Array[]

  constructor(...bytes: readonly [head: Uint8Array, tail: Uint8Array, span: Uint8Array]) {
    this.bytes = bytes
    this.words = bytes.map(int32sOf)
  }
}

/** Each pair of ids gets a number. */
export class EventLinks {
  /** The first is empty, for events without a span. */
  readonly all: EventLink[] = [{ traceId: '', spanId: '' }]
  readonly #ids = [new IdIndex(), new IdIndex(), new IdIndex()] as const
  readonly #traces = new IdIndex()
  readonly #links = new IdIndex()
  readonly #bytes = Buffer.alloc(24)

  add(columns: LinkColumns, row: number): number {
    const trace = this.#traces.add(this.#number(columns, 0, row), this.#number(columns, 1, row))
    const link = this.#links.add(trace, this.#number(columns, 2, row))
    if (link === this.all.length) {
      for (const [part, bytes] of columns.bytes.entries())
        this.#bytes.set(bytes.subarray(8 * row, 8 * row + 8), 8 * part)
      const ids = this.#bytes.toString('hex')
      this.all.push({ traceId: ids.slice(0, 32), spanId: ids.slice(32) })
    }
    return link
  }

  #number({ words }: LinkColumns, part: number, row: number): number {
    return this.#ids[part].add(words[part][2 * row], words[part][2 * row + 1])
  }
}
