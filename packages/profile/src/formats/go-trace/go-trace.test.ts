// Small traces, event by event: the resulting profiles, and the errors.
import { describe, expect, test } from 'vitest'
import type { Profiles } from '../../model/columns/profiles.ts'
import { FormatError } from '../format.ts'
import { fuzz } from '../testing/fuzz.ts'
import { detectGoTrace } from './detect.ts'
import { GoEventType as E, GoStatus } from './event-types.ts'
import { goTrace } from './index.ts'
import { readGoTrace } from './read.ts'
import { NO_THREAD, WALL_SECONDS, clockBatch, fixtures, smallTrace } from './testing/fixtures.ts'
import { TraceWriter, event, stackEvent, stringEvent } from './testing/trace-writer.ts'
import { TraceClock } from './trace-clock.ts'

/** `type: stack attributes @times = values`, times since the profile's start. */
function lines({ profiles, samples, dictionary }: Profiles): string[] {
  const { strings, stacks, locations, functions, attributes } = dictionary
  const values = samples.values.signed()
  const times = samples.timestamps.unsigned()
  const result: string[] = []
  for (let i = 0; i < profiles.length; i++) {
    for (let s = profiles.samplesFrom(i); s < profiles.samplesTo(i); s++) {
      const stack = samples.stack(s)
      const frames = stacks.locations
        .slice(stacks.from(stack), stacks.to(stack))
        .map(location => strings.text(functions.name(locations.lines.function(locations.linesFrom(location)))))
      const about = samples.attributesOf(s).map(attribute => {
        const name = strings.text(attributes.key(attribute)).split('.').slice(-2).join('.')
        const value = attributes.value(attribute)
        return `${name}=${typeof value === 'bigint' || typeof value === 'string' ? value : '?'}`
      })
      const at = Array.from(
        times.slice(samples.timestampsFrom(s), samples.timestampsTo(s)),
        time => time - profiles.time(i),
      )
      const lasted = values.slice(samples.valuesFrom(s), samples.valuesTo(s))
      const type = strings.text(profiles.type(i))
      result.push(
        `${type}: ${frames.join('<')} ${about.join(' ')} @${at.join()}${lasted.length === 0 ? '' : ` = ${lasted.join()}`}`,
      )
    }
  }
  return result
}

const EXPECTED = [
  'samples: main.work<main.main goroutine.id=2 proc.id=1 thread.id=12 goroutine.state=running @49',
  'samples: main.main thread.id=12 @59',
  'off_cpu: main.main goroutine.id=1 goroutine.state=waiting goroutine.reason=chan receive @99 = 0',
  'syscall: main.work<main.main goroutine.id=2 thread.id=12 goroutine.state=syscall @41 = 30',
  'runnable: main.main goroutine.id=2 goroutine.state=runnable @9 = 0',
  'runnable: main.main goroutine.id=1 goroutine.state=runnable @93 = 110',
]

