// A short run of the fault harness with a fixed seed. `npm run faults` runs it longer, with random faults of all kinds.
import { describe, expect, it } from 'vitest'
import { WITHOUT_NATS } from './broker/testing/nats-server.ts'
import { runFaults } from './testing/faults/run-faults.ts'

if (WITHOUT_NATS !== undefined) process.stderr.write(`SKIPPED lost-nats: ${WITHOUT_NATS}\n`)

const SEED = Number(process.env['HEARTH_SEED'] ?? 1)

// Every fault restarts the server, which takes a busy machine half a minute.
describe('a server under faults', { timeout: 600_000 }, () => {
  it.each([
    ['embedded', ['flip-record', 'flip-part', 'flip-journal', 'flip-definition', 'full-disk', 'clock-jump']],
    ['clickhouse', ['lost-clickhouse', 'delete-record', ...(WITHOUT_NATS === undefined ? ['lost-nats'] : [])]],
  ] as const)('with the %s store loses nothing without a report and stores nothing twice', async (store, kinds) => {
    const lines: string[] = []
    const report = await runFaults({
      seed: SEED,
      store,
      faults: kinds.length,
      kinds,
      // A server that is busy with all that it could accept shows the same in twice the time.
      rate: 100,
      print: line => void lines.push(line),
    })
    expect({ violations: report.violations, lines }).toEqual({ violations: [], lines })
    expect(Object.keys(report.byKind)).toEqual(kinds)
    expect(report.acknowledged).toBeGreaterThanOrEqual(15 * kinds.length)
  })
})
