// The arrays draft of OpenTelemetry profiles (2023): samples as parallel arrays, tables in each profile.
import type { Format } from '../format.ts'
import { detectArraysDraft } from './detect.ts'
import { readArraysDraft } from './read.ts'
import { writeArraysDraft } from './write.ts'

export const arraysDraft: Format = {
  name: 'arrays-draft',
  title: 'OpenTelemetry profiles, the arrays draft of 2023 (protobuf)',
  extensions: ['.arrays', '.arrays.pb'],
  reads: { losses: ['counts of dropped attributes of samples, locations and mappings'] },
  writes: {
    losses: [
      'units of attributes',
      'columns, line numbers beyond 32 bits',
      'periods that are not a rate in Hz',
      'the format of the original payload',
      'timestamps of 0',
    ],
  },
  detect: detectArraysDraft,
  read: readArraysDraft,
  write: writeArraysDraft,
}
