// Tests for each dialect of legacy pprof and for invalid files.
import { describe, expect, test } from 'vitest'
import type { Profiles } from '../../model/columns/profiles.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { fuzz } from '../testing/fuzz.ts'
import { detectLegacyPprof } from './detect.ts'
import { pprofLegacy } from './index.ts'
import { unsampled } from './legacy-profile.ts'
import { LineReader } from './line-reader.ts'
import { RangeIndex, readMemoryMap } from './memory-map.ts'
import { readLegacyPprof } from './read.ts'
import { dump } from './testing/dump.ts'
import { SYMBOLS, cpuProfile, fixtures, prefixed, texts } from './testing/fixtures.ts'

function samplesOf(text: string): string[] {
  return section(dump(readLegacyPprof(encodeUtf8(text)).profiles), 'Samples:', 'Locations')
}

function section(text: string, from: string, to: string): string[] {
  const lines = text.split('\n').map(line => line.trim().replaceAll(/ +/g, ' '))
  return lines.slice(lines.indexOf(from) + 1, lines.indexOf(to))
}

function typesOf({ profiles, dictionary: { strings } }: Profiles): string[] {
  return Array.from(
    { length: profiles.length },
    (_, i) => `${strings.text(profiles.type(i))}/${strings.text(profiles.unit(i))}`,
  )
}

describe('a symbolized profile of pprof --raw', () => {
  function locationsOf(bytes: Uint8Array): string[] {
    return section(dump(readLegacyPprof(bytes).profiles), 'Locations', 'Mappings')
  }

  test('has the names of its symbols, with inlined functions innermost first', () => {
    const { bytes } = fixtures.find(({ name }) => name === 'symbolized CPU')!
    expect(locationsOf(bytes)).toEqual([
      '1: 0x402100 M=1 inlined::step() :0:0 s=0',
      'work(int) :0:0 s=0',
      '2: 0x4021ff M=1 run(Options const&) :0:0 s=0',
      '3: 0x4022ff M=1 main :0:0 s=0',
      '4: 0x402101 M=1 Counter::operator--(int) :0:0 s=0',
      '5: 0x4023ff M=1',
    ])
    const { profiles, generation } = readLegacyPprof(bytes)
    expect(generation).toBe('cpu')
    expect(profiles.resources.resource(0).attributes).toEqual([{ key: 'process.executable.name', value: 'app' }])
  })

  test.each(['--- heap\n', '--- profile\n', ''])('may be a heap profile after "%s"', page => {
    // pprof keeps the address of the leaf, which is the return address 0x402201 here.
    const symbols = SYMBOLS.replace('0x402101 Counter', '0x402201 Leaf').replace('4022ff', '402300')
    const named = locationsOf(encodeUtf8(symbols + page + texts.heap))
    expect(named.slice(0, 2)).toEqual([
      '1: 0x402200 M=1 Leaf::operator--(int) :0:0 s=0',
      '2: 0x402300 M=1 main :0:0 s=0',
    ])
  })

  test('that was rewritten with a period of 1 has addresses of calls and no time', () => {
    const words = [0, 3, 0, 1, 0, 2, 3, 0x402100, 0x4021ff, 0x4022ff, 1, 2, 0x402101, 0x4021ff]
    const { profiles, notes } = readLegacyPprof(prefixed(`${SYMBOLS}--- profile\n`, cpuProfile(words, 8, true)))
    expect(typesOf(profiles)).toEqual(['samples/count'])
    expect(notes.map(({ code }) => code)).toEqual(['period-unknown'])
    expect(section(dump(profiles), 'Samples:', 'Locations').slice(-2)).toEqual(['2: 1 2 3', '1: 4 2'])
    expect(dump(profiles)).toContain('0x4021ff M=1 run(Options const&)')
  })

  test.each([
    ['ends within its symbols', encodeUtf8(SYMBOLS.replace('---\n', '').replace(/---\n$/, '')), /list of symbols/],
    ['has no profile', encodeUtf8(`${SYMBOLS}--- profile\nnothing`), /expected a legacy/],
  ])('is rejected if it %s', (_, bytes, what) => {
    expect(() => readLegacyPprof(bytes)).toThrow(what)
  })
})

