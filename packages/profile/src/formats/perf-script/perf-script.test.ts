// Tests the meaning of the lines of `perf script`, and writing profiles as such.
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { formats } from '../registry.ts'
import { fixturesOf } from '../testing/fixtures-of.ts'
import { perfScript } from './index.ts'
import { readPerfScript } from './read.ts'
import { fixtures } from './testing/fixtures.ts'
import { attributes, testSamples } from './testing/test-samples.ts'
import { writePerfScript } from './write.ts'

const OFFSET = 'perf.frame.symbol_offset'
const TYPE = 'profile.frame.type'

function fixture(name: string): Profiles {
  return readPerfScript(fixtures.find(one => one.name === name)!.bytes).profiles
}

function read(text: string): Profiles {
  return readPerfScript(encodeUtf8(text)).profiles
}

function write(profiles: Profiles): string {
  const { bytes } = writePerfScript(profiles)
  return decodeUtf8(bytes)
}

function refusal(text: string): FormatError {
  try {
    read(text)
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error('the reader did not throw')
}

describe('samples', () => {
  test('have frames with the type that the file name shows', () => {
    const [first, second] = testSamples(fixture('a callchain'))
    expect(first.attributes).toEqual({ 'thread.id': 7971n, 'thread.name': 'app' })
    expect(first).toMatchObject({ type: 'cycles:u', values: [321n], times: [2782_992_243_000n] })
    expect(first.frames).toEqual([
      {
        address: 'ffffffffa4c7c5c6',
        file: '[kernel.kallsyms]',
        lines: ['native_write_msr'],
        attributes: { [TYPE]: 'kernel', [OFFSET]: 6n },
      },
      {
        address: 'ffffffffc0001010',
        file: '[nfs]',
        lines: ['nfs_read'],
        attributes: { [TYPE]: 'kernel', [OFFSET]: 16n },
      },
      {
        address: '11de5',
        file: '/usr/lib64/ld-2.25.so',
        lines: ['_dl_name_match_p'],
        attributes: { [TYPE]: 'native' },
      },
      {
        address: '7fa4b39f24f8',
        file: '/tmp/perf-4771.map',
        lines: ['Lgroovy/text/Template;::run'],
        attributes: { [TYPE]: 'jit' },
      },
      { address: '6e696c2d646c0036', file: '', lines: [], attributes: {} },
    ])
    expect(second.frames.map(({ lines }) => lines)).toEqual([['native_write_msr'], ['_dl_name_match_p']])
  })

  test('can have thread names with spaces, digits and slashes; without one the name is the id', () => {
    const samples = testSamples(fixture('names with blanks and digits'))
    expect(samples.map(sample => sample.attributes)).toEqual([
      { 'process.pid': 7564n, 'thread.id': 7571n, 'cpu.logical_number': 2n, 'thread.name': 'Web Content 12' },
      { 'thread.id': 123n, 'cpu.logical_number': 0n },
      { 'thread.id': 44n, 'cpu.logical_number': 1n, 'thread.name': 'kworker/u8:2-ev' },
      { 'cpu.logical_number': 1n },
    ])
    expect(samples[0].frames[0]).toMatchObject({ lines: ['a b (c) d(int)'], file: '/tmp/my app (deleted)' })
    expect(samples[2].frames[0]).toMatchObject({ lines: ['operator()(int) (.constprop.0)'], file: '/bin/x' })
    expect(samples[2].times).toEqual([2_500_000_000n])
  })

  test('the samples of each event form a profile, in the order of the header', () => {
    const { profiles, dictionary, resources, scopes } = fixture('a header')
    const rows = [0, 1].map(p => ({
      type: dictionary.strings.text(profiles.type(p)),
      unit: dictionary.strings.text(profiles.unit(p)),
      period: profiles.period(p),
      attributes: attributes(dictionary, profiles.attributesOf(p)),
    }))
    expect(profiles.length).toBe(2)
    expect(rows).toEqual([
      { type: 'cycles:u', unit: 'count', period: 0n, attributes: { 'perf.frequency': 4000n, 'perf.clock': 'perf' } },
      { type: 'cpu/event=0x3c,umask=0x1/', unit: 'count', period: 1000n, attributes: { 'perf.clock': 'perf' } },
    ])
    expect(profiles.time(0)).toBe(2782_992_243_123n)
    expect(profiles.duration(0)).toBe(2n)
    expect(resources.resource(0).attributes.map(({ value }) => value)).toEqual([
      'box',
      'amd64',
      'Some(R) CPU @ 2.67GHz',
      'linux',
      '5.11.0-27-generic',
    ])
    expect(scopes.scope(0)).toMatchObject({
      name: 'perf',
      version: '5.11.22',
      attributes: [
        { key: 'perf.command_line', value: '/usr/bin/perf record -F 4000 -g dot -Tsvg x.dot' },
        { key: 'perf.captured_on', value: 'Sat Sep  4 10:27:47 2021' },
      ],
    })
  })

  test('can consist of one line', () => {
    const samples = testSamples(fixture('one line for each sample'))
    expect(samples.map(({ frames }) => frames[0].lines)).toEqual([[], ['memcpy']])
    expect(samples[1].attributes).toMatchObject({ 'thread.name': 'cc', 'thread.id': 5856n })
  })

  test('without periods count as one, and without times are summed', () => {
    expect(testSamples(fixture('without periods'))).toMatchObject([
      { values: [], times: [5076_100_000_000n, 5076_200_000_000n] },
    ])
    const untimed = fixture('without times')
    expect(testSamples(untimed)).toMatchObject([
      { values: [500_000n], times: [], attributes: { 'thread.name': 'app' } },
      { values: [250_000n], times: [], attributes: { 'thread.name': 'cc', 'cpu.logical_number': 7n } },
    ])
    expect(untimed.profiles.time(0)).toBe(0n)
  })

  test('have inlined calls as lines of the next frame if that has the same address', () => {
    const [first, second] = testSamples(fixture('inlined calls'))
    expect(
      first.frames.map(({ address, lines, file, attributes: { 'perf.frame.inlined': inlined } }) => [
        address,
        lines,
        file,
        inlined,
      ]),
    ).toEqual([
      ['1bccb', ['inner', 'middle', 'outer'], '/usr/lib/ld.so', undefined],
      ['20ce7', ['lost'], '', true],
      ['1ab77', ['_start'], '/usr/lib/ld.so', undefined],
    ])
    expect(second.frames[0].lines).toEqual(['outer'])
  })

  test('have a function [unknown] where a frame has neither address, name nor file', () => {
    const profiles = read('app 1 1.5: 10 cycles: \n\t 0 [unknown] ([unknown])\n\t 12 main (/bin/app)\n\n')
    const [{ frames }] = testSamples(profiles)
    expect(frames.map(({ lines }) => lines)).toEqual([['[unknown]'], ['main']])
    expect(difference(read(write(profiles)), profiles)).toBeUndefined()
  })

  test('have source lines that belong to the previous frame', () => {
    const [{ frames }] = testSamples(fixture('source lines'))
    expect(frames.map(({ lines }) => lines)).toEqual([
      ['mas_wr_store_type'],
      ['_dl_start_final rtld.c:497', '_dl_start rtld.c:584'],
      ['_start'],
      [' start.S:0'],
    ])
  })

  test('get build ids from paths and from records of memory maps', () => {
    const ids = (profiles: Profiles): unknown[] => {
      const { mappings } = profiles.dictionary
      const rows = Array.from({ length: mappings.length - 1 }, (_, i) => mappings.attributesOf((i + 1) as never))
      return rows.map(row => attributes(profiles.dictionary, row)['process.executable.build_id.gnu'])
    }
    expect(ids(fixture('build ids in paths'))).toEqual([
      '4bea81c2d3e4f5061728394a5b6c7d8e9f0011aa',
      '00112233445566778899aabbccddeeff00112233',
      undefined,
    ])
    expect(ids(fixture('a tracepoint and other records'))).toEqual([
      undefined,
      '1d8f2556ed30c02f74f5a3c1fc68f0ed70ac2477',
    ])
  })

  test('have Unix timestamps if there is a reference time', () => {
    const profiles = fixture('a known clock')
    expect(testSamples(profiles)[0].times).toEqual([4562_463_497_000n - 4562_263_119_753n + 1794738619_938_358_000n])
    expect(attributes(profiles.dictionary, profiles.profiles.attributesOf(0))).toEqual({})
  })

  test('come with notes about skipped records', () => {
    const { bytes } = fixtures.find(({ name }) => name === 'a tracepoint and other records')!
    const notes = Object.fromEntries(readPerfScript(bytes).notes.map(({ code, count }) => [code, count]))
    expect(notes).toEqual({ 'other-records': 4, 'lost-samples': 12, 'event-text': 1, clock: 1 })
  })
})

describe('invalid text', () => {
  test('without a sample is rejected with the line and the offset', () => {
    expect(refusal('')).toMatchObject({ offset: 0, what: 'the text has no samples' })
    expect(refusal('\n\nnonsense\nmore\n')).toMatchObject({
      offset: 2,
      what: 'line 3 is neither a sample nor part of one',
    })
    expect(refusal('    10 f (/x)\n').what).toBe('line 1 is neither a sample nor part of one')
    expect(refusal('a 1 99999999999999.5: 2 cycles:\n').what).toBe('line 1 has a time that does not fit in 64 bits')
    expect(refusal('a 1 1.5: 9223372036854775808 cycles:\n').what).toBe(
      'line 1 has a period that does not fit in 64 bits',
    )
  })

  test('between samples and frames is skipped, such as warnings, registers and a truncated line', () => {
    const text = encodeUtf8(
      'Failed to open /tmp/perf-1.map, continuing without symbols\na 1 1.5: 2 cycles:\n\t10 f (/x)\n' +
        'addr2line: DWARF error\n ABI:2    AX:0x1    BX:0x2\n\t20 main (/x)\n\n' +
        'a 1 1.6: 99999999999999999999 cycles:\n\t30 lost (/x)\n\na 1 1.',
    )
    const { profiles, notes } = readPerfScript(text)
    expect(testSamples(profiles)).toMatchObject([{ values: [2n], frames: [{ lines: ['f'] }, { lines: ['main'] }] }])
    const message = expect.stringMatching(
      /the first: perf-script: line 1 is neither a sample nor part of one at byte 0$/,
    ) as string
    expect(notes[0]).toMatchObject({ code: 'skipped-lines', count: 5, message })
  })

  test('that other columns explain is read', () => {
    const frames = '\tffff81 read ([k])\n\t10 main (/x)\n\n'
    const callers = [{ lines: ['read'] }, { lines: ['main'] }]
    const cases: readonly (readonly [string, object])[] = [
      // perf script -F ip,sym and -F comm,ip,sym
      [frames, {}],
      [`Web Content \n${frames}`, { 'thread.name': 'Web Content' }],
      [`app 12 [001] d..2. 5.000001: sched:sched_switch: x\n${frames}`, { 'thread.id': 12n, 'cpu.logical_number': 1n }],
      [`:-1 -1 [001] 5.000001: cycles:\n${frames}`, { 'cpu.logical_number': 1n }],
      ['app 12 5.000001: cycles: ffff81 read ([k]) ilen: 3 insn: 48 89 e5\n\t10 main (/x)\n', { 'thread.id': 12n }],
    ]
    for (const [text, attributes] of cases) {
      const [sample] = testSamples(readPerfScript(encodeUtf8(text)).profiles)
      expect([text, sample.frames]).toMatchObject([text, callers])
      expect(sample.attributes).toMatchObject(attributes)
    }
  })

  test('in names that are not UTF-8 is repaired', () => {
    const bytes = encodeUtf8('aXb 1 1.5: 2 cycles:\n\t10 fX (/x)\n')
    const broken = bytes.map(byte => (byte === 0x58 ? 0xff : byte))
    const { profiles, notes } = readPerfScript(broken)
    expect(testSamples(profiles)).toMatchObject([
      { attributes: { 'thread.name': 'a\ufffdb' }, frames: [{ lines: ['f\ufffd'] }] },
    ])
    expect(notes.find(({ code }) => code === 'invalid-text')?.count).toBe(2)
  })
})

describe('writePerfScript', () => {
  test('writes text that reads back the same for every fixture, except for noted losses', () => {
    for (const { name, bytes } of fixtures) {
      const { profiles } = readPerfScript(bytes)
      const written = writePerfScript(profiles)
      const again = readPerfScript(written.bytes).profiles
      if (written.notes.length === 0) expect([name, difference(again, profiles)]).toEqual([name, undefined])
      expect(writePerfScript(again).bytes).toEqual(written.bytes)
    }
  })

  test('writes text that looks like perf output', () => {
    const frames =
      '\tffffffffa4c7c5c6 native_write_msr+0x6 ([kernel.kallsyms])\n\t           11de5 f (/usr/lib64/ld-2.25.so)\n\n'
    const [header, sample] = write(read(`app  7971/7972  [003]  2782.992243001:  321 cycles:u: \n${frames}`)).split(
      '\n#\n',
    )
    expect(header).toBe('# ========\n# event : name = cycles:u, ,\n# ========')
    expect(sample).toBe(`app  7971/7972  [003]  2782.992243001:        321 cycles:u: \n${frames}`)
  })

  test('sorts observations of all events by time', () => {
    const b = new ProfilesBuilder()
    const frame = (name: string) => b.stack([b.location({ lines: [{ function: b.function({ name }) }] })])
    b.profile({ type: 'cycles', unit: 'count' })
    b.sample({ stack: frame('a'), values: [5n, 6n], timestamps: [30n, 10n] })
    b.profile({ type: 'cpu', unit: 'nanoseconds' })
    b.sample({ stack: frame('b'), timestamps: [20n] })
    const lines = write(b.build())
      .split('\n')
      .filter(line => line.startsWith(':') || line.startsWith('#'))
    expect(lines.slice(1, 4)).toEqual([
      '# event : name = cycles, ,',
      '# event : name = cpu, , unit = nanoseconds',
      '# clockid: realtime (0)',
    ])
    expect(lines.slice(-3).map(line => line.replaceAll(/ +/g, ' ').trim())).toEqual([
      ':-1 -1 0.000000010: 6 cycles:',
      ':-1 -1 0.000000020: cpu:',
      ':-1 -1 0.000000030: 5 cycles:',
    ])
  })

  test('adds the process of a resource to its samples', () => {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'process.pid', value: 77n }] })
    b.profile({ type: 'cycles', unit: 'count' })
    b.sample({ stack: b.stack([]), values: [1n], attributes: [b.attribute('thread.id', 78n)] })
    expect(testSamples(read(write(b.build())))[0].attributes).toEqual({ 'process.pid': 77n, 'thread.id': 78n })
  })

  test('writes addresses relative to the file, like perf', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'cycles', unit: 'count' })
    const mapping = b.mapping({
      memoryStart: 0x7f00_0000n,
      memoryLimit: 0x7f10_0000n,
      fileOffset: 0x1000n,
      filename: '/lib/x.so',
    })
    b.sample({ stack: b.stack([b.location({ mapping, address: 0x7f00_0123n })]), values: [1n] })
    const { bytes, notes } = writePerfScript(b.build())
    expect(testSamples(readPerfScript(bytes).profiles)[0].frames[0]).toMatchObject({
      address: '1123',
      file: '/lib/x.so',
    })
    expect(notes.map(({ code }) => code)).toContain('mapping-ranges')
  })

  test('writes only the requested type', () => {
    const profiles = fixture('a header')
    const { bytes, notes } = writePerfScript(profiles, { type: 'cycles:u' })
    expect(testSamples(readPerfScript(bytes).profiles)).toHaveLength(1)
    expect(notes[0]).toMatchObject({ code: 'profiles', count: 1 })
    expect(() => writePerfScript(profiles, { type: 'none' })).toThrow(
      'there is no profile of type "none", only cycles:u, cpu/',
    )
  })
})

describe('detection', () => {
  test('accepts all fixtures', () => {
    for (const { name, bytes } of fixtures) {
      expect([name, perfScript.detect(bytes, '')]).toEqual([name, name === 'no frames' ? 'possible' : 'certain'])
    }
  })

  test('rejects other formats', () => {
    for (const format of formats) {
      if (format === perfScript || format.read === undefined) continue
      for (const { name, bytes } of fixturesOf(format))
        expect([name, perfScript.detect(bytes, '')]).toEqual([name, 'no'])
    }
    expect(perfScript.detect(encodeUtf8('# a comment\nmain;run 5\n'), 'x.perf')).toBe('no')
  })
})
