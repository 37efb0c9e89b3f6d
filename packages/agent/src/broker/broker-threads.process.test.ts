// Captures of processes with worker threads, and at other rates: over real sockets, with a real profiler.
import type { Profiles } from '@hearth/profile'
import { readOtlp } from '@hearth/profile'
import type { Event } from '@hearth/broker'
import { describe, expect, test, vi } from 'vitest'
import type { ListedSample } from '../record/testing/stack-list.ts'
import { samplesOf, typesOf, under } from '../record/testing/stack-list.ts'
import type { Run } from './testing/asked-process.ts'
import { capture, failureOf, profilesOf, runProgram, useBroker } from './testing/asked-process.ts'

const around = useBroker()

const BURN = `
function NAME() {
  const until = performance.now() + 20
  let sum = 0
  while (performance.now() < until) for (let i = 0; i < 1000; i++) sum += Math.sqrt(i)
  return sum
}
`

/** Burns in its own function, half of the time, until it is told to end. */
const WORKER = `
import { parentPort } from 'node:worker_threads'
${BURN.replace('NAME', 'burnInWorker')}
let isEnding = false
let turns = 0
const timer = setInterval(() => {
  burnInWorker()
  // Enough to be seen on the busiest machine.
  if (++turns < 30 || !isEnding) return
  clearInterval(timer)
  parentPort.close()
}, 40)
parentPort.on('message', what => {
  if (what === 'end') isEnding = true
  if (what === 'block') for (;;);
})
parentPort.postMessage('up')
`

/** Starts, ends, blocks and terminates workers when a file of that name appears. */
const MAIN = `
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
${BURN.replace('NAME', 'burnInMain')}
const workers = []
async function start() {
  const worker = new Worker(new URL('worker.mjs', import.meta.url))
  await once(worker, 'message')
  workers.push(worker)
}
const steps = {
  start,
  end: () => {
    const worker = workers.pop()
    worker.postMessage('end')
    return once(worker, 'exit')
  },
  block: () => workers.at(-1).postMessage('block'),
  terminate: () => workers.pop().terminate(),
}
await start()
const timer = setInterval(() => {
  burnInMain()
  for (const [name, step] of Object.entries(steps)) {
    if (!existsSync(new URL(name, import.meta.url))) continue
    delete steps[name]
    Promise.resolve(step()).then(() => console.log(name))
  }
}, 40)
process.once('SIGUSR2', () => {
  clearInterval(timer)
  for (const worker of workers) worker.terminate()
})
console.log('busy')
`

interface ThreadedRun extends Run {
  /** Has the program do something with its workers, and waits until it has. */
  readonly step: (name: 'start' | 'end' | 'block' | 'terminate') => Promise<void>
}

async function run(env: Readonly<Record<string, string>> = {}): Promise<ThreadedRun> {
  around.folder.write('worker.mjs', WORKER)
  const started = await runProgram(around, MAIN, env)
  return {
    ...started,
    step: async name => {
      around.folder.write(name, '')
      await started.printed(name)
    },
  }
}

/** By the names of threads. */
function threadsIn(profiles: Profiles, type: string): ReadonlyMap<string, readonly ListedSample[]> {
  const threads = new Map<string, ListedSample[]>()
  for (const sample of samplesOf(profiles, type)) {
    const { 'thread.name': name } = sample.attributes
    if (typeof name === 'string') threads.set(name, [...(threads.get(name) ?? []), sample])
  }
  return threads
}

function burnedIn(profiles: Profiles, type: string, name: string): readonly string[] {
  return [...threadsIn(profiles, type)].flatMap(([thread, samples]) => (under(samples, name).length > 0 ? thread : []))
}

const nowNanos = (): bigint => BigInt(Date.now()) * 1_000_000n
const lookBack = (seconds: number): Event['params'] => ({
  from_unix_nano: String(nowNanos() - BigInt(seconds * 1e9)),
  to_unix_nano: String(nowNanos()),
})

