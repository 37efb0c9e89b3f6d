import { RuleError } from '@hearth/broker'
import type { AnyValue } from '@hearth/profile'
import { LOG_RECORD, SPAN } from '@hearth/signals'
import type { LogRecord, Span } from '@hearth/signals'
import { describe, expect, test } from 'vitest'
import { compileTriggerRule } from './compile-rule.ts'
import type { TelemetryItem } from './telemetry-item.ts'
import { originOf } from './telemetry-item.ts'

const empty = (fields: Readonly<Record<string, { readonly initial: unknown }>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.initial]))
const listed = (attributes: Readonly<Record<string, AnyValue>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value }))
const origin = originOf(listed({ 'service.name': 'checkout', region: 'eu-west', tier: 'gold' }))

function span(ms: number, parts: Partial<Span> = {}): TelemetryItem {
  const times = { startTimeUnixNano: 5_000_000_000n, endTimeUnixNano: 5_000_000_000n + BigInt(ms * 1e6) }
  return { kind: 'span', origin, span: { ...(empty(SPAN.fields) as unknown as Span), ...times, ...parts } }
}

function log(parts: Partial<LogRecord>): TelemetryItem {
  return { kind: 'log', origin, record: { ...(empty(LOG_RECORD.fields) as unknown as LogRecord), ...parts } }
}

function point(
  name: string,
  value: number | undefined,
  attributes: Readonly<Record<string, AnyValue>> = {},
): TelemetryItem {
  const id = new Uint8Array(0)
  return {
    kind: 'metric',
    origin,
    name,
    unit: '',
    value,
    time: 1n,
    attributes: listed(attributes),
    traceId: id,
    spanId: id,
  }
}

const fits = (rule: string, item: TelemetryItem): boolean => compileTriggerRule(rule).matches(item)

describe('predicates', () => {
  test('of spans', () => {
    expect(fits('SpanSlower(800)', span(800))).toBe(false)
    expect(fits('SpanSlower(800)', span(800.001))).toBe(true)
    expect(fits('SpanSlower(0.5)', span(0.6))).toBe(true)
    // A span that has not ended, or whose clock went back, is not slow.
    expect(fits('SpanSlower(0)', span(1, { endTimeUnixNano: 0n }))).toBe(false)
    expect(fits('Span(`GET /pay`)', span(1, { name: 'GET /pay' }))).toBe(true)
    expect(fits('Span(`GET /pay`)', span(1, { name: 'GET /pay/1' }))).toBe(false)
    expect(fits('Span({GET /pay.*})', span(1, { name: 'GET /pay/1' }))).toBe(true)
    expect(fits('SpanStatus(ERROR)', span(1, { status: { code: 2, message: '' } }))).toBe(true)
    expect(fits('SpanStatus(ERROR)', span(1))).toBe(false)
    expect(fits('SpanStatus(unset)', span(1))).toBe(true)
    expect(fits('SpanKind(SERVER)', span(1, { kind: 2 }))).toBe(true)
    expect(fits('SpanKind(3)', span(1, { kind: 2 }))).toBe(false)
  })

  test('of logs', () => {
    expect(fits('LogSeverity(17)', log({ severityNumber: 16 }))).toBe(false)
    expect(fits('LogSeverity(17)', log({ severityNumber: 17 }))).toBe(true)
    expect(fits('LogSeverity(ERROR)', log({ severityNumber: 21 }))).toBe(true)
    expect(fits('LogSeverity(WARN2)', log({ severityNumber: 13 }))).toBe(false)
    expect(fits('LogBody({.*(timeout|refused).*})', log({ body: 'connection refused by peer' }))).toBe(true)
    expect(fits('LogBody({.*(timeout|refused).*})', log({ body: 'all is well' }))).toBe(false)
    expect(fits('LogBody({.*})', log({ body: undefined }))).toBe(false)
  })

  test('of metrics', () => {
    expect(fits('MetricAbove(`cpu`, 0.9)', point('cpu', 0.91))).toBe(true)
    expect(fits('MetricAbove(`cpu`, 0.9)', point('cpu', 0.9))).toBe(false)
    expect(fits('MetricAbove(`cpu`, 0.9)', point('memory', 5))).toBe(false)
    expect(fits('MetricBelow(`free`, 10)', point('free', 3))).toBe(true)
    expect(fits('MetricBelow(`free`, 10)', point('free', undefined))).toBe(false)
    expect(fits('MetricAbove(`{.*utilization}`, -1)', point('cpu.utilization', 0))).toBe(true)
  })

  test('of anything: the service, and attributes of the item before those of its resource', () => {
    expect(fits('Source(`checkout`)', point('x', 1))).toBe(true)
    expect(fits('Source(`other`)', span(1))).toBe(false)
    expect(fits('Attr(`region`, `{eu-.*}`)', log({}))).toBe(true)
    expect(fits('Attr(`tier`, `gold`)', point('x', 1, { tier: 'tin' }))).toBe(false)
    expect(fits('Attr(`tier`, `tin`)', point('x', 1, { tier: 'tin' }))).toBe(true)
    expect(
      fits('Attr(`http.response.status_code`, `{5..}`)', point('x', 1, { 'http.response.status_code': 503n })),
    ).toBe(true)
    expect(fits('Attr(`retried`, `true`)', point('x', 1, { retried: true }))).toBe(true)
    expect(fits('Attr(`absent`, `{}`)', span(1))).toBe(false)
  })

  test('joined', () => {
    const rule = 'Source(`checkout`) && (SpanSlower(100) || SpanStatus(ERROR)) && !Span(`health`)'
    expect(fits(rule, span(200, { name: 'pay' }))).toBe(true)
    expect(fits(rule, span(1, { name: 'pay' }))).toBe(false)
    expect(fits(rule, span(200, { name: 'health' }))).toBe(false)
  })
})

test('kinds that a rule cannot fit are known beforehand', () => {
  const kinds = (rule: string) => [...compileTriggerRule(rule).kinds]
  expect(kinds('SpanSlower(1)')).toEqual(['span'])
  expect(kinds('SpanSlower(1) || LogSeverity(ERROR)')).toEqual(['span', 'log'])
  expect(kinds('Source(`a`) && MetricAbove(`x`, 1)')).toEqual(['metric'])
  expect(kinds('Source(`a`)')).toEqual(['span', 'log', 'metric'])
  expect(kinds('SpanSlower(1) && LogSeverity(ERROR)')).toEqual([])
  expect(kinds('!SpanSlower(1)')).toEqual(['span', 'log', 'metric'])
  expect(kinds('!Source(`a`) && !SpanSlower(1) && LogBody({x})')).toEqual(['log'])
})

test.each([
  ['', /expected a predicate/, 0],
  ['SpanSlower(800', /expected "\)"/, 14],
  ['SpanSlower(`x`)', /number/, 12],
  ['SpanFaster(1)', /no predicate "SpanFaster"; there are Span, SpanSlower/, 0],
  ['Source(`a`) && LogSeverity(GRAVE)', /LogSeverity knows no "GRAVE"; it knows .*ERROR/, 27],
  ['LogBody({(})', /regular expression/, 9],
  ['Path(`/x`)', /no predicate "Path"/, 0],
])('%s is no rule', (rule, message, offset) => {
  const error = (() => {
    try {
      compileTriggerRule(rule)
    } catch (thrown) {
      return thrown
    }
    return undefined
  })()
  expect(error).toBeInstanceOf(RuleError)
  expect((error as RuleError).what).toMatch(message)
  expect((error as RuleError).offset).toBe(offset)
})
