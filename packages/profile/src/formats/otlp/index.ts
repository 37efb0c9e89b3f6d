// OTLP profiles as protobuf: today's ProfilesData, and every generation before it on the way in.
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
