import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { arbitrarySpec } from '../../model/testing/arbitrary-profiles.ts'
import type {
  AttributeSpec,
  LocationSpec,
  ProfileSpec,
  ProfilesSpec,
  SampleSpec,
} from '../../model/testing/profiles-spec.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { documentExample } from '../arrays-draft/testing/fixtures.ts'
import { fixed64, join, len, packed, text, varint } from '../testing/wire.ts'
import { FormatError } from '../format.ts'
import { encodeOtlp } from '../otlp/encode.ts'
import { codes, expectRejections, expectRoundTrip } from '../testing/expect-format.ts'
import { nanosOfTicks, ticksOfNanos, ticksOfTime, timeOfTicks } from './clock.ts'
import { events } from './index.ts'
import { fixtures } from './testing/fixtures.ts'
import { withinProposal } from './testing/within-proposal.ts'

const read = (bytes: Uint8Array, options = {}) => events.read!(bytes, options)
const write = (profiles: Profiles) => events.write!(profiles, {})

function fixture(name: string): Uint8Array {
  return fixtures.find(one => one.name === name)!.bytes
}

const START = 1_257_894_000_000_000_000n
const main: LocationSpec = { lines: [{ function: { name: 'main' }, line: 3n }] }
const CLOCK: AttributeSpec = {
  key: 'events.clock',
  value: {
    entries: [
      { key: 'frequency', value: 1_000_000_000n },
      { key: 'time_unix_nano', value: START },
    ],
  },
}

/** The two stacks in the comments of the document. */
function stacks(first: string, second: string): readonly [SampleSpec['stack'], SampleSpec['stack']] {
  const one: LocationSpec = { lines: [{ function: { name: first, startLine: 16n } }] }
  const two: LocationSpec = { lines: [{ function: { name: second }, column: 7n }] }
  return [
    [one, main],
    [two, main],
  ]
}

const oneScope = (...profiles: ProfileSpec[]): ProfilesSpec => [{ scopes: [{ profiles }] }]
const thread = (id: bigint): AttributeSpec => ({ key: 'thread.id', value: id })
const state = (name: string): AttributeSpec => ({ key: 'thread.state', value: name })

describe('the examples of the document', () => {
  test('an aggregated CPU profile reads with all values', () => {
    const [serve, foo] = stacks('serve_request', 'foo')
    const period = { periodType: 'cpu_sample', periodUnit: 'ms', period: 10n }
    const samples = [
      { stack: serve, values: [20n] },
      { stack: foo, values: [10n] },
    ]
    const { profiles, notes } = read(fixture('an aggregated CPU profile'))
    expect(
      difference(profiles, buildProfiles(oneScope({ type: 'cpu_sample', unit: 'ms', ...period, samples }))),
    ).toBeUndefined()
    expect(notes).toEqual([])
  })

  test('a timestamped CPU profile reads with all values', () => {
    const [serve, foo] = stacks('serve_request', 'foo')
    const spec: ProfileSpec = {
      type: 'cpu_time',
      unit: 'milliseconds',
      periodType: 'cpu_time',
      periodUnit: 'milliseconds',
      period: 10n,
      attributes: [CLOCK],
      samples: [
        {
          stack: serve,
          attributes: [thread(1n)],
          values: [10n, 10n],
          timestamps: [START + 10_500_000n, START + 20_000_000n],
        },
        { stack: foo, attributes: [thread(2n)], values: [10n], timestamps: [START + 10_800_000n] },
      ],
    }
    expect(
      difference(read(fixture('a timestamped CPU profile')).profiles, buildProfiles(oneScope(spec))),
    ).toBeUndefined()
  })

  test('CPU and off-CPU: an interval becomes a value in nanoseconds at its start time', () => {
    const [first, second] = stacks('mutex_lock', 'sleep')
    const cpu: ProfileSpec = {
      type: 'cpu_sample',
      // The document's index of the unit refers to this string.
      unit: 'thread_state',
      periodType: 'cpu_sample',
      periodUnit: 'thread_state',
      period: 10n,
      attributes: [CLOCK],
      samples: [
        {
          stack: first,
          attributes: [thread(1n)],
          values: [10n, 10n],
          timestamps: [START + 10_500_000n, START + 20_000_000n],
        },
        { stack: second, attributes: [thread(2n)], values: [10n], timestamps: [START + 10_800_000n] },
      ],
    }
    const waits: ProfileSpec = {
      type: 'thread_state',
      unit: 'ns',
      attributes: [CLOCK, { key: 'events.measure', value: 'duration' }],
      samples: [
        {
          stack: first,
          attributes: [thread(1n), state('mutex')],
          values: [50_000_500n],
          timestamps: [START + 320_000_000n],
        },
        {
          stack: first,
          attributes: [thread(2n), state('sleep')],
          values: [1_000_000_500n],
          timestamps: [START + 325_000_000n],
        },
      ],
    }
    expect(difference(read(fixture('CPU and off-CPU')).profiles, buildProfiles(oneScope(cpu, waits)))).toBeUndefined()
  })

  test('an aggregated memory profile reads sums and counts', () => {
    const [user, post] = stacks('new_user', 'new_post')
    const values = (a: bigint, b: bigint): SampleSpec[] => [
      { stack: user, values: [a] },
      { stack: post, values: [b] },
    ]
    const attributes = [{ key: 'events.measure', value: 'count' }]
    const spec = oneScope(
      { type: 'allocations', unit: 'By', samples: values(4800n, 76_800n) },
      { type: 'allocations', unit: 'count', attributes, samples: values(100n, 300n) },
      { type: 'liveheap', unit: 'By', samples: values(576n, 18_688n) },
      { type: 'liveheap', unit: 'count', attributes, samples: values(12n, 73n) },
    )
    expect(difference(read(fixture('an aggregated memory profile')).profiles, buildProfiles(spec))).toBeUndefined()
  })

  test('missing stacks are stored by their index', () => {
    const { profiles, notes } = read(fixture('an aggregated CPU profile, as in the document'))
    expect(codes(notes)).toEqual(['missing-stacks'])
    const { attributes } = profiles.dictionary
    const kept = [0, 1].map(s => profiles.samples.attributesOf(s).map(row => attributes.value(row)))
    expect(kept).toEqual([[1n], [2n]])
  })
})