describe('CPU profiles', () => {
  const HEADER = [0, 3, 0, 10_000, 0]
  const END = [0, 1, 0]

  test('read the same in words of all sizes and byte orders', () => {
    const dumps = fixtures
      .filter(({ name }) => name.startsWith('CPU, '))
      .map(({ bytes }) => dump(readLegacyPprof(bytes).profiles))
    expect(dumps).toHaveLength(4)
    expect(new Set(dumps).size).toBe(1)
    // The call is one byte before the return address. The last type is the default one and comes first.
    expect(section(dumps[0], 'Locations', 'Mappings')).toEqual([
      '1: 0x402100 M=1',
      '2: 0x4021ff M=1',
      '3: 0x4022ff M=1',
      '4: 0x402101 M=1',
      '5: 0x4023ff M=1',
    ])
    expect(typesOf(readLegacyPprof(fixtures[0].bytes).profiles)).toEqual(['cpu/nanoseconds', 'samples/count'])
  })

  test('preserve 64-bit addresses exactly', () => {
    const top = 2n ** 64n - 1n
    const { profiles } = readLegacyPprof(cpuProfile([...HEADER, 1, 2, top, 2n ** 63n, 1, 1, 5, ...END], 8, true))
    expect(section(dump(profiles), 'Locations', 'Mappings')).toEqual([
      '1: 0xffffffffffffffff M=1',
      '2: 0x7fffffffffffffff M=1',
      '3: 0x5 M=1',
    ])
  })

  test('lose the frame of the signal handler and a duplicated leaf', () => {
    const handler = 0x999
    const samples = [
      [0x10, handler, 0x20],
      [0x30, handler, 0x40],
      [0x50, handler, 0x50, 0x60],
    ]
    const words = [...HEADER, ...samples.flatMap(stack => [1, stack.length, ...stack]), ...END]
    const { profiles, notes } = readLegacyPprof(cpuProfile(words, 4, true))
    expect(notes).toMatchObject([{ code: 'handler-frames', count: 3 }])
    expect(section(dump(profiles), 'Samples:', 'Locations').slice(1)).toEqual([
      '1 10000000: 1 2',
      '1 10000000: 3 4',
      '1 10000000: 5 6',
    ])
  })

  test('with a stack longer than the file are rejected, or lose that stack with lenient', () => {
    const bytes = cpuProfile([...HEADER, 1, 1, 0x10, 1, 1_000_000, 0x20], 8, true)
    expect(() => readLegacyPprof(bytes)).toThrow(
      new FormatError('pprof-legacy', 64, 'stack of 1000000 addresses, but only 1 words are left'),
    )
    const { profiles, notes } = readLegacyPprof(bytes, { lenient: true })
    expect(profiles.samples.length).toBe(2)
    expect(notes).toMatchObject([{ code: 'truncated' }])
  })

  test('Java profiles have names instead of ids if there are any', () => {
    const { profiles, generation } = readLegacyPprof(fixtures.find(({ name }) => name === 'CPU of Java')!.bytes)
    expect(generation).toBe('java-cpu')
    expect(section(dump(profiles), 'Locations', 'Mappings')).toEqual([
      '1: 0x0 com.example.Work.run Work.java:16:0 s=0',
      '2: 0x0 com.example.Main.main Main.java:0:0 s=0',
      '3: 0x0 JVM_Start libjvm.so:0:0 s=0',
      '4: 0x9 M=1',
    ])
  })
})

