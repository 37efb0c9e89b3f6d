// `npm run faults -- --minutes 60 --seed 7`: faults against a server with each store, in turn, until the time is over. Exits with
// code 1 if an acknowledged request was lost without a report or stored twice, or if a query failed.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { WITHOUT_NATS } from '../../broker/testing/nats-server.ts'
import type { FaultReport } from './run-faults.ts'
import { runFaults } from './run-faults.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '5' },
    store: { type: 'string', default: 'both' },
    rate: { type: 'string' },
    pace: { type: 'string', default: '0' },
    'pid-file': { type: 'string' },
    kind: { type: 'string', multiple: true, default: [] },
  },
})
const ROUND_FAULTS = 20
const begun = Date.now()
const until = begun + Number(values.minutes) * 60_000
const print = (line: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
const reports: FaultReport[] = []
if (values['pid-file'] !== undefined) writeFileSync(values['pid-file'], `${process.pid}\n`)
if (WITHOUT_NATS !== undefined) print(`SKIPPED lost-nats: ${WITHOUT_NATS}`)
print(`seed ${values.seed}`)
for (let round = 0; Date.now() < until; round++) {
  const store = values.store === 'both' ? (round % 2 === 0 ? 'embedded' : 'clickhouse') : (values.store as 'embedded')
  const kinds = values.kind.length === 0 ? {} : { kinds: values.kind }
  const report = await runFaults({
    seed: Number(values.seed) + round,
    store,
    faults: ROUND_FAULTS,
    until,
    ...kinds,
    ...(values.rate === undefined ? {} : { rate: Number(values.rate) }),
    paceMs: Number(values.pace) * 1000,
    print,
  })
  reports.push(report)
  if (report.violations.length > 0) break
}
const sum = (of: (report: FaultReport) => number): number => reports.reduce((all, report) => all + of(report), 0)
const byKind: Record<string, number> = {}
for (const report of reports)
  for (const [kind, n] of Object.entries(report.byKind)) byKind[kind] = (byKind[kind] ?? 0) + n
print(
  JSON.stringify({
    seed: Number(values.seed),
    minutes: Math.round((Date.now() - begun) / 6000) / 10,
    faults: Object.values(byKind).reduce((all, n) => all + n, 0),
    byKind,
    acknowledged: sum(({ acknowledged }) => acknowledged),
    retries: sum(({ retries }) => retries),
    reportedLosses: sum(({ reportedLosses }) => reportedLosses),
    violations: sum(({ violations }) => violations.length),
  }),
)
process.exit(reports.some(({ violations }) => violations.length > 0) ? 1 : 0)
