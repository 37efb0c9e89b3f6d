// The spans that samples link to, numbered in the order of their first sample.
import type { LinkIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { hexOf } from '../../model/text/hex.ts'

export interface SpanLink {
  /** In hex. Empty for samples without a span. */
  readonly traceId: string
  readonly spanId: string
}

/** A link without a trace id is not a span. */
export class SpanLinks {
  /** The first one is the empty link. */
  readonly all: SpanLink[] = [{ traceId: '', spanId: '' }]
  readonly #profiles: Profiles
  readonly #known = new Map<number, number>()

  constructor(profiles: Profiles) {
    this.#profiles = profiles
  }

  /** The row of a link of the dictionary in `all`. */
  of(row: LinkIndex): number {
    if (row <= 0) return 0
    let link = this.#known.get(row)
    if (link === undefined) {
      const { links } = this.#profiles.dictionary
      const [traceId, spanId] = [hexOf(links.traceId(row)), hexOf(links.spanId(row))]
      link = /^0*$/.test(traceId) ? 0 : this.all.push({ traceId, spanId }) - 1
      this.#known.set(row, link)
    }
    return link
  }
}
