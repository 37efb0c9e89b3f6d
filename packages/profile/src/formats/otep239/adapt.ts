// Converts a container of the document to the released form (v1.3), which formats/otlp reads. Both are the same on the wire,
// except for the order of slices and the unit of timestamps. In addition, the link of a sample to a span may be in its
// attributes, as in the document's example.
import type { NoteList } from '../format.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import {
  bytesOf,
  messageIn,
  messagesOf,
  numberOf,
  numbersIn,
  textOf,
  wholeOf,
} from '../otlp/generations/message-fields.ts'
import type { Message, MessageSequence, NumberSequence } from '../otlp/generations/schema-reader.ts'
import { appendedMessages, mappedMessages } from './mapped-messages.ts'
import type { StackOrder } from './stack-order.ts'
import { OrderEvidence } from './stack-order.ts'
import { MILLISECOND, NANOSECONDS, UNIT_ATTRIBUTE, isMilliseconds } from './timestamps.ts'

const { traceId: TRACE_ID, spanId: SPAN_ID } = ATTRIBUTES
const TRACE_BYTES = 16
const SPAN_BYTES = 8

export interface AdaptOptions {
  readonly notes: NoteList
  /** If given, everything is read as in the released form, or slices as in the document's examples. */
  readonly generation: 'otep' | 'v1.3' | undefined
  /** Called for each container with slices. */
  found(order: StackOrder): void
  /** Throws an error for a field of a sample. */
  fail(sample: number, field: string, what: string): never
}

export function adaptContainer(container: Message, options: AdaptOptions): Message {
  const profile = messageIn(container, 'profile')
  if (profile === undefined) return container
  const samples = messagesOf(profile, 'sample')
  const survey = new Survey(profile, samples)
  const { notes } = options
  const order = chosenOrder(survey.evidence, options)
  if (survey.evidence.hasSlices) options.found(order)
  const isMarked = hasMark(container)
  const scale =
    options.generation !== 'v1.3' && !isMarked && isMilliseconds(survey.largestTime, startOf(container, profile))
  if (scale) notes.add('timestamps-in-ms', 'timestamps were read as milliseconds because of their size', survey.times)
  const locations = numbersIn(profile, 'location_indices')
  const isReversed = order === 'root-first' && survey.evidence.hasSlices
  const links = new TraceLinks(messagesOf(profile, 'link_table').length, survey)
  if (links.length > 0)
    notes.add('trace-attributes', 'trace and span ids in attributes of samples became links', links.samples)
  const adapted: Message = {
    ...profile,
    sample: mappedMessages(samples, (sample, place) => {
      let result = sample
      if (isReversed) result = withMirroredSlice(result, locations.length, place, options)
      if (scale) result = withNanoseconds(result)
      return links.applyTo(result)
    }),
  }
  if (isReversed) adapted['location_indices'] = reversed(locations)
  if (links.length > 0) adapted['link_table'] = links.appendedTo(messagesOf(profile, 'link_table'))
  return { ...container, ...(isMarked ? { attributes: withoutMark(container) } : {}), profile: adapted }
}

