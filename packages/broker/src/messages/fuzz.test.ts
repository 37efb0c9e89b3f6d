// Random changes of bytes give a result or a FormatError.
import { test } from 'vitest'
import { EVENT, MATCHED_EVENT, TELEMETRY, events, matchedEvents, telemetry } from './event.ts'
import { arbitraryOf } from './testing/arbitrary-event.ts'
import { survives } from '../../../signals/src/testing/survives.ts'

test('events survives random changes', () => survives(events, arbitraryOf(EVENT)))
test('matchedEvents survives random changes', () => survives(matchedEvents, arbitraryOf(MATCHED_EVENT)))
test('telemetry survives random changes', () => survives(telemetry, arbitraryOf(TELEMETRY)))