describe('heap profiles', () => {
  test('scale samples by the probability of being sampled', () => {
    // 1 / (1 - exp(-1024 / 524288)) = 512.5
    expect(unsampled(1n, 1024n, 524_288n, 0)).toEqual([512n, 524_800n])
    expect(unsampled(3n, 3n, 1n, 0)).toEqual([3n, 3n])
    expect(unsampled(0n, 0n, 524_288n, 0)).toEqual([0n, 0n])
  })

  test('include allocations if they differ from the memory in use', () => {
    expect(samplesOf(texts.heap)).toEqual([
      'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes',
      '1025 1049600 512 524800: 1 2',
      'bytes:[1024]',
      '866 4213790 683 1050112: 3 4',
      'bytes:[1536]',
      '32768 524296 0 0:',
      'bytes:[16]',
    ])
    expect(samplesOf(texts.growth)).toEqual(['objects/count space/bytes', '2 8192: 1 2', 'bytes:[4096]'])
  })

  test.each([
    ['heap profile: 1: 1 [1: 1] @ heap_v9/5\n', 'unknown kind of heap profile "heap_v9"'],
    ['heap profile: 1: 1 [1: 1] @ heap/5\nnonsense\n', 'invalid heap sample'],
    ['heap profile: 1: 1 [1: 1] @ heap/5\n0: 1 [0: 1] @\n', '1 bytes in 0 objects'],
    [
      'heap profile: 1: 1 [1: 1] @ heap/5\n9223372036854775808: 1 [0: 1] @\n',
      '9223372036854775808 does not fit in 64 bits',
    ],
    ['heap profile: 1: 1 [1: 1] @ heap/5\n1: 1 [1: 1] @ 0x10000000000000000\n', 'address of more than 64 bits'],
  ])('reject %j', (text, what) => {
    expect(() => readLegacyPprof(encodeUtf8(text))).toThrow(what)
  })

  test('lose invalid lines with lenient', () => {
    const text =
      'heap profile: 1: 1 [1: 1] @ heapprofile\nnonsense\n1: 7 [1: 7] @ 0x99999999999999999 0x1\n1: 8 [1: 8] @ 0x2\n'
    const { profiles, notes } = readLegacyPprof(encodeUtf8(text), { lenient: true })
    expect(notes).toMatchObject([{ code: 'skipped-lines', count: 2 }])
    expect(section(dump(profiles), 'Samples:', 'Locations')).toEqual([
      'objects/count space/bytes',
      '1 8: 1',
      'bytes:[8]',
    ])
  })
})

describe('other texts', () => {
  test('get the frame names from Go comments, inlined frames first', () => {
    const text = dump(readLegacyPprof(encodeUtf8(texts.goroutine)).profiles)
    expect(section(text, 'Samples:', 'Locations')).toEqual(['goroutine/count', '4: 1 2', '1: 2'])
    expect(section(text, 'Locations', 'Mappings')).toEqual([
      '1: 0x402200 M=1 main.inlined /src/main.go:7:0 s=0',
      'main.wait /src/main.go:12:0 s=0',
      '2: 0x402300 M=1 main.main /src/main.go:30:0 s=0',
    ])
  })

  test('contention profiles have nanoseconds instead of cycles, scaled by the period', () => {
    expect(samplesOf(texts.contention).slice(1)).toEqual(['2700 974515200: 1 2', '100 38400: 3'])
    expect(samplesOf(texts.mutex).slice(1)).toEqual(['15 60: 1 2'])
    expect(readLegacyPprof(encodeUtf8(texts.contention)).notes).toMatchObject([{ code: 'discarded-samples', count: 3 }])
  })

  test('thread profiles preserve thread names', () => {
    const { samples, dictionary } = readLegacyPprof(encodeUtf8(texts.threads)).profiles
    const names = Array.from({ length: samples.length }, (_, i) =>
      samples.attributesOf(i).map(attribute => dictionary.attributes.value(attribute)),
    )
    expect(
      names.map(values => values.toSorted((a, b) => Number(typeof a === 'bigint') - Number(typeof b === 'bigint'))),
    ).toEqual([
      ['main', 14748n],
      ['worker/1', 14751n],
      ['worker/2', 14759n],
    ])
    expect(samples.stack(1)).toBe(samples.stack(2))
  })

  test('Java heap and contention profiles are scaled', () => {
    expect(samplesOf(texts.javaHeap)).toEqual([
      'inuse_objects/count inuse_space/bytes',
      '2049 1049088: 1 2',
      'bytes:[512]',
      '58 528800: 3',
      'bytes:[9000]',
    ])
    expect(samplesOf(texts.javaContention)).toEqual(['contentions/count delay/microseconds', '100 1400: 1 2'])
  })

  test('with a sample of 0 objects are rejected', () => {
    expect(() => readLegacyPprof(encodeUtf8('--- heapz 1 ---\n0 0 @ 0'))).toThrow(FormatError)
  })
})

