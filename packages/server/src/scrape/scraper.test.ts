import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Admission } from '../receive/admission.ts'
import { Receiver } from '../receive/receiver.ts'
import { LocalWriter } from '../receive/testing/local-writer.ts'
import { KeptRequests } from '../receive/testing/receivers.ts'
import { CPU_TYPES, pprofOf } from '../pyroscope/testing/pprof-of.ts'
import type { ShownProfile } from '../pyroscope/testing/show-profiles.ts'
import { showProfiles } from '../pyroscope/testing/show-profiles.ts'
import { PreviousFiles } from './previous-files.ts'
import { parseScrapeConfigs } from './scrape-config.ts'
import { scrapeReader } from './scrape-content.ts'
import type { Scrape } from './scrape-loop.ts'
import { ScrapeLoop } from './scrape-loop.ts'
import { Scraper } from './scraper.ts'
import { targetsOf } from './targets.ts'
import type { PprofServer } from './testing/pprof-server.ts'
import { body, startPprofServer } from './testing/pprof-server.ts'

const CPU = '/debug/pprof/profile'
const HEAP = '/debug/pprof/heap'
const SECOND = 1_000_000_000n
const HEAP_TYPES = [
  ['alloc_space', 'bytes'],
  ['inuse_space', 'bytes'],
] as const

let program: PprofServer
let kept: KeptRequests
let receiver: Receiver
const admission = new Admission(1 << 24)

beforeEach(async () => {
  program = await startPprofServer()
  kept = new KeptRequests()
  const writer = new LocalWriter({ keeper: kept, admission, maxAttributes: 50, readers: scrapeReader })
  const ignore = (): void => {}
  const events = { received: ignore, rejected: ignore, unknownFields: ignore, refused: ignore }
  receiver = new Receiver({ writer, events })
})
afterEach(() => program.close())

const jobs = (more = '') =>
  parseScrapeConfigs(
    `[{ job_name: shop, scrape_interval: 1s, static_configs: [{ targets: ['${program.address}'], labels: { zone: eu } }], ${more} }]`,
  )

/** A loop of one endpoint, which tests run by hand. */
function loopOf(profile: string, more = '', maxBytes = 1 << 20) {
  const [job] = jobs(more)
  const target = targetsOf(job, job.static_configs).find(({ endpoint }) => endpoint.name === profile)!
  let now = 1_790_000_000_000
  const scrapes: Scrape[] = []
  const loop = new ScrapeLoop({
    target,
    connection: job,
    identity: { tenant: 'default', token: '' },
    receiver,
    admission,
    previousFiles: new PreviousFiles(1 << 20),
    maxBytes,
    onScrape: (_, scrape) => void scrapes.push(scrape),
    now: () => now,
  })
  const scrapeAt = async (seconds: number): Promise<Scrape> => {
    now = 1_790_000_000_000 + seconds * 1000
    await loop.scrape()
    return scrapes.at(-1)!
  }
  return { scrapeAt }
}

/** By type, and each type in the order of its scrapes. */
function stored(): ShownProfile[] {
  return kept.requests
    .flatMap(({ payload }) => (payload.signal === 'profiles' ? showProfiles(payload.profiles) : []))
    .toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))
}

