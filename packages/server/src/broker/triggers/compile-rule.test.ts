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

const matches = (rule: string, item: TelemetryItem): boolean => compileTriggerRule(rule).matches(item)

describe('compileTriggerRule', () => {
  test('matches spans by name, duration, status and kind', () => {
    expect(matches('SpanSlower(800)', span(800))).toBe(false)
    expect(matches('SpanSlower(800)', span(800.001))).toBe(true)
    expect(matches('SpanSlower(0.5)', span(0.6))).toBe(true)
    // A span without an end, or whose clock went back, is not slow.
    expect(matches('SpanSlower(0)', span(1, { endTimeUnixNano: 0n }))).toBe(false)
    expect(matches('Span(`GET /pay`)', span(1, { name: 'GET /pay' }))).toBe(true)
    expect(matches('Span(`GET /pay`)', span(1, { name: 'GET /pay/1' }))).toBe(false)
    expect(matches('Span({GET /pay.*})', span(1, { name: 'GET /pay/1' }))).toBe(true)
    expect(matches('SpanStatus(ERROR)', span(1, { status: { code: 2, message: '' } }))).toBe(true)
    expect(matches('SpanStatus(ERROR)', span(1))).toBe(false)
    expect(matches('SpanStatus(unset)', span(1))).toBe(true)
    expect(matches('SpanKind(SERVER)', span(1, { kind: 2 }))).toBe(true)
    expect(matches('SpanKind(3)', span(1, { kind: 2 }))).toBe(false)
  })

  test('matches logs by severity and body', () => {
    expect(matches('LogSeverity(17)', log({ severityNumber: 16 }))).toBe(false)
    expect(matches('LogSeverity(17)', log({ severityNumber: 17 }))).toBe(true)
    expect(matches('LogSeverity(ERROR)', log({ severityNumber: 21 }))).toBe(true)
    expect(matches('LogSeverity(WARN2)', log({ severityNumber: 13 }))).toBe(false)
    expect(matches('LogBody({.*(timeout|refused).*})', log({ body: 'connection refused by peer' }))).toBe(true)
    expect(matches('LogBody({.*(timeout|refused).*})', log({ body: 'all is well' }))).toBe(false)
    expect(matches('LogBody({.*})', log({ body: undefined }))).toBe(false)
  })

  test('matches metrics above and below a limit', () => {
    expect(matches('MetricAbove(`cpu`, 0.9)', point('cpu', 0.91))).toBe(true)
    expect(matches('MetricAbove(`cpu`, 0.9)', point('cpu', 0.9))).toBe(false)
    expect(matches('MetricAbove(`cpu`, 0.9)', point('memory', 5))).toBe(false)
    expect(matches('MetricBelow(`free`, 10)', point('free', 3))).toBe(true)
    expect(matches('MetricBelow(`free`, 10)', point('free', undefined))).toBe(false)
    expect(matches('MetricAbove(`{.*utilization}`, -1)', point('cpu.utilization', 0))).toBe(true)
  })

  test('matches any item by service and by attributes, item attributes first', () => {
    expect(matches('Source(`checkout`)', point('x', 1))).toBe(true)
    expect(matches('Source(`other`)', span(1))).toBe(false)
    expect(matches('Attr(`region`, `{eu-.*}`)', log({}))).toBe(true)
    expect(matches('Attr(`tier`, `gold`)', point('x', 1, { tier: 'tin' }))).toBe(false)
    expect(matches('Attr(`tier`, `tin`)', point('x', 1, { tier: 'tin' }))).toBe(true)
    expect(
      matches('Attr(`http.response.status_code`, `{5..}`)', point('x', 1, { 'http.response.status_code': 503n })),
    ).toBe(true)
    expect(matches('Attr(`retried`, `true`)', point('x', 1, { retried: true }))).toBe(true)
    expect(matches('Attr(`absent`, `{}`)', span(1))).toBe(false)
  })

  test('matches combined predicates', () => {
    const rule = 'Source(`checkout`) && (SpanSlower(100) || SpanStatus(ERROR)) && !Span(`health`)'
    expect(matches(rule, span(200, { name: 'pay' }))).toBe(true)
    expect(matches(rule, span(1, { name: 'pay' }))).toBe(false)
    expect(matches(rule, span(200, { name: 'health' }))).toBe(false)
  })
})

test('compileTriggerRule knows which item kinds a rule can match', () => {
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
  ['SpanFaster(1)', /unknown predicate "SpanFaster"; there are Span, SpanSlower/, 0],
  ['Source(`a`) && LogSeverity(GRAVE)', /unknown value "GRAVE" for LogSeverity; expected one of .*ERROR/, 27],
  ['LogBody({(})', /regular expression/, 9],
  ['Path(`/x`)', /unknown predicate "Path"/, 0],
])('compileTriggerRule rejects %s', (rule, message, offset) => {
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
