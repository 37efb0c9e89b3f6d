// Conversion of values and timestamps of generations up to v1.7 to samples, and limits on their expansion.
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../format.ts'
import type { PlainMessage } from '../testing/encode-message.ts'
import type { Read } from '../testing/read-legacy.ts'
import { CPU, SAMPLES, codes, read, readProfile, shapes } from '../testing/read-legacy.ts'

describe('readLegacy of values and timestamps', () => {
  test('makes one profile for each type, in order', () => {
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

  test('assigns the value to a single timestamp', () => {
    const result = readProfile({
      sample_type: [CPU],
      sample: [{ value: [5n], timestamps_unix_nano: [2n ** 64n - 1n] }],
    })
    expect(shapes(result)).toEqual([{ 'cpu/nanoseconds': [{ values: [5n], times: [2n ** 64n - 1n] }] }])
  })

  test('counts 1 per timestamp if the value equals their number, and divides other values', () => {
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
  ])('divides %s by three', (value, shares) => {
    const result = readProfile({ sample_type: [CPU], sample: [{ value: [value], timestamps_unix_nano: [1n, 2n, 3n] }] })
    expect(shapes(result)).toEqual([{ 'cpu/nanoseconds': [{ values: shares, times: [1n, 2n, 3n] }] }])
    expect(shares.reduce((a, b) => a + b)).toBe(value)
  })

  test('reads the samples of eBPF profilers', () => {
    const cpu = readProfile({ sample_type: [SAMPLES], sample: [{ value: [1n], timestamps_unix_nano: [1n, 2n, 3n] }] })
    expect(shapes(cpu)).toEqual([{ 'samples/count': [{ values: [], times: [1n, 2n, 3n] }] }])
    expect(codes(cpu)).toEqual({ 'timestamps-counted': 1 })
    const offCpu = readProfile({ sample_type: [CPU], sample: [{ value: [5n, 6n], timestamps_unix_nano: [1n, 2n] }] })
    expect(shapes(offCpu)).toEqual([{ 'cpu/nanoseconds': [{ values: [5n, 6n], times: [1n, 2n] }] }])
    expect(offCpu.notes).toEqual([])
  })

  test('counts 1 for each timestamp without values', () => {
    const sample = [{ timestamps_unix_nano: [2n, 1n] }]
    expect(shapes(readProfile({ sample_type: [CPU], sample }))).toEqual([
      { 'cpu/nanoseconds': [{ values: [], times: [2n, 1n] }] },
    ])
    expect(shapes(readProfile({ sample }))).toEqual([{ '/': [{ values: [], times: [2n, 1n] }] }])
  })

  test('notes that link 0 of v1.3 is ambiguous if the first link is not empty', () => {
    const link = { trace_id: new Uint8Array(16).fill(1), span_id: new Uint8Array(8).fill(2) }
    const ofLinks = (...link_table: readonly PlainMessage[]): Read => {
      const sample = [{ value: [1n] }, { value: [2n], link: 0n }, { value: [3n], link: 1n }]
      const profile = { sample_type: [{}], sample, link_table, string_table: [''] }
      return read('v1.3', { resource_profiles: [{ scope_profiles: [{ profiles: [{ profile }] }] }] })
    }
    const { profiles, notes } = ofLinks(link, { ...link, span_id: new Uint8Array(8).fill(3) })
    expect(notes).toMatchObject([{ code: 'ambiguous-link', count: 2 }])
    expect([0, 1, 2].map(s => profiles.samples.link(s) > 0)).toEqual([false, false, true])
    expect(ofLinks({}, link).notes).toEqual([])
  })

  test('merges samples with the same stack, attributes and link, in order of time', () => {
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

  test('makes two profiles with the same header if only some samples have timestamps', () => {
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
    ['more values than types', [CPU], { value: [1n, 2n] }],
    ['fewer values than types', [SAMPLES, CPU], { value: [1n] }],
    ['no values', [CPU], {}],
    ['no values for several types', [SAMPLES, CPU], { timestamps_unix_nano: [1n] }],
    ['values that match neither types nor timestamps', [CPU], { value: [1n, 2n, 3n], timestamps_unix_nano: [1n, 2n] }],
    ['values without a type', [], { value: [1n] }],
    ['neither types nor values', [], {}],
  ])('rejects a sample with %s', (_, sample_type, sample) => {
    const attempt = (): Read =>
      readProfile({ sample_type, sample: [{ value: sample_type.map(() => 1n), timestamps_unix_nano: [5n] }, sample] })
    expect(attempt).toThrow(FormatError)
    expect(attempt).toThrow(
      new RegExp(`\\d values and \\d timestamps.* ${sample_type.length} sample types.*profiles\\[0\\].sample\\[1\\]`),
    )
  })

  test('keeps a profile without samples or types', () => {
    expect(shapes(readProfile({ sample_type: [CPU] }))).toEqual([{ 'cpu/nanoseconds': [] }])
    expect(shapes(readProfile({}))).toEqual([{ '/': [] }])
  })
})

describe('readLegacy of hostile input', () => {
  test('limits the expansion of runs of locations that overlap', () => {
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
    expect(attempt).toThrow(/expands to more than 16777216 numbers/)
  })

  test('limits the copies of timestamps for sample types', () => {
    const many = 20_000
    const types = new Array<PlainMessage>(many).fill(CPU)
    const sample = { value: new Array<bigint>(many).fill(1n), timestamps_unix_nano: new Array<bigint>(many).fill(1n) }
    expect(() => readProfile({ sample_type: types, sample: [sample] })).toThrow(/expands to more than/)
  })

  test('limits the number of empty profiles', () => {
    const profiles = new Array<PlainMessage>(90_000).fill({})
    expect(() => read('v1.5', { resource_profiles: [{ scope_profiles: [{ profiles }] }] })).toThrow(
      /expands to more than .*profiles\[\d+\]/,
    )
  })

  test('limits the copies of a long comment', () => {
    const dictionary = { string_table: ['', 'x'.repeat(1 << 20)] }
    const comment_strindices = new Array<number>(1000).fill(1)
    expect(() => readProfile({ comment_strindices }, dictionary)).toThrow(/expands to more than/)
  })
})
