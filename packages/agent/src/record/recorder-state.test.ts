// Tests what the recorder keeps, for how long, and how it handles failures, with a fake profiler.
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Profiles } from '@hearth/profile'
import { ProcessCaptures } from './threads/process-captures.ts'
import type { RecorderOptions } from './recorder-options.ts'
import { Recorder } from './recorder.ts'
import { ContextHolder } from './spans/span-tracker.ts'
import { captureOf } from './testing/capture-of.ts'
import { FakeNative } from './testing/fake-native.ts'
import { FakeSpan, ROOT } from './testing/fake-otel.ts'
import { OPTIONS } from './testing/options.ts'
import { samplesOf, total } from './testing/stack-list.ts'

const START = 1_790_000_000_000
let native: FakeNative
let problems: string[]
let recorder: Recorder | undefined

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['Date', 'setInterval', 'clearInterval'] })
  native = new FakeNative()
  problems = []
})
afterEach(async () => {
  await recorder?.stop()
  recorder = undefined
  vi.useRealTimers()
})

async function start(options: Partial<RecorderOptions> = {}): Promise<Recorder> {
  // A long period, so that the first attempt finds a good moment to fetch samples.
  const all = {
    ...OPTIONS,
    sampleRateHz: 1,
    ...options,
    onProblem: (problem: string): void => void problems.push(problem),
  }
  recorder = await Recorder.start(all, native.load)
  return recorder
}

function names(profiles: Profiles | undefined): string[] {
  return profiles === undefined ? [] : samplesOf(profiles, 'wall').map(sample => sample.names[0])
}

function periodsOf(profiles: Profiles | undefined): bigint[] {
  const table = profiles?.profiles
  return Array.from({ length: table?.length ?? 0 }, (_, i) => table!.period(i))
}

/** Advances in steps of a second, with a sample in each. */
async function run(seconds: number, prefix: string): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    vi.advanceTimersByTime(1000)
    native.waiting.push([`${prefix}${i}`, Date.now()])
    // A fetch first waits for a good moment.
    if (i % 15 === 14) await sleep(5)
  }
}

const nanos = (millis: number): bigint => BigInt(millis) * 1_000_000n
const ALL = { from: 0n, until: nanos(START * 2) }

