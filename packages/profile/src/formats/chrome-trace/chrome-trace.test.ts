// Reading of nested events, V8's samples and weighted samples, and the way back.
import { describe, expect, test } from 'vitest'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { otlp } from '../otlp/index.ts'
import { sampleLines } from '../testing/sample-lines.ts'
import { chromeTrace } from './index.ts'
import { readChromeTrace } from './read.ts'
import { fixtures } from './testing/fixtures.ts'
import { writeChromeTrace } from './write.ts'

function fixture(name: string): Profiles {
  return readChromeTrace(fixtures.find(each => each.name === name)!.bytes).profiles
}

describe.each(fixtures)('$name', ({ bytes }) => {
  test('is valid, is detected and survives a round trip', () => {
    const { profiles } = readChromeTrace(bytes)
    expect(validate(profiles)).toEqual([])
    expect(chromeTrace.detect(bytes, '')).toBe('certain')
    const written = writeChromeTrace(profiles)
    expect(written.notes).toEqual([])
    const again = readChromeTrace(written.bytes).profiles
    expect(difference(again, profiles)).toBeUndefined()
    expect(decodeUtf8(writeChromeTrace(again).bytes, 0, written.bytes.length)).toBe(decodeUtf8(written.bytes))
    const carried = otlp.read!(otlp.write!(profiles, {}).bytes, {}).profiles
    expect(difference(readChromeTrace(writeChromeTrace(carried).bytes).profiles, profiles)).toBeUndefined()
  })
})

test.each(fixtures)('$name: the reader no longer needs the bytes once it has released them', ({ bytes }) => {
  const copy = bytes.slice()
  const { profiles } = readChromeTrace(copy, { onBytesRead: () => copy.fill(0) })
  expect(copy.some(byte => byte !== 0)).toBe(false)
  expect(difference(profiles, readChromeTrace(bytes).profiles)).toBeUndefined()
})

describe('events with a duration', () => {
  test('each moment belongs to the innermost event', () => {
    const profiles = fixture('B, E and X')
    expect(sampleLines(profiles, 0)).toEqual([
      'main 2000+6000+3000@0,7000,20000',
      'main;run 1500+2250@2000,4750',
      'main;run;gc 1250@3500',
    ])
  })

  test('ends may be missing, early or too many', () => {
    expect(sampleLines(fixture('ends that are missing, early or too many'), 0)).toEqual([
      'a 1000@0',
      'a;b 3000@1000',
      'c 1000@6000',
      'c;d 4000@7000',
    ])
  })

  test('the first of two equal spans is the outer one', () => {
    expect(sampleLines(fixture('spans that are equal'), 0)).toEqual(['outer;inner 4000@0', 'A;B 1000@10000'])
  })

  test('an event that outlasts its parent ends with it', () => {
    expect(sampleLines(fixture('events that overlap'), 0)).toEqual(['a 5000@0', 'a;b 5000@5000'])
  })

  test('times of today are exact to the nanosecond', () => {
    expect(sampleLines(fixture('today in microseconds with decimals'), 0)).toEqual(['now 375@1700000000000000125'])
  })
})

describe("V8's samples", () => {
  test('chunks are sorted by time, and samples last until the next one', () => {
    const profiles = fixture('a profile in chunks')
    expect(sampleLines(profiles, 0)).toEqual([
      '(anonymous) 150000@1010000',
      '(anonymous);parse 0@1160000',
      '(anonymous);parse 100000+615000@1160000,1385000',
      '(idle) 125000@1260000',
    ])
  })

  test('threads stay separate', () => {
    const { samples, dictionary, profiles } = fixture('profiles of workers')
    const threads = new Set<unknown>()
    for (let i = profiles.samplesFrom(1); i < profiles.samplesTo(1); i++) {
      for (const row of samples.attributesOf(i)) threads.add(dictionary.attributes.value(row))
    }
    expect([...threads]).toEqual([7n, 8n, 'DedicatedWorker thread'])
  })
})

