// Links an event to its request, by the span ids and label set ids that Pyroscope's and Datadog's profilers add to events. A span
// with a known trace becomes a link; otherwise its id becomes an attribute.
import type { AttributeIndex, LinkIndex } from '../../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import { uint64 } from '../../../model/columns/int64.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import type { JfrAttributeSets } from './attributes.ts'
import { JFR_ATTRIBUTES, integerAttribute } from './attributes.ts'
import { KeyIndex } from '../encoding/key-index.ts'
import type { LabelsSnapshot } from './labels.ts'
import { labelAttributes } from './labels.ts'

const TRACE_ID = /^[\da-f]{32}$/i
const SPAN_ID = /^[\da-f]{16}$/i
const ZEROS = /^0+$/

interface Context {
  /** Its labels without the ids, for samples with a link; and with the ids, for samples without. */
  readonly linkedSet: number
  readonly set: number
  /** Empty if the context has no trace id. */
  readonly traceId: string
  readonly spanId: string
}

export class SpanContexts {
  readonly #builder: ProfilesBuilder
  readonly #sets: JfrAttributeSets
  readonly #labels: LabelsSnapshot | undefined
  readonly #contextKeys = new KeyIndex()
  readonly #contexts: Context[] = []
  readonly #caches = new Map<string, { readonly keys: KeyIndex; readonly attributes: GrowingInts }>()

  constructor(builder: ProfilesBuilder, sets: JfrAttributeSets, labels: LabelsSnapshot | undefined) {
    this.#builder = builder
    this.#sets = sets
    this.#labels = labels
  }

  /** The labels of a context, or its number if no labels snapshot was given. */
  context(lo: number, hi: number): Context {
    const row = this.#contextKeys.add(lo, hi)
    if (row === this.#contexts.length) this.#contexts.push(this.#newContext(lo, hi))
    return this.#contexts[row]
  }

  /** An attribute with an id as 16 hex digits; 0 if the id is zero. */
  hexAttribute(key: string, lo: number, hi: number): number {
    return this.#cached(key, lo, hi, () => this.#builder.attribute(key, hexOf(lo, hi)))
  }

  spanName(lo: number, hi: number): number {
    return this.#cached(JFR_ATTRIBUTES.spanName, lo, hi, () => {
      const name = this.#labels?.string(uint64(lo, hi))
      if (name !== undefined) return this.#builder.attribute(JFR_ATTRIBUTES.spanName, name)
      return integerAttribute(this.#builder, JFR_ATTRIBUTES.spanNameId, lo, hi)
    })
  }

  /** Returns 0 if the link would be incomplete. `spanLo` and `spanHi` are the span id of the event itself. */
  link(context: Context, spanLo: number, spanHi: number): LinkIndex {
    if (context.traceId === '') return 0 as LinkIndex
    const spanId = (spanLo | spanHi) === 0 ? context.spanId : hexOf(spanLo, spanHi)
    if (spanId === '') return 0 as LinkIndex
    return this.#builder.link(bytesOf(context.traceId), bytesOf(spanId))
  }

  #newContext(lo: number, hi: number): Context {
    const labels = this.#labels?.context(uint64(lo, hi))
    if (labels === undefined) {
      const attribute = integerAttribute(this.#builder, JFR_ATTRIBUTES.contextId, lo, hi)
      const set = this.#sets.add([attribute])
      return { linkedSet: set, set, traceId: '', spanId: '' }
    }
    const traceId = idOf(labels, JFR_ATTRIBUTES.traceId, TRACE_ID)
    const spanId = idOf(labels, JFR_ATTRIBUTES.spanId, SPAN_ID)
    const others = new Map(labels)
    others.delete(JFR_ATTRIBUTES.traceId)
    others.delete(JFR_ATTRIBUTES.spanId)
    const linkedSet = traceId === '' ? 0 : this.#sets.add(labelAttributes(this.#builder, others))
    return { linkedSet, set: this.#sets.add(labelAttributes(this.#builder, labels)), traceId, spanId }
  }

  #cached(key: string, lo: number, hi: number, make: () => AttributeIndex): number {
    if ((lo | hi) === 0) return 0
    let cache = this.#caches.get(key)
    if (cache === undefined) this.#caches.set(key, (cache = { keys: new KeyIndex(), attributes: new GrowingInts() }))
    const row = cache.keys.add(lo, hi)
    if (row === cache.attributes.length) cache.attributes.push(make())
    return cache.attributes.array[row]
  }
}

function idOf(labels: ReadonlyMap<string, string>, key: string, form: RegExp): string {
  const id = labels.get(key) ?? ''
  return form.test(id) && !ZEROS.test(id) ? id : ''
}

function hexOf(lo: number, hi: number): string {
  return uint64(lo, hi).toString(16).padStart(16, '0')
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16))
}
