// How values and timestamps of generations up to v1.7 become samples, and what may not unfold.
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../format.ts'
import type { PlainMessage } from '../testing/encode-message.ts'
import type { Read } from '../testing/read-legacy.ts'
import { CPU, SAMPLES, codes, read, readProfile, shapes } from '../testing/read-legacy.ts'

describe('values and timestamps', () => {
  test('each type becomes a profile, in order', () => {
    const result = readProfile({
      sample_type: [SAMPLES, CPU],
      sample: [{ value: [3n, -7n] }, { value: [1n, 2n ** 62n] }],
    })
    expect(shapes(result)).toEqual([
      {
        'samples/count': [
          { values: [3n], times: [] },
          { values: [1n], times: [] },
        ],
      },
      {
        'cpu/nanoseconds': [
          { values: [-7n], times: [] },
          { values: [2n ** 62n], times: [] },
        ],
      },
    ])
    expect(result.notes).toEqual([])
  })

  test('one timestamp has the value', () => {
    const result = readProfile({
      sample_type: [CPU],
      sample: [{ value: [5n], timestamps_unix_nano: [2n ** 64n - 1n] }],
    })
    expect(shapes(result)).toEqual([{ 'cpu/nanoseconds': [{ values: [5n], times: [2n ** 64n - 1n] }] }])
  })

  test('as many as timestamps: each counts 1; more or less: it is divided', () => {
    const sample = { value: [2n, 21n], timestamps_unix_nano: [10n, 20n] }
    const result = readProfile({ sample_type: [SAMPLES, CPU], sample: [sample] })
    expect(shapes(result)).toEqual([
      { 'samples/count': [{ values: [], times: [10n, 20n] }] },
      { 'cpu/nanoseconds': [{ values: [11n, 10n], times: [10n, 20n] }] },
    ])
    expect(codes(result)).toEqual({ 'values-spread': 1 })
  })

  test.each([
    [7n, [3n, 2n, 2n]],
    [-7n, [-3n, -2n, -2n]],
    [2n, [1n, 1n, 0n]],
    [-1n, [-1n, 0n, 0n]],
    [0n, [0n, 0n, 0n]],
    [2n ** 63n - 1n, [3074457345618258603n, 3074457345618258602n, 3074457345618258602n]],
    [-(2n ** 63n), [-3074457345618258603n, -3074457345618258603n, -3074457345618258602n]],
  ])('%s divided by three', (value, shares) => {
    const result = readProfile({ sample_type: [CPU], sample: [{ value: [value], timestamps_unix_nano: [1n, 2n, 3n] }] })
    expect(shapes(result)).toEqual([{ 'cpu/nanoseconds': [{ values: shares, times: [1n, 2n, 3n] }] }])
    expect(shares.reduce((a, b) => a + b)).toBe(value)
  })

  test('what eBPF profilers sent', () => {
    const cpu = readProfile({ sample_type: [SAMPLES], sample: [{ value: [1n], timestamps_unix_nano: [1n, 2n, 3n] }] })
    expect(shapes(cpu)).toEqual([{ 'samples/count': [{ values: [], times: [1n, 2n, 3n] }] }])
    expect(codes(cpu)).toEqual({ 'timestamps-counted': 1 })
    const offCpu = readProfile({ sample_type: [CPU], sample: [{ value: [5n, 6n], timestamps_unix_nano: [1n, 2n] }] })
    expect(shapes(offCpu)).toEqual([{ 'cpu/nanoseconds': [{ values: [5n, 6n], times: [1n, 2n] }] }])
    expect(offCpu.notes).toEqual([])
  })

  test('timestamps without values count 1 each', () => {
    const sample = [{ timestamps_unix_nano: [2n, 1n] }]
    expect(shapes(readProfile({ sample_type: [CPU], sample }))).toEqual([
      { 'cpu/nanoseconds': [{ values: [], times: [2n, 1n] }] },
    ])
    expect(shapes(readProfile({ sample }))).toEqual([{ '/': [{ values: [], times: [2n, 1n] }] }])
  })

  test('samples of the same stack, attributes and link become one, in order of time', () => {
    const dictionary = {
      attribute_table: [{ key: 'a' }, { key: 'b' }],
      link_table: [{ trace_id: new Uint8Array(16).fill(1), span_id: new Uint8Array(8).fill(2) }],
    }
    const result = readProfile(
      {
        sample_type: [CPU],
        sample: [
          { value: [30n], timestamps_unix_nano: [3n], attribute_indices: [0, 1] },
          { value: [40n], timestamps_unix_nano: [4n], attribute_indices: [0] },
          { value: [10n, 20n], timestamps_unix_nano: [1n, 2n], attribute_indices: [1, 0] },
          { value: [50n], timestamps_unix_nano: [1n], attribute_indices: [0], link_index: 0 },
          { value: [31n], timestamps_unix_nano: [3n], attribute_indices: [1, 0] },
        ],
      },
      dictionary,
    )
    expect(shapes(result)).toEqual([
      {
        'cpu/nanoseconds': [
          { values: [10n, 20n, 30n, 31n], times: [1n, 2n, 3n, 3n] },
          { values: [40n], times: [4n] },
          { values: [50n], times: [1n] },
        ],
      },
    ])
    expect([0, 1, 2].map(i => result.profiles.samples.link(i))).toEqual([0, 0, 1])
  })

  test('with and without timestamps: two profiles of the same header', () => {
    const result = readProfile({
      sample_type: [SAMPLES, CPU],
      time_nanos: 77n,
      sample: [{ value: [1n, 5n], timestamps_unix_nano: [9n] }, { value: [1n, 1n] }],
    })
    expect(shapes(result)).toEqual([
      { 'samples/count': [{ values: [1n], times: [] }] },
      { 'samples/count': [{ values: [], times: [9n] }] },
      { 'cpu/nanoseconds': [{ values: [1n], times: [] }] },
      { 'cpu/nanoseconds': [{ values: [5n], times: [9n] }] },
    ])
    expect([0, 1, 2, 3].map(i => result.profiles.profiles.time(i))).toEqual([77n, 77n, 77n, 77n])
    expect(codes(result)).toEqual({ 'mixed-shapes': 1 })
  })

  test.each([
    ['too many values', [CPU], { value: [1n, 2n] }],
    ['too few', [SAMPLES, CPU], { value: [1n] }],
    ['none', [CPU], {}],
    ['none for several types', [SAMPLES, CPU], { timestamps_unix_nano: [1n] }],
    ['neither as many as types nor as timestamps', [CPU], { value: [1n, 2n, 3n], timestamps_unix_nano: [1n, 2n] }],
    ['values without a type', [], { value: [1n] }],
    ['nothing at all', [], {}],
  ])('%s', (_, sample_type, sample) => {
    const attempt = (): Read =>
      readProfile({ sample_type, sample: [{ value: sample_type.map(() => 1n), timestamps_unix_nano: [5n] }, sample] })
    expect(attempt).toThrow(FormatError)
    expect(attempt).toThrow(
      new RegExp(`\\d values and \\d timestamps .* ${sample_type.length} sample types.*profiles\\[0\\].sample\\[1\\]`),
    )
  })

  test('a profile without samples or types stays', () => {
    expect(shapes(readProfile({ sample_type: [CPU] }))).toEqual([{ 'cpu/nanoseconds': [] }])
    expect(shapes(readProfile({}))).toEqual([{ '/': [] }])
  })
})

