// The example shop gets a slower version: `npm run regression-scenario`. Measures how long it takes until the finding is there and a
// webhook received it. Then runs `hearth gate` twenty times on the stored profiles of the two versions, which must fail, and twenty times on
// two ranges of one version, which must pass. Then it does the same twenty times with new runs of `hearth bench`. Exits with 1 if any of
// this does not hold.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ServerProcess } from '../server-process.ts'
import { ShopProcess } from '../shop-process.ts'
import { gateBenchmarks, runHearth } from './bench-gates.ts'

/** In 90 s on a busy machine, one of twenty gates over four fifths of the samples did not see the change. */
const VERSION_MS = Number(process.env['SCENARIO_SECONDS'] ?? '150') * 1000
const LIMIT_MS = 120_000
const TIMES = 20
const SERVICE = 'storefront'

interface Finding {
  readonly service: string
  readonly cause: { readonly name: string }
  readonly change: number
  readonly margin: number
  readonly unit: string
}

const directory = mkdtempSync(join(tmpdir(), 'hearth-scenario-'))
const received: { readonly time: number; readonly body: string }[] = []
const webhook = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.push({ time: Date.now(), body: Buffer.concat(chunks).toString() })
    response.end()
  })
}).listen(0, '127.0.0.1')
await once(webhook, 'listening')
const rules = join(directory, 'rules.yaml')
const { port } = webhook.address() as AddressInfo
writeFileSync(
  rules,
  `receivers:\n  - { name: team, kind: webhook, url: "http://127.0.0.1:${port}/", secret: scenario }\n` +
    'alerts:\n  - { name: regressions, condition: { kind: regression } }\n',
)
const server = await ServerProcess.start({ data: join(directory, 'data'), rules, 'self-profile': 'no' })
const main = `http://127.0.0.1:${server.ports.http}`

async function openShop(version: string, rankings: number, ms: number, until?: () => Promise<boolean>): Promise<void> {
  const shop = ShopProcess.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.ports.otlpHttp}`,
    HEARTH_EXPORT_INTERVAL: '5s',
    SHOP_VERSION: version,
    SHOP_RANKINGS: String(rankings),
    // A service that is never idle cannot use more CPU. Long searches are so rare that minutes differ by them.
    SHOP_PAUSE_MS: '150',
    SHOP_LONG_SEARCHES: 'no',
  })
  const start = Date.now()
  let isDone = until === undefined
  // The gate compares whole ranges, so that each version runs for its time.
  while (Date.now() - start < ms || (!isDone && Date.now() - start < LIMIT_MS)) {
    isDone ||= (await until?.()) ?? false
    await wait(1000)
  }
  await shop.end()
}

interface Monitored {
  readonly findings: readonly Finding[]
  /** The comparisons that were made: why there is no finding. */
  readonly comparisons: readonly {
    readonly type: string
    readonly comparison: string
    readonly time: string
    readonly observations: readonly number[]
    readonly variation: number
    readonly detectable?: number
    readonly found: number
  }[]
}

async function monitored(): Promise<Monitored> {
  const response = await fetch(`${main}/api/v1/findings?service=${SERVICE}&state=open`)
  return (await response.json()) as Monitored
}

async function findings(): Promise<readonly Finding[]> {
  return (await monitored()).findings
}

const problems: string[] = []
function check(holds: boolean, what: string): void {
  process.stdout.write(`${holds ? 'ok    ' : 'FAILED'} ${what}\n`)
  if (!holds) problems.push(what)
}

async function gate(
  base: readonly [string, number, number],
  fresh: readonly [string, number, number],
): Promise<number> {
  const selector = (version: string): string => `cpu {service.name="${SERVICE}", service.version="${version}"}`
  const range = ([, from, to]: readonly [string, number, number]): string =>
    `${new Date(from).toISOString()}..${new Date(to).toISOString()}`
  return runHearth([
    'gate',
    // One function has most of the cost, so that its share hardly grows.
    '--absolute',
    '--base',
    selector(base[0]),
    '--base-range',
    range(base),
    '--new',
    selector(fresh[0]),
    '--new-range',
    range(fresh),
    '--server',
    main,
  ])
}

try {
  const oldFrom = Date.now()
  await openShop('1.4.2', 1, VERSION_MS)
  const oldTo = Date.now()
  check((await findings()).length === 0, 'there is no finding while one version runs')
  const newFrom = Date.now()
  let foundAfter: number | undefined
  await openShop('1.5.0', 2, VERSION_MS, async () => {
    const [first] = await findings()
    if (first === undefined || received.length === 0) return false
    foundAfter = Date.now() - newFrom
    return true
  })
  const newTo = Date.now()
  const { findings: list, comparisons } = await monitored()
  for (const { time, type, comparison, observations, variation, detectable = 0, found } of comparisons)
    process.stdout.write(
      `       ${time} ${type} by ${comparison}: ${observations.join(' and ')} observations, runs differ by ` +
        `${(100 * variation).toFixed(0)} %, ${(100 * detectable).toFixed(1)} % is visible, ${found} found\n`,
    )
  for (const { cause, change, margin, unit } of list)
    process.stdout.write(`       ${cause.name}: +${change.toPrecision(3)} ± ${margin.toPrecision(2)} ${unit}\n`)
  check(foundAfter !== undefined && foundAfter <= LIMIT_MS, `finding and webhook after ${(foundAfter ?? 0) / 1000} s`)
  check(
    list.some(({ cause }) => ['editDistance', 'distanceTo', 'rankProducts'].includes(cause.name)),
    'the finding names the slower function',
  )
  const length = (oldTo - oldFrom) / 2
  let [failed, passed] = [0, 0]
  for (let i = 0; i < TIMES; i++) {
    // Another part of the ranges each time.
    const shift = (i / TIMES) * 0.2 * length
    const first = ['1.4.2', oldFrom + shift, oldFrom + shift + 0.8 * length] as const
    const second = ['1.4.2', oldFrom + length + shift, oldFrom + length + shift + 0.8 * length] as const
    const whole = ['1.4.2', oldFrom + shift, oldFrom + shift + 1.6 * length] as const
    const slower = ['1.5.0', newFrom + shift, Math.min(newTo, newFrom + shift + 1.6 * length)] as const
    if ((await gate(whole, slower)) === 1) failed++
    if ((await gate(first, second)) === 0) passed++
  }
  check(failed === TIMES, `the gate failed on two versions ${failed} of ${TIMES} times`)
  check(passed === TIMES, `the gate passed on one version ${passed} of ${TIMES} times`)
  const benches = await gateBenchmarks(directory, TIMES)
  check(benches.failed === TIMES, `the gate failed on runs of two versions ${benches.failed} of ${TIMES} times`)
  check(benches.passed === TIMES, `the gate passed on runs of one version ${benches.passed} of ${TIMES} times`)
} finally {
  webhook.close()
  await server.end()
  rmSync(directory, { recursive: true, force: true })
}
process.exitCode = problems.length === 0 ? 0 : 1
