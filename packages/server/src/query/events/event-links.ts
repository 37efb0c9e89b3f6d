// The spans of events, in the order of their first event.
import { IdIndex } from '../../store/symbols/id-index.ts'
import { int32sOf } from '../../store/native/raw-numbers.ts'

export interface EventLink {
  /** Hex. */
  readonly traceId: string
  readonly spanId: string
}

/** Each pair of ids gets a number. Ids are numbers of eight bytes. */
export class EventLinks {
  /** The first is empty, for events without a span. */
  readonly all: EventLink[] = [{ traceId: '', spanId: '' }]
  readonly #parts: readonly Uint8Array[]
  readonly #words: readonly Int32Array[]
  readonly #ids = [new IdIndex(), new IdIndex(), new IdIndex()] as const
  readonly #traces = new IdIndex()
  readonly #links = new IdIndex()

  constructor(...parts: readonly [head: Uint8Array, tail: Uint8Array, span: Uint8Array]) {
    this.#parts = parts
    this.#words = parts.map(int32sOf)
  }

  of(row: number): number {
    const trace = this.#traces.add(this.#number(0, row), this.#number(1, row))
    const link = this.#links.add(trace, this.#number(2, row))
    if (link === this.all.length) {
      this.all.push({ traceId: this.#hex(0, row) + this.#hex(1, row), spanId: this.#hex(2, row) })
    }
    return link
  }

  #number(part: number, row: number): number {
    const words = this.#words[part]
    return this.#ids[part].add(words[2 * row], words[2 * row + 1])
  }

  #hex(part: number, row: number): string {
    return Buffer.from(this.#parts[part].subarray(8 * row, 8 * row + 8)).toString('hex')
  }
}
