// OpenTelemetry profiles as OTEP 0239 proposed them: an extended pprof in a container. Released as OTLP v1.3.
import type { Format } from '../format.ts'
import { detectOtep239 } from './detect.ts'
import { readOtep239 } from './read.ts'
import { writeOtep239 } from './write.ts'

export const otep239: Format = {
  name: 'otep239',
  title: 'OpenTelemetry profiles, OTEP 0239 of 2024: extended pprof (protobuf)',
  extensions: ['.otep239', '.otep239.pb'],
  reads: { losses: ['ids of mappings, locations and functions', 'aggregation temporality of the period'] },
  writes: {
    losses: [
      'units of attributes, where one key has several',
      'durations that end after 2^64 nanoseconds',
      'fractions of a millisecond in timestamps, except in generation v1.3',
    ],
  },
  detect: detectOtep239,
  read: readOtep239,
  write: writeOtep239,
}
