import { describe, expect, test } from 'vitest'
import type { FunctionIndex, Profiles } from '@hearth/profile'
import { encodeOtlp, readOtlp, validate } from '@hearth/profile'
import type { Recorded } from './build-profiles.ts'
import { buildProfiles } from './build-profiles.ts'
import { FrameTable, OTHER_THREADS, PROGRAM, TRUNCATED } from '../samples/frame-table.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'
import { BatchDraft } from '../samples/sample-batch.ts'
import type { SampleLabels } from '../samples/sample-labels.ts'
import { samplesOf, total, typesOf } from '../testing/stack-list.ts'
import type { ThreadPart } from './thread-part.ts'
import { portable } from './thread-part.ts'

const START = 1_790_000_000_000_000
const ORIGIN = {
  resource: [{ key: 'service.name', value: 'shop' }],
  scope: { name: '@hearth/agent', version: '1.2.3' },
  heapIntervalBytes: 524_288,
}
const MAIN = { id: 77n, name: 'main' }
const A = { traceId: 'a'.repeat(32), spanId: 'a'.repeat(16) }
const B = { traceId: 'b'.repeat(32), spanId: 'b'.repeat(16) }

/** One sample per 10 ms: `main` calls the function under the labels. */
function batchOf(
  frames: FrameTable,
  from: number,
  samples: readonly (readonly [string, SampleLabels?])[],
  periodNanos = 10_000_000,
): SampleBatch {
  const draft = new BatchDraft(frames)
  const main = draft.addNode(-1, frames.rowOf({ name: 'main', scriptName: '/app.js', lineNumber: 3, columnNumber: 7 }))
  const nodes = new Map<string, number>()
  for (const [i, [name, labels]] of samples.entries()) {
    const node = nodes.get(name) ?? draft.addNode(main, frames.rowOf({ name, scriptName: '/app.js', lineNumber: 9 }))
    nodes.set(name, node)
    const context = labels === undefined ? 0 : draft.contexts.push(labels) - 1
    draft.addSample(from + (i + 1) * 10_000, node, context, 4_000_000)
  }
  const until = from + (samples.length + 1) * 10_000
  return draft.finish({ from, until, lastSample: from, periodNanos })
}

type Content = Omit<Partial<Recorded>, 'parts'> & Pick<Partial<ThreadPart>, 'batches' | 'events' | 'heap'>

/** The payload of the main thread, encoded and decoded again. Checks that it is valid. */
function built({ batches = [], events, heap, ...recorded }: Content): Profiles | undefined {
  return builtOfParts([{ thread: MAIN, from: START, batches, events, heap }], recorded)
}

function builtOfParts(parts: readonly ThreadPart[], recorded: Partial<Recorded> = {}): Profiles | undefined {
  const all: Recorded = { kinds: ['cpu', 'wall'], from: START, until: START + 1_000_000, parts, ...recorded }
  const profiles = buildProfiles(all, ORIGIN)
  if (profiles === undefined) return undefined
  const read = readOtlp(encodeOtlp(profiles)).profiles
  expect(validate(read, { strict: true })).toEqual([])
  return read
}

function builtOf(recorded: Content): Profiles {
  const profiles = built(recorded)
  if (profiles === undefined) throw new Error('nothing')
  return profiles
}

function functionsOf({ dictionary }: Profiles): string[] {
  const { functions, strings } = dictionary
  return Array.from({ length: functions.length }, (_, i) => strings.text(functions.name(i as FunctionIndex)))
}

