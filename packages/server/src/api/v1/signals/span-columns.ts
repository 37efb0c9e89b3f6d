// The spans of a trace in responses: objects in JSON, typed arrays as columns. 100,000 spans take 32 MB as JSON, and 9 MB
// as columns, which need no parsing.
import type { z } from 'zod'
import type { SpanProfiles } from '../../../query/signals/span-profiles.ts'
import { SPAN_KINDS, SPAN_STATUSES } from '../../../query/signals/span-filter.ts'
import type { TraceSpan } from '../../../query/signals/trace.ts'
import { ODDITY_NAMES } from '../../../query/signals/trace.ts'
import type { ColumnSink } from '../response/response-columns.ts'
import { ResponseColumn, SumColumn } from '../response/response-columns.ts'
import { hexOf } from '../response/fields.ts'
import { attributesJson, unlessZero } from './item-json.ts'
import type { traceSpan } from './span-schema.ts'

const LARGEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * As columns, ids are 64-bit numbers, 0 for none. `kind` and `status` are positions in the lists of the schema, and
 * `oddities` are bits. Texts are rows of the column `strings`. `details` is a text too: the other fields of the span as JSON.
 * `samples` and `unlinked` have one row for each span and type.
 */
export class SpanColumns extends ResponseColumn {
  readonly length: number
  readonly step = 64
  readonly #spans: readonly TraceSpan[]
  readonly #withUnlinked: boolean

  constructor(spans: readonly TraceSpan[], withUnlinked: boolean) {
    super()
    this.length = spans.length
    this.#spans = spans
    this.#withUnlinked = withUnlinked
  }

  json(from: number, to: number): string {
    const rows = this.#spans.slice(from, to).map(span => spanJson(span, this.#withUnlinked))
    return JSON.stringify(rows).slice(1, -1)
  }

  addTo(sink: ColumnSink, path: string): void {
    const spans = this.#spans
    const { length } = spans
    const wholes = (name: string, of: (span: TraceSpan) => bigint) => {
      const column = new BigInt64Array(length)
      for (let i = 0; i < length; i++) column[i] = of(spans[i])
      sink.add(`${path}.${name}`, column)
    }
    const numbers = (name: string, column: Uint8Array | Int32Array | Uint32Array, of: (span: TraceSpan) => number) => {
      for (let i = 0; i < length; i++) column[i] = of(spans[i])
      sink.add(`${path}.${name}`, column)
    }
    wholes('spanId', span => idBits(span.spanId))
    wholes('parentSpanId', span => idBits(span.parentSpanId))
    wholes('start', span => span.start)
    wholes('duration', span => span.duration)
    wholes('self', span => span.self)
    wholes('skew', span => span.skew)
    numbers('parent', new Int32Array(length), span => span.parent)
    numbers('depth', new Uint32Array(length), span => span.depth)
    numbers('resource', new Uint32Array(length), span => span.resource)
    numbers('scope', new Uint32Array(length), span => span.scope)
    numbers('hiddenChildren', new Uint32Array(length), span => span.hiddenChildren)
    numbers('service', new Uint32Array(length), span => sink.string(span.service))
    numbers('name', new Uint32Array(length), span => sink.string(span.name))
    numbers('statusMessage', new Uint32Array(length), span => sink.string(span.statusMessage))
    numbers('kind', new Uint8Array(length), span => SPAN_KINDS.indexOf(span.kind))
    numbers('status', new Uint8Array(length), span => SPAN_STATUSES.indexOf(span.status))
    numbers('oddities', new Uint8Array(length), ({ oddities }) => {
      let bits = 0
      for (const name of oddities) bits |= 1 << ODDITY_NAMES.indexOf(name)
      return bits
    })
    if (spans.some(({ details }) => details !== undefined)) {
      numbers('details', new Uint32Array(length), ({ details }) =>
        details === undefined ? 0 : sink.string(JSON.stringify(detailsJson(details))),
      )
    }
    addProfiles(
      sink,
      `${path}.samples`,
      spans.map(({ samples }) => samples),
    )
    if (!this.#withUnlinked) return
    addProfiles(
      sink,
      `${path}.unlinked`,
      spans.map(({ unlinked }) => unlinked),
    )
  }
}

function idBits(hex: string): bigint {
  return hex === '' ? 0n : BigInt(`0x${hex}`)
}

function addProfiles(sink: ColumnSink, path: string, lists: readonly (readonly SpanProfiles[])[]): void {
  const rows = lists.flatMap((list, span) => list.map(each => ({ span, ...each })))
  sink.add(
    `${path}.span`,
    Uint32Array.from(rows, ({ span }) => span),
  )
  sink.add(
    `${path}.type`,
    Uint32Array.from(rows, ({ type }) => type),
  )
  sink.add(
    `${path}.samples`,
    Float64Array.from(rows, ({ samples }) => samples),
  )
  sink.add(
    `${path}.subtreeSamples`,
    Float64Array.from(rows, ({ subtreeSamples }) => subtreeSamples),
  )
  sums(rows.map(({ value }) => value)).addTo(sink, `${path}.value`)
  sums(rows.map(({ subtreeValue }) => subtreeValue)).addTo(sink, `${path}.subtreeValue`)
}

function sums(values: readonly bigint[]): SumColumn {
  const isExact = values.every(value => value <= LARGEST_EXACT && value >= -LARGEST_EXACT)
  return new SumColumn(Float64Array.from(values, Number), isExact ? undefined : BigInt64Array.from(values))
}

function spanJson(span: TraceSpan, withUnlinked: boolean): z.infer<typeof traceSpan> {
  const { statusMessage, end, skew, details, samples, unlinked, oddities, start, duration, self, ...plain } = span
  return {
    ...plain,
    ...(statusMessage === '' ? {} : { statusMessage }),
    start: start.toString(),
    ...(end === undefined ? {} : { end: end.toString() }),
    duration: duration.toString(),
    self: self.toString(),
    oddities: [...oddities],
    ...(skew === 0n ? {} : { skew: skew.toString() }),
    samples: samples.map(spanProfilesJson),
    ...(withUnlinked ? { unlinked: unlinked.map(spanProfilesJson) } : {}),
    ...(details === undefined ? {} : detailsJson(details)),
  }
}

function detailsJson(details: NonNullable<TraceSpan['details']>) {
  const { attributes, events, links, traceState, flags } = details
  return {
    attributes: attributesJson(attributes),
    events: events.map(event => ({
      time: event.timeUnixNano.toString(),
      name: event.name,
      attributes: attributesJson(event.attributes),
      ...unlessZero({ droppedAttributes: event.droppedAttributesCount }),
    })),
    links: links.map(link => ({
      traceId: hexOf(link.traceId),
      spanId: hexOf(link.spanId),
      attributes: attributesJson(link.attributes),
      ...traceStateJson(link.traceState),
      ...unlessZero({ flags: link.flags, droppedAttributes: link.droppedAttributesCount }),
    })),
    ...traceStateJson(traceState),
    ...unlessZero({
      flags,
      droppedAttributes: details.droppedAttributesCount,
      droppedEvents: details.droppedEventsCount,
      droppedLinks: details.droppedLinksCount,
    }),
  }
}

function traceStateJson(traceState: string): { readonly traceState?: string } {
  return traceState === '' ? {} : { traceState }
}

export function spanProfilesJson({ type, samples, value, subtreeSamples, subtreeValue }: SpanProfiles) {
  return { type, samples, value: value.toString(), subtreeSamples, subtreeValue: subtreeValue.toString() }
}
