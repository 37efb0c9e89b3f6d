// Captures of processes with worker threads, and at other sample rates, over real sockets with a real profiler.
import type { Profiles } from '@hearth/profile'
import { readOtlp } from '@hearth/profile'
import type { Event } from '@hearth/broker'
import { describe, expect, test, vi } from 'vitest'
import type { ListedSample } from '../record/testing/stack-list.ts'
import { samplesOf, typesOf, under } from '../record/testing/stack-list.ts'
import type { Run } from './testing/captured-process.ts'
import { capture, failureOf, profilesOf, runProgram, useBroker } from './testing/captured-process.ts'

const surroundings = useBroker()

const BURN = `
function NAME() {
  const until = performance.now() + 20
  let sum = 0
  while (performance.now() < until) for (let i = 0; i < 1000; i++) sum += Math.sqrt(i)
  return sum
}
`

/** A worker that burns CPU a fifth of the time, until it receives 'end'. */
const WORKER = `
import { parentPort } from 'node:worker_threads'
${BURN.replace('NAME', 'burnInWorker')}
let isEnding = false
let turns = 0
const timer = setInterval(() => {
  burnInWorker()
  // Enough to be sampled even on a very busy machine.
  if (++turns < 20 || !isEnding) return
  clearInterval(timer)
  parentPort.close()
}, 100)
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
  /** Makes the program do something with its workers, and waits until it is done. */
  readonly step: (name: 'start' | 'end' | 'block' | 'terminate') => Promise<void>
}

async function run(env: Readonly<Record<string, string>> = {}): Promise<ThreadedRun> {
  surroundings.folder.write('worker.mjs', WORKER)
  const started = await runProgram(surroundings, MAIN, env)
  return {
    ...started,
    step: async name => {
      surroundings.folder.write(name, '')
      await started.printed(name)
    },
  }
}

/** The samples by thread name. */
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
  test('are captured from now on and from the past, each as its own thread', async () => {
    const { subscription, end } = await run()
    for (const paramsNow of [() => ({ duration_ms: 1000 }), () => lookBack(1)]) {
      // On a busy machine, one second may be too short for both threads to run.
      const profiles = await vi.waitFor(
        async () => {
          const response = await capture(subscription, { profile_type: 'wall', ...paramsNow() })
          expect(response.params['notes']).toBeUndefined()
          const captured = profilesOf(response)
          expect(burnedIn(captured, 'wall', 'burnInMain')).toEqual(['main'])
          expect(burnedIn(captured, 'wall', 'burnInWorker')).toEqual(['worker 1'])
          return captured
        },
        { timeout: 60_000 },
      )
      // One profile contains all threads.
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

  test('are captured if they start and end during the capture, and remain in captures of the past', async () => {
    const { subscription, step, end } = await run()
    const capturing = capture(subscription, { profile_type: 'cpu', duration_ms: 15_000, frequency_hz: 200 })
    await step('start')
    await step('end')
    const response = await capturing
    expect(response.params).toMatchObject({ frequency_hz: 200 })
    expect(burnedIn(profilesOf(response), 'cpu', 'burnInWorker').toSorted()).toEqual(['worker 1', 'worker 2'])
    const back = await capture(subscription, { profile_type: 'wall', ...lookBack(30) })
    expect(burnedIn(profilesOf(back), 'wall', 'burnInWorker').toSorted()).toEqual(['worker 1', 'worker 2'])
    expect(await end()).toMatchObject({ by: 0, stderr: '' })
  })

  test('are named in the notes if they are too busy to respond or terminated', async () => {
    const { subscription, step, end } = await run()
    await step('block')
    const params = { profile_type: 'wall', duration_ms: 200 }
    const busy = await capture(subscription, params)
    expect(busy.params['notes']).toEqual([
      expect.stringMatching(/^worker 1 \(thread \d+\) was too busy to respond: its samples are missing$/) as string,
    ])
    expect(burnedIn(profilesOf(busy), 'wall', 'burnInMain')).toEqual(['main'])
    await step('terminate')
    const back = await capture(subscription, { profile_type: 'wall', ...lookBack(30) })
    expect(back.params['notes']).toEqual([
      expect.stringMatching(/^worker 1 \(thread \d+\) was terminated: its samples are missing$/) as string,
    ])
    expect(await end()).toMatchObject({ by: 0, stderr: '' })
  })
})

describe('the sample rate', () => {
  const periodsOf = ({ profiles }: Profiles): readonly bigint[] =>
    Array.from({ length: profiles.length }, (_, i) => profiles.period(i))

  test('follows the request in every thread, and exports state the rate they were recorded at', async () => {
    const { subscription, end } = await run({ HEARTH_PROFILE_TYPES: 'wall', HEARTH_EXPORT_INTERVAL: '1s' })
    const params = { profile_type: 'wall', duration_ms: 2000 }
    // A worker changes its rate at a turn of its event loop. Until then its samples have the rate they were recorded at.
    const captureAt = (more: Event['params'], frequency: number): Promise<Event> =>
      vi.waitFor(
        async () => {
          const response = await capture(subscription, { ...params, ...more })
          expect(response.params).toMatchObject({ frequency_hz: frequency })
          expect(periodsOf(profilesOf(response))).toEqual([BigInt(1e9 / frequency)])
          return response
        },
        { timeout: 60_000 },
      )
    const quick = await captureAt({ frequency_hz: 500 }, 500)
    await captureAt({}, 100)
    // The samples really are closer together than at the usual rate.
    for (const name of ['burnInMain', 'burnInWorker']) {
      const samples = under(samplesOf(profilesOf(quick), 'wall'), name)
      const times = samples.flatMap(({ timestamps }) => timestamps.map(Number)).toSorted((x, y) => x - y)
      expect(Math.min(...times.slice(1).map((time, i) => time - times[i]))).toBeLessThan(5e6)
    }

    const most = await capture(subscription, { ...params, duration_ms: 300, frequency_hz: 5000 })
    expect(most.params).toMatchObject({
      frequency_hz: 1000,
      notes: ['recorded at 1000 Hz instead of 5000 Hz; the rate must be from 1 to 1000'],
    })
    const back = await capture(subscription, { profile_type: 'wall', frequency_hz: 500, ...lookBack(30) })
    expect(back.params['notes']).toContain('not at 500 Hz: existing samples keep their rate')

    expect(await end()).toMatchObject({ by: 0, stderr: '' })
    const sent = surroundings.backend.received.map(({ body }) => readOtlp(body, {}).profiles)
    const periods = new Set(sent.flatMap(periodsOf))
    expect(periods).toEqual(new Set([10_000_000n, 2_000_000n, 1_000_000n]))
    // Nothing is counted twice, and little is missing: the samples of the main thread sum to the elapsed time, except for the
    // time in which one profiler replaces another (half a second each on a very busy machine).
    const own = sent.flatMap(profiles => threadsIn(profiles, 'wall').get('main') ?? [])
    const times = own.flatMap(({ timestamps }) => timestamps).toSorted((a, b) => (a < b ? -1 : 1))
    const wall = own.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0n)
    const began = sent.map(({ profiles }) => profiles.time(0)).toSorted((a, b) => (a < b ? -1 : 1))[0]
    const went = times.at(-1)! - began
    expect(Number(wall) / Number(went)).toBeGreaterThan(0.5)
    expect(Number(wall) / Number(went)).toBeLessThan(1.02)
  })
})
