import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import type { Note, WriteOptions } from '../format.ts'
import { FormatError } from '../format.ts'
import { readFolded } from './read.ts'
import { fixtures, utf16 } from './testing/fixtures.ts'
import { writeFolded } from './write.ts'

function read(text: string, generation?: string): Profiles {
  return readFolded(encodeUtf8(text), generation === undefined ? {} : { generation }).profiles
}

function write(profiles: Profiles, options: WriteOptions = {}): string {
  const { bytes } = writeFolded(profiles, options)
  return decodeUtf8(bytes)
}

/** The content of the text, with lines of equal stacks summed. */
function again(text: string, options: WriteOptions = {}): string {
  return write(read(text), options)
}

function counts(notes: readonly Note[]): Record<string, number> {
  return Object.fromEntries(notes.map(({ code, count }) => [code, count]))
}

function readNotes(text: string | Uint8Array): Record<string, number> {
  return counts(readFolded(typeof text === 'string' ? encodeUtf8(text) : text).notes)
}

/** Type and unit of each profile and the values of its samples. */
function valuesOf({ dictionary, profiles, samples }: Profiles): Record<string, string[]> {
  const entries = Array.from({ length: profiles.length }, (_, i) => {
    const name = `${dictionary.strings.text(profiles.type(i))}/${dictionary.strings.text(profiles.unit(i))}`
    const rows = Array.from(
      { length: profiles.samplesTo(i) - profiles.samplesFrom(i) },
      (_, k) => profiles.samplesFrom(i) + k,
    )
    return [name, rows.map(row => String(samples.total(row)))] as const
  })
  return Object.fromEntries(entries)
}

