// The options of recorders in tests.
import type { RecorderOptions } from '../recorder-options.ts'

export const OPTIONS: RecorderOptions = {
  kinds: ['cpu', 'wall'],
  sampleRateHz: 200,
  heapIntervalBytes: 64 << 10,
  ringSeconds: 60,
  sourceMaps: false,
  timestamps: true,
  spanAttributes: [],
  baggageKeys: [],
  resource: [{ key: 'service.name', value: 'test' }],
  onProblem: problem => process.stderr.write(`problem: ${problem}\n`),
}