describe('collect', () => {
  test('returns each sample once, whatever was captured meanwhile', async () => {
    const it = await start()
    await run(2, 'a')
    expect(names(await captureOf(it, ALL))).toEqual(['a0', 'a1'])
    await run(1, 'b')
    expect(names(await it.collect())).toEqual(['a0', 'a1', 'b0'])
    expect(await it.collect()).toBeUndefined()
    await run(1, 'c')
    expect(names(await it.stop())).toEqual(['c0'])
    expect(await it.collect()).toBeUndefined()
    expect(await captureOf(it, ALL)).toBeUndefined()
    expect(await it.stop()).toBeUndefined()
    expect(it.stopNow()).toBeUndefined()
    expect(problems).toEqual([])
  })

  test('sums equal samples without timestamps if the option is off', async () => {
    const it = await start({ timestamps: false })
    await run(2, 'a')
    const profiles = await it.collect()
    expect(profiles!.samples.length).toBeGreaterThan(0)
    const samples = samplesOf(profiles!, 'wall')
    expect(samples.map(({ timestamps, values }) => [timestamps.length, values.length])).toEqual(
      samples.map(() => [0, 1]),
    )
    expect(total(samples)).toBeGreaterThan(0n)
  })

  test('is not needed for samples to be fetched, and samples that are never collected are dropped', async () => {
    const it = await start()
    await run(60, 'early')
    expect(native.waiting.length).toBeLessThan(31)
    await run(900, 'late')
    const kept = names(await it.collect())
    expect(kept).toContain('late899')
    expect(kept).not.toContain('early0')
    expect(kept.length).toBeLessThan(660)
    expect(kept.length).toBeGreaterThan(590)
  })

  test('reports a failure and works again afterwards', async () => {
    const it = await start()
    await run(1, 'a')
    native.failure = new Error('broken')
    expect(await it.collect()).toBeUndefined()
    expect(problems).toEqual(['recording: broken'])
    expect(names(await it.collect())).toEqual(['a0'])
  })

  test('leaves its samples to the last profiles, once, if the process exits meanwhile', async () => {
    for (let turns = 0; turns < 12; turns++) {
      native = new FakeNative()
      const it = await start()
      await run(2, 'a')
      const collecting = it.collect()
      for (let i = 0; i < turns; i++) await turn()
      const last = names(it.stopNow())
      const collected = names(await collecting)
      expect([...collected, ...last]).toEqual(['a0', 'a1'])
    }
  })

  test('links only running code to a span, not the time between callbacks', async () => {
    const it = await start({ kinds: ['cpu', 'wall'] })
    const span = new FakeSpan()
    native.context = new ContextHolder(ROOT.withSpan(span))
    for (const name of ['work', '(idle)', '(program)', '(garbage collector)', '(idle)']) {
      vi.advanceTimersByTime(10)
      native.waiting.push([name, Date.now()])
    }
    const profiles = await it.collect()
    const linked = (type: string): string[] =>
      samplesOf(profiles!, type).map(sample => `${sample.names[0]} ${sample.spanId}`.trim())
    const { spanId } = span
    expect(linked('wall').toSorted()).toEqual(
      [`work ${spanId}`, '(idle)', '(program)', `(garbage collector) ${spanId}`].toSorted(),
    )
    expect(linked('cpu').toSorted()).toEqual(
      [`work ${spanId}`, '(program)', `(garbage collector) ${spanId}`].toSorted(),
    )
  })
})

describe('capture', () => {
  test('returns the samples of the range, even if they were collected before', async () => {
    const it = await start()
    await run(3, 'a')
    await it.collect()
    await run(3, 'b')
    const range = { from: nanos(START + 2000), until: nanos(START + 5000) }
    expect(names(await captureOf(it, range))).toEqual(['a1', 'a2', 'b0', 'b1'])
    expect(await captureOf(it, { from: nanos(START + 7000), until: nanos(START + 9000) })).toBeUndefined()
    expect(await captureOf(it, { from: range.until, until: range.from })).toBeUndefined()
    expect(await captureOf(it, { ...range, kinds: ['heap'] })).toBeUndefined()
    expect(await captureOf(it, { ...range, traceId: 'a'.repeat(32) })).toBeUndefined()
  })

  test('reaches back as far as the ring', async () => {
    const it = await start({ ringSeconds: 40 })
    await run(200, 'a')
    const captured = names(await captureOf(it, ALL))
    expect(captured).toContain('a199')
    expect(captured).toContain('a161')
    expect(captured.length).toBeLessThan(40 + 31)
  })

  test('returns nothing without a ring', async () => {
    const it = await start({ ringSeconds: 0 })
    await run(1, 'a')
    vi.advanceTimersByTime(1)
    expect(await captureOf(it, ALL)).toBeUndefined()
    expect(names(await it.collect())).toEqual(['a0'])
  })
})

describe('a held capture', () => {
  test.each([0, 40])('keeps samples longer than the ring of %i s', async ringSeconds => {
    const it = await start({ ringSeconds })
    await run(30, 'before')
    const captures = new ProcessCaptures(it, ringSeconds)
    const capture = captures.begin({ kinds: ['wall'] })
    await run(120, 'held')
    const range = { kinds: ['wall'], from: nanos(Date.now() - 120_000), until: nanos(Date.now()) } as const
    const captured = names((await capture.read(range, 0)).build())
    expect(captured).toContain('held119')
    expect(captured).toContain('held1')
    expect(captured.filter(name => name.startsWith('held')).length).toBeGreaterThan(117)
    capture.end()
    captures.close()
    const after = await captureOf(it, ALL)
    expect(names(after)).not.toContain('held1')
    expect(names(await it.collect())).toContain('before0')
  })
})