describe('readEventProfile', () => {
  test.each(fixtures)(
    'reads $name, which is valid, detected by content, and the same after a round trip',
    ({ bytes }) => {
      expectRoundTrip(events, bytes)
    },
  )

  test('reads aggregates, samples and intervals of one file, each with its own clock', () => {
    const { profiles } = read(fixture('all of these in one'))
    const { strings } = profiles.dictionary
    const table = profiles.profiles
    const shown = Array.from({ length: table.length }, (_, p) => {
      const from = table.samplesFrom(p)
      const to = table.samplesTo(p)
      const { samples } = profiles
      return [
        `${strings.text(table.type(p))}/${strings.text(table.unit(p))}`,
        from === to ? [] : [...samples.values.signed().subarray(samples.valuesFrom(from), samples.valuesTo(to - 1))],
        from === to
          ? []
          : [...samples.timestamps.unsigned().subarray(samples.timestampsFrom(from), samples.timestampsTo(to - 1))],
      ]
    })
    const slow = 1_700_000_000_000_000_000n
    expect(shown).toEqual([
      ['cpu/ms', [20n], []],
      ['cpu/ms', [90n], []],
      // 24000001 ticks of 2.4 GHz, then 4800 of them back: the third of a nanosecond is rounded off.
      ['cpu/ms', [10n, 7n], [slow + 1n + 10_000_000n, slow + 1n + 9_998_000n]],
      ['wait/By', [0n, 64n], [slow + 5_000_000_000_000n, slow + 5_000_001_000_000n]],
      ['wait/count', [1n, 3n], [slow + 5_000_000_000_000n, slow + 5_000_001_000_000n]],
      ['wait/ns', [1_000_000_500_000_000n, 2_000_000n], [slow + 5_000_000_000_000n, slow + 5_000_001_000_000n]],
      ['alloc/By', [4800n], []],
      ['alloc/count', [100n], []],
      ['tick/count', [], [slow + 5_000_010_000_000n, slow + 5_000_019_000_000n]],
      ['goroutine/count', [12n], []],
      ['goroutine/count', [4n], []],
      ['goroutine/By', [], []],
    ])
    expect(table.time(0)).toBe(slow)
    expect(table.duration(0)).toBe(60_000_000_000n)
  })

  test('converts unsigned values to signed ones, and prefers a sum over another value', () => {
    const type = join(len(3, varint(1, 1)), text(11, ''), text(11, 'x'))
    const large = read(join(type, len(1, varint(9, 2n ** 64n - 1n))))
    expect([...large.profiles.samples.values.signed()]).toEqual([-1n])
    expect(codes(large.notes)).toEqual(['large-values'])
    const both = read(join(type, len(1, varint(7, 5), varint(9, 6))))
    expect([...both.profiles.samples.values.signed()]).toEqual([6n])
    expect(codes(both.notes)).toEqual(['value-and-sum'])
  })

  test('notes times without a clock', () => {
    const bytes = join(
      len(3, varint(1, 1)),
      text(11, ''),
      text(11, 'x'),
      len(1, varint(5, 5), varint(6, 6), varint(9, 1)),
    )
    expect(codes(read(bytes).notes)).toEqual(['time-without-clock', 'duration-without-clock'])
  })

  test('subtracts the duration from the end time of a profile', () => {
    const base = join(len(3, varint(1, 1)), text(11, ''), text(11, 'x'))
    const timed = read(join(base, fixed64(16, 100n), varint(17, 30))).profiles.profiles
    expect([timed.time(0), timed.duration(0)]).toEqual([70n, 30n])
    const late = read(join(base, fixed64(16, 10n), varint(17, 30)))
    expect([late.profiles.profiles.time(0), late.profiles.profiles.duration(0)]).toEqual([0n, 30n])
    expect(codes(late.notes)).toEqual(['starts-before-1970'])
    expect(codes(read(join(base, varint(17, -1))).notes)).toEqual(['negative-duration'])
  })

  const strings = [text(11, ''), text(11, 'x')]
  const clock = len(12, varint(1, 1000))
  const brokenCases: readonly [name: string, bytes: Uint8Array, what: string, path: string][] = [
    [
      'a missing type',
      join(...strings, len(1, varint(1, 7))),
      'index 7 is outside event_types (length 0)',
      'events[0]',
    ],
    [
      'a missing stack',
      join(...strings, len(3), len(4), len(1), len(1, varint(2, 3))),
      'index 3 is outside stacks (length 1)',
      'events[1]',
    ],
    [
      'a missing attribute',
      join(len(3), len(1, packed(4, [0]))),
      'index 0 is outside attributes (length 0)',
      'events[0]',
    ],
    ['a missing link', join(len(3), len(1, varint(3, 0))), 'index 0 is outside links (length 0)', 'events[0]'],
    ['a missing clock', len(3, varint(3, 0)), 'index 0 is outside clocks (length 0)', 'event_types[0]'],
    ['a clock without a frequency', join(len(12), len(3, varint(3, 0))), 'clock 0 has no frequency', 'event_types[0]'],
    [
      'a missing string',
      join(...strings, len(6, varint(2, 2))),
      'index 2 is outside strings (length 2)',
      'functions[0]',
    ],
    [
      'a missing string of an attribute',
      join(...strings, len(8, len(2, varint(1, 2)))),
      'index 2 is outside strings (length 2)',
      'attributes[0]',
    ],
    [
      'a count that is too large for its value',
      join(...strings, len(3, varint(4, 2n ** 63n)), len(1, varint(8, 4))),
      'value 36893488147419103232 does not fit in 64 bits',
      'events[0]',
    ],
    [
      'a wrong wire type',
      join(clock, len(3, varint(3, 0)), len(1, fixed64(5, 1n))),
      'Event.time is fixed64, expected varint',
      'events[0]',
    ],
    ['a string that is not UTF-8', len(11, Uint8Array.of(0xc0)), 'string is not valid UTF-8', 'strings[0]'],
  ]
  test.each(brokenCases)('rejects %s', (_, bytes, what, path) => {
    let error: unknown
    try {
      read(bytes)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(FormatError)
    const rejection = error as FormatError
    expect([rejection.what, rejection.path]).toEqual([what, path])
    expect(rejection.offset).toBeLessThanOrEqual(bytes.length)
    // It is not an error in lenient mode.
    const lenient = read(bytes, { lenient: true })
    expect(lenient.notes.length).toBeGreaterThan(0)
    expect(findBadReference(lenient.profiles)).toBeUndefined()
  })

  test('reads the intact part of a truncated file', () => {
    const { bytes } = write(read(fixture('a timestamped CPU profile')).profiles)
    expect(() => read(bytes.subarray(0, bytes.length - 3))).toThrow(FormatError)
    expect(codes(read(bytes.subarray(0, bytes.length - 3), { lenient: true }).notes)).toContain('truncated')
    for (let length = 0; length < bytes.length; length++) {
      expect(findBadReference(read(bytes.subarray(0, length), { lenient: true }).profiles)).toBeUndefined()
    }
  })

  test('limits the expansion of a small file', () => {
    const long = text(11, 'x'.repeat(500_000))
    const value = len(1, varint(1, 1))
    const array = len(8, len(2, len(5, ...Array.from({ length: 20_000 }, () => value))))
    expect(() => read(join(text(11, ''), long, array))).toThrow(/expands to more than/)
    let nested = varint(2, 1)
    for (let i = 0; i < 100; i++) nested = len(5, len(1, nested))
    expect(() => read(join(text(11, ''), len(8, len(2, nested))))).toThrow(/nested deeper than/)
  })
})

describe('clocks', () => {
  const clockOf = (frequency: bigint, start = 0n) => ({ frequency, start, attributes: [] })

  test('are exact, or rounded half up', () => {
    expect(nanosOfTicks(3n, clockOf(1000n))).toBe(3_000_000n)
    expect(nanosOfTicks(1n, clockOf(3n))).toBe(333_333_333n)
    expect(nanosOfTicks(1n, clockOf(2_000_000_000n))).toBe(1n)
    expect(nanosOfTicks(-1n, clockOf(2_000_000_000n))).toBe(0n)
    expect(nanosOfTicks(-3n, clockOf(2_000_000_000n))).toBe(-1n)
    expect(timeOfTicks(2n ** 62n, clockOf(2n ** 62n, 5n))).toBe(1_000_000_005n)
  })

  test('restore ticks from nanoseconds up to 1 GHz', () => {
    const frequency = fc.bigInt(1n, 1_000_000_000n)
    fc.assert(
      fc.property(frequency, fc.bigInt(-(2n ** 50n), 2n ** 50n), fc.bigInt(0n, 2n ** 63n), (hz, ticks, start) => {
        const clock = clockOf(hz, start)
        const far = ticks % hz
        expect(ticksOfTime(timeOfTicks(far, clock), clock)).toBe(far)
        if (far >= 0n) expect(ticksOfNanos(nanosOfTicks(far, clock), clock)).toBe(far)
      }),
    )
  })
})

describe('writeEvents', () => {
  test('preserves everything except units of attributes', () => {
    fc.assert(
      fc.property(arbitrarySpec(), spec => {
        const profiles = buildProfiles(withinProposal(spec))
        const { bytes } = write(profiles)
        expect(difference(read(bytes).profiles, profiles)).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })

  test('preserves counts, multiples of a period, zeros and negative values', () => {
    const value = fc.constantFrom(0n, 1n, 10n, 20n, 25n, -10n, 2n ** 63n - 1n, -(2n ** 63n))
    const profile = fc.record({
      type: fc.constant('cpu'),
      unit: fc.constantFrom('', '1', 'count', 'ms'),
      periodType: fc.constantFrom('', 'cpu'),
      periodUnit: fc.constantFrom('', 'ms', 'count'),
      period: fc.constantFrom(0n, 10n, -1n),
      samples: fc.oneof(
        fc.array(
          value.map(v => ({ stack: [main], values: [v] })),
          { maxLength: 4 },
        ),
        fc
          .array(fc.tuple(value, fc.bigInt(0n, 3n)), { minLength: 1, maxLength: 4 })
          .map(pairs => pairs.toSorted((a, b) => Number(a[1] - b[1])))
          .map(pairs => [{ stack: [main], values: pairs.map(([v]) => v), timestamps: pairs.map(([, t]) => t) }]),
      ),
    })
    fc.assert(
      fc.property(fc.array(profile, { minLength: 1, maxLength: 3 }), specs => {
        const profiles = buildProfiles(oneScope(...specs))
        expect(difference(read(write(profiles).bytes).profiles, profiles)).toBeUndefined()
      }),
      { numRuns: 150 },
    )
  })

  test('keeps counts and durations of other events as separate profiles', () => {
    const counts = [{ key: 'events.measure', value: 'count' }]
    const durations = [{ key: 'events.measure', value: 'duration' }]
    const at = (values: bigint[], ...timestamps: bigint[]): SampleSpec[] => [{ stack: [main], values, timestamps }]
    const spec = oneScope(
      { type: 'a', unit: 'By', samples: at([5n], 1n) },
      { type: 'a', unit: 'count', attributes: counts, samples: at([3n], 2n) },
      { type: 'b', unit: 'count', attributes: counts, samples: at([1n], 2n) },
      // Aggregates at the time of the previous event would be read as having none.
      { type: 'g', unit: 'By', samples: at([5n, 6n], 9n, 9n) },
      { type: 'g', unit: 'count', attributes: counts, samples: at([3n, 4n], 9n, 9n) },
      { type: 'c', unit: 'ns', attributes: durations, samples: at([0n], 2n) },
      { type: 'c', unit: 'ns', attributes: durations, samples: at([-5n], 2n) },
      { type: 'd', unit: 'ns', attributes: durations, samples: [{ stack: [main], values: [5n] }] },
      { type: 'e', unit: 'By', samples: at([0n], 1n) },
      { type: 'e', unit: 'ns', attributes: durations, samples: at([4n], 1n) },
      { type: 'f', unit: 'ns', attributes: [...durations, CLOCK], samples: at([4n, 9n], 1n, START) },
    )
    const profiles = buildProfiles(spec)
    expect(difference(read(write(profiles).bytes).profiles, profiles)).toBeUndefined()
  })

  test('does not use a clock that cannot represent the times of a profile', () => {
    const slow: AttributeSpec = {
      key: 'events.clock',
      value: {
        entries: [
          { key: 'frequency', value: 1000n },
          { key: 'time_unix_nano', value: 0n },
        ],
      },
    }
    const spec = (timestamps: bigint[]): ProfilesSpec =>
      oneScope({ type: 'a', unit: 'count', attributes: [slow], samples: [{ stack: [main], timestamps }] })
    for (const timestamps of [[1_000_000n, 5_000_000n], [1_000_001n], [2n ** 64n - 1n]]) {
      const profiles = buildProfiles(spec(timestamps))
      expect(difference(read(write(profiles).bytes).profiles, profiles)).toBeUndefined()
    }
  })

  test('notes what the proposal cannot represent', () => {
    const { notes } = write(richProfiles())
    expect(codes(notes)).toEqual(expect.arrayContaining(['attribute-units', 'empty-resources']))
    const mixed = buildProfiles(
      oneScope({
        type: 'a',
        unit: 'b',
        samples: [{ stack: [], values: [1n] }, { stack: [], timestamps: [1n] }, { stack: [] }],
      }),
    )
    expect(codes(write(mixed).notes)).toEqual(['mixed-shapes', 'empty-samples'])
  })
})

describe('detectEvents', () => {
  test('rejects other files', () => {
    expect(events.detect(encodeOtlp(richProfiles()), '')).toBe('no')
    expect(events.detect(documentExample(), '')).toBe('no')
    expect(events.detect(encodeUtf8('main;run 5\n'), '')).toBe('no')
    expect(events.detect(new Uint8Array(0), '')).toBe('no')
    // A pprof file: a type, a sample, a location, a function, strings, a period.
    const pprof = join(
      len(1, varint(1, 1), varint(2, 2)),
      len(2, packed(1, [1]), packed(2, [5])),
      len(4, varint(1, 1), len(4, varint(1, 1))),
      len(5, varint(1, 1), varint(2, 3)),
      text(6, ''),
      len(11, varint(1, 1)),
    )
    expect(events.detect(pprof, '')).toBe('no')
    expect(
      events.detect(join(len(1, varint(1, 1)), len(3, varint(1, 1)), text(6, ''), len(11, varint(1, 1))), ''),
    ).toBe('no')
  })

  test('recognises events if the head ends among them', () => {
    const many = join(...Array.from({ length: 50 }, (_, i) => len(1, varint(2, i), varint(5, i * 1000))))
    expect(events.detect(many.subarray(0, many.length - 2), '')).toBe('certain')
  })
})

test('readEventProfile rejects broken input with an offset', () => {
  expectRejections(
    events,
    fixtures.map(({ bytes }) => bytes),
  )
})
