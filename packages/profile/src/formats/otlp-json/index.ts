// OTLP profiles as JSON: reads every generation and writes the current ProfilesData.
import type { Format } from '../format.ts'
import { detectOtlpJson } from './detect.ts'
import { readOtlpJson } from './read.ts'
import { writeOtlpJson } from './write.ts'

export const otlpJson: Format = {
  name: 'otlp-json',
  title: 'OpenTelemetry profiles (JSON), generations v1.3 to v1.11',
  extensions: ['.otlp.json', '.otlp.jsonl', '.otlp.ndjson'],
  reads: { losses: [] },
  writes: { losses: [] },
  detect: detectOtlpJson,
  read: readOtlpJson,
  write: writeOtlpJson,
}
