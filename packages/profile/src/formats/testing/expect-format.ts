// Expectations that the tests of all formats share.
import { expect } from 'vitest'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { withProfileAttributes } from '../../model/edit/with-profile-attributes.ts'
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
  expect(difference(back, withIdsOf(back, profiles))).toBeUndefined()
  expect(format.write!(back, {}).bytes).toEqual(again.bytes)
  expect(detections).toContain(format.detect(again.bytes, ''))
}

/** Gives profiles without an id or temporality those that a writer generated. */
export function withIdsOf(written: Profiles, profiles: Profiles): Profiles {
  if (written.profiles.length !== profiles.profiles.length) return profiles
  const { attributes, strings } = written.dictionary
  const key = ATTRIBUTES.aggregationTemporality
  const isGenerated = Array.from({ length: written.profiles.length }, (_, i) => written.profiles.attributesOf(i)).every(
    rows => rows.some(row => strings.text(attributes.key(row)) === key),
  )
  return withProfileAttributes(profiles, isGenerated ? [{ key, value: 'delta' }] : [], i => written.profiles.id(i))
}

/** Checks that broken input is rejected with an offset. */
export function expectRejections(format: Format, corpus: readonly Uint8Array[]): void {
  const report = fuzz(format, corpus, 1, runs => runs < 600)
  expect(report.failure).toBeUndefined()
  expect(report.read).toBeGreaterThan(10)
  expect(report.rejected).toBeGreaterThan(50)
}
