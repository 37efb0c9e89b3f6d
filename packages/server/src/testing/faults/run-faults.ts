// Runs faults from a seed against the model of acknowledged requests.
import { setTimeout as sleep } from 'node:timers/promises'
import { WITHOUT_NATS } from '../../broker/testing/nats-server.ts'
import type { Fault } from './faults.ts'
import { FAULTS } from './faults.ts'
import { FaultRandom } from './random.ts'
import { World } from './world.ts'

export interface FaultRun {
  readonly seed: number
  readonly store: 'embedded' | 'clickhouse'
  /** The number of faults, or a time at which no further one starts (Unix milliseconds). */
  readonly faults?: number
  readonly until?: number
  /** Default: random ones of all kinds. */
  readonly kinds?: readonly string[]
  /** The highest number of requests per second; default: as many as the server accepts. */
  readonly rate?: number
  /** The least time of a fault and its checks, in milliseconds. */
  readonly paceMs?: number
  readonly print: (line: string) => void
}

export interface FaultReport {
  readonly acknowledged: number
  readonly retries: number
  readonly byKind: Readonly<Record<string, number>>
  /** Acknowledged requests of which rows are lost because of damage that the server reported. */
  readonly reportedLosses: number
  /** Losses without a report, duplicates, failed queries. */
  readonly violations: readonly string[]
}

const REQUESTS_BETWEEN = 15

export async function runFaults({
  seed,
  store,
  faults,
  until = Infinity,
  kinds,
  rate,
  paceMs = 0,
  print,
}: FaultRun): Promise<FaultReport> {
  const random = new FaultRandom(seed)
  const possible = FAULTS.filter(
    fault =>
      (fault.store === 'both' || fault.store === store) && (fault.name !== 'lost-nats' || WITHOUT_NATS === undefined),
  )
  const world = await World.open(store, rate)
  const { model, senders } = world
  const byKind: Record<string, number> = {}
  try {
    await world.start()
    for (let i = 0; i < (faults ?? Infinity) && Date.now() < until; i++) {
      const begun = Date.now()
      const fault = chosen(possible, random, kinds?.[i % kinds.length])
      // How many numbers a fault takes depends on the files it finds, and must not change the faults after it.
      world.random = new FaultRandom(random.below(2 ** 32))
      await world.acknowledge(REQUESTS_BETWEEN)
      await fault.run(world)
      const codes = await world.check()
      if (codes.length > 0) {
        await world.repair()
        await world.check()
      }
      byKind[fault.name] = (byKind[fault.name] ?? 0) + 1
      print(
        `${store} ${fault.name}: ${senders.acknowledged.length} acknowledged, reported ${codes.join(', ') || 'nothing'}`,
      )
      if (model.violations.length > 0) break
      await sleep(Math.max(0, paceMs - (Date.now() - begun)))
    }
  } finally {
    await world.close()
  }
  const violations = [...model.violations, ...senders.faults.map(fault => `a sender got ${fault}`)]
  for (const violation of violations) print(`VIOLATION (seed ${seed}): ${violation}`)
  return {
    acknowledged: senders.acknowledged.length,
    retries: senders.retries,
    byKind,
    reportedLosses: model.lost.size,
    violations,
  }
}

function chosen(possible: readonly Fault[], random: FaultRandom, kind: string | undefined): Fault {
  const fault = kind === undefined ? random.pick(possible) : possible.find(({ name }) => name === kind)
  if (fault === undefined)
    throw new RangeError(`no fault ${JSON.stringify(kind)}; faults: ${possible.map(({ name }) => name).join(', ')}`)
  return fault
}