describe('states', () => {
  test.each([22, 23, 25, 26])('events of Go 1.%i are ordered by their numbers', version => {
    const { profiles, generation } = readGoTrace(smallTrace(version))
    expect(generation).toBe(`1.${version}`)
    const all = lines(profiles)
    expect(all.slice(0, 6)).toEqual(EXPECTED)
    expect(all.slice(7)).toEqual([
      'gc: main.work<main.main goroutine.id=1 proc.id=0 thread.id=11 @19 = 30',
      'gc_mark_assist: main.main goroutine.id=2 proc.id=1 thread.id=12 @77 = 6',
      'gc_sweep: main.main goroutine.id=2 proc.id=1 thread.id=12 @72 = 4',
      'stop_the_world: main.work<main.main goroutine.id=1 proc.id=0 thread.id=11 goroutine.reason=GC mark termination @24 = 20',
    ])
    // Across generations: the wall clock steps by 1 ms between them, which does not count as elapsed time.
    expect(all[6]).toBe(
      'runnable: main.main goroutine.id=2 goroutine.state=runnable goroutine.reason=preempted @193 = 1006',
    )
  })

  test('times count from 1970 if the trace has a wall clock', () => {
    const { profiles, notes } = readGoTrace(smallTrace(26))
    expect(profiles.profiles.time(0)).toBe(BigInt(WALL_SECONDS) * 1_000_000_000n + 7n + 1n)
    expect(notes.map(({ code }) => code)).toEqual(['annotations'])
    const old = readGoTrace(smallTrace(22))
    expect(old.profiles.profiles.time(0)).toBe(1001n)
    expect(old.notes.map(({ code }) => code)).toEqual(['annotations', 'clock'])
  })

  test('a thread with a fast clock continues after the thread that it waited for has ended', () => {
    const bytes = new TraceWriter(23)
      .batch(1, NO_THREAD, 1000, clockBatch(23))
      .batch(1, 11, 1000, [...event(E.goStatus, 1, 1, 11, GoStatus.running), ...event(E.goCreate, 50, 2, 0, 0)])
      .batch(1, 12, 1000, [
        ...event(E.goStart, 2, 2, 1),
        ...event(E.goSyscallBegin, 100, 1, 0),
        ...event(E.goSyscallEnd, 30),
      ])
      .finish()
    expect(lines(readGoTrace(bytes).profiles)).toEqual([
      'syscall:  goroutine.id=2 thread.id=12 goroutine.state=syscall @101 = 30',
      'runnable:  goroutine.id=2 goroutine.state=runnable @50 = 0',
    ])
  })

  test('ids beyond 32 bits are exact', () => {
    const large = 2 ** 40 + 3
    const bytes = new TraceWriter(23)
      .batch(1, NO_THREAD, 1000, clockBatch(23))
      .batch(1, large, 1000, [
        ...event(E.goStatus, 1, large, large, GoStatus.running),
        ...event(E.goSyscallBegin, 1, 1, 0),
        ...event(E.goSyscallEnd, 30),
        ...event(E.goCreate, 0, 3, 0, 0),
      ])
      .finish()
    expect(lines(readGoTrace(bytes).profiles)).toEqual([
      `syscall:  goroutine.id=${large} thread.id=${large} goroutine.state=syscall @1 = 30`,
      'runnable:  goroutine.id=3 goroutine.state=runnable @31 = 0',
    ])
  })

  test('a state that lasts beyond the trace counts only the part within it', () => {
    const bytes = new TraceWriter(23)
      .batch(1, NO_THREAD, 1000, clockBatch(23))
      .batch(1, 5, 1000, [
        ...event(E.goStatusStack, 0, 7, NO_THREAD, GoStatus.waiting, 1),
        ...event(E.goStatus, 0, 8, 9, GoStatus.syscall),
        ...event(E.goUnblock, 40, 7, 1, 0),
        ...event(E.procsChange, 60, 4, 0),
      ])
      .batch(1, NO_THREAD, 1000, [E.stacks, ...stackEvent(1, [2n ** 64n - 1n, 1, 1, 1])])
      .batch(1, NO_THREAD, 1000, [E.strings, ...stringEvent(1, 'main.wait')])
      .finish()
    const { profiles, notes } = readGoTrace(bytes)
    expect(lines(profiles)).toEqual([
      'off_cpu: main.wait goroutine.id=7 goroutine.state=waiting @0 = 40',
      'syscall:  goroutine.id=8 thread.id=9 goroutine.state=syscall @0 = 100',
      'runnable: main.wait goroutine.id=7 goroutine.state=runnable @40 = 60',
    ])
    expect(notes).toContainEqual(expect.objectContaining({ code: 'open-states', count: 3 }))
    expect(profiles.dictionary.locations.address(profiles.dictionary.stacks.locations.at(0))).toBe(2n ** 64n - 1n)
  })

  test('coroutines switch without the scheduler', () => {
    const bytes = new TraceWriter(23)
      .batch(1, NO_THREAD, 1000, clockBatch(23))
      .batch(1, 5, 1000, [
        ...event(E.goStatus, 0, 1, 5, GoStatus.running),
        ...event(E.goCreateBlocked, 10, 2, 0, 0),
        ...event(E.goSwitch, 10, 2, 1),
        ...event(E.goSwitchDestroy, 10, 1, 1),
        ...event(E.goStop, 10, 0, 0),
      ])
      .finish()
    expect(lines(readGoTrace(bytes).profiles)).toEqual([
      'off_cpu:  goroutine.id=2 goroutine.state=waiting @10 = 10',
      'off_cpu:  goroutine.id=1 goroutine.state=waiting @20 = 10',
      'runnable:  goroutine.id=1 goroutine.state=runnable @40 = 0',
    ])
  })
})

