// Estimates the memory that the body of a request takes until it is committed: decoded, and as rows of the store. Requests are
// refused by this estimate before they are decoded. 64 KB of gzip can contain 3 million empty log records, which take 1.4 GB.
import { RepeatedBytes, dictionaryField } from '@hearth/profile'
import type { JsonCosts, Measure, Message } from '@hearth/signals'
import { EXPORT_SERVICES, compileMeasure, measureJson } from '@hearth/signals'
import type { Signal } from '../store/keeper.ts'
import type { EncodedBody } from './decode-payload.ts'

/**
 * Bytes of an item: its object, and twice its row in the store, because columns are copied while they grow. Rows of empty
 * items take 170 (logs), 330 (spans) and 370 bytes (data points).
 */
const LOG_RECORD = 450
const SPAN = 800
const POINT = 950
/** Columns instead of objects, but with their rows. */
const SAMPLE = 120
const SYMBOL = 160
const PROFILE = 1000

const LOGS = 'opentelemetry.proto.logs.v1'
const TRACE = 'opentelemetry.proto.trace.v1'
const METRICS = 'opentelemetry.proto.metrics.v1'
const PROFILES = 'opentelemetry.proto.profiles.v1development'

const MESSAGES: Readonly<Record<string, number>> = {
  [`${LOGS}.LogRecord`]: LOG_RECORD,
  [`${TRACE}.Span`]: SPAN,
  [`${METRICS}.Metric`]: POINT,
  [`${METRICS}.NumberDataPoint`]: POINT,
  [`${METRICS}.HistogramDataPoint`]: POINT,
  [`${METRICS}.ExponentialHistogramDataPoint`]: POINT,
  [`${METRICS}.SummaryDataPoint`]: POINT,
  [`${PROFILES}.Profile`]: PROFILE,
  [`${PROFILES}.Sample`]: SAMPLE,
  [`${PROFILES}.Line`]: 48,
  [`${PROFILES}.Stack`]: SYMBOL,
  [`${PROFILES}.Location`]: SYMBOL,
  [`${PROFILES}.Function`]: SYMBOL,
  [`${PROFILES}.Mapping`]: SYMBOL,
  [`${PROFILES}.KeyValueAndUnit`]: SYMBOL,
}

const NOTHING = new Uint8Array(0)

const measureOf = (message: Message<unknown>): Measure =>
  compileMeasure(message, { messages: MESSAGES, text: 32, packedByte: 12 })

const PROTOBUF: Readonly<Record<Signal, Measure>> = {
  profiles: measureOf(EXPORT_SERVICES.profiles.request as Message),
  traces: measureOf(EXPORT_SERVICES.traces.request as Message),
  logs: measureOf(EXPORT_SERVICES.logs.request as Message),
  metrics: measureOf(EXPORT_SERVICES.metrics.request as Message),
}

/** Items have a fixed depth: resourceLogs, scopeLogs and logRecords contain objects of depth 2, 3 and 4. */
const JSON_OBJECTS: Readonly<Record<Signal, JsonCosts['objects']>> = {
  profiles: { 3: SYMBOL, 4: PROFILE, 5: SAMPLE },
  traces: { 4: SPAN },
  logs: { 4: LOG_RECORD },
  metrics: { 4: POINT, 6: POINT },
}

/** The memory of dictionaries that senders repeat. Walking them takes longer than the rest of a small request. */
const dictionaries = new RepeatedBytes<{ readonly memory: number }>({ equal: (a, b) => Buffer.compare(a, b) === 0 })

/** Returns bytes. The result is greater than `limit` if measuring stopped there. */
export function measurePayload({ signal, encoding, body }: EncodedBody, limit: number): number {
  if (signal === 'profiles' && encoding === 'protobuf') return measureProfiles(body, limit)
  if (encoding === 'protobuf') return PROTOBUF[signal](body, limit)
  return measureJson(body, limit, { objects: JSON_OBJECTS[signal], other: 64, item: 32 })
}

function measureProfiles(body: Uint8Array, limit: number): number {
  const measure = PROTOBUF.profiles
  const field = dictionaryField(body, 0, body.length)
  const dictionary = field === undefined ? NOTHING : body.subarray(field.from, field.to)
  const known = dictionaries.get(dictionary, kept => ({ memory: measure(kept, Infinity) }))
  if (field === undefined || known === undefined) return measure(body, limit)
  // The cost of a message is the sum of its fields.
  const before = measure(body.subarray(0, field.from), limit)
  return known.memory + before + measure(body.subarray(field.to), limit)
}
