// A bounded run of the fuzzer over every reader. `npm run fuzz` runs it for longer.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formats } from './registry.ts'
import { fixturesOf } from './testing/fixtures-of.ts'
import { fuzz } from './testing/fuzz.ts'

// In Chromium fewer: Node has tested the same inputs.
const RUNS = 20 * (fc.readConfigureGlobal().numRuns ?? 50)

for (const format of formats.filter(one => one.read !== undefined)) {
  test(`${format.name} reads ${RUNS} broken inputs or rejects them with a typed error`, () => {
    const corpus = fixturesOf(format).map(({ bytes }) => bytes)
    const report = fuzz(format, corpus, 1, runs => runs < RUNS)
    expect(report.failure).toBeUndefined()
    expect(report.rejected).toBeGreaterThan(0)
    expect(report.read).toBeGreaterThan(0)
  })
}