function failure(text: string | Uint8Array, generation?: string): FormatError {
  try {
    readFolded(typeof text === 'string' ? encodeUtf8(text) : text, generation === undefined ? {} : { generation })
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error('it was read')
}

describe('reading', () => {
  test.each(fixtures)('$name: is valid, without orphans and duplicate rows', ({ bytes }) => {
    const problems = validate(readFolded(bytes).profiles, { strict: true })
    expect(problems).toEqual([])
  })

  test('equal stacks are one sample, in the order of first appearance', () => {
    expect(valuesOf(read('a;b 1\nc 7\na;b 2\n'))).toEqual({ 'samples/count': ['3', '7'] })
  })

  test('stacks are leaf first, with one location per frame', () => {
    const { dictionary, samples } = read('main;run;gc 1')
    const { stacks, locations, functions, strings } = dictionary
    const rows = stacks.locations.slice(stacks.from(samples.stack(0)), stacks.to(samples.stack(0)))
    const names = rows.map(row => strings.text(functions.name(locations.lines.function(locations.linesFrom(row)))))
    expect(names).toEqual(['gc', 'run', 'main'])
  })

  test('a sum that exceeds 64 bits becomes two samples', () => {
    const text = 'a 9223372036854775807\na 1\na -5\n'
    expect(valuesOf(read(text))).toEqual({ 'samples/count': ['9223372036854775807', '-4'] })
    expect(again(text)).toBe('a 9223372036854775803\n')
  })

  test('frames of all lengths and alignments stay distinct', () => {
    const frames = Array.from({ length: 40 }, (_, i) => 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH'.slice(0, i + 1))
    const lines = frames.flatMap((frame, i) => [
      `${frame} ${i + 1}`,
      `x;${frame};${frame} ${i + 1}`,
      `${frame};x ${i + 1}`,
    ])
    expect(again(lines.join('\n')).split('\n').slice(0, -1)).toEqual([...lines].sort())
  })

  test('a text without lines gives an empty profile', () => {
    for (const text of ['', '\n\n', '# nothing\n']) expect(valuesOf(read(text))).toEqual({ 'samples/count': [] })
  })

  test('names keep their spaces, also if they consist of one', () => {
    expect(again('main; 3\n')).toBe('main;[unknown] 3\n')
    expect(again('main;  3\n a;b  4\n')).toBe(' a;b  4\nmain;  3\n')
    expect(again('tab\t5\n')).toBe('tab 5\n')
  })

  test('invalid UTF-8 is replaced and noted', () => {
    const bytes = Uint8Array.of(0x61, 0x3b, 0xff, 0x20, 0x31)
    expect(write(readFolded(bytes).profiles)).toBe('a;\ufffd 1\n')
    expect(readNotes(bytes)).toEqual({ 'invalid-text': 1 })
    expect(readNotes(utf16('a;\ud800 1', 'big'))).toEqual({ 'invalid-text': 1 })
  })
})

describe('dialects', () => {
  test.each([
    ['plain', 'a;b 1\na;c 5 6\n'],
    ['plain', 'thread 1 5\nmain 3\n'],
    ['differential', 'a;b 1 2\na;c 5 6\n'],
    ['extended', 'a;b 1 2\na;c 5 k=v\n'],
    ['extended', 'a;b 1\na;c 5 k=v 6\n'],
    ['plain', 'a;b 1\na=b 5\nc;d=e 5\n'],
  ])('%s: %j', (dialect, text) => {
    expect(readFolded(encodeUtf8(text)).generation).toBe(dialect)
  })

  test('a differential file is two profiles, written again as one file', () => {
    const text = 'main;new 0 5\nmain;run 12 10\n'
    expect(valuesOf(read(text))).toEqual({ 'before/count': ['0', '12'], 'after/count': ['5', '10'] })
    expect(again(text)).toBe(text)
    expect(write(read(text), { type: 'after' })).toBe('main;new 5\nmain;run 10\n')
  })

  test('the caller can choose the dialect', () => {
    expect(valuesOf(read('worker 3 17', 'plain'))).toEqual({ 'samples/count': ['17'] })
    expect(valuesOf(read('worker 3 17', 'extended'))).toEqual({ 'samples/count': ['3'] })
    expect(failure('worker 17', 'differential').what).toBe('line 1 does not end in two values')
    expect(() => read('a 1', 'folded')).toThrow(RangeError)
  })

  test('a header protects names that would suggest another dialect', () => {
    for (const text of ['worker 3 17\n', 'f 2 x=y 17\n']) {
      const profiles = read(text, 'plain')
      expect(write(profiles)).toBe(`# dialect=plain\n${text}`)
      expect(difference(read(write(profiles)), profiles)).toBeUndefined()
    }
  })

  test('extended lines have attributes, ids and a time', () => {
    const ids = 'trace_id=0x0102030405060708090a0b0c0d0e0f10,span_id=1112131415161718'
    const { dictionary, profiles, samples } = read(`a;b 5 region=us,zone=,${ids} 18446744073709551615\na 3 region=us\n`)
    expect(profiles.length).toBe(2)
    const [timed, link] = [1, samples.link(1)]
    const attributes = samples.attributesOf(timed).map(row => dictionary.strings.text(dictionary.attributes.key(row)))
    expect(attributes.sort()).toEqual(['region', 'zone'])
    expect(Array.from(dictionary.links.traceId(link))).toEqual(Array.from({ length: 16 }, (_, i) => i + 1))
    expect(Array.from(dictionary.links.spanId(link))).toEqual(Array.from({ length: 8 }, (_, i) => i + 17))
    expect(samples.timestamps.unsigned()[0]).toBe(2n ** 64n - 1n)
    expect(samples.total(timed)).toBe(5n)
    expect(samples.link(0)).toBe(0)
  })

  test('observations of one stack are one sample, in the order of the file', () => {
    const { samples } = read('a 5 k=1,l=2 30\nb 1 k=1 10\na 7 l=2,k=1 20\n')
    expect(samples.length).toBe(2)
    expect(Array.from(samples.timestamps.unsigned())).toEqual([30n, 20n, 10n])
    expect(Array.from(samples.values.signed())).toEqual([5n, 7n, 1n])
  })

  test('ids of a wrong length stay attributes, and the last of two equal keys wins', () => {
    const text = 'a 5 trace_id=0x12\nb 1 k=1,k=2\n'
    expect(readNotes(text)).toEqual({ 'bad-id': 1, 'duplicate-attribute': 1 })
    expect(again(text, { extended: true })).toBe(
      '# dialect=extended type=samples unit=count\na 5 %74race_id=0x12\nb 1 k=2\n',
    )
  })
})

describe('values with decimals', () => {
  test('all values of a file are multiplied by the same power of ten', () => {
    const text = 'a 0.125\nb 12.5\nc 3\nd -1e-2\n'
    expect(valuesOf(read(text))).toEqual({ 'samples/count/1000': ['125', '12500', '3000', '-10'] })
    expect(readNotes(text)).toEqual({ 'fractional-values': 3 })
    expect(again(text)).toBe('a 0.125\nb 12.5\nc 3\nd -0.01\n')
    expect(again(text, { extended: true })).toContain('unit=count/1000\na 125\n')
  })

  test('integers stay integers in every notation', () => {
    expect(valuesOf(read('a 5.0\nb 1e3\nc 2.\nd 1200e-2\ne -0\n'))).toEqual({
      'samples/count': ['5', '1000', '2', '12', '0'],
    })
  })

  test('decimals that do not fit are rounded and noted', () => {
    const text = 'a 123456789012.123456789\nb 0.9999999\nc -0.0000005\nd 1e-400\n'
    expect(valuesOf(read(text))).toEqual({ 'samples/count/1000000': ['123456789012123457', '1000000', '-1', '0'] })
    expect(readNotes(text)).toEqual({ 'fractional-values': 4, 'rounded-values': 4 })
    expect(valuesOf(read('a 9223372036854775807\nb 1.5\n'))).toEqual({ 'samples/count': ['9223372036854775807', '2'] })
  })
})

describe('names', () => {
  const brokenA = Uint8Array.of(0x61, 0xff)
  const mendedA = encodeUtf8('a\ufffd')
  const type = encodeUtf8('samples')
  const unit = encodeUtf8('count')
  const empty = new Uint8Array(0)
  // Texts of the same name, which must share a function, and also a location if nothing else distinguishes them.
  const texts: readonly Uint8Array[] = [
    ...['a', 'a_[k]', 'a_[k]_[k]', 'a_[i]', 'a_[', '[unknown]', '[unknown]_[j]', '_[k]', 'key'].map(encodeUtf8),
    brokenA,
    mendedA,
    type,
    unit,
    empty,
  ]

  test('every pair of frames, in either order, is in the dictionary once', () => {
    for (const first of texts) {
      for (const second of texts) {
        const lines = [first, second, first].map(text => [...text, 0x3b, ...second, ...encodeUtf8(';z 1\n')])
        const bytes = Uint8Array.from([...encodeUtf8('y 1\n'), ...lines.flat()])
        const { profiles } = readFolded(bytes)
        // The check includes equal rows.
        expect(validate(profiles, { strict: true })).toEqual([])
      }
    }
  })
})

describe('annotations', () => {
  test('inlined frames are lines of their caller, the innermost first', () => {
    const { dictionary, samples } = read('java;run_[j];get_[i];put_[i];read 7')
    const { stacks, locations, functions, strings } = dictionary
    const rows = stacks.locations.slice(stacks.from(samples.stack(0)), stacks.to(samples.stack(0)))
    const lines = rows.map(row =>
      Array.from({ length: locations.linesTo(row) - locations.linesFrom(row) }, (_, k) =>
        strings.text(functions.name(locations.lines.function(locations.linesFrom(row) + k))),
      ),
    )
    expect(lines).toEqual([['read'], ['put', 'get', 'run'], ['java']])
  })

  test('are written if the profile had them, or on request', () => {
    const text = 'a_[k];b_[i] 1\nc_[w];d_[j];e_[x] 2\n_[k] 3\n'
    expect(again(text)).toBe('_[k] 3\na_[k];b_[i] 1\nc_[w];d_[j];e_[x] 2\n')
    expect(write(read(text), { annotations: false })).toBe('_[k] 3\na;b 1\nc;d;e_[x] 2\n')
  })

  test('frames of other formats are not marked', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'samples', unit: 'count' })
    const lines = ['inner', 'outer'].map(name => ({ function: b.function({ name }) }))
    const location = b.location({ lines, attributes: [b.attribute('profile.frame.type', 'kernel')] })
    b.sample({ stack: b.stack([location]), values: [5] })
    const profiles = b.build()
    expect(write(profiles)).toBe('outer;inner 5\n')
    expect(write(profiles, { annotations: true })).toBe('outer_[k];inner_[i] 5\n')
    expect(counts(writeFolded(profiles).notes)).toEqual({ 'location-attributes': 1, inlining: 1 })
  })
})

