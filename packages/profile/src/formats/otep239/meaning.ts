// Determines what the released form (v1.3), which formats/otlp reads, means in the document. Both are the same on the wire,
// except for the order of slices and the unit of times. In addition, the link of a sample to a span may be in its attributes,
// as in the document's example.
import type { NoteList } from '../format.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { bytesOf, messageIn, messagesOf, textOf, wholeOf } from '../otlp/generations/message-fields.ts'
import { Row, eachRow } from '../otlp/generations/row.ts'
import { messageOf, schemaOf } from '../otlp/generations/schema.ts'
import type { Message, MessageSequence } from '../otlp/generations/schema-reader.ts'
import { LazyMessages } from '../otlp/generations/schema-reader.ts'
import type { SampleMeaning, SpanAttributes } from '../otlp/legacy/samples.ts'
import { LargestTime } from '../otlp/legacy/time-units.ts'
import type { RecognisedUnit } from '../recordings/time-unit.ts'
import { timeUnit, timeUnitNote } from '../recordings/time-unit.ts'
import type { StackOrder } from './stack-order.ts'
import { OrderEvidence } from './stack-order.ts'
import type { MarkedUnit } from './unit-mark.ts'
import { MILLISECONDS, NANOSECONDS, UNIT_ATTRIBUTE } from './unit-mark.ts'

const { traceId: TRACE_ID, spanId: SPAN_ID } = ATTRIBUTES
const TRACE_BYTES = 16
const SPAN_BYTES = 8
const NO_BYTES = new Uint8Array(0)
/** The first byte of a KeyValue that starts with its key. */
const KEY_TAG = 0x0a
const RELEASED_UNIT: RecognisedUnit = timeUnit(0n)
/** The document's unit of timestamps. */
const DOCUMENT_UNIT: RecognisedUnit = { name: 'milliseconds', nanos: 1_000_000n }

export interface MeaningOptions {
  readonly notes: NoteList
  /** If given, everything is read as in the released form, or slices as in the document's examples. */
  readonly generation: 'otep' | 'v1.3' | undefined
  /** Called for each container with slices. */
  found(order: StackOrder): void
}

export interface MeantContainer {
  /** The container without a mark of its unit. */
  readonly container: Message
  readonly samples: SampleMeaning
}

export function meaningOf(container: Message, options: MeaningOptions): MeantContainer | undefined {
  const profile = messageIn(container, 'profile')
  if (profile === undefined) return undefined
  const { evidence, largestTime, times } = surveySamples(messagesOf(profile, 'sample'))
  const { notes, generation } = options
  const order = chosenOrder(evidence, options)
  if (evidence.hasSlices) options.found(order)
  const mark = markOf(container)
  const isReleased = generation === 'v1.3' || mark === NANOSECONDS
  const unitOf = (time: bigint): RecognisedUnit => (isReleased ? RELEASED_UNIT : timeUnit(time))
  const start = wholeOf(container, 'start_time_unix_nano')
  const headerTime = start === 0n ? wholeOf(profile, 'time_nanos') : start
  const headerUnit = mark === undefined ? unitOf(headerTime) : RELEASED_UNIT
  const sampleUnit = mark === MILLISECONDS && !isReleased ? DOCUMENT_UNIT : unitOf(largestTime)
  if (headerUnit.nanos !== 1n) notes.add('time-unit', timeUnitNote(headerUnit))
  if (sampleUnit.nanos !== 1n && sampleUnit !== DOCUMENT_UNIT)
    notes.add('timestamp-unit', timeUnitNote(sampleUnit, 'timestamps'), times)
  const spans = new SpanTable(profile, notes)
  return {
    container: withoutMark(container),
    samples: {
      isRootFirst: order === 'root-first',
      nanos: sampleUnit.nanos,
      timeNanos: headerUnit.nanos,
      ...(spans.isEmpty ? {} : { spanIn: (sample, attributes) => spans.spanIn(sample, attributes) }),
    },
  }
}

export interface TimeUnits {
  /** Nanoseconds per unit of the container's times. */
  readonly header: bigint
  /** Nanoseconds per unit of the timestamps. */
  readonly samples: bigint
}

/** The units of a container that starts at `start`. */
export function timeUnitsOf(container: Message, profile: Message, start: bigint): TimeUnits {
  const mark = markOf(container)
  if (mark !== undefined) return { header: 1n, samples: mark === MILLISECONDS ? DOCUMENT_UNIT.nanos : 1n }
  const { largestTime } = surveySamples(messagesOf(profile, 'sample'))
  return { header: timeUnit(start).nanos, samples: timeUnit(largestTime).nanos }
}