test('samples that refer to frames keep their weights', () => {
  expect(sampleLines(fixture('samples that name frames'), 0)).toEqual([
    '[root];f 1+1@11552125241000,11552125261000',
    '[root];[GC] 3@11552125251000',
  ])
})

describe('V8 profiles as browsers write them', () => {
  const frame = (functionName: string): object => ({
    functionName,
    scriptId: 1,
    url: '',
    lineNumber: -1,
    columnNumber: -1,
  })
  const event = (name: string, ts: number, tid: number, data: unknown, more: object = {}): object => ({
    ph: 'P',
    name,
    cat: 'disabled-by-default-v8.cpu_profiler',
    pid: 1,
    id: '0x1',
    ts,
    tid,
    args: { data },
    ...more,
  })
  const tree = (name: string): object[] => [
    { id: 1, callFrame: frame('(root)') },
    { id: 2, parent: 1, callFrame: frame(name) },
  ]
  const chunk = (ts: number, tid: number, name: string, more: object = {}): object =>
    event('ProfileChunk', ts, tid, { cpuProfile: { nodes: tree(name), samples: [2] }, timeDeltas: [1] }, more)
  const open = (ts: number, tid: number, more: object = {}): object =>
    event('Profile', ts, tid, { startTime: ts }, more)

  const read = (...events: object[]): { readonly lines: readonly string[]; readonly notes: readonly string[] } => {
    const { profiles, notes } = readChromeTrace(encodeUtf8(JSON.stringify(events)))
    const threads = (i: number): unknown =>
      profiles.samples.attributesOf(i).map(row => profiles.dictionary.attributes.value(row))
    const lines = Array.from({ length: profiles.profiles.length }, (_, p) =>
      sampleLines(profiles, p).map(
        (line, k) => `${line.replace(/@.*/, '')} thread ${String(threads(profiles.profiles.samplesFrom(p) + k))}`,
      ),
    )
    return { lines: lines.flat(), notes: notes.map(({ code, count }) => `${code} ${count}`) }
  }

  test('profiles of two processes may share an id', () => {
    const events = [open(10, 7), chunk(20, 99, 'a'), open(10, 7, { pid: 2 }), chunk(20, 99, 'b', { pid: 2 })]
    expect(read(...events)).toEqual({ lines: ['a 0 thread 7', 'b 0 thread 7'], notes: [] })
  })

  test('profiles of two threads may share an id if their chunks come from different threads', () => {
    const end = event('ProfileChunk', 50, 8, { endTime: 100 })
    const events = [open(10, 7), open(15, 8), chunk(20, 98, 'a'), chunk(21, 99, 'b'), end]
    expect(read(...events)).toEqual({ lines: ['a 0 thread 7', 'b 84000 thread 8'], notes: [] })
  })

  test('a later profile of the same thread may use the same id again', () => {
    const events = [open(10, 7), chunk(20, 99, 'a'), open(30, 7), chunk(40, 99, 'b')]
    expect(read(...events).lines).toEqual(['a 20000 thread 7', 'b 0 thread 7'])
  })

  test('profiles without an id belong to the thread of their events', () => {
    const noId = { id: undefined }
    const events = [open(10, 7, noId), open(11, 8, noId), chunk(20, 7, 'a', noId), chunk(21, 8, 'b', noId)]
    expect(read(...events)).toEqual({ lines: ['a 0 thread 7', 'b 0 thread 8'], notes: [] })
  })

  test('each CpuProfile event is a profile', () => {
    const whole = (ts: number, name: string): object =>
      event('CpuProfile', ts, 7, { cpuProfile: { nodes: tree(name), samples: [2], timeDeltas: [1], startTime: ts } })
    expect(read(whole(10, 'a'), whole(20, 'b')).lines).toEqual(['a 10000 thread 7', 'b 0 thread 7'])
  })

  test.each([
    ['null', 0],
    ['{}', 0],
    ['{"endTime":30}', 19_000],
    ['{"cpuProfile":null}', 0],
    ['{"cpuProfile":{},"timeDeltas":null}', 0],
    ['{"cpuProfile":{"nodes":[],"samples":[]}}', 0],
  ])('a chunk may have the data %s', (data, value) => {
    const events = [open(10, 7), chunk(20, 99, 'a'), event('ProfileChunk', 25, 99, JSON.parse(data))]
    expect(read(...events)).toEqual({ lines: [`a ${value} thread 7`], notes: [] })
  })

  test('stacks are truncated where an earlier chunk was lost', () => {
    const nodes = [
      { id: 8, parent: 5, callFrame: frame('inner') },
      { id: 9, parent: 8, callFrame: frame('leaf') },
    ]
    const cpuProfile = { nodes, samples: [9, 5, 9] }
    const events = [open(10, 7), event('ProfileChunk', 25, 99, { cpuProfile, timeDeltas: [1, 2, 3] })]
    expect(read(...events)).toEqual({
      lines: ['inner;leaf 2000+0 thread 7'],
      notes: ['lost-parents 1', 'skipped-samples 1'],
    })
  })

  test('a repeated node does not stop the reader', () => {
    const events = [open(10, 7), chunk(20, 99, 'a'), chunk(30, 99, 'a')]
    expect(read(...events)).toEqual({ lines: ['a 1000+0 thread 7'], notes: ['repeated-ids 2'] })
  })

  test('events without a time, and entries that are not events, are skipped', () => {
    const { notes } = readChromeTrace(
      encodeUtf8('[{"ph":"X","name":"a","dur":1},null,{"ph":"X","name":"b","ts":1,"tdur":5}]'),
    )
    expect(notes.map(({ code }) => code)).toEqual(['missing-times', 'invalid-events'])
  })

  test('samples keep the frames below a missing stack frame', () => {
    const text = '{"traceEvents":[],"samples":[{"sf":1,"ts":1,"pid":1}],"stackFrames":{"1":{"name":"f","parent":5}}}'
    const { profiles, notes } = readChromeTrace(encodeUtf8(text))
    expect(sampleLines(profiles, 0)).toEqual(['f @1000'])
    expect(notes.map(({ code }) => code)).toEqual(['lost-parents'])
  })
})

