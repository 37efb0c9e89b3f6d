// The recorder in separate processes, on real work: what is recorded, under which span, and that all of it is valid.
import { describe, expect, test } from 'vitest'
import type { Profiles } from '@hearth/profile'
import { profileSummary, validate } from '@hearth/profile'
import type { ProgramResult } from './testing/run-program.ts'
import { runProgram } from './testing/run-program.ts'
import { samplesOf, total, typesOf, under } from './testing/stack-list.ts'

/** The profiles of a program that exited with 0. Checks that they are valid. */
function profilesOf(result: ProgramResult, name: string): Profiles {
  const profiles = result.profiles(name)
  if (profiles === undefined) throw new Error(`no ${name}: ${result.stdout}\n${result.stderr}`)
  expect(validate(profiles, { strict: true })).toEqual([])
  return profiles
}

describe('spans', () => {
  test('stay apart for concurrent requests', async () => {
    const result = await runProgram('spans-program.ts')
    expect(result).toMatchObject({ status: 0, stdout: 'done\n', stderr: '' })
    const ids = result.json('ids') as Readonly<Record<string, { readonly traceId: string; readonly spanId: string }>>
    const collected = profilesOf(result, 'collect')
    for (const type of ['cpu', 'wall']) {
      const samples = samplesOf(collected, type)
      for (const [span, work] of [
        ['sync', 'workOfSync'],
        ['A', 'workOfA'],
        ['B', 'workOfB'],
        ['ended', 'workOfEnded'],
        ['late', 'workOfLate'],
      ]) {
        const own = under(samples, work)
        expect(own.length).toBeGreaterThan(0)
        for (const sample of own) expect(sample).toMatchObject(ids[span])
        // No other function is under this span.
        const others = ['workOfSync', 'workOfA', 'workOfB', 'workOfEnded', 'workOfLate', 'burnOfNobody', 'workAfterEnd']
        const linked = samples.filter(({ spanId }) => spanId === ids[span].spanId)
        for (const { names } of linked) {
          expect(names.filter(name => others.includes(name) && name !== work)).toEqual([])
        }
      }
      for (const work of ['burnOfNobody', 'workAfterEnd']) {
        expect(under(samples, work).length).toBeGreaterThan(0)
        for (const sample of under(samples, work)) expect(sample).toMatchObject({ traceId: '', spanId: '' })
      }
      for (const { attributes } of under(samples, 'workOfB')) {
        expect(attributes).toMatchObject({ 'http.route': '/B', 'span.name': 'B', tenant: 'tenant-B' })
      }
      for (const { spanId } of samples.filter(({ names }) => names[0] === '(idle)')) expect(spanId).toBe('')
    }

    // The capture contains the whole span, and the collection after it still has those samples.
    const captured = profilesOf(result, 'capture')
    for (const type of ['cpu', 'wall']) {
      const ofSpan = samplesOf(collected, type).filter(({ spanId }) => spanId === ids['A'].spanId)
      const samples = samplesOf(captured, type)
      expect(new Set(samples.map(({ spanId }) => spanId))).toEqual(new Set([ids['A'].spanId]))
      expect(total(samples)).toBe(total(ofSpan))
    }
  })
})

