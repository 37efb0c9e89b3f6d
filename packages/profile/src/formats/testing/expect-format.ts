// What the tests of a format expect of each of its inputs.
import { expect } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { findBadReference } from '../../model/validate/references.ts'
import type { Confidence, Format, Note } from '../format.ts'
import { fuzz } from './fuzz.ts'

export function codes(notes: readonly Note[]): string[] {
  return notes.map(({ code }) => code)
}

/** Sound, found by content, and the same after a round trip; after another, to the byte. */
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

/** Broken input is refused with a place, never anything else. */
export function expectRefusals(format: Format, corpus: readonly Uint8Array[]): void {
  const report = fuzz(format, corpus, 1, runs => runs < 600)
  expect(report.failure).toBeUndefined()
  expect(report.read).toBeGreaterThan(10)
  expect(report.refused).toBeGreaterThan(50)
}