function chosenOrder(evidence: OrderEvidence, { generation, notes }: AdaptOptions): StackOrder {
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

function startOf(container: Message, profile: Message): bigint {
  const start = wholeOf(container, 'start_time_unix_nano')
  return start === 0n ? wholeOf(profile, 'time_nanos') : start
}

function isMark(attribute: Message): boolean {
  if (textOf(attribute, 'key') !== UNIT_ATTRIBUTE) return false
  const value = messageIn(attribute, 'value')
  return value !== undefined && textOf(value, 'string_value') === NANOSECONDS
}

function hasMark(container: Message): boolean {
  for (const attribute of messagesOf(container, 'attributes')) if (isMark(attribute)) return true
  return false
}

function withoutMark(container: Message): MessageSequence {
  return [...messagesOf(container, 'attributes')].filter(attribute => !isMark(attribute))
}

function withMirroredSlice(sample: Message, count: number, place: number, options: AdaptOptions): Message {
  const length = numberOf(sample, 'locations_length')
  if (length === 0) return sample
  const start = numberOf(sample, 'locations_start_index')
  if (start + length > count) {
    options.fail(
      place,
      'locations_start_index',
      `locations ${start} to ${start + length} are outside location_indices (length ${count})`,
    )
  }
  return { ...sample, locations_start_index: BigInt(count - start - length) }
}

function withNanoseconds(sample: Message): Message {
  const times = numbersIn(sample, 'timestamps_unix_nano')
  if (times.length === 0) return sample
  return {
    ...sample,
    timestamps_unix_nano: BigUint64Array.from(times as ArrayLike<bigint>, time => time * MILLISECOND),
  }
}

function reversed(numbers: NumberSequence): NumberSequence {
  return BigInt64Array.from(numbers as ArrayLike<bigint>).reverse()
}

/** The results of a first pass over the samples. */
class Survey {
  readonly evidence = new OrderEvidence()
  largestTime = 0n
  times = 0
  /** By index in the attribute table. */
  readonly traceIds = new Map<number, Uint8Array>()
  readonly spanIds = new Map<number, Uint8Array>()
  /** Pairs of such attributes in samples without a link, as `trace span`. A missing index is -1. */
  readonly pairs = new Set<string>()
  linked = 0

  constructor(profile: Message, samples: MessageSequence) {
    let row = 0
    for (const attribute of messagesOf(profile, 'attribute_table')) this.#addAttribute(attribute, row++)
    for (const sample of samples) {
      this.evidence.add(numberOf(sample, 'locations_start_index'), numberOf(sample, 'locations_length'))
      const times = numbersIn(sample, 'timestamps_unix_nano') as ArrayLike<bigint>
      this.times += times.length
      for (let k = 0; k < times.length; k++) if (times[k] > this.largestTime) this.largestTime = times[k]
      const pair = this.pairOf(sample)
      if (pair === undefined) continue
      this.linked++
      this.pairs.add(pair)
    }
  }

  #addAttribute(attribute: Message, row: number): void {
    const key = textOf(attribute, 'key')
    if (key !== TRACE_ID && key !== SPAN_ID) return
    const id = bytesOf(messageIn(attribute, 'value') ?? {}, 'bytes_value')
    if (key === TRACE_ID && id.length === TRACE_BYTES) this.traceIds.set(row, id)
    if (key === SPAN_ID && id.length === SPAN_BYTES) this.spanIds.set(row, id)
  }

  pairOf(sample: Message): string | undefined {
    if (this.traceIds.size === 0 && this.spanIds.size === 0) return undefined
    if (numberOf(sample, 'link') !== 0) return undefined
    const attributes = Array.from(numbersIn(sample, 'attributes'), Number)
    const trace = attributes.find(row => this.traceIds.has(row)) ?? -1
    const span = attributes.find(row => this.spanIds.has(row)) ?? -1
    return trace < 0 && span < 0 ? undefined : `${trace} ${span}`
  }
}

/** Links for pairs of attributes, after those of the profile. */
class TraceLinks {
  readonly samples: number
  readonly #survey: Survey
  readonly #numbers = new Map<string, number>()
  readonly #links: Message[] = []

  constructor(existing: number, survey: Survey) {
    this.#survey = survey
    this.samples = survey.linked
    if (survey.pairs.size === 0) return
    // Link 0 means "none".
    if (existing === 0) this.#links.push({})
    for (const pair of survey.pairs) {
      const [trace, span] = pair.split(' ').map(Number)
      this.#numbers.set(pair, existing + this.#links.length)
      this.#links.push({
        trace_id: survey.traceIds.get(trace) ?? new Uint8Array(0),
        span_id: survey.spanIds.get(span) ?? new Uint8Array(0),
      })
    }
  }

  get length(): number {
    return this.#links.length
  }

  appendedTo(table: MessageSequence): MessageSequence {
    return appendedMessages(table, this.#links)
  }

  applyTo(sample: Message): Message {
    const pair = this.#links.length === 0 ? undefined : this.#survey.pairOf(sample)
    if (pair === undefined) return sample
    const [trace, span] = pair.split(' ').map(Number)
    const attributes = Array.from(numbersIn(sample, 'attributes'), Number).filter(row => row !== trace && row !== span)
    return { ...sample, attributes, link: BigInt(this.#numbers.get(pair)!) }
  }
}
