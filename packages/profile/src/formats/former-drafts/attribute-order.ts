// Orders attributes by content: key, kind, value, unit. The row order of a dictionary changes when a file is read again.
// Written in this order, equal content gives equal bytes.
import type { AttributeIndex, StringIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { isByteRange } from '../../model/columns/dictionary.ts'

export class AttributeOrder {
  readonly #dictionary: Dictionary
  /** The rank of each row. Computed when the first list with several attributes is sorted. */
  #ranks: Int32Array | undefined

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary
  }

  /** Sorts `rows[from, to)` in place. */
  sort(rows: Int32Array, from: number, to: number): void {
    if (to - from < 2) return
    const ranks = (this.#ranks ??= this.#rank())
    rows.subarray(from, to).sort((a, b) => ranks[a] - ranks[b])
  }

  sorted(rows: readonly AttributeIndex[]): AttributeIndex[] {
    const run = Int32Array.from(rows)
    this.sort(run, 0, run.length)
    return Array.from(run) as AttributeIndex[]
  }

  #rank(): Int32Array {
    const { length } = this.#dictionary.attributes
    const order = Int32Array.from({ length }, (_, row) => row)
    order.sort((a, b) => this.#compare(a as AttributeIndex, b as AttributeIndex))
    const ranks = new Int32Array(length)
    for (let i = 0; i < length; i++) ranks[order[i]] = i
    return ranks
  }

  #compare(x: AttributeIndex, y: AttributeIndex): number {
    const { attributes } = this.#dictionary
    const byKey = this.#compareStrings(attributes.key(x), attributes.key(y))
    if (byKey !== 0) return byKey
    const kind = attributes.kind(x)
    if (kind !== attributes.kind(y)) return kind - attributes.kind(y)
    const byValue = isByteRange(kind)
      ? this.#compareBytes(attributes.a(x), attributes.b(x), attributes.a(y), attributes.b(y))
      : attributes.b(x) - attributes.b(y) || attributes.a(x) - attributes.a(y)
    return byValue !== 0 ? byValue : this.#compareStrings(attributes.unit(x), attributes.unit(y))
  }

  #compareStrings(x: StringIndex, y: StringIndex): number {
    const { strings } = this.#dictionary
    if (x === y) return 0
    return this.#compareBytes(strings.offset(x), strings.byteLength(x), strings.offset(y), strings.byteLength(y))
  }

  #compareBytes(x: number, xLength: number, y: number, yLength: number): number {
    const { bytes } = this.#dictionary
    const length = Math.min(xLength, yLength)
    for (let i = 0; i < length; i++) if (bytes[x + i] !== bytes[y + i]) return bytes[x + i] - bytes[y + i]
    return xLength - yLength
  }
}
