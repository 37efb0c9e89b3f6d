// Bytes that were changed at random: a result or a FormatError, and nothing else.
import { test } from 'vitest'
import { EVENT, MATCHED_EVENT, TELEMETRY, events, matchedEvents, telemetry } from './event.ts'
import { arbitraryOf } from './testing/arbitrary-event.ts'
import { survives } from '../../../signals/src/testing/survives.ts'

test('events', () => survives(events, arbitraryOf(EVENT)))
test('matched events', () => survives(matchedEvents, arbitraryOf(MATCHED_EVENT)))
test('telemetry', () => survives(telemetry, arbitraryOf(TELEMETRY)))
