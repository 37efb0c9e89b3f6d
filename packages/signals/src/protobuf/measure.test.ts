import { describe, expect, it } from 'vitest'
import { logs } from '../otlp/codecs.ts'
import { LOGS_DATA } from '../otlp/logs.ts'
import { compileMeasure, measureJson } from './measure.ts'

const RECORD = 'opentelemetry.proto.logs.v1.LogRecord'
const record = { severityText: 'INFO', attributes: [{ key: 'a', value: { intValue: '1' } }] }

function logsOf(records: readonly object[]): Uint8Array {
  return logs.encode(logs.decodeJson(jsonOf(records)))
}

function jsonOf(logRecords: readonly object[]): Uint8Array {
  return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
}

describe('compileMeasure', () => {
  const measure = compileMeasure(LOGS_DATA, { messages: { [RECORD]: 1000 }, text: 10, packedByte: 8 })

  it('counts messages by their type, and texts by their length', () => {
    const empty = measure(logsOf([]), Infinity)
    expect(measure(logsOf([{}]), Infinity) - empty).toBe(1000)
    expect(measure(logsOf(Array.from({ length: 50 }, () => ({}))), Infinity) - empty).toBe(50_000)
    // Two bytes for the text of one letter with its length, twice.
    expect(measure(logsOf([{ severityText: 'I' }]), Infinity) - empty).toBe(1000 + 10 + 2 * 2)
    expect(measure(logsOf([record]), Infinity)).toBeGreaterThan(measure(logsOf([{ severityText: 'INFO' }]), Infinity))
  })

  it('stops at the limit', () => {
    const bytes = logsOf(Array.from({ length: 50 }, () => record))
    const measured = measure(bytes, 10_000)
    expect(measured).toBeGreaterThan(10_000)
    expect(measured).toBeLessThan(20_000)
  })

  it('measures broken input up to the fault', () => {
    const bytes = logsOf([record, record, record])
    expect(measure(bytes.subarray(0, bytes.length - 1), Infinity)).toBeGreaterThan(0)
    expect(measure(Uint8Array.of(0x0a, 0xff, 0xff, 0xff), Infinity)).toBeGreaterThan(0)
    const nested = Buffer.concat(Array.from({ length: 300 }, () => Uint8Array.of(0x0a, 0x7f)))
    expect(() => measure(nested, Infinity)).not.toThrow()
  })
})

describe('measureJson', () => {
  const costs = { objects: { 4: 1000 }, other: 1, item: 0 }

  it('counts objects by their depth', () => {
    const empty = measureJson(jsonOf([]), Infinity, costs)
    // `{},` has 3 bytes, of which each counts twice. The last has no comma.
    expect(measureJson(jsonOf([{}, {}]), Infinity, costs) - empty).toBe(2 * 1000 + 2 * 5)
  })

  it('skips braces in texts', () => {
    const text = measureJson(jsonOf([{ severityText: '{{{{{{{{{{\\"{' }]), Infinity, costs)
    expect(text).toBeLessThan(measureJson(jsonOf([{}]), Infinity, costs) + 1000)
  })

  it('stops at the limit', () => {
    const bytes = jsonOf(Array.from({ length: 50 }, () => ({})))
    expect(measureJson(bytes, 10_000, costs)).toBeLessThan(12_000)
  })
})