describe('broken traces', () => {
  test('keep stacks whose frames call themselves, each frame once', () => {
    const frames = '{"1":{"name":"f","parent":2},"2":{"name":"g","parent":3},"3":{"name":"h","parent":2}}'
    const text = `{"traceEvents":[],"samples":[{"sf":1,"ts":1}],"stackFrames":${frames}}`
    const { profiles, notes } = readChromeTrace(encodeUtf8(text))
    expect(sampleLines(profiles, 0)).toEqual(['h;g;f @1000'])
    expect(notes).toContainEqual(expect.objectContaining({ code: 'lost-parents', count: 1 }))
  })

  test('may have a comma after the last event of a list within an object', () => {
    const event = '{"ph":"X","name":"a","ts":1,"dur":2}'
    const { profiles } = readChromeTrace(encodeUtf8(`{"traceEvents":[${event}, ],"displayTimeUnit":"ms"}`))
    expect(difference(profiles, readChromeTrace(encodeUtf8(`[${event}]`)).profiles)).toBeUndefined()
  })

  test.each([
    ['{"samples":[]}', 'no "traceEvents"'],
    ['[{"ph":"X","name":"a","ts":1', 'unexpected end of input'],
    ['[{"ph":"X","name":"a","ts":1e40}]', 'expected microseconds'],
    ['[] []', 'unexpected content after the events'],
  ])('%s is rejected', (text, what) => {
    const read = (): unknown => readChromeTrace(encodeUtf8(text))
    expect(read).toThrow(FormatError)
    expect(read).toThrow(what)
  })

  test('are read up to the damage with `lenient`', () => {
    const text = '[{"ph":"X","name":"a","ts":1,"dur":2},{"ph":"X","na'
    const { profiles, notes } = readChromeTrace(encodeUtf8(text), { lenient: true })
    expect(notes.map(({ code }) => code)).toEqual(['truncated'])
    expect(sampleLines(profiles, 0)).toEqual(['a 2000@1000'])
  })
})