describe('ScrapeLoop', () => {
  it('stores a CPU profile with the labels of the target', async () => {
    const time = 1_790_000_000n * SECOND
    const stacks = { 'main;run': [2n, 20_000_000n] }
    program.responses.set(CPU, body(pprofOf({ types: CPU_TYPES, stacks, time, duration: SECOND })))
    expect(await loopOf('process_cpu').scrapeAt(2)).toMatchObject({ error: undefined })
    expect(program.requests[0].url).toBe(`${CPU}?seconds=1`)
    expect(stored().map(({ type, time: at, duration, stacks: sums }) => ({ type, at, duration, sums }))).toEqual([
      { type: 'process_cpu:cpu:nanoseconds::', at: time, duration: SECOND, sums: { 'main;run': 20_000_000n } },
      { type: 'process_cpu:samples:count::', at: time, duration: SECOND, sums: { 'main;run': 2n } },
    ])
    expect(stored()[0].resource).toMatchObject({
      'service.name': 'shop',
      'service.instance.id': program.address,
      job: 'shop',
      zone: 'eu',
    })
  })

  it('stores increments of cumulative types, and states as they are', async () => {
    const { scrapeAt } = loopOf('memory')
    const serve = (allocated: bigint, live: bigint): void =>
      void program.responses.set(HEAP, body(pprofOf({ types: HEAP_TYPES, stacks: { 'main;new': [allocated, live] } })))
    serve(100n, 10n)
    await scrapeAt(0)
    serve(150n, 12n)
    await scrapeAt(15)
    // The program was started again.
    serve(30n, 11n)
    await scrapeAt(30)
    const base = 1_790_000_000n * SECOND
    expect(stored().map(({ type, time, duration, stacks }) => [type, time - base, duration, stacks])).toEqual([
      ['memory:alloc_space:bytes::', 0n, 15n * SECOND, { 'main;new': 50n }],
      ['memory:alloc_space:bytes::', 15n * SECOND, 15n * SECOND, { 'main;new': 30n }],
      ['memory:inuse_space:bytes::', 0n, 0n, { 'main;new': 10n }],
      ['memory:inuse_space:bytes::', 15n * SECOND, 0n, { 'main;new': 12n }],
      ['memory:inuse_space:bytes::', 30n * SECOND, 0n, { 'main;new': 11n }],
    ])
  })

  it('tells waits for mutexes from other waits', async () => {
    const { scrapeAt } = loopOf('mutex')
    const types = [
      ['contentions', 'count'],
      ['delay', 'nanoseconds'],
    ] as const
    for (const [seconds, count] of [
      [0, 1n],
      [15, 4n],
    ] as const) {
      program.responses.set('/debug/pprof/mutex', body(pprofOf({ types, stacks: { main: [count, count * 10n] } })))
      await scrapeAt(seconds)
    }
    expect(stored().map(({ type, stacks }) => [type, stacks])).toEqual([
      ['mutex:mutex_contentions:count::', { main: 3n }],
      ['mutex:mutex_delay:nanoseconds::', { main: 30n }],
    ])
  })

  it('reports why a scrape failed', async () => {
    const { scrapeAt } = loopOf(
      'process_cpu',
      'scrape_timeout: 100ms, profiling_config: { pprof_config: { process_cpu: { delta: false } } }',
      100,
    )
    expect((await scrapeAt(0)).error).toBe('the server responded 404')
    program.responses.set(CPU, body('neither pprof nor anything else'))
    expect((await scrapeAt(1)).error).toMatch(/^pprof: /)
    program.responses.set(CPU, body(new Uint8Array(101)))
    expect((await scrapeAt(2)).error).toBe('the response has more than 100 bytes (max-body)')
    program.responses.set(CPU, () => {})
    expect((await scrapeAt(3)).error).toContain('no complete response within 0.1 s')
    await program.close()
    expect((await scrapeAt(4)).error).toContain('ECONNREFUSED')
    program = await startPprofServer()
  })

  it('sends credentials to the target, and not to the host of a redirect', async () => {
    const other = await startPprofServer()
    const profile = pprofOf({ types: CPU_TYPES, stacks: { main: [1n, 1n] } })
    other.responses.set('/moved', body(profile))
    program.responses.set(CPU, (_, response) => {
      response.writeHead(302, { location: `http://${other.address}/moved` }).end()
    })
    const scrape = await loopOf('process_cpu', 'basic_auth: { username: me, password: secret }').scrapeAt(0)
    expect(scrape.error).toBeUndefined()
    expect(program.requests[0].headers.authorization).toBe(`Basic ${btoa('me:secret')}`)
    expect(other.requests[0].headers.authorization).toBeUndefined()
    await other.close()
  })
})

describe('PreviousFiles', () => {
  it('drops the oldest file beyond its size', () => {
    const files = new PreviousFiles(10)
    files.set('a', new Uint8Array(4))
    files.set('b', new Uint8Array(4))
    files.set('a', new Uint8Array(6))
    expect(files.get('b')).toHaveLength(4)
    files.set('c', new Uint8Array(4))
    expect([files.get('a')?.length, files.get('b'), files.get('c')?.length]).toEqual([6, undefined, 4])
  })
})

describe('Scraper', () => {
  it('fetches static targets, and stores their state as metrics', async () => {
    const only = `profiling_config: { pprof_config: { memory: { enabled: false }, goroutine: { enabled: false },
      mutex: { enabled: false }, block: { enabled: false }, process_cpu: { delta: false } } }`
    const outcomes: (string | undefined)[] = []
    program.responses.set(CPU, body(pprofOf({ types: CPU_TYPES, stacks: { main: [1n, 1n] } })))
    const scraper = new Scraper({
      jobs: jobs(only),
      receiver,
      admission,
      defaultTenant: 'default',
      maxBytes: 1 << 20,
      onScrape: (_, { error }) => void outcomes.push(error),
      onProblem: (_, message) => void outcomes.push(message),
    })
    await scraper.start()
    await vi.waitUntil(() => outcomes.length > 0, { timeout: 60_000 })
    expect(scraper.state()).toMatchObject([{ job: 'shop', problems: [], targets: [{ last: { error: undefined } }] }])
    await scraper.stop()
    expect(new Set(outcomes)).toEqual(new Set([undefined]))
    const metrics = kept.requests.flatMap(({ payload }) =>
      payload.signal === 'metrics' ? payload.metrics.resourceMetrics : [],
    )
    expect(metrics[0].scopeMetrics[0].metrics.map(({ name, gauge }) => [name, gauge?.dataPoints[0].asDouble])).toEqual([
      ['up', 1],
      ['scrape_duration_seconds', expect.any(Number)],
      ['scrape_body_size_bytes', expect.any(Number)],
    ])
  })
})