describe('kinds', () => {
  test('cpu, wall, heap and events are recorded, with source maps', async () => {
    const result = await runProgram('kinds-program.ts', { node: ['--expose-gc'], argv: ['native'] })
    expect(result).toMatchObject({ status: 0, stderr: '' })
    const collected = profilesOf(result, 'collect')
    expect(typesOf(collected)).toEqual([
      'cpu/nanoseconds',
      'wall/nanoseconds',
      'inuse_space/bytes',
      'inuse_objects/count',
      'gc/nanoseconds',
      'event_loop_delay/nanoseconds',
    ])
    const cpu = samplesOf(collected, 'cpu')
    expect(cpu.flatMap(({ names }) => names)).not.toContain('(idle)')
    expect(cpu.map(({ names }) => names[0])).toContain('(non-JavaScript threads)')
    const wall = samplesOf(collected, 'wall')
    expect(under(wall, '(idle)').length).toBeGreaterThan(0)
    for (const { attributes } of wall) {
      expect(attributes).toMatchObject({
        'thread.id': expect.any(BigInt) as unknown,
        'thread.name': 'main',
      })
    }

    // Each sample covers the time since the one before it, so nothing is missing up to the last one. (The start of an event is
    // exact to the millisecond, and may set that of the profile.)
    const { timeUnixNano, lastTimestamp = 0n } = profileSummary(collected, 1)
    const unaccounted = lastTimestamp - timeUnixNano - total(wall)
    expect(unaccounted).toBeGreaterThanOrEqual(0n)
    expect(unaccounted).toBeLessThan(5_000_000n)

    for (const folder of ['beside', 'inline']) {
      const mapped = under(wall, 'busyWork').filter(({ files }) => files.some(file => file.includes(`/${folder}/`)))
      expect(mapped.length).toBeGreaterThan(0)
      for (const { names, files, lines } of mapped) {
        const at = names.indexOf('busyWork')
        expect(files[at]).toMatch(/\/src\/work\.ts$/)
        expect(lines[at]).toBe(5n)
      }
    }

    const space = samplesOf(collected, 'inuse_space')
    expect(total(under(space, 'keepAlive'))).toBeGreaterThan(3_000_000n)
    expect(space.every(({ timestamps }) => timestamps.length === 0)).toBe(true)
    expect(total(under(samplesOf(collected, 'inuse_objects'), 'keepAlive'))).toBeGreaterThan(50_000n)

    const collections = samplesOf(collected, 'gc')
    expect(collections.map(({ attributes }) => attributes['v8js.gc.type'])).toContain('major')
    const delays = samplesOf(collected, 'event_loop_delay')
    expect(delays.flatMap(({ values }) => values).some(value => value > 50_000_000n)).toBe(true)

    // Only samples after the collection.
    const last = samplesOf(profilesOf(result, 'stop'), 'wall')
    expect(under(last, 'afterCollect').length).toBeGreaterThan(0)
    expect(under(last, 'busyWork')).toEqual([])
  })

  test('allocations are recorded instead of the live heap', async () => {
    const result = await runProgram('kinds-program.ts', { node: ['--expose-gc'], argv: ['allocations'] })
    expect(result).toMatchObject({ status: 0, stderr: '' })
    const collected = profilesOf(result, 'collect')
    expect(typesOf(collected)).toContain('alloc_space/bytes')
    const space = samplesOf(collected, 'alloc_space')
    // 72 bytes each.
    expect(total(under(space, 'makeGarbage'))).toBeGreaterThan(20_000_000n)
    expect(total(under(space, 'makeGarbage'))).toBeLessThan(80_000_000n)
    expect(total(under(space, 'keepAlive'))).toBeGreaterThan(1_000_000n)
    // Only allocations after the collection.
    const last = samplesOf(profilesOf(result, 'stop'), 'alloc_space')
    expect(under(last, 'makeGarbage')).toEqual([])
  })

  test('are recorded without the native module', async () => {
    const result = await runProgram('kinds-program.ts', { node: ['--expose-gc'], argv: ['fallback'] })
    expect(result).toMatchObject({ status: 0, stderr: '' })
    const { missing } = JSON.parse(result.stdout) as { readonly missing: readonly string[] }
    expect(missing.join('\n')).toMatch(/no prebuilt addon[^]*span links[^]*cpu[^]*heap/)
    const collected = profilesOf(result, 'collect')
    expect(typesOf(collected)).toEqual([
      'cpu/nanoseconds',
      'wall/nanoseconds',
      'inuse_space/bytes',
      'gc/nanoseconds',
      'event_loop_delay/nanoseconds',
    ])
    for (const type of ['cpu', 'wall']) {
      const samples = samplesOf(collected, type)
      expect(under(samples, 'busyWork').length).toBeGreaterThan(0)
      expect(under(samples, 'blockLoop').length).toBeGreaterThan(0)
    }
    expect(samplesOf(collected, 'cpu').flatMap(({ names }) => names)).not.toContain('(idle)')
    expect(total(under(samplesOf(collected, 'inuse_space'), 'keepAlive'))).toBeGreaterThan(1_000_000n)
    const last = samplesOf(profilesOf(result, 'stop'), 'wall')
    expect(under(last, 'afterCollect').length).toBeGreaterThan(0)
    expect(under(last, 'busyWork')).toEqual([])
  })
})

describe('the rate', () => {
  test.each(['native', 'fallback'])('of a capture does not change that of the exports (%s)', async mode => {
    const result = await runProgram('rates-program.ts', { argv: [mode] })
    expect(result).toMatchObject({ status: 0, stdout: '', stderr: '' })
    const works = ['workBefore', 'workDuring', 'workAfter']
    /** The functions by period. */
    const seenIn = (name: string): Readonly<Record<string, readonly string[]>> => {
      const recorded = profilesOf(result, name)
      const { profiles } = recorded
      const samples = samplesOf(recorded, 'wall')
      const seen: Record<string, string[]> = {}
      for (let i = 0; i < profiles.length; i++) {
        const own = samples.slice(profiles.samplesFrom(i), profiles.samplesTo(i))
        const found = works.filter(work => under(own, work).length > 0)
        if (found.length > 0) (seen[`${profiles.period(i)}`] ??= []).push(...found)
      }
      return seen
    }
    expect(seenIn('capture')).toEqual({ 2000000: ['workDuring'] })
    expect(seenIn('collect')).toEqual({ 5000000: ['workBefore'], 2000000: ['workDuring'] })
    expect(seenIn('stop')).toEqual({ 5000000: ['workAfter'] })
    // The samples are closer together than at the usual rate.
    const during = under(samplesOf(profilesOf(result, 'capture'), 'wall'), 'workDuring')
    const times = during.flatMap(({ timestamps }) => timestamps.map(Number)).toSorted((x, y) => x - y)
    expect(Math.min(...times.slice(1).map((time, i) => time - times[i]))).toBeLessThan(4e6)
  })
})

describe('processes and threads', () => {
  test('a process that exits keeps its status, and its last samples are recorded', async () => {
    const result = await runProgram('exit-program.ts')
    expect(result).toMatchObject({ status: 7, stdout: '', stderr: '' })
    const last = profilesOf(result, 'stop')
    expect(under(samplesOf(last, 'cpu'), 'lastWork').length).toBeGreaterThan(0)
    expect(samplesOf(last, 'inuse_space').length).toBeGreaterThan(0)
  })

  test('a worker is recorded and sends its profiles to the main thread', async () => {
    const preload = new URL('testing/worker-program.ts', import.meta.url).href
    const result = await runProgram('workers-program.ts', { node: ['--import', preload] })
    expect(result).toMatchObject({ status: 0, stdout: 'received 1\n', stderr: '' })
    const samples = under(samplesOf(profilesOf(result, 'worker'), 'cpu'), 'workOfWorker')
    expect(samples.length).toBeGreaterThan(0)
    for (const { attributes } of samples) expect(attributes['thread.name']).toMatch(/^worker \d+$/)
  })
})
