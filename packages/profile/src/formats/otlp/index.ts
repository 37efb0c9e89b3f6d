// OTLP profiles as protobuf: reads every generation and writes the current ProfilesData.
import type { Format } from '../format.ts'
import { detectOtlp } from './detect.ts'
import { readOtlp } from './read.ts'
import { writeOtlp } from './write.ts'

export const otlp: Format = {
  name: 'otlp',
  title: 'OpenTelemetry profiles (protobuf), generations v1.3 to v1.11',
  extensions: ['.otlp', '.otlp.pb', '.binpb'],
  reads: { losses: [] },
  writes: { losses: [] },
  detect: head => detectOtlp(head),
  read: readOtlp,
  write: writeOtlp,
}