describe('the memory map', () => {
  const read = (text: string): string[] =>
    readMemoryMap(new LineReader(encodeUtf8(text))).map(({ start, limit, offset, file, buildId }) =>
      `${start.toString(16)}-${limit.toString(16)}@${offset.toString(16)} ${file} ${buildId}`.trim(),
    )

  test('has executable ranges only, joins adjacent ones and begins with the program', () => {
    expect(
      read(`7f00-7f80 r-xp 0 08:01 1 /lib/libc.so.6
8000-8010 r--p 0 08:01 2 /data
00402000-00403000 r-xp 00002000 08:01 12 /bin/app
00403000-00404000 r-xp 00003000 08:01 12 /bin/app
I0101 12:00:00 1 file.cc:12] 9000-9010: /lib/libx.so
`),
    ).toEqual(['400000-404000@0 /bin/app', '7f00-7f80@0 /lib/libc.so.6', '9000-9010@0 /lib/libx.so'])
  })

  test('supports variables, offsets and build ids of the short form', () => {
    expect(read('v=/opt\n0x1000-0x2000 $v/app (@ff0) abc\n')).toEqual(['1000-2000@ff0 /opt/app abc'])
    // Variables within values are not replaced.
    expect(read('a=$b\nb=/x\n1000-2000 $a/$b\n')).toEqual(['1000-2000@0 $b//x'])
  })

  test('finds the first range with an address, even if the range begins earlier by its offset', () => {
    const range = (start: bigint, limit: bigint, offset = 0n) => ({ start, limit, offset, file: '', buildId: '' })
    const ranges = [
      range(10n, 20n),
      range(15n, 40n),
      range(5n, 12n),
      range(100n, 110n, 30n),
      range(2n ** 64n - 5n, 2n ** 64n - 1n),
    ]
    const index = new RangeIndex(ranges)
    expect([9n, 10n, 12n, 19n, 20n, 39n, 40n, 4n, 2n ** 64n - 2n].map(address => index.find(address))).toEqual([
      2, 0, 0, 0, 1, 1, -1, -1, 4,
    ])
    expect(index.find(75n)).toBe(3)
    expect(ranges[3]).toMatchObject({ start: 70n, offset: 0n })
    expect(index.find(71n)).toBe(3)
    expect(index.find(69n)).toBe(-1)
  })
})

test('detection rejects other texts and bytes', () => {
  for (const { name, bytes } of fixtures) expect([name, detectLegacyPprof(bytes)]).toEqual([name, 'certain'])
  for (const text of ['', 'main;run 12\n', '{"a": 1}', '--- hello\n', 'heap profile\n', '\0\0\0\0\x03\0\0\0']) {
    expect(detectLegacyPprof(encodeUtf8(text))).toBe('no')
  }
})

test('damaged input either reads or throws a FormatError', () => {
  const { failure, read, rejected } = fuzz(
    pprofLegacy,
    fixtures.map(({ bytes }) => bytes),
    1,
    runs => runs < 1500,
  )
  expect(failure).toBeUndefined()
  expect(Math.min(read, rejected)).toBeGreaterThan(100)
})