describe('buildProfiles', () => {
  test('makes one sample per stack, link and attribute set over all batches', () => {
    const frames = new FrameTable()
    const route = { ...A, attributes: [{ key: 'http.route', value: '/a' }] }
    const first = batchOf(frames, START, [['f', route], ['f'], ['g', { ...B, attributes: [] }]])
    // Another table and other objects with the same content.
    const same = { ...A, attributes: [{ key: 'http.route', value: '/a' }] }
    const second = batchOf(new FrameTable(), START + 40_000, [['f', same], ['f']])
    const profiles = builtOf({ batches: [first, second] })
    expect(typesOf(profiles)).toEqual(['cpu/nanoseconds', 'wall/nanoseconds'])
    const wall = samplesOf(profiles, 'wall')
    const shown = wall.map(({ names, spanId, attributes, values, timestamps }) => [
      names.join(),
      spanId,
      attributes['http.route'],
      values.length,
      timestamps.length,
    ])
    expect(shown).toEqual([
      ['f,main', A.spanId, '/a', 2, 2],
      ['f,main', '', undefined, 2, 2],
      ['g,main', B.spanId, undefined, 1, 1],
    ])
    expect(wall[0].timestamps[0]).toBe(1_790_000_000_010_000_000n)
    expect(wall[0].attributes).toMatchObject({ 'thread.id': 77n, 'thread.name': 'main' })
    expect(total(samplesOf(profiles, 'cpu'))).toBe(20_000_000n)
  })

  test('keeps only the samples of a trace or a time range', () => {
    const batch = {
      ...batchOf(new FrameTable(), START, [['f', { ...A, attributes: [] }], ['g'], ['h', { ...B, attributes: [] }]]),
      unseenCpu: 5,
      otherThreadsCpu: 7,
    }
    const names = (recorded: Content): string[] =>
      samplesOf(builtOf({ batches: [batch], ...recorded }), 'cpu').map(sample => sample.names[0])
    expect(names({})).toEqual(['f', 'g', 'h', PROGRAM, OTHER_THREADS])
    expect(names({ traceId: A.traceId })).toEqual(['f'])
    expect(names({ spanId: B.spanId })).toEqual(['h'])
    expect(names({ from: START + 15_000, until: START + 25_000 })).toEqual(['g'])
    expect(built({ batches: [batch], traceId: A.traceId, spanId: B.spanId })).toBeUndefined()
  })

  test('sums equal samples without timestamps', () => {
    const spans = [['f', { ...A, attributes: [] }], ['f'], ['f'], ['g']] as const
    const batch = { ...batchOf(new FrameTable(), START, spans), unseenCpu: 5, otherThreadsCpu: 7 }
    const again = batchOf(new FrameTable(), START + 100_000, [['f']])
    const samples = samplesOf(builtOf({ batches: [batch, again], timestamps: false }), 'cpu')
    expect(samples.map(({ names, spanId, values, timestamps }) => [names[0], spanId, values, timestamps])).toEqual([
      ['f', A.spanId, [4_000_000n], []],
      ['f', '', [12_000_000n], []],
      ['g', '', [4_000_000n], []],
      [PROGRAM, '', [5n], []],
      [OTHER_THREADS, '', [7n], []],
    ])
  })

  test('keeps the heaviest stacks and merges all others into one', () => {
    const names = ['a', 'b', 'b', 'b', 'c', 'c', 'd', 'e']
    const batches = [
      batchOf(
        new FrameTable(),
        START,
        names.map(name => [name, { ...A, attributes: [] }] as const),
      ),
    ]
    const shown = (maxSamples: number): unknown[] =>
      samplesOf(builtOf({ batches, timestamps: false, maxSamples }), 'wall').map(sample => [
        sample.names[0],
        Number(sample.values[0] / 10_000_000n),
        sample.spanId,
      ])
    expect(shown(2)).toEqual([
      ['b', 3, ''],
      ['c', 2, ''],
      [TRUNCATED, 3, ''],
    ])
    // It keeps as many equal stacks as fit.
    expect(shown(3)).toEqual([
      ['a', 1, ''],
      ['b', 3, ''],
      ['c', 2, ''],
      [TRUNCATED, 2, ''],
    ])
    expect(shown(5)).toHaveLength(5)
    const dropped = functionsOf(builtOf({ batches, timestamps: false, maxSamples: 1 }))
    expect(dropped).toEqual(expect.arrayContaining(['b', TRUNCATED]))
    expect(dropped).not.toContain('a')
  })

  test('adds the attributes of a capture', () => {
    const batches = [batchOf(new FrameTable(), START, [['f']])]
    const { profiles, dictionary } = builtOf({ batches, kinds: ['cpu'], attributes: [{ key: 'region', value: 'eu' }] })
    const { strings, attributes } = dictionary
    expect(profiles.attributesOf(0).map(i => [strings.text(attributes.key(i)), attributes.value(i)])).toEqual([
      ['region', 'eu'],
    ])
  })

  test('does not assign samples of other threads to this one', () => {
    const batch = { ...batchOf(new FrameTable(), START, [['f']]), otherThreadsCpu: 7 }
    const samples = samplesOf(builtOf({ batches: [batch] }), 'cpu')
    expect(samples.find(({ names }) => names[0] === OTHER_THREADS)).toMatchObject({ attributes: {}, values: [7n] })
  })

  test('keeps numbers beyond 32 bits and attributes of every kind', () => {
    const attributes = [
      { key: 'whole', value: 3 },
      { key: 'part', value: 0.5 },
      { key: 'large', value: 1e300 },
      { key: 'flag', value: true },
      { key: 'thread.name', value: 'not this' },
    ]
    const batch = batchOf(new FrameTable(), START, [['f', { attributes }]])
    batch.wall[0] = 2 ** 40 + 1
    const [sample] = samplesOf(builtOf({ batches: [batch], kinds: ['wall'] }), 'wall')
    expect(sample).toMatchObject({
      values: [2n ** 40n + 1n],
      attributes: { whole: 3n, part: 0.5, large: 1e300, flag: true, 'thread.name': 'main' },
    })
  })

  test('makes profiles of heap and events', () => {
    const frames = new FrameTable()
    const rows = ['a', 'b'].map(name => frames.rowOf({ name, scriptName: '/app.js' }))
    // Two nodes with the same stack are one sample.
    const heap = {
      what: 'inuse' as const,
      frames,
      parent: [-1, 0, 0],
      frame: [rows[0], rows[1], rows[1]],
      bytes: [0, 5, 7],
      objects: [0, 1, 2],
    }
    const events = {
      time: Float64Array.of(START + 5, START + 9, START + 9),
      nanos: Float64Array.of(30, 0, 50),
      type: Uint8Array.of(1, 2, 0),
    }
    const profiles = builtOf({ kinds: ['heap', 'events'], heap: [heap], events })
    expect(typesOf(profiles)).toEqual([
      'inuse_space/bytes',
      'inuse_objects/count',
      'gc/nanoseconds',
      'event_loop_delay/nanoseconds',
    ])
    expect(samplesOf(profiles, 'inuse_space')).toMatchObject([{ names: ['b', 'a'], values: [12n], timestamps: [] }])
    expect(samplesOf(profiles, 'gc')).toMatchObject([
      { attributes: { 'v8js.gc.type': 'major' }, values: [30n] },
      { attributes: { 'v8js.gc.type': 'minor' }, values: [0n] },
    ])
    expect(samplesOf(profiles, 'event_loop_delay')).toMatchObject([{ values: [50n] }])
    // Other backends reject profiles without a period type.
    const { profiles: table, dictionary } = profiles!
    const periods = Array.from({ length: table.length }, (_, i) => dictionary.strings.text(table.periodType(i)))
    expect(periods).not.toContain('')
  })

  test('returns undefined without samples', () => {
    expect(built({})).toBeUndefined()
    expect(built({ batches: [batchOf(new FrameTable(), START, [])] })).toBeUndefined()
  })
})

