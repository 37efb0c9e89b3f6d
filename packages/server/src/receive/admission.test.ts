import { describe, expect, test } from 'vitest'
import { Admission } from './admission.ts'
import { Refusal } from './refusal.ts'

describe('Admission', () => {
  test('admits requests that fit and asks the others to retry', () => {
    const admission = new Admission(100)
    const first = admission.admit(60)
    expect(() => admission.admit(41)).toThrow(Refusal)
    expect(() => admission.admit(41)).toThrow(/retry in 1 s/)
    const second = admission.admit(40)
    expect(admission.inFlightBytes).toBe(100)
    first.release()
    first.release()
    expect(admission.inFlightBytes).toBe(40)
    second.release()
    expect(admission.inFlightBytes).toBe(0)
  })

  test('reports when to retry', () => {
    const admission = new Admission(1)
    admission.admit(1)
    let refusal: unknown
    try {
      admission.admit(1)
    } catch (error) {
      refusal = error
    }
    expect(refusal).toMatchObject({ http: 503, code: 14, reason: 'in-flight', retryAfterSeconds: 1 })
  })

  test('admits a single request of any size', () => {
    const admission = new Admission(100)
    const alone = admission.admit(5)
    alone.resize(500)
    expect(admission.inFlightBytes).toBe(500)
    expect(() => admission.admit(1)).toThrow(Refusal)
    alone.release()
    expect(admission.admit(500).bytes).toBe(500)
  })

  test('never admits more than the limit for decoding', () => {
    const admission = new Admission(100)
    expect(() => admission.admitDecoding(101)).toThrow(/takes more than 100 bytes of memory.*max-in-flight.*smaller/)
    const alone = admission.admitDecoding(100)
    expect(() => admission.admitDecoding(1)).toThrow(/retry in 1 s/)
    alone.release()
    expect(admission.inFlightBytes).toBe(0)
  })

  test('admits requests of unknown size while any byte fits', () => {
    const admission = new Admission(100)
    admission.check()
    const most = admission.admit(99)
    admission.check()
    most.resize(100)
    expect(() => admission.check()).toThrow(Refusal)
    expect(admission.inFlightBytes).toBe(100)
  })

  test('refuses a growing request without space and releases its bytes once', () => {
    const admission = new Admission(100)
    const other = admission.admit(50)
    const growing = admission.admit(10)
    growing.resize(50)
    expect(() => growing.resize(51)).toThrow(Refusal)
    expect(admission.inFlightBytes).toBe(100)
    growing.resize(20)
    expect(admission.inFlightBytes).toBe(70)
    growing.release()
    growing.resize(30)
    expect(admission.inFlightBytes).toBe(50)
    other.release()
    expect(admission.inFlightBytes).toBe(0)
  })
})