describe('what is hostile', () => {
  test('runs of locations that overlap are not unfolded without limit', () => {
    const count = 10_000
    const sample = Array.from({ length: count }, (_, i) => ({
      locations_start_index: i,
      locations_length: count - i,
      value: [1n],
    }))
    const attempt = (): Read =>
      readProfile(
        { sample_type: [CPU], location_indices: new Array<number>(count).fill(0), sample },
        { location_table: [{}] },
      )
    expect(attempt).toThrow(/unfolds into more than 16777216 numbers/)
  })

  test('timestamps are not copied to sample types without limit', () => {
    const many = 20_000
    const types = new Array<PlainMessage>(many).fill(CPU)
    const sample = { value: new Array<bigint>(many).fill(1n), timestamps_unix_nano: new Array<bigint>(many).fill(1n) }
    expect(() => readProfile({ sample_type: types, sample: [sample] })).toThrow(/unfolds into more than/)
  })

  test('empty profiles cost more than their two bytes', () => {
    const profiles = new Array<PlainMessage>(90_000).fill({})
    expect(() => read('v1.5', { resource_profiles: [{ scope_profiles: [{ profiles }] }] })).toThrow(
      /unfolds into more than .*profiles\[\d+\]/,
    )
  })

  test('a long comment that is repeated', () => {
    const dictionary = { string_table: ['', 'x'.repeat(1 << 20)] }
    const comment_strindices = new Array<number>(1000).fill(1)
    expect(() => readProfile({ comment_strindices }, dictionary)).toThrow(/unfolds into more than/)
  })
})