describe('buildProfiles with several threads and rates', () => {
  const WORKER = { id: 78n, name: 'worker 1' }
  const part = (thread: ThreadPart['thread'], ...batches: SampleBatch[]): ThreadPart => ({
    thread,
    from: START,
    batches,
  })
  const periodsOf = ({ profiles }: Profiles): unknown[] =>
    Array.from({ length: profiles.length }, (_, i) => [
      Number(profiles.period(i)) / 1e6,
      Number(profiles.time(i) / 1000n - BigInt(START)) / 1000,
      Number(profiles.duration(i)) / 1e6,
    ])

  test('puts the samples of several threads into one profile, each with its thread', () => {
    const posted = structuredClone(portable(part(WORKER, batchOf(tableWithMore(), START + 5000, [['g'], ['f']]))))
    const profiles = builtOfParts([part(MAIN, batchOf(new FrameTable(), START, [['f'], ['f']])), posted])!
    expect(profiles.profiles.length).toBe(2)
    const shown = samplesOf(profiles, 'wall').map(({ names, attributes, values }) => [
      names.join(),
      attributes['thread.id'],
      attributes['thread.name'],
      values.length,
    ])
    expect(shown).toEqual([
      ['f,main', 77n, 'main', 2],
      ['g,main', 78n, 'worker 1', 1],
      ['f,main', 78n, 'worker 1', 1],
    ])
    // Only the used frames were posted.
    expect(posted.batches[0].frames.rows.map(({ name }) => name)).toEqual(['main', 'g', 'f'])
  })

  test('makes one profile per rate, each with its own period', () => {
    const frames = new FrameTable()
    const usual = batchOf(frames, START, [['f'], ['f']])
    const quick = batchOf(frames, START + 30_000, [['f']], 2_000_000)
    const again = batchOf(frames, START + 50_000, [['f']])
    const worker = batchOf(frames, START + 35_000, [['g']], 2_000_000)
    const profiles = builtOfParts([part(MAIN, usual, quick, again), part(WORKER, worker)], { kinds: ['wall'] })!
    expect(periodsOf(profiles)).toEqual([
      [10, 0, 30.001],
      [2, 30, 25.001],
      [10, 50, 20.001],
    ])
    // With a single rate it has the requested range.
    const single = builtOfParts([part(MAIN, usual)], { kinds: ['wall'] })!
    expect(periodsOf(single)).toEqual([[10, 0, 1000.001]])
  })
})

function tableWithMore(): FrameTable {
  const frames = new FrameTable()
  for (let i = 0; i < 100; i++) frames.rowOf({ name: `other${i}`, scriptName: '/other.js', lineNumber: i })
  return frames
}
