import { describe, expect, test } from 'vitest'
import { mayHaveLabels, spanContextOf } from './span-context.ts'
import { FakeSpan, ROOT } from '../testing/fake-otel.ts'

const CHOICE = { spanAttributes: ['http.route', 'count', 'list', 'both', 'span.name'], baggageKeys: ['tenant', 'both'] }

describe('SpanContext', () => {
  test('returns the chosen labels with their current values', () => {
    const span = new FakeSpan('GET')
    const baggage = { tenant: 'x'.repeat(5000), both: 'of baggage', other: 'no' }
    const made = spanContextOf(ROOT.withSpan(span).withBaggage(baggage), CHOICE)
    expect(made?.labels().attributes).toContainEqual({ key: 'both', value: 'of baggage' })
    Object.assign(span.attributes, { 'http.route': '/late', count: 3, list: ['no'], both: 'of the span', more: 1 })
    expect(made?.labels()).toEqual({
      traceId: span.traceId,
      spanId: span.spanId,
      attributes: [
        { key: 'tenant', value: 'x'.repeat(1024) },
        { key: 'http.route', value: '/late' },
        { key: 'count', value: 3 },
        { key: 'both', value: 'of the span' },
        { key: 'span.name', value: 'GET' },
      ],
    })
  })

  test('has no labels after the end of the span', () => {
    const span = new FakeSpan('GET')
    const made = spanContextOf(ROOT.withSpan(span).withBaggage({ tenant: 'a' }), CHOICE)
    expect(made?.endedAt(0)).toBe(Infinity)
    span.end(1_790_000_000_123)
    expect(made?.endedAt(0)).toBe(1_790_000_000_123_000)
    expect(made?.labelsAfterEnd()).toEqual({ attributes: [{ key: 'tenant', value: 'a' }] })
  })

  test('ends by the steady clock if the span started by it', () => {
    const span = Object.assign(new FakeSpan('GET'), { startTime: [1_790_000_000, 5e6] as const })
    const made = spanContextOf(ROOT.withSpan(span), CHOICE)
    span.end(1_790_000_000_123)
    Object.assign(span, { _performanceStartTime: 2000, _startTimeProvided: false })
    // Starts two seconds after zero and takes 118 ms.
    const zero = 1_789_999_998_013_000
    expect(made?.endedAt(zero)).toBe(zero + 2_118_000)
    // An explicit start time does not say when the span was created.
    Object.assign(span, { _startTimeProvided: true })
    expect(made?.endedAt(zero)).toBe(1_790_000_000_123_000)
  })

  test('has no ids for baggage only', () => {
    expect(spanContextOf(ROOT.withBaggage({ tenant: 'a' }), CHOICE)?.labels()).toEqual({
      attributes: [{ key: 'tenant', value: 'a' }],
    })
  })

  test('is undefined for empty and broken contexts', () => {
    expect(spanContextOf(ROOT, CHOICE)).toBeUndefined()
    for (const ids of [{ traceId: '0'.repeat(32) }, { spanId: '0'.repeat(16) }, { spanId: '12' }, { traceId: 'é' }]) {
      expect(spanContextOf(ROOT.withSpan(new FakeSpan('', ids)), CHOICE)).toBeUndefined()
    }
    expect(spanContextOf(ROOT.withSpan({}), CHOICE)).toBeUndefined()
    const broken = {
      getValue: () => {
        throw new Error('broken')
      },
    }
    expect(spanContextOf(broken, CHOICE)).toBeUndefined()
  })

  test('is not created for contexts without a span and chosen baggage', () => {
    expect(mayHaveLabels(ROOT, CHOICE)).toBe(false)
    expect(mayHaveLabels(ROOT.withSpan(new FakeSpan()), CHOICE)).toBe(true)
    expect(mayHaveLabels(ROOT.withBaggage({}), CHOICE)).toBe(true)
    expect(mayHaveLabels(ROOT.withBaggage({}), { ...CHOICE, baggageKeys: [] })).toBe(false)
    expect(mayHaveLabels(undefined as never, CHOICE)).toBe(false)
  })
})
