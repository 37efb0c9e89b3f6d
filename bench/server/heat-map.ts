// Latency of heat maps: npm run bench:heat-map. The built server on an embedded store in one process, queried over HTTP from
// another. The data is an hour of 28 threads sampled 99 times a second: 10 million timestamped observations in 3,600 columns
// of 50 rows. `--millions=N` changes the number; `--data=DIR` keeps the store and reuses it.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { COLUMNS_MEDIA_TYPE, ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import { call, frame } from './grpc-call.ts'
import { IngestServer } from './ingest-server.ts'
import { randomFrom } from '../library/inputs.ts'
import { writeFigures } from '../write-figures.ts'

const SECOND = 1_000_000_000n
const MINUTES = 60
const HERTZ = 99
const STACKS = 600
/** 2026-11-15, at a full hour. */
const START = 1_794_700_800n * SECOND
const TIMES = 20

interface Loaded {
  readonly observations: number
}

async function main(): Promise<void> {
  const millions = Number(flag('millions') ?? 10)
  const given = flag('data')
  const directory =
    given === undefined
      ? mkdtempSync(join(process.env['HEARTH_BENCH_DIR'] ?? tmpdir(), 'hearth-heat-map-'))
      : resolve(given)
  mkdirSync(directory, { recursive: true })
  try {
    const { observations } = await loadedStore(directory, millions)
    const server = await IngestServer.start([], profiling(), directory)
    try {
      const lines = [
        `| ${(observations / 1e6).toFixed(1)} M observations of an hour, over HTTP | p50 | p95 | target | CPU | response |`,
        '| --- | ---: | ---: | ---: | ---: | ---: |',
      ]
      for (const [name, path, target] of queries()) {
        await measured(server, path, 3)
        const { p50, p95, cpu, bytes } = await measured(server, path, TIMES)
        lines.push(`| ${name} | ${ms(p50)} | ${ms(p95)} | ${target} | ${ms(cpu)} | ${(bytes / 1024).toFixed(0)} KiB |`)
      }
      console.log(lines.join('\n'))
      writeFigures('bench:heat-map', lines.join('\n'))
    } finally {
      await server.stop()
    }
  } finally {
    if (given === undefined) rmSync(directory, { recursive: true, force: true })
  }
}

/** Names and paths. Each query starts a nanosecond later than the one before, so that no cache has it. */
function queries(): (readonly [name: string, path: (n: number) => string, target: string])[] {
  const hour =
    (rest: Readonly<Record<string, string>>, path = 'heatmap', until = 3600n) =>
    (n: number) => {
      const from = START - BigInt(n)
      const query = { selector: 'cpu:nanoseconds', from: String(from), to: String(START + until * SECOND), ...rest }
      return `/${path}?${new URLSearchParams(query).toString()}`
    }
  return [
    ['heat map of an hour, 20 ms cells (180,000)', hour({ rows: '50' }), '500 ms'],
    ['the same without idle stacks', hour({ rows: '50', selector: 'cpu:nanoseconds | !frame =~"worker.*7"' }), '–'],
    [
      'flame graph of exactly 0.7 s',
      hour(
        { exact: 'true', from: String(START + 1800n * SECOND), to: String(START + 1_800_700_000_000n) },
        'flamegraph',
      ),
      '–',
    ],
    ['flame graph of exactly 10 minutes', hour({ exact: 'true' }, 'flamegraph', 600n), '–'],
  ]
}

async function measured(
  server: IngestServer,
  path: (n: number) => string,
  times: number,
): Promise<{ readonly p50: number; readonly p95: number; readonly cpu: number; readonly bytes: number }> {
  const took = new Float64Array(times)
  let bytes = 0
  const before = server.cpu
  for (let i = 0; i < times; i++) {
    const begun = performance.now()
    bytes += await sendQuery(server.httpPort, path(times * 100 + i))
    took[i] = performance.now() - begun
  }
  const { main: own, others } = server.cpu
  took.sort()
  const at = (share: number): number => took[Math.min(times - 1, Math.floor(times * share))]
  const cpu = ((own - before.main + others - before.others) * 1000) / times
  return { p50: at(0.5), p95: at(0.95), cpu, bytes: bytes / times }
}

async function sendQuery(port: number, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: { accept: COLUMNS_MEDIA_TYPE } })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${path}: ${response.status} ${bytes.toString('utf8')}`)
  if (bytes.includes('"profiles":0,')) throw new Error(`${path}: no results`)
  return bytes.length
}

/** Sends the part of the data that the store does not have yet. */
async function loadedStore(directory: string, millions: number): Promise<Loaded> {
  const file = join(directory, 'bench.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Loaded
  const threads = Math.max(1, Math.round((millions * 1e6) / (MINUTES * 60 * HERTZ)))
  const server = await IngestServer.start([], [], directory)
  try {
    const session = connect(`http://127.0.0.1:${server.grpcPort}`)
    let observations = 0
    for (let minute = 0; minute < MINUTES; minute++) {
      const body = frame(Buffer.from(encodeOtlp(profilesOf(minute, threads))))
      while ((await call(session, body)) !== 0) await sleep(50)
      observations += threads * HERTZ * 60
    }
    session.close()
    await server.settled()
    const loaded = { observations }
    writeFileSync(file, JSON.stringify(loaded))
    return loaded
  } finally {
    await server.stop()
  }
}

/** A minute of every thread: one profile per thread, samples by stack, with the time and value of every observation. */
function profilesOf(minute: number, threads: number): ReturnType<ProfilesBuilder['build']> {
  const b = new ProfilesBuilder()
  b.resource({ attributes: [{ key: 'service.name', value: 'checkout' }] })
  const locations = Array.from({ length: 400 }, (_, k) =>
    b.location({ lines: [{ function: b.function({ name: `worker.step${k}`, filename: 'worker.ts' }), line: k }] }),
  )
  const shapes = randomFrom(1)
  const stacks = Array.from({ length: STACKS }, () =>
    b.stack(Array.from({ length: 6 + Math.floor(shapes() * 20) }, () => locations[Math.floor(shapes() ** 2 * 400)])),
  )
  const begun = START + BigInt(minute * 60) * SECOND
  for (let thread = 0; thread < threads; thread++) {
    const random = randomFrom(minute * 1000 + thread)
    const attributes = [b.attribute('thread.id', BigInt(thread)), b.attribute('thread.name', `worker-${thread}`)]
    const times: bigint[][] = Array.from({ length: STACKS }, () => [])
    for (let k = 0; k < HERTZ * 60; k++) {
      const at = begun + (BigInt(k) * SECOND) / BigInt(HERTZ) + BigInt(Math.floor(random() * 2e6))
      times[Math.floor(random() ** 2 * STACKS)].push(at)
    }
    b.profile({
      type: 'cpu',
      unit: 'nanoseconds',
      periodType: 'cpu',
      periodUnit: 'nanoseconds',
      period: 10_101_010,
      timeUnixNano: begun,
      durationNano: 60n * SECOND,
    })
    for (const [s, timestamps] of times.entries()) {
      if (timestamps.length === 0) continue
      b.sample({ stack: stacks[s], attributes, timestamps, values: timestamps.map(() => 10_101_010) })
    }
  }
  return b.build()
}

function ms(milliseconds: number): string {
  return `${milliseconds < 100 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`
}

function profiling(): string[] {
  return process.argv.includes('--cpu-prof') ? ['--cpu-prof', '--cpu-prof-dir=bench/dist'] : []
}

function flag(name: string): string | undefined {
  return process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
}

await main()
