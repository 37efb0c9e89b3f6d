// The timestamped-events proposal for OpenTelemetry profiles in protobuf's text form.
import { eventLosses } from '../events/losses.ts'
import type { Format } from '../format.ts'
import { detectEventsText } from './detect.ts'
import { readEventsText } from './read.ts'
import { writeEventsText } from './write.ts'

export const eventsText: Format = {
  name: 'events-text',
  title: 'OpenTelemetry profiles, the timestamped-events proposal of 2024 (protobuf text)',
  extensions: ['.events.txtpb', '.events.textproto', '.txtpb'],
  ...eventLosses,
  detect: detectEventsText,
  read: readEventsText,
  write: writeEventsText,
}
