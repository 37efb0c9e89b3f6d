// Checks traces, logs and metrics by SIGNAL_RULES. Problems name fields as the file spells them: `trace_id` in protobuf,
// `traceId` in JSON.
import type { AnyValue, KeyValue, Problem } from '@hearth/profile'
import { ProblemList, isKeyValueList, isUcum } from '@hearth/profile'
import { ANY_VALUE, KEY_VALUE } from '../otlp/common.ts'
import { LOGS_DATA, LOG_RECORD } from '../otlp/logs.ts'
import {
  DATA_POINT_FLAGS,
  EXEMPLAR,
  EXPONENTIAL_HISTOGRAM,
  EXPONENTIAL_HISTOGRAM_DATA_POINT,
  HISTOGRAM,
  HISTOGRAM_DATA_POINT,
  METRIC,
  METRICS_DATA,
  NUMBER_DATA_POINT,
  SUM,
  SUMMARY_DATA_POINT,
} from '../otlp/metrics.ts'
import { SPAN, SPAN_EVENT, SPAN_LINK, TRACES_DATA } from '../otlp/traces.ts'
import type { Field, Message } from '../protobuf/field.ts'
import { jsonNameOf, protoNameOf, usedFields } from '../protobuf/field.ts'
import { exponentialProblem, histogramProblem, summaryProblem } from './point-problems.ts'
import type { SignalContent, SignalKind } from './signal-content.ts'
import type { SignalRuleId } from './signal-rules.ts'
import { SIGNAL_RULES } from './signal-rules.ts'

export type SignalProblem = Problem<SignalRuleId>

export interface ValidateSignalOptions {
  /** How the file spells its fields. */
  readonly encoding: SignalKind['encoding']
  /** Checks SHOULD rules too. */
  readonly strict?: boolean | undefined
  /** The maximum number of problems per rule. */
  readonly limit?: number | undefined
}

const DEFAULT_LIMIT = 100

const ROOTS: Readonly<Record<SignalContent['signal'], Message>> = {
  traces: TRACES_DATA as Message,
  logs: LOGS_DATA as Message,
  metrics: METRICS_DATA as Message,
}

/** Returns the problems in the order of the rules. */
export function validateSignal(
  { signal, data }: SignalContent,
  { encoding, strict = false, limit = DEFAULT_LIMIT }: ValidateSignalOptions,
): readonly SignalProblem[] {
  const problems = new ProblemList<SignalRuleId>(strict, limit, SIGNAL_RULES)
  new Walk(encoding, problems).message(ROOTS[signal], data, '')
  return problems.list()
}

/** Reports a problem of the message, or of one of its fields. */
type Report = (rule: SignalRuleId, property: string, message: string) => void

class Walk {
  readonly #nameOf: (property: string, field: Field) => string
  readonly #problems: ProblemList<SignalRuleId>

  constructor(encoding: SignalKind['encoding'], problems: ProblemList<SignalRuleId>) {
    this.#nameOf = encoding === 'json' ? jsonNameOf : protoNameOf
    this.#problems = problems
  }

  message(type: Message, content: unknown, path: string): void {
    const { fields } = type
    const pathOf = (property: string): string => {
      const field = fields[property]
      const name = field === undefined ? '' : this.#nameOf(property, field)
      return path === '' || name === '' ? `${path}${name}` : `${path}.${name}`
    }
    CHECKS.get(type)?.(content, (rule, property, message) => {
      this.#problems.add(rule, () => [pathOf(property), message])
    })
    for (const [property, field] of usedFields(fields)) {
      const value = (content as Readonly<Record<string, unknown>>)[property]
      if (field.enumeration !== undefined) this.#enum(field, value as number, pathOf, property)
      if (field.message === undefined || value === undefined) continue
      const inner = field.message()
      if (inner === (KEY_VALUE as Message)) this.#attributes(value as readonly KeyValue[], pathOf(property))
      else if (inner === (ANY_VALUE as Message)) this.#value(value as AnyValue, pathOf(property))
      else if (field.label !== 'repeated') this.message(inner, value, pathOf(property))
      else {
        const list = pathOf(property)
        for (const [i, item] of (value as readonly unknown[]).entries()) this.message(inner, item, `${list}[${i}]`)
      }
    }
  }