describe('a capture at another rate', () => {
  test('ends with the capture, and exports state the rate of their samples', async () => {
    const it = await start({ sampleRateHz: 10, kinds: ['wall'] })
    await run(2, 'before')
    const captures = new ProcessCaptures(it, 60)
    const capture = captures.begin({ kinds: ['wall'], frequencyHz: 50 })
    await capture.begun
    await run(2, 'during')
    const range = { kinds: ['wall'], from: 0n, until: nanos(START * 2) } as const
    const captured = (await capture.read(range, 0)).build()
    expect(names(captured)).toEqual(['during0', 'during1'])
    expect(periodsOf(captured)).toEqual([20_000_000n])
    // Another capture in the meantime changes nothing.
    expect(names(await captureOf(it, ALL))).toContain('before0')
    expect(native.intervals).toEqual([100_000, 20_000])
    capture.end()
    captures.close()
    const collected = await it.collect()
    expect(native.intervals).toEqual([100_000, 20_000, 100_000])
    expect(periodsOf(collected)).toEqual([100_000_000n, 20_000_000n])
    await run(1, 'after')
    const last = await it.collect()
    expect(periodsOf(last)).toEqual([100_000_000n])
    // The time of the switch is recorded too.
    const all = [...names(collected), ...names(last)].filter(name => name !== '(program)')
    expect(all).toEqual(['before0', 'before1', 'during0', 'during1', 'after0'])
    expect(problems).toEqual([])
  })

  test('is complete even if the new profiler takes a sample before the old one was read', async () => {
    const it = await start({ sampleRateHz: 10, kinds: ['wall'] })
    await run(2, 'before')
    const capture = it.begin({ kinds: ['wall'], frequencyHz: 50 })
    await capture.begun
    native.waiting.push(['first', Date.now() - 3])
    await run(2, 'during')
    const part = await capture.read(0, Infinity)
    capture.end()
    expect(part?.batches.map(({ time, periodNanos }) => [time.length, periodNanos])).toEqual([[3, 20_000_000]])
  })

  test('changes nothing if the rate is the same', async () => {
    const it = await start({ sampleRateHz: 10 })
    const capture = it.begin({ kinds: ['cpu'], frequencyHz: 10 })
    await capture.begun
    capture.end()
    await it.collect()
    expect(native.intervals).toEqual([100_000])
  })
})

describe('Recorder.start', () => {
  test('allows one recorder per thread, and another after it stopped', async () => {
    const listeners = process.listenerCount('exit')
    const it = await start()
    expect(process.listenerCount('exit')).toBe(listeners + 1)
    await expect(Recorder.start(OPTIONS, native.load)).rejects.toThrow('already recorded')
    await it.stop()
    expect(process.listenerCount('exit')).toBe(listeners)
    expect(native.isRunning).toBe(false)
    await run(1, 'a')
    const next = await start()
    expect(next.isNative).toBe(true)
    expect(next.missing).toEqual([])
  })

  test('reports the kinds that it cannot record', async () => {
    const broken = (): ReturnType<FakeNative['load']> => ({
      ...native.load(),
      TimeProfiler: class {
        constructor() {
          throw new Error('in use')
        }
      } as never,
    })
    recorder = await Recorder.start({ ...OPTIONS, kinds: ['wall', 'heap', 'allocations'] }, broken)
    expect(recorder.missing).toEqual([
      'cpu, wall: in use',
      'allocations: V8 samples live objects or all allocations, not both',
    ])
    expect(await recorder.collect()).toBeUndefined()
    expect(recorder.kinds).toEqual(['heap'])
    expect(await recorder.begin({ kinds: ['allocations'] }).read(0, Infinity)).toBeUndefined()
  })
})
