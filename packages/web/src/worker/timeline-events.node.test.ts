// Tests events of synthetic profiles and of real recordings in shared/corpora, if it exists.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { LaneKind, Profiles } from '@hearth/profile'
import { ProfilesBuilder, readProfile } from '@hearth/profile'
import { describe, expect, test } from 'vitest'
import { threadSignals } from '../testing/thread-profiles.ts'
import type { TimelineEvents } from '../timeline/events.ts'
import { ROLES } from '../timeline/roles.ts'
import { Lanes } from '../draw/timeline/timeline-lanes.ts'
import { OpenedFiles } from './opened-files.ts'
import { Parts } from './parts.ts'
import { timelineEvents } from './timeline-events.ts'

const START = 1_700_000_000_000_000_000n

function all(profiles: Profiles): number[] {
  return Array.from({ length: profiles.profiles.length }, (_, i) => i)
}

/** Checks the invariants of all events. */
function check(events: TimelineEvents): void {
  const { first, threads, start, duration, length, kind, kinds, state, states, link, links, node, parent, whole } =
    events
  expect([first.length, first[0], first[threads.length]]).toEqual([threads.length + 1, 0, length])
  for (let t = 0; t < threads.length; t++) {
    for (let i = first[t]; i < first[t + 1]; i++) {
      if (i > first[t] && start[i] < start[i - 1]) throw new Error(`event ${i} starts before the previous one`)
    }
  }
  for (let i = 0; i < length; i++) {
    const isFine =
      start[i] >= 0 &&
      duration[i] >= 0 &&
      start[i] + duration[i] <= whole &&
      kind[i] < kinds.length &&
      state[i] < states.length &&
      link[i] < links.length &&
      node[i] < parent.length
    if (!isFine) throw new Error(`event ${i} is invalid`)
  }
}

function seconds({ role, duration }: TimelineEvents): Record<string, number> {
  const sums: Record<string, number> = {}
  for (let i = 0; i < role.length; i++) sums[ROLES[role[i]]] = (sums[ROLES[role[i]]] ?? 0) + duration[i] / 1e9
  return Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, Math.round(sum * 1000) / 1000]))
}