  #enum({ enumeration }: Field, value: number, pathOf: (property: string) => string, property: string): void {
    if (Object.values(enumeration!.values).includes(value)) return
    this.#problems.add('enum-known', () => [pathOf(property), `${value} is no value of ${enumeration!.name}`])
  }

  #attributes(attributes: readonly KeyValue[], path: string): void {
    this.#unique('attribute-keys-unique', attributes, path)
    for (const [i, { key, value }] of attributes.entries()) {
      if (key === '') this.#problems.add('attribute-key-empty', () => [`${path}[${i}].key`, 'the key is empty'])
      this.#value(value, `${path}[${i}].value`)
    }
  }

  #unique(rule: SignalRuleId, entries: readonly KeyValue[], path: string): void {
    const seen = new Set<string>()
    for (const [i, { key }] of entries.entries()) {
      if (seen.has(key))
        this.#problems.add(rule, () => [`${path}[${i}].key`, `the key ${JSON.stringify(key)} is repeated`])
      seen.add(key)
    }
  }

  #value(value: AnyValue, path: string): void {
    if (typeof value !== 'object' || value instanceof Uint8Array) return
    if (!isKeyValueList(value)) {
      const values = `${path}.${this.#nameOf('arrayValue', ANY_VALUE.fields['arrayValue'])}.values`
      for (const [i, item] of value.entries()) this.#value(item, `${values}[${i}]`)
      return
    }
    const values = `${path}.${this.#nameOf('kvlistValue', ANY_VALUE.fields['kvlistValue'])}.values`
    this.#unique('value-keys-unique', value.entries, values)
    for (const [i, entry] of value.entries.entries()) this.#value(entry.value, `${values}[${i}].value`)
  }
}

type Check = (content: unknown, report: Report) => void

function check<T>(message: Message<T>, run: (content: T, report: Report) => void): readonly [Message, Check] {
  return [message as Message, run as Check]
}

const NO_RECORDED_VALUE = DATA_POINT_FLAGS.values.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK

const CHECKS: ReadonlyMap<Message, Check> = new Map([
  check(SPAN, (span, report) => {
    checkId('span-trace-id', 'traceId', span.traceId, 16, report)
    checkId('span-id', 'spanId', span.spanId, 8, report)
    checkLength('span-parent-id', 'parentSpanId', span.parentSpanId, 8, report)
    if (span.name === '') report('span-name', 'name', 'the name is empty')
    const { startTimeUnixNano: start, endTimeUnixNano: end } = span
    if (start === 0n) report('span-start', 'startTimeUnixNano', 'the start time is not set')
    if (end === 0n) report('span-end', 'endTimeUnixNano', 'the end time is not set')
    else if (end < start) report('span-end', 'endTimeUnixNano', `the end ${end} is before the start ${start}`)
    checkTraceState(span.traceState, report)
  }),
  check(SPAN_EVENT, ({ name }, report) => {
    if (name === '') report('span-event-name', 'name', 'the name is empty')
  }),
  check(SPAN_LINK, ({ traceId, spanId, traceState }, report) => {
    checkId('span-link-id', 'traceId', traceId, 16, report)
    checkId('span-link-id', 'spanId', spanId, 8, report)
    checkTraceState(traceState, report)
  }),
  check(LOG_RECORD, ({ traceId, spanId, timeUnixNano, observedTimeUnixNano }, report) => {
    if (traceId.length > 0) checkId('log-trace-id', 'traceId', traceId, 16, report)
    if (spanId.length > 0) checkId('log-span-id', 'spanId', spanId, 8, report)
    if (spanId.length > 0 && traceId.length === 0)
      report('log-span-without-trace', 'traceId', 'the record has a span id without a trace id')
    if (timeUnixNano === 0n && observedTimeUnixNano === 0n)
      report('log-time', 'observedTimeUnixNano', 'neither the time nor the observed time is set')
  }),
  check(METRIC, (metric, report) => {
    const { name, unit, gauge, sum, histogram, exponentialHistogram, summary } = metric
    if (name === '') report('metric-name', 'name', 'the name is empty')
    if (unit !== '' && !isUcum(unit))
      report('metric-unit-ucum', 'unit', `${JSON.stringify(unit)} is not a unit of UCUM`)
    if ((gauge ?? sum ?? histogram ?? exponentialHistogram ?? summary) === undefined)
      report('metric-data', '', 'the metric has no data')
  }),
  ...[SUM, HISTOGRAM, EXPONENTIAL_HISTOGRAM].map(message =>
    check(
      message as unknown as Message<{ readonly aggregationTemporality: number }>,
      ({ aggregationTemporality }, report) => {
        if (aggregationTemporality === 0)
          report('metric-temporality', 'aggregationTemporality', 'the temporality is not set')
      },
    ),
  ),
  check(NUMBER_DATA_POINT, (point, report) => {
    checkTimes(point, report)
    const { asDouble, asInt, flags } = point
    if (asDouble === undefined && asInt === undefined && (flags & NO_RECORDED_VALUE) === 0)
      report('point-value', '', 'the point has no value, and no flag says that none was recorded')
  }),
  check(HISTOGRAM_DATA_POINT, (point, report) => {
    checkTimes(point, report)
    checkBuckets(histogramProblem(point), point, report)
  }),
  check(EXPONENTIAL_HISTOGRAM_DATA_POINT, (point, report) => {
    checkTimes(point, report)
    checkBuckets(exponentialProblem(point), point, report)
  }),
  check(SUMMARY_DATA_POINT, (point, report) => {
    checkTimes(point, report)
    const problem = summaryProblem(point)
    if (problem !== undefined) report('summary-quantiles', 'quantileValues', problem)
    const negative = point.quantileValues.find(({ value }) => value < 0)
    if (negative !== undefined)
      report('summary-values', 'quantileValues', `the value of quantile ${negative.quantile} is ${negative.value}`)
    if (point.sum < 0) report('summary-values', 'sum', `the sum is ${point.sum}`)
  }),
  check(EXEMPLAR, ({ traceId, spanId }, report) => {
    checkLength('exemplar-id', 'traceId', traceId, 16, report)
    checkLength('exemplar-id', 'spanId', spanId, 8, report)
  }),
])

