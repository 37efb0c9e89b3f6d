// Expectations that the tests of all formats share.
import { expect } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { findBadReference } from '../../model/validate/references.ts'
import type { Confidence, Format, Note } from '../format.ts'
import { fuzz } from './fuzz.ts'

export function codes(notes: readonly Note[]): string[] {
  return notes.map(({ code }) => code)
}

/** Checks that the input is valid, detected by content, and the same after a round trip. A second trip gives equal bytes. */
export function expectRoundTrip(
  format: Format,
  bytes: Uint8Array,
  detections: readonly Confidence[] = ['certain'],
): void {
  const { profiles } = format.read!(bytes, {})
  expect(findBadReference(profiles)).toBeUndefined()
  expect(format.detect(bytes, '')).toBe('certain')
  const again = format.write!(profiles, {})
  const back = format.read!(again.bytes, {}).profiles
  expect(difference(back, profiles)).toBeUndefined()
  expect(format.write!(back, {}).bytes).toEqual(again.bytes)
  expect(detections).toContain(format.detect(again.bytes, ''))
}

/** Checks that broken input is rejected with an offset. */
export function expectRejections(format: Format, corpus: readonly Uint8Array[]): void {
  const report = fuzz(format, corpus, 1, runs => runs < 600)
  expect(report.failure).toBeUndefined()
  expect(report.read).toBeGreaterThan(10)
  expect(report.rejected).toBeGreaterThan(50)
}