describe('worker threads', () => {
  test('are in captures, from now on and looking back, each with its own thread', async () => {
    const { subscription, end } = await run()
    for (const paramsNow of [() => ({ duration_ms: 1000 }), () => lookBack(1)]) {
      // On a busy machine a second may be too short for both to run.
      const profiles = await vi.waitFor(
        async () => {
          const answer = await capture(subscription, { profile_type: 'wall', ...paramsNow() })
          expect(answer.params['notes']).toBeUndefined()
          const captured = profilesOf(answer)
          expect(burnedIn(captured, 'wall', 'burnInMain')).toEqual(['main'])
          expect(burnedIn(captured, 'wall', 'burnInWorker')).toEqual(['worker 1'])
          return captured
        },
        { timeout: 60_000 },
      )
      // One profile of all threads.
      expect(typesOf(profiles)).toEqual(['wall/nanoseconds'])
      const ids = [...threadsIn(profiles, 'wall').values()].map(samples => samples[0].attributes['thread.id'])
      expect(new Set(ids).size).toBe(2)
    }
    const heap = profilesOf(await capture(subscription, { profile_type: 'heap' }))
    expect([...threadsIn(heap, 'inuse_space').keys()].toSorted()).toEqual(['main', 'worker 1'])
    const ofThread = samplesOf(heap, 'inuse_space').find(({ attributes }) => attributes['thread.name'] === 'worker 1')
      ?.attributes['thread.id'] as bigint
    const single = { profile_type: 'wall', thread_id: String(ofThread), ...lookBack(30) }
    expect([...threadsIn(profilesOf(await capture(subscription, single)), 'wall').keys()]).toEqual(['worker 1'])
    expect((await failureOf(subscription, { ...single, thread_id: '1' })).kind).toBe('notFound')
    expect(await end()).toMatchObject({ by: 0, stderr: '' })
  })

  test('that start and end in the middle of a capture are in it, and those that have ended can be looked back at', async () => {
    const { subscription, step, end } = await run()
    const capturing = capture(subscription, { profile_type: 'cpu', duration_ms: 15_000, frequency_hz: 200 })
    await step('start')
    await step('end')
    const answer = await capturing
    expect(answer.params).toMatchObject({ frequency_hz: 200 })
    expect(burnedIn(profilesOf(answer), 'cpu', 'burnInWorker').toSorted()).toEqual(['worker 1', 'worker 2'])
    const back = await capture(subscription, { profile_type: 'wall', ...lookBack(30) })
    expect(burnedIn(profilesOf(back), 'wall', 'burnInWorker').toSorted()).toEqual(['worker 1', 'worker 2'])
    expect(await end()).toMatchObject({ by: 0, stderr: '' })
  })

  test('that are too busy to answer, or terminated, are named', async () => {
    const { subscription, step, end } = await run()
    await step('block')
    const params = { profile_type: 'wall', duration_ms: 200 }
    const busy = await capture(subscription, params)
    expect(busy.params['notes']).toEqual([
      expect.stringMatching(/^worker 1 \(thread \d+\) was too busy to answer: what it did is missing$/) as string,
    ])
    expect(burnedIn(profilesOf(busy), 'wall', 'burnInMain')).toEqual(['main'])
    await step('terminate')
    const back = await capture(subscription, { profile_type: 'wall', ...lookBack(30) })
    expect(back.params['notes']).toEqual([
      expect.stringMatching(/^worker 1 \(thread \d+\) was terminated: what it did is missing$/) as string,
    ])
    expect(await end()).toMatchObject({ by: 0, stderr: '' })
  })
})

describe('the rate', () => {
  const periodsOf = ({ profiles }: Profiles): readonly bigint[] =>
    Array.from({ length: profiles.length }, (_, i) => profiles.period(i))

  test('of a capture is the one asked for, in all threads, and that of exports is told as it was', async () => {
    const { subscription, end } = await run({ HEARTH_PROFILE_TYPES: 'wall', HEARTH_EXPORT_INTERVAL: '1s' })
    const params = { profile_type: 'wall', duration_ms: 2000 }
    // A worker changes its rate at a turn of its event loop; until then its part has the rate that it was taken at.
    const captureAt = (more: Event['params'], frequency: number): Promise<Event> =>
      vi.waitFor(
        async () => {
          const answer = await capture(subscription, { ...params, ...more })
          expect(answer.params).toMatchObject({ frequency_hz: frequency })
          expect(periodsOf(profilesOf(answer))).toEqual([BigInt(1e9 / frequency)])
          return answer
        },
        { timeout: 60_000 },
      )
    const quick = await captureAt({ frequency_hz: 500 }, 500)
    await captureAt({}, 100)
    // And so it was: samples lie closer together than the usual rate has them.
    for (const name of ['burnInMain', 'burnInWorker']) {
      const samples = under(samplesOf(profilesOf(quick), 'wall'), name)
      const times = samples.flatMap(({ timestamps }) => timestamps.map(Number)).toSorted((x, y) => x - y)
      expect(Math.min(...times.slice(1).map((time, i) => time - times[i]))).toBeLessThan(5e6)
    }

    const most = await capture(subscription, { ...params, duration_ms: 300, frequency_hz: 5000 })
    expect(most.params).toMatchObject({
      frequency_hz: 1000,
      notes: ['at 1000 instead of 5000 Hz: 1 to 1000 are possible'],
    })
    const back = await capture(subscription, { profile_type: 'wall', frequency_hz: 500, ...lookBack(30) })
    expect(back.params['notes']).toContain('not at 500 Hz: what has been recorded keeps its rate')

    expect(await end()).toMatchObject({ by: 0, stderr: '' })
    const sent = around.backend.received.map(({ body }) => readOtlp(body, {}).profiles)
    const periods = new Set(sent.flatMap(periodsOf))
    expect(periods).toEqual(new Set([10_000_000n, 2_000_000n, 1_000_000n]))
    // Nothing is told twice, and little is missing: what the samples of the main thread stand for is the time that went by,
    // without that in which one profiler takes the place of another, half a second each on the busiest machine.
    const own = sent.flatMap(profiles => threadsIn(profiles, 'wall').get('main') ?? [])
    const times = own.flatMap(({ timestamps }) => timestamps).toSorted((a, b) => (a < b ? -1 : 1))
    const wall = own.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0n)
    const began = sent.map(({ profiles }) => profiles.time(0)).toSorted((a, b) => (a < b ? -1 : 1))[0]
    const went = times.at(-1)! - began
    expect(Number(wall) / Number(went)).toBeGreaterThan(0.5)
    expect(Number(wall) / Number(went)).toBeLessThan(1.02)
  })
})