describe('the clock', () => {
  test('is exact at any frequency', () => {
    const clock = new TraceClock()
    clock.startGeneration(15_625_000, { ticks: 99_461_561_108, mono: 0, unixNano: 0n }, 0, 0)
    for (const ticks of [99_461_561_108, 99_461_561_109, 2 ** 51 + 12_345, 5]) {
      const exact = (BigInt(ticks) - 99_461_561_108n) * 64n
      expect(BigInt(clock.nanos(ticks))).toBe(exact)
    }
    clock.startGeneration(3, { ticks: 0, mono: 0, unixNano: 0n }, 0, 0)
    expect([1, 2, 4, -1].map(ticks => clock.nanos(ticks))).toEqual([
      333_333_333, 666_666_666, 1_333_333_333, -333_333_334,
    ])
  })

  test.each([0, 2 ** 40])('rejects %i ticks per second', frequency => {
    const bytes = new TraceWriter(22).batch(1, NO_THREAD, 0, event(E.frequency, frequency)).finish()
    expect(() => readGoTrace(bytes)).toThrow(FormatError)
  })
})

describe('broken traces', () => {
  const traceOf = (content: readonly number[], version = 22): Uint8Array =>
    new TraceWriter(version).batch(1, NO_THREAD, 1000, clockBatch(version)).batch(1, 5, 1000, content).finish()

  test.each([
    ['an old one', new TraceWriter(21).finish(), 'a trace of Go 1.21; only Go 1.22 and newer are supported'],
    ['an unknown event', traceOf([99]), 'unexpected event 99 in the events of a thread'],
    [
      'an event of a later version',
      traceOf(event(E.goSwitch, 1, 1, 1)),
      'unexpected event 45 in the events of a thread',
    ],
    [
      'a block without a goroutine',
      traceOf(event(E.goBlock, 1, 0, 0)),
      'event 20 of thread 5, which runs no goroutine',
    ],
    ['a start out of order', traceOf(event(E.goStart, 1, 4, 2)), 'event 16 of goroutine 4 is never due'],
    ['a missing stack', traceOf(event(E.goCreate, 1, 4, 3, 0)), 'stack 3 is not in the table of its generation'],
    ['no clock', new TraceWriter(22).batch(1, 5, 0, event(E.procStop, 0)).finish(), 'generation 1 has no clock'],
    ['a truncated batch of the only generation', traceOf(event(E.procStop, 0)).slice(0, -1), 'but only'],
  ])('%s is rejected', (_, bytes, what) => {
    expect(() => readGoTrace(bytes)).toThrow(what)
  })

  test('a trace that is truncated after a complete generation is read without the last one, as by go tool trace', () => {
    const whole = smallTrace(26)
    const next = new TraceWriter(26).batch(2, 5, 0, event(E.procStop, 0)).finish().subarray(16)
    for (const rest of [next.subarray(0, -3), next.subarray(0, -1), Uint8Array.of(0, 0, 0)]) {
      const { profiles, notes } = readGoTrace(Uint8Array.of(...whole, ...rest))
      expect(lines(profiles)).toEqual(lines(readGoTrace(whole).profiles))
      expect(notes.map(({ code }) => code)).toContain('truncated')
    }
  })

  test('a truncated trace is read up to its end with `lenient`', () => {
    const { profiles, notes } = readGoTrace(smallTrace(26).slice(0, -3), { lenient: true })
    expect(lines(profiles).slice(0, 6)).toEqual(EXPECTED)
    expect(notes.map(({ code }) => code)).toContain('truncated')
  })

  test('events that are never due are read in file order with `lenient`', () => {
    const bytes = traceOf([...event(E.goCreate, 1, 4, 0, 0), ...event(E.goStart, 5, 4, 9), ...event(E.goDestroy, 5)])
    const { profiles, notes } = readGoTrace(bytes, { lenient: true })
    expect(lines(profiles)).toEqual(['runnable:  goroutine.id=4 goroutine.state=runnable @0 = 5'])
    expect(notes).toContainEqual(expect.objectContaining({ code: 'unordered-events', count: 1 }))
  })

  test('are read, or rejected with a typed error', () => {
    const corpus = fixtures.map(({ bytes }) => bytes)
    const { failure, read, rejected } = fuzz(goTrace, corpus, 1, runs => runs < 1500)
    expect(failure).toBeUndefined()
    expect(Math.min(read, rejected)).toBeGreaterThan(50)
  })
})

test('the format is detected by its header', () => {
  expect(detectGoTrace(smallTrace(22))).toBe('certain')
  expect(detectGoTrace(new TraceWriter(19).finish())).toBe('certain')
  expect(detectGoTrace(smallTrace(22).slice(1))).toBe('no')
  expect(detectGoTrace(new Uint8Array(0))).toBe('no')
})