describe('a file without a readable line is an error with the line and the offset', () => {
  test.each([
    ['\na;b\n', 1, 'line 2 has no value at its end'],
    ['\n\n# c\n 5\n', 6, 'line 4 has a value but no stack'],
    ['17', 0, 'line 1 has a value but no stack'],
    ['a;5', 0, 'line 1 has no value at its end'],
    ['b nan\nc', 0, 'line 1 has no value at its end'],
    ['a 9223372036854775808', 2, 'the value of line 1 does not fit in 64 bits'],
    ['a -9223372036854775809', 2, 'the value of line 1 does not fit in 64 bits'],
    ['a 1e30', 2, 'the value of line 1 does not fit in 64 bits'],
    ['a 1e999999999', 2, 'the value of line 1 does not fit in 64 bits'],
    ['a 1 k=v 18446744073709551616', 8, 'the timestamp of line 1 does not fit in 64 bits'],
  ])('%j', (text, offset, what) => {
    const error = failure(text)
    expect(error.what).toBe(what)
    expect(error.offset).toBe(offset)
  })

  test('a number of any length is rejected at once', () => {
    expect(failure(`a ${'9'.repeat(1_000_000)}`).what).toBe('the value of line 1 does not fit in 64 bits')
    expect(failure(`a 0.${'9'.repeat(1_000_000)}`).what).toBe('line 1 has no value at its end')
  })

  test('offsets in UTF-16 refer to the file', () => {
    expect(failure(utf16('é🔥;b x\nx\n', 'little')).offset).toBe(2)
    expect(failure(utf16('# é🔥\nx\n', 'little')).offset).toBe(2 + 2 * 6)
  })
})

