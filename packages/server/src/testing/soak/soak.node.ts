// `npm run soak -- --minutes 60 --rate 10 --queries 1`: a server under a steady load with queries and slow clients. Prints the open
// files, memory and temporary files of the server every ten seconds, and a summary. Exits with code 1 if one of them grows, or
// if a slow client is cut too late.
import type { Dirent } from 'node:fs'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sendHttp } from '../senders.ts'
import { ServerProcess } from '../server-process.ts'
import type { CutRequest } from './slow-clients.ts'
import { readNothing, sendSlowly } from './slow-clients.ts'
import { soakRequest } from './soak-requests.ts'
import { summarize } from './summarize.ts'
import type { SoakSample } from './summarize.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '10' },
    queries: { type: 'string', default: '1' },
    'pid-file': { type: 'string' },
  },
})
const MEASURE_EVERY_MS = 10_000
const SLOW_CLIENTS_EVERY_MS = 180_000
const QUERIES = [
  'flamegraph?selector=cpu',
  'flamegraph?selector=cpu{service.name="service-3"}',
  'top?selector=cpu',
  'series?selector=cpu',
  'services?',
  'traces?',
  'logs?',
  'metrics?',
]

const directory = mkdtempSync(join(tmpdir(), 'hearth-soak-'))
const data = join(directory, 'data')
const temporary = mkdtempSync(join(directory, 'tmp-'))
const server = await ServerProcess.start({ data, 'self-profile': 'no' }, { TMPDIR: temporary })
if (values['pid-file'] !== undefined) writeFileSync(values['pid-file'], `${process.pid}\n${server.pid}\n`)

const begun = Date.now()
const until = begun + Number(values.minutes) * 60_000
const measured: SoakSample[] = []
const cuts: CutRequest[] = []
const failures = new Map<string, number>()
let requests = 0
let queries = 0

const minute = (): number => Math.round((Date.now() - begun) / 600) / 100
const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

function fail(what: string): void {
  failures.set(what, (failures.get(what) ?? 0) + 1)
  print({ minute: minute(), failure: what })
}

/** `fetch` only says that it failed. Its cause says why. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

async function send(): Promise<void> {
  try {
    const { status } = await sendHttp(server, soakRequest(requests++))
    if (status !== 200) fail(`request: ${status}`)
  } catch (error) {
    fail(`request: ${reasonOf(error)}`)
  }
}

async function query(): Promise<void> {
  const path = QUERIES[queries++ % QUERIES.length]
  try {
    const response = await fetch(`http://127.0.0.1:${server.ports.http}/api/v1/${path}&from=now-5m`)
    await response.arrayBuffer()
    if (response.status !== 200) fail(`${path}: ${response.status}`)
  } catch (error) {
    fail(`${path}: ${reasonOf(error)}`)
  }
}

/** Files and directories that a server must remove again, in its temporary directory and its data directory. */
function temporaryFiles(folder = directory): number {
  let count = 0
  for (const entry of entriesOf(folder)) {
    if (folder === temporary || /^tmp_|\.(tmp|new)$/.test(entry.name)) count++
    else if (entry.isDirectory()) count += temporaryFiles(join(folder, entry.name))
  }
  return count
}

/** Empty if the server has just removed the directory. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function measure(): void {
  const sample = {
    minute: minute(),
    descriptors: server.descriptors(),
    memory: server.memory('VmRSS'),
    temporaryFiles: temporaryFiles(),
    cpuSeconds: cpuSeconds(server.pid),
    requests,
    queries,
  }
  measured.push(sample)
  print(sample)
}

/** User and system time, in seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function slowClients(): Promise<void> {
  const { http, otlpHttp } = server.ports
  const waiting = [
    sendSlowly(http, '/ingest?name=slow', 'slow-request'),
    sendSlowly(otlpHttp, '/v1/logs', 'slow-otlp-request'),
    readNothing(http, '/api/v1/openapi.json'),
  ]
  for (const cut of waiting)
    void cut.then(result => {
      cuts.push(result)
      print(result)
    })
  await Promise.all(waiting)
}

const timers = [
  setInterval(() => void send(), 1000 / Number(values.rate)),
  setInterval(() => void query(), 1000 / Number(values.queries)),
  setInterval(measure, MEASURE_EVERY_MS),
  setInterval(() => void slowClients(), SLOW_CLIENTS_EVERY_MS),
]
void slowClients()
while (Date.now() < until) await sleep(200)
for (const timer of timers) clearInterval(timer)
measure()
const summary = summarize(measured, cuts)
print({
  minutes: minute(),
  requests,
  queries,
  failures: Object.fromEntries(failures),
  ...summary,
})
await server.kill()
rmSync(directory, { recursive: true, force: true })
process.exit(summary.problems.length === 0 && failures.size === 0 ? 0 : 1)