interface Times {
  readonly startTimeUnixNano: bigint
  readonly timeUnixNano: bigint
}

function checkTimes({ startTimeUnixNano: start, timeUnixNano: time }: Times, report: Report): void {
  if (time === 0n) report('point-time', 'timeUnixNano', 'the time is not set')
  else if (start > time) report('point-start', 'startTimeUnixNano', `the start ${start} is after the time ${time}`)
}

interface Range {
  readonly min: number | undefined
  readonly max: number | undefined
}

function checkBuckets(problem: string | undefined, { min, max }: Range, report: Report): void {
  if (problem !== undefined) report('histogram-buckets', '', problem)
  if (min !== undefined && max !== undefined && min > max)
    report('histogram-range', 'min', `the minimum ${min} is above the maximum ${max}`)
}

function checkId(rule: SignalRuleId, property: string, id: Uint8Array, length: number, report: Report): void {
  if (id.length !== length) report(rule, property, `the id has ${id.length} bytes instead of ${length}`)
  else if (!id.some(byte => byte !== 0)) report(rule, property, 'the id is all zero')
}

function checkLength(rule: SignalRuleId, property: string, id: Uint8Array, length: number, report: Report): void {
  if (id.length > 0 && id.length !== length)
    report(rule, property, `the id has ${id.length} bytes instead of ${length}`)
}

/** W3C Trace Context, tracestate: `key=value` or `tenant@system=value`, separated by commas. */
const MEMBER =
  /^(?<key>[a-z0-9][a-z0-9_\-*/]{0,240}(?:@[a-z][a-z0-9_\-*/]{0,13})?|[a-z][a-z0-9_\-*/]{0,255})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/
const MAX_MEMBERS = 32

function checkTraceState(text: string, report: Report): void {
  if (text === '') return
  const members = text.split(',').flatMap(member => (member.trim() === '' ? [] : [member.trim()]))
  const keys = members.map(member => MEMBER.exec(member)?.groups?.['key'])
  const wrong = keys.indexOf(undefined)
  if (wrong !== -1)
    report('trace-state', 'traceState', `${JSON.stringify(members[wrong])} is not key=value as W3C defines`)
  else if (new Set(keys).size < keys.length) report('trace-state', 'traceState', 'a key is repeated')
  else if (keys.length > MAX_MEMBERS)
    report('trace-state', 'traceState', `it has ${keys.length} members; the limit is ${MAX_MEMBERS}`)
}
