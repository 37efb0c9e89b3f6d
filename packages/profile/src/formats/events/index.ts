// The timestamped-events proposal for OpenTelemetry profiles (2024): aggregates, samples with times and intervals in one.
import type { Format } from '../format.ts'
import { detectEvents } from './detect.ts'
import { eventLosses } from './losses.ts'
import { readEventProfile } from './read.ts'
import { writeEventProfile } from './write.ts'

export const events: Format = {
  name: 'events',
  title: 'OpenTelemetry profiles, the timestamped-events proposal of 2024 (protobuf)',
  extensions: ['.events', '.events.pb'],
  ...eventLosses,
  detect: detectEvents,
  read: (bytes, options) => readEventProfile(bytes, options),
  write: writeEventProfile,
}
