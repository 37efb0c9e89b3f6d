// The spans of a trace as columns. 100,000 spans are a few typed arrays, and texts are decoded on demand.
import type { ColumnFile, TextColumn } from '@hearth/profile'
import { WireError } from '@hearth/profile'
import type { TraceSpan } from './api-types.ts'
import { SPAN_KINDS, SPAN_STATUSES } from './api-types.ts'
import { ColumnReader } from './column-reader.ts'

/** The order is that of the bits in `oddities`. */
export const SPAN_ODDITIES = [
  'no-end',
  'missing-parent',
  'before-parent',
  'after-parent',
  'circle',
  'same-id',
] as const satisfies readonly TraceSpan['oddities'][number][]
export type SpanOddity = (typeof SPAN_ODDITIES)[number]

export type SpanDetails = Pick<
  TraceSpan,
  'attributes' | 'events' | 'links' | 'traceState' | 'flags' | 'droppedAttributes' | 'droppedEvents' | 'droppedLinks'
>

/** One row for each span and profile type with samples, ordered by span. */
export interface SpanSampleColumns {
  readonly span: Uint32Array
  /** Row in the trace's types. */
  readonly type: Uint32Array
  /** The value of the span itself. */
  readonly samples: Float64Array
  readonly value: Float64Array
  /** The value of the span with its descendants. */
  readonly subtreeSamples: Float64Array
  readonly subtreeValue: Float64Array
  /** The values modulo 2^64 if doubles are not exact. */
  readonly valueExact: BigInt64Array | undefined
  readonly subtreeValueExact: BigInt64Array | undefined
}

const WHOLES = ['spanId', 'parentSpanId', 'start', 'duration', 'self', 'skew'] as const
const ROWS = ['depth', 'resource', 'scope', 'hiddenChildren'] as const
const TEXTS = ['service', 'name', 'statusMessage'] as const
const BYTES = ['kind', 'status', 'oddities'] as const
const SUMS = ['samples', 'value', 'subtreeSamples', 'subtreeValue'] as const

export class Spans {
  readonly length: number
  /** The row of the parent; -1 for roots. Spans are in depth-first order, siblings by start. */
  readonly parent: Int32Array
  readonly depth: Uint32Array
  /** 64-bit nanoseconds since 1970. */
  readonly start: BigInt64Array
  /** 0 if it has no end. */
  readonly duration: BigInt64Array
  readonly self: BigInt64Array
  /** The shift that moves it into its parent if clocks seem to differ. */
  readonly skew: BigInt64Array
  /** The row in the trace's resources. */
  readonly resource: Uint32Array
  readonly scope: Uint32Array
  readonly hiddenChildren: Uint32Array
  readonly samples: SpanSampleColumns
  /** Undefined unless requested. */
  readonly unlinked: SpanSampleColumns | undefined
  readonly #ids: BigInt64Array
  readonly #parentIds: BigInt64Array
  readonly #strings: TextColumn
  readonly #texts: (string | undefined)[] = []
  readonly #columns: Readonly<Record<(typeof TEXTS)[number], Uint32Array>>
  readonly #bytes: Readonly<Record<(typeof BYTES)[number], Uint8Array>>
  readonly #details: Uint32Array | undefined

  /** Throws WireError if the columns are not valid spans. */
  constructor({ columns }: ColumnFile, path: string) {
    const reader = new ColumnReader(columns, path)
    const [ids, parentIds, start, duration, self, skew] = WHOLES.map(name => reader.column(name, BigInt64Array))
    const [depth, resource, scope, hiddenChildren] = ROWS.map(name => reader.column(name, Uint32Array))
    const texts = TEXTS.map(name => reader.column(name, Uint32Array))
    const bytes = BYTES.map(name => reader.column(name, Uint8Array))
    this.#ids = ids
    this.#parentIds = parentIds
    this.start = start
    this.duration = duration
    this.self = self
    this.skew = skew
    this.parent = reader.column('parent', Int32Array)
    this.depth = depth
    this.resource = resource
    this.scope = scope
    this.hiddenChildren = hiddenChildren
    this.#columns = { service: texts[0], name: texts[1], statusMessage: texts[2] }
    this.#bytes = { kind: bytes[0], status: bytes[1], oddities: bytes[2] }
    this.#details = reader.optional('details', Uint32Array)
    this.#strings = reader.strings()
    this.length = ids.length
    for (const column of [...texts, ...(this.#details === undefined ? [] : [this.#details])]) {
      for (const text of column) if (text >= this.#strings.length) throw new WireError(0, `${path}: no text ${text}`)
    }
    for (let i = 0; i < this.length; i++) {
      if (this.parent[i] < -1 || this.parent[i] >= i) throw new WireError(0, `${path}: a parent after its child`)
    }
    this.samples = samplesAt(columns, `${path}.samples`, this.length)
    this.unlinked = columns.has(`${path}.unlinked.span`)
      ? samplesAt(columns, `${path}.unlinked`, this.length)
      : undefined
  }

  /** 16 hex digits. */
  id(i: number): string {
    return hexOf(this.#ids[i])
  }

  /** Empty for a root. */
  parentId(i: number): string {
    return this.#parentIds[i] === 0n ? '' : hexOf(this.#parentIds[i])
  }

  /** The first row with this span id; -1 if there is none. */
  rowOf(id: string): number {
    return /^[0-9a-fA-F]{16}$/.test(id) ? this.#ids.indexOf(BigInt.asIntN(64, BigInt(`0x${id}`))) : -1
  }

  service(i: number): string {
    return this.#text(this.#columns.service[i])
  }

  name(i: number): string {
    return this.#text(this.#columns.name[i])
  }

  statusMessage(i: number): string {
    return this.#text(this.#columns.statusMessage[i])
  }

  kind(i: number): (typeof SPAN_KINDS)[number] {
    return SPAN_KINDS[this.#bytes.kind[i]] ?? 'unspecified'
  }

  status(i: number): (typeof SPAN_STATUSES)[number] {
    return SPAN_STATUSES[this.#bytes.status[i]] ?? 'unset'
  }

  oddities(i: number): readonly SpanOddity[] {
    return SPAN_ODDITIES.filter((_, bit) => (this.#bytes.oddities[i] & (1 << bit)) !== 0)
  }

  hasEnd(i: number): boolean {
    return (this.#bytes.oddities[i] & 1) === 0
  }

  /** Undefined if the server omitted them, as it does for many spans. */
  details(i: number): SpanDetails | undefined {
    const number = this.#details?.[i] ?? 0
    return number === 0 ? undefined : (JSON.parse(this.#strings.text(number)) as SpanDetails)
  }

  #text(number: number): string {
    return (this.#texts[number] ??= this.#strings.text(number))
  }
}

function hexOf(bits: bigint): string {
  return BigInt.asUintN(64, bits).toString(16).padStart(16, '0')
}

function samplesAt(columns: ColumnFile['columns'], path: string, spans: number): SpanSampleColumns {
  const reader = new ColumnReader(columns, path)
  const span = reader.column('span', Uint32Array)
  const type = reader.column('type', Uint32Array)
  const [samples, value, subtreeSamples, subtreeValue] = SUMS.map(name => reader.column(name, Float64Array))
  for (const row of span) if (row >= spans) throw new WireError(0, `${path}: no span ${row}`)
  const valueExact = reader.optional('valueExact', BigInt64Array)
  const subtreeValueExact = reader.optional('subtreeValueExact', BigInt64Array)
  return { span, type, samples, value, subtreeSamples, subtreeValue, valueExact, subtreeValueExact }
}
