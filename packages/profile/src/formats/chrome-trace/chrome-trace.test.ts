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

describe('broken traces', () => {
  test.each([
    ['{"samples":[]}', 'no "traceEvents"'],
    ['[{"ph":"X","name":"a"}]', 'an event has no "ts"'],
    ['[{"ph":"X","name":"a","ts":1', 'unexpected end of input'],
    ['[{"ph":"X","name":"a","ts":1e40}]', 'expected microseconds'],
    ['[] []', 'unexpected content after the events'],
    ['{"traceEvents":[],"samples":[{"sf":1,"ts":1}],"stackFrames":{"1":{"parent":1}}}', 'a frame calls itself'],
    [
      '[{"ph":"P","name":"ProfileChunk","ts":1,"args":{"data":{"cpuProfile":{"samples":[3]}}}}]',
      'node 3 does not exist',
    ],
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