describe('timelineEvents', () => {
  const { profiles } = readProfile(threadSignals(START).profiles)
  const events = timelineEvents(profiles, all(profiles))

  test('puts events on CPU and off CPU on one timeline, by state', () => {
    check(events)
    expect([events.origin, events.whole]).toEqual([START, 10e9])
    expect(seconds(events)).toEqual({ running: 11.5, lock: 3, idle: 2, io: 6, gc: 0.26 })
    expect(events.threads.map(({ title, group }) => `${title} | ${group}`)).toEqual([
      'worker-1 (2) | threads · process 7',
      'main (1) | threads · process 7',
      'worker-2 (3) | threads · process 7',
      'gc (4) | threads · process 7',
    ])
  })

  test('includes CPUs and spans', () => {
    const worker = events.threads.findIndex(({ id }) => id === '2')
    const at = events.first[worker]
    expect([events.cpu[at], events.links[events.link[at]].spanId]).toEqual([0, '0102030405060708'])
    expect(events.links).toHaveLength(11)
    expect(new Set(events.states)).toEqual(new Set(['', 'mutex', 'sleeping', 'disk']))
  })

  test('shows a worker with 0.77 s of CPU in 120 s as running for 0.77 s', () => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [] })
    builder.scope({ name: '@hearth/agent' })
    const thread = builder.attribute('thread.name', 'worker')
    const stackOf = (name: string) =>
      builder.stack([builder.location({ lines: [{ function: builder.function({ name }), line: 1 }] })])
    const sampled = (type: string, samples: readonly (readonly [name: string, at: number, ms: number])[]) => {
      builder.profile({ type, unit: 'ns', periodType: type, periodUnit: 'ns', period: 0n })
      for (const [name, at, ms] of samples) {
        const timestamps = [START + BigInt(at) * 1_000_000n]
        builder.sample({ stack: stackOf(name), values: [BigInt(ms) * 1_000_000n], timestamps, attributes: [thread] })
      }
    }
    sampled('cpu', [['work', 71_230, 770]])
    sampled('wall', [
      ['(idle)', 0, 71_230],
      ['work', 71_230, 770],
      ['(program)', 72_000, 48_000],
    ])
    const built = builder.build()
    const lane = timelineEvents(built, all(built))
    expect(seconds(lane)).toEqual({ idle: 71.23, running: 1.54, wait: 48 })
    expect(new Lanes(lane).total(0) / lane.whole).toBeCloseTo(0.77 / 120, 9)
  })

  test.each([
    ['cpuprofile', 'v8', '(idle)', 'idle'],
    ['cpuprofile', 'v8', '(program)', 'wait'],
    ['perf', 'perf', 'intel_idle', 'idle'],
    ['JFR', 'jfr', 'jdk.internal.misc.Unsafe.park', 'running'],
  ])('shows a CPU sample of %s with scope %s and leaf %s as %s', (_, scope, name, role) => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [] })
    builder.scope({ name: scope })
    builder.profile({ type: 'cpu', unit: 'ns', periodType: 'cpu', periodUnit: 'ns', period: 1000n })
    const stack = builder.stack([builder.location({ lines: [{ function: builder.function({ name }), line: 1 }] })])
    builder.sample({ stack, values: [1000n], timestamps: [START] })
    const built = builder.build()
    expect(Object.keys(seconds(timelineEvents(built, all(built))))).toEqual([role])
  })

  test('has lanes by thread, goroutine or processor, if events name them', () => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [{ key: 'process.pid', value: 7n }] })
    builder.scope({ name: 'test' })
    builder.profile({ type: 'samples', unit: 'count', periodType: 'cpu', periodUnit: 'ns', period: 1000n })
    const stack = builder.stack([
      builder.location({ lines: [{ function: builder.function({ name: 'run' }), line: 1 }] }),
    ])
    const add = (at: bigint, ids: Readonly<Record<string, bigint>>): void => {
      const attributes = Object.entries(ids).map(([key, id]) => builder.attribute(key, id))
      builder.sample({ stack, timestamps: [START + at], attributes })
    }
    add(0n, { 'thread.id': 1n, 'go.goroutine.id': 10n, 'go.proc.id': 0n })
    add(1000n, { 'thread.id': 1n, 'go.goroutine.id': 11n, 'go.proc.id': 0n })
    add(2000n, { 'go.proc.id': 1n, 'go.goroutine.id': 10n, 'thread.id': 2n })
    add(3000n, { 'thread.id': 2n })
    const built = builder.build()
    const lanesBy = (kind: LaneKind): string[] => {
      const { laneKind, laneKinds, threads, first } = timelineEvents(built, all(built), kind)
      expect([laneKind, laneKinds]).toEqual([kind, ['thread', 'goroutine', 'processor']])
      return threads.map(({ title }, i) => `${title}: ${first[i + 1] - first[i]}`)
    }
    expect(lanesBy('thread')).toEqual(['thread 1: 2', 'thread 2: 2'])
    expect(lanesBy('goroutine')).toEqual(['goroutine 10: 2', 'goroutine 11: 1', 'no goroutine: 1'])
    expect(lanesBy('processor')).toEqual(['processor 0: 2', 'processor 1: 1', 'no processor: 1'])
    const { threads } = timelineEvents(built, all(built), 'goroutine')
    const part = new Parts(built).of(all(built), { from: START, until: START + 9000n, threads: [threads[0].key] })
    expect(timelineEvents(part, all(part)).length).toBe(2)
    expect(events.laneKinds).toEqual(['thread', 'goroutine'])
  })

  test('reports events far outside of the time of their profile and does not stretch the others', () => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [] })
    builder.scope({ name: 'test' })
    builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: START, durationNano: 1000n })
    const timestamps = [START, START + 10n, START + 1500n, 5n]
    builder.sample({ stack: builder.stack([]), timestamps, values: [1n, 1n, 1n, 1n] })
    const odd = timelineEvents(builder.build(), [0])
    check(odd)
    expect([odd.length, odd.coverage.outside, odd.coverage.elsewhere]).toEqual([2, 0, 2])
    expect(odd.coverage.firstElsewhere).toBeLessThan(1000n)
    expect(odd.origin).toBe(START)
  })

  test('counts profiles without timestamps', () => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [] })
    builder.scope({ name: 'test' })
    builder.profile({ type: 'cpu', unit: 'ns' })
    builder.sample({ stack: builder.stack([]), values: [1n] })
    const none = timelineEvents(builder.build(), [0])
    expect([none.length, none.coverage.profiles, none.coverage.untimed, none.whole]).toEqual([0, 1, 1, 0])
  })
})

const CORPORA = fileURLToPath(new URL('../../../../../shared/corpora/', import.meta.url))
const FILES = [
  ['perf-data/single-event-multi-process.perf.data', 19_989, 4],
  ['jfr/dd-trace-java.jfr.gz', 3000, 10],
  ['jfr/wall.jfr.gz', 2000, 20],
  ['chrome-trace/devtools-116.json', 3000, 3],
] as const

describe('timelineEvents of real recordings', () => {
  for (const [name, least, threads] of FILES) {
    const path = CORPORA + name
    const isThere = existsSync(path)
    if (!isThere) process.stdout.write(`skipped: ${name} was not found in shared/corpora\n`)
    test.skipIf(!isThere)(`${name}: reads its threads and the flame chart of each`, async () => {
      const bytes = readFileSync(path)
      const content = new Blob([(name.endsWith('.gz') ? gunzipSync(bytes) : bytes) as Uint8Array<ArrayBuffer>])
      const files = new OpenedFiles()
      const { measures } = await files.open({
        file: 'id',
        name: name.replace(/\.gz$/, ''),
        content: content,
        symbols: [],
      })
      const events = files.events({ file: 'id', type: '' })
      check(events)
      expect(events.length).toBeGreaterThanOrEqual(least)
      expect(events.threads.length).toBeGreaterThanOrEqual(threads)
      expect(seconds(events)['running']).toBeGreaterThan(0)
      const chart = files.timeline({ file: 'id', type: measures[0].type }, '')
      expect(chart.tree.length).toBeGreaterThan(10)
      for (const { key } of chart.threads.slice(0, 5)) {
        expect(files.timeline({ file: 'id', type: measures[0].type }, key).thread).toBe(key)
      }
    })
  }
})