describe('writing', () => {
  function profileOf(names: readonly (readonly string[])[], header = { type: 'samples', unit: 'count' }): Profiles {
    const b = new ProfilesBuilder()
    b.profile(header)
    for (const frames of names) {
      const stack = frames.map(name => b.location({ lines: [{ function: b.function({ name }) }] })).reverse()
      b.sample({ stack: b.stack(stack), values: [1] })
    }
    return b.build()
  }

  test('lines are sorted bytewise, as a whole', () => {
    const text = again('b 5\nb 3 7\na;b 1\na b 1\nA 1\né 2\nab 1\na 10\na 9 x 1\n')
    expect(text).toBe('A 1\na 10\na 9 x 1\na b 1\na;b 1\nab 1\nb 3 7\nb 5\né 2\n')
  })

  test('names fall back to the system name, the mapping and address, [unknown]', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'samples', unit: 'count' })
    const mapping = b.mapping({ filename: '/usr/lib/libc.so.6' })
    const system = b.location({ lines: [{ function: b.function({ systemName: '_Zfoo' }) }] })
    const frames = [
      b.location({ address: 0x1234 }),
      b.location({ mapping, address: 0xabcn }),
      b.location({ mapping }),
      system,
    ]
    b.sample({ stack: b.stack(frames), values: [1] })
    b.sample({ stack: b.stack([]), values: [2] })
    const { bytes, notes } = writeFolded(b.build())
    expect(decodeUtf8(bytes)).toBe('[unknown] 2\n_Zfoo;[libc.so.6];libc.so.6+0xabc;0x1234 1\n')
    expect(counts(notes)).toEqual({ 'empty-stack': 1 })
  })

  test('characters that a name cannot contain are replaced and noted, or escaped', () => {
    const profiles = profileOf([
      ['a;b', 'c\nd\r', 'e_[k]'],
      ['#f', '100%'],
    ])
    const { bytes, notes } = writeFolded(profiles)
    expect(decodeUtf8(bytes)).toBe(' #f;100% 1\na:b;c d ;e_[k] 1\n')
    expect(counts(notes)).toEqual({ 'semicolon-in-name': 1, 'newline-in-name': 1, 'annotation-in-name': 1 })
    expect(difference(read(write(profiles, { extended: true })), profiles)).toBeUndefined()
  })

  test('a name that begins with a byte order mark keeps it', () => {
    const profiles = profileOf([['\ufeffa']])
    expect(write(profiles)).toBe('\ufeff\ufeffa 1\n')
    expect(difference(read(write(profiles)), profiles)).toBeUndefined()
  })

  test('losses are counted', () => {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'service.name', value: 'x' }] })
    b.scope({ name: 's', version: '1' })
    b.profile({
      type: 'cpu',
      unit: 'ns',
      period: 10,
      timeUnixNano: 5n,
      durationNano: 7,
      id: new Uint8Array(16).fill(1),
    })
    const mapping = b.mapping({ filename: 'x' })
    const row = b.function({ name: 'f', systemName: '_f', filename: 'f.c', startLine: 3 })
    const location = b.location({ mapping, address: 5, lines: [{ function: row, line: 7 }] })
    const attributes = [b.attribute('k', 'v'), b.attribute('n', 5n, 'bytes')]
    const link = b.link(new Uint8Array(16).fill(1), new Uint8Array(8).fill(2))
    b.sample({ stack: b.stack([location]), attributes, link, values: [1, 2], timestamps: [5, 6] })
    b.profile({ type: 'other', unit: 'count' })
    const profiles = b.build()
    const names = { addresses: 1, mappings: 1, 'line-numbers': 1, 'file-names': 1, 'start-lines': 1, 'system-names': 1 }
    const around = { 'profiles-left-out': 1, scope: 2, resource: 1 }
    expect(write(profiles)).toBe('f 3\n')
    expect(counts(writeFolded(profiles).notes)).toEqual({
      ...names,
      ...around,
      'profile-fields': 6,
      attributes: 2,
      links: 1,
      timestamps: 2,
    })
    expect(counts(writeFolded(profiles, { extended: true }).notes)).toEqual({
      ...names,
      ...around,
      'profile-fields': 1,
      'attribute-types': 1,
      'attribute-units': 1,
    })
  })

  test('the type selects the profile', () => {
    const b = new ProfilesBuilder()
    for (const [i, type] of ['cpu', 'wall'].entries()) {
      b.profile({ type, unit: 'count' })
      b.sample({ stack: b.stack([b.location({ address: 1 })]), values: [i] })
    }
    const profiles = b.build()
    expect(write(profiles, { type: 'wall' })).toBe('0x1 1\n')
    expect(() => write(profiles, { type: 'heap' })).toThrow(
      'no profile has the type "heap"; available types: cpu, wall',
    )
  })

  test('timestamps without values count one each', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'samples', unit: 'count' })
    b.sample({ stack: b.stack([b.location({ address: 1 })]), timestamps: [7, 8, 9] })
    expect(write(b.build())).toBe('0x1 3\n')
  })

  test('sums beyond 64 bits are exact', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'samples', unit: 'count' })
    const address = (at: number) =>
      b.stack([b.location({ address: at, lines: [{ function: b.function({ name: 'f' }) }] })])
    for (const at of [1, 2, 3]) b.sample({ stack: address(at), values: [2n ** 63n - 1n] })
    b.sample({ stack: address(4), values: [2n ** 53n] })
    b.sample({ stack: address(5), values: [1] })
    expect(write(b.build())).toBe(`f ${3n * (2n ** 63n - 1n) + 2n ** 53n + 1n}\n`)
  })

  test('a payload without profiles gives an empty text', () => {
    expect(write(new ProfilesBuilder().build())).toBe('')
    expect(write(new ProfilesBuilder().build(), { extended: true })).toBe('')
  })
})

describe('invalid lines', () => {
  test('are skipped and counted, as by flamegraph.pl', () => {
    const text = 'a;b 5\nno value here\na;b 3ms\na 99999999999999999999\n7\na;c 2\na;cut o'
    const { profiles, notes } = readFolded(encodeUtf8(text))
    expect(profiles.samples.values.signed()).toEqual(BigInt64Array.of(5n, 2n))
    const message = /the first: folded: line 2 has no value at its end at byte 6$/
    expect(notes).toMatchObject([
      { code: 'skipped-lines', count: 5, message: expect.stringMatching(message) as string },
    ])
  })

  test('do not change the dialect', () => {
    expect(readFolded(encodeUtf8('Title\na 1 2\nb\nc 3 4\n')).generation).toBe('differential')
  })

  test('that end in half a character of UTF-16 lose only that character', () => {
    const { profiles, notes } = readFolded(utf16('a 1\nb 20', 'big').subarray(0, 17))
    expect(profiles.samples.values.signed()).toEqual(BigInt64Array.of(1n, 2n))
    expect(notes).toMatchObject([{ code: 'invalid-text', count: 1 }])
  })
})