const surveyed = ['locations_start_index', 'locations_length', 'timestamps_unix_nano'] as const

interface Survey {
  readonly evidence: OrderEvidence
  readonly largestTime: bigint
  readonly times: number
}

/** Reused, because a row consists of many small arrays. */
let surveyRow: Row | undefined

function surveySamples(samples: MessageSequence): Survey {
  const row = (surveyRow ??= new Row(messageOf(schemaOf('v1.3'), 'Sample'), surveyed))
  const [start, length, timestamps] = surveyed.map(name => row.slot(name))
  const evidence = new OrderEvidence()
  const largest = new LargestTime()
  let times = 0
  eachRow(samples, row, () => {
    evidence.add(row.number(start), row.number(length))
    const list = row.lists[timestamps]
    times += list.length / 2
    largest.add(list.array, list.length)
  })
  row.release()
  return { evidence, largestTime: largest.time, times }
}

function chosenOrder(evidence: OrderEvidence, { generation, notes }: MeaningOptions): StackOrder {
  if (generation !== undefined) return generation === 'v1.3' ? 'leaf-first' : 'root-first'
  const order = evidence.order()
  if (order === undefined && evidence.hasSlices) {
    notes.add(
      'stack-order',
      'the order of stacks is ambiguous; the root was read as first, as in the examples of OTEP 0239',
    )
  }
  return order ?? 'root-first'
}

/** Returns undefined for an attribute that is no mark. */
function markIn(attribute: Message): MarkedUnit | undefined {
  if (textOf(attribute, 'key') !== UNIT_ATTRIBUTE) return undefined
  const unit = textOf(messageIn(attribute, 'value') ?? {}, 'string_value')
  return unit === NANOSECONDS || unit === MILLISECONDS ? unit : undefined
}

function markOf(container: Message): MarkedUnit | undefined {
  for (const attribute of messagesOf(container, 'attributes')) {
    const mark = markIn(attribute)
    if (mark !== undefined) return mark
  }
  return undefined
}

function withoutMark(container: Message): Message {
  if (markOf(container) === undefined) return container
  const attributes = [...messagesOf(container, 'attributes')].filter(attribute => markIn(attribute) === undefined)
  return { ...container, attributes }
}

/** Whether the key of an attribute, which usually comes first, is as long as `trace_id` or `span_id`. */
function mayNameSpan(bytes: Uint8Array, from: number, to: number): boolean {
  const isKeyFirst = from + 1 < to && bytes[from] === KEY_TAG
  return !isKeyFirst || bytes[from + 1] === TRACE_ID.length || bytes[from + 1] === SPAN_ID.length
}

/** The trace and span ids in the attribute table of a profile. */
class SpanTable {
  readonly #traceIds = new Map<number, Uint8Array>()
  readonly #spanIds = new Map<number, Uint8Array>()
  readonly #notes: NoteList

  constructor(profile: Message, notes: NoteList) {
    this.#notes = notes
    const table = messagesOf(profile, 'attribute_table')
    if (table instanceof LazyMessages) {
      table.eachRange((bytes, from, to, row) => {
        if (mayNameSpan(bytes, from, to)) this.#add(table.at(row), row)
      })
    } else {
      let row = 0
      for (const attribute of table) this.#add(attribute, row++)
    }
  }

  get isEmpty(): boolean {
    return this.#traceIds.size === 0 && this.#spanIds.size === 0
  }

  #add(attribute: Message, row: number): void {
    const key = textOf(attribute, 'key')
    if (key !== TRACE_ID && key !== SPAN_ID) return
    const id = bytesOf(messageIn(attribute, 'value') ?? {}, 'bytes_value')
    if (key === TRACE_ID && id.length === TRACE_BYTES) this.#traceIds.set(row, id)
    if (key === SPAN_ID && id.length === SPAN_BYTES) this.#spanIds.set(row, id)
  }

  spanIn(sample: Row, attributes: number): SpanAttributes | undefined {
    let trace = -1
    let span = -1
    for (let k = sample.count(attributes) - 1; k >= 0; k--) {
      const row = sample.listed(attributes, k)
      if (this.#traceIds.has(row)) trace = row
      else if (this.#spanIds.has(row)) span = row
    }
    if (trace < 0 && span < 0) return undefined
    this.#notes.add('trace-attributes', 'trace and span ids in attributes of samples became links')
    return {
      trace,
      span,
      traceId: this.#traceIds.get(trace) ?? NO_BYTES,
      spanId: this.#spanIds.get(span) ?? NO_BYTES,
    }
  }
}