test('totals without a time are placed one after another', () => {
  const { profiles } = profileOf(`
    1ms   2ms
    main  main
    run   gc`)
  const { bytes, notes } = writeChromeTrace(profiles)
  expect(notes.map(({ code }) => code)).toContain('made-up-ids')
  expect(sampleLines(readChromeTrace(bytes).profiles, 0).length).toBe(2)
})

describe('for viewers', () => {
  interface Event {
    readonly ph: string
    readonly name: string
    readonly pid: number
    readonly tid: number
    readonly ts: number
    readonly dur?: number
    readonly cat?: string
    readonly args: { readonly name?: string }
  }
  const THREADS = [
    { id: undefined, name: 'main' },
    { id: undefined, name: 'worker' },
    { id: 1n, name: 'render' },
  ] as const

  function eventsOf(type: string, unit: string): readonly Event[] {
    const profiles = buildProfiles([
      {
        scopes: [
          {
            profiles: [
              {
                type,
                unit,
                samples: THREADS.map(({ id, name }, i) => ({
                  stack: [{ lines: [{ function: { name: 'f' } }] }],
                  attributes: [
                    { key: 'thread.name', value: name },
                    ...(id === undefined ? [] : [{ key: 'thread.id', value: id }]),
                  ],
                  values: [5_000n],
                  timestamps: [BigInt(i) * 1_000n],
                })),
              },
            ],
          },
        ],
      },
    ])
    const { bytes } = writeChromeTrace(profiles)
    return (JSON.parse(decodeUtf8(bytes)) as { traceEvents: readonly Event[] }).traceEvents
  }

  test.each([
    ['cpu', 'nanoseconds'],
    ['wall', 'nanoseconds'],
    ['samples', 'count'],
  ])('%s: threads without an id get one per name', (type, unit) => {
    const names = eventsOf(type, unit).filter(({ name }) => name === 'thread_name')
    expect(names.map(({ tid, args }) => [args.name, tid])).toEqual([
      ['main', 2],
      ['worker', 3],
      ['render', 1],
    ])
  })

  test.each([
    ['cpu', 'nanoseconds'],
    ['wall', 'nanoseconds'],
  ])('%s: every event has a category, and DevTools finds the range', (type, unit) => {
    const events = eventsOf(type, unit)
    expect(events.filter(({ cat }) => cat === undefined)).toEqual([])
    const others = events.filter(({ cat }) => cat !== '__metadata' && cat !== 'disabled-by-default-v8.cpu_profiler')
    expect(Math.min(...others.map(({ ts }) => ts))).toBe(0)
    expect(Math.max(...others.map(({ ts, dur = 0 }) => ts + dur))).toBe(7)
    expect(new Set(others.map(({ tid }) => tid)).size).toBe(3)
  })

  test("the first event has everything by which speedscope recognises V8's samples", () => {
    expect(eventsOf('cpu', 'nanoseconds')[0]).toEqual({
      ph: 'M',
      name: 'process_sort_index',
      pid: 1,
      tid: 0,
      ts: 0,
      cat: '__metadata',
      args: { sort_index: 0 },
    })
  })
})

test('other JSON is not detected as a trace', () => {
  for (const text of ['[]', '[1,2]', '{"nodes":[],"samples":[]}', '[{"name":"a","value":1}]', '{"head":{}}', 'x']) {
    expect(chromeTrace.detect(encodeUtf8(text), 'a.json')).toBe('no')
  }
})
