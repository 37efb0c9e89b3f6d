// Tests the reader with generated files: the effect of each record on the profiles.
import { describe, expect, test } from 'vitest'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { portableCodecs } from '../../wire/compression/compression.ts'
import { FormatError } from '../format.ts'
import type { ReadOptions } from '../format.ts'
import { PERF_ATTRIBUTES } from '../recordings/perf-recording.ts'
import { perfData } from './index.ts'
import { readPerfData } from './read.ts'
import { Feature, RecordType, SampleBit } from './record-types.ts'
import { BUILD_ID, callchains, COMMON, cycles, fixtures, KERNEL_START, mapMemory } from './testing/fixtures.ts'
import { attributesOf, observationsOf } from './testing/observations.ts'
import { CONTEXT_USER, Flag, KERNEL, PerfDataWriter } from './testing/perf-data-writer.ts'
import { unzstdRaw } from './testing/unzstd-raw.ts'

const codecs = { ...portableCodecs, unzstd: unzstdRaw }

function fixture(name: string): Uint8Array {
  return fixtures.find(one => one.name === name)!.bytes
}

function read(writer: PerfDataWriter, options: ReadOptions = {}): Profiles {
  return readPerfData(writer.finish(), options).profiles
}

function noteCodes(bytes: Uint8Array, options: ReadOptions = {}): Record<string, number> {
  return Object.fromEntries(readPerfData(bytes, options).notes.map(({ code, count }) => [code, count]))
}

function refusal(bytes: Uint8Array, options: ReadOptions = {}): FormatError {
  try {
    readPerfData(bytes, options)
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error('the reader did not throw')
}

describe('samples', () => {
  test('callchains use context markers to select the memory of an address', () => {
    const [first, second, third, fourth] = observationsOf(readPerfData(fixture('callchains')).profiles)
    expect(first).toEqual({
      type: 'cycles:u',
      time: 2_000n,
      value: 250n,
      pid: 100,
      tid: 100,
      thread: 'app',
      cpu: 1,
      addresses: [KERNEL_START + 0x10n, 0xffff_ffff_c000_0020n, 0x7f00_0000_0123n, 0x40_0456n],
      files: ['[kernel.kallsyms]', '[nfs]', '/usr/lib/libc.so.6', '/usr/bin/app'],
      kinds: ['kernel', 'kernel', 'native', 'native'],
    })
    expect(second).toEqual({ ...first, time: 3_000n, value: 251n })
    expect(third).toMatchObject({ tid: 101, thread: 'app: worker 1', cpu: 0, value: 9n, files: ['/usr/bin/app'] })
    expect(fourth).toMatchObject({ addresses: [0x1234n], files: [''], kinds: ['native'] })
  })

  test.each(['callchains, big-endian', 'callchains, pipe', 'callchains, big-endian pipe'])(
    'are the same from %s',
    name => {
      expect(
        difference(readPerfData(fixture(name)).profiles, readPerfData(fixture('callchains')).profiles),
      ).toBeUndefined()
    },
  )

  test('samples of several events are assigned by id to the profile of their event', () => {
    const { profiles, dictionary } = readPerfData(fixture('several events')).profiles
    const names = Array.from({ length: profiles.length }, (_, i) => dictionary.strings.text(profiles.type(i)))
    // The dummy event has no samples.
    expect(names).toEqual(['cycles', 'page-faults'])
    const observations = observationsOf(readPerfData(fixture('several events')).profiles)
    expect(observations.map(({ type, time, value }) => [type, time, value])).toEqual([
      ['cycles', 10n, 1000n],
      ['page-faults', 11n, 1n],
      ['page-faults', 12n, 1n],
      ['cycles', 13n, 2n ** 62n],
    ])
    expect(noteCodes(fixture('several events'))).toEqual({ 'unknown-events': 1, clock: 1 })
  })

  test('samples of an event with an id for each of many CPUs are assigned to it', () => {
    const ids = Array.from({ length: 300 }, (_, i) => i + 1)
    const writer = new PerfDataWriter()
    for (const ofEvent of [ids, [1000]]) {
      writer.event({ type: 0, config: 1, period: 1, sampleType: SampleBit.identifier | SampleBit.ip, ids: ofEvent })
    }
    for (const id of ids) writer.sample({ id, ip: 1n })
    expect(noteCodes(writer.finish())).not.toHaveProperty('unknown-events')
  })

  test('samples of a group have the increase of each counter since the last sample', () => {
    const observations = observationsOf(readPerfData(fixture('a group of counters')).profiles)
    expect(observations.map(({ type, time, value, addresses }) => [type, time, value, addresses[0]])).toEqual([
      ['cycles', 1n, 100n, 0x10n],
      ['instructions', 1n, 50n, 0x10n],
      ['cycles', 2n, 100n, 0x20n],
      ['cycles', 3n, 2n ** 40n - 200n, 0x10n],
      ['instructions', 3n, 125n, 0x10n],
    ])
  })

  test('without times are summed', () => {
    const { samples, profiles } = readPerfData(fixture('payloads and no times')).profiles
    expect(profiles.period(0)).toBe(1000n)
    expect(samples.timestamps.length).toBe(0)
    expect([...samples.values.signed()]).toEqual([2000n, 1000n])
    // Nothing is known about a thread that had ended.
    expect(samples.attributesOf(1)).toEqual([])
  })

  test('without a period count as one', () => {
    const writer = new PerfDataWriter().event({
      sampleType: SampleBit.ip | SampleBit.time,
      period: 99,
      flags: [Flag.frequency],
    })
    const { samples, profiles, dictionary } = read(writer.sample({ ip: 1n, time: 5n }).sample({ ip: 1n, time: 6n }))
    expect([...samples.timestamps.unsigned()]).toEqual([5n, 6n])
    expect(samples.values.length).toBe(0)
    expect(dictionary.strings.text(profiles.unit(0))).toBe('count')
    expect(attributesOf(dictionary, profiles.attributesOf(0)).get(PERF_ATTRIBUTES.frequency)).toBe('99')
  })

  test('without addresses in the chain use the instruction pointer', () => {
    const writer = mapMemory(new PerfDataWriter().event(cycles))
    writer.sample({ ip: 0x40_0010n, pid: 100, time: 1n, callchain: [CONTEXT_USER] })
    expect(observationsOf(read(writer))[0]).toMatchObject({ addresses: [0x40_0010n], files: ['/usr/bin/app'] })
  })

  test('preserve all bits of periods and timestamps', () => {
    const writer = new PerfDataWriter().event({ ...cycles, sampleType: COMMON })
    writer.sample({ time: 2n ** 64n - 2n, period: 2n ** 63n - 1n }).sample({ time: 1n, period: 2n ** 64n - 1n })
    const observations = observationsOf(read(writer))
    expect(observations.map(({ time, value }) => [time, value])).toEqual([
      [1n, 2n ** 63n - 1n],
      [2n ** 64n - 2n, 2n ** 63n - 1n],
    ])
    expect(noteCodes(writer.finish())).toMatchObject({ 'large-periods': 1 })
  })
})

describe('memory', () => {
  test('a fork inherits maps, its own maps cover them, and a process id can be reused after an exit', () => {
    const observations = observationsOf(readPerfData(fixture('forks')).profiles)
    expect(observations.map(({ time, thread, files }) => [Number(time), thread, files[0]])).toEqual([
      [11, 'app', '/usr/bin/app'],
      [13, 'child', '/usr/bin/child'],
      [14, 'child', '/usr/bin/app'],
      [15, 'app', '/usr/bin/app'],
      [17, 'child', '/usr/bin/child'],
      [19, 'child', ''],
      [20, 'child', '/usr/bin/next'],
    ])
  })

  test('records are applied in the order of time, whatever CPU wrote them', () => {
    const observations = observationsOf(readPerfData(fixture('out of order')).profiles)
    expect(observations.map(({ time, thread, files }) => [time, thread, files[0]])).toEqual([
      [30n, 'seven', '/bin/before'],
      [50n, 'seven', '/bin/after'],
    ])
  })

  test('mappings have their range, offset and build id', () => {
    const { dictionary } = readPerfData(fixture('callchains')).profiles
    const { mappings, strings } = dictionary
    const rows = Array.from({ length: mappings.length - 1 }, (_, i) => i + 1)
    const libc = rows.find(i => strings.text(mappings.filename(i as never)) === '/usr/lib/libc.so.6') as never
    expect([mappings.memoryStart(libc), mappings.memoryLimit(libc), mappings.fileOffset(libc)]).toEqual([
      0x7f00_0000_0000n,
      0x7f00_0002_0000n,
      0x1000n,
    ])
    const hex = Array.from(BUILD_ID, byte => byte.toString(16).padStart(2, '0')).join('')
    expect(attributesOf(dictionary, mappings.attributesOf(libc))).toEqual(new Map([[ATTRIBUTES.buildIdGnu, hex]]))
  })

  test('build ids come from the header of a file and from the end of a pipe', () => {
    const id = Uint8Array.of(0xab, 0xcd, 0xef, 0x01)
    const file = mapMemory(new PerfDataWriter().event(cycles)).sample({ ip: 0x40_0001n, pid: 100, time: 1n })
    const pipe = mapMemory(new PerfDataWriter({ isPipe: true }).event(cycles)).sample({
      ip: 0x40_0001n,
      pid: 100,
      time: 1n,
    })
    for (const profiles of [
      read(file.buildIds({ '/usr/bin/app': id })),
      read(pipe.buildIdRecord('/usr/bin/app', id)),
    ]) {
      const { dictionary } = profiles
      expect(attributesOf(dictionary, dictionary.mappings.attributesOf(1 as never)).get(ATTRIBUTES.buildIdGnu)).toBe(
        'abcdef01',
      )
    }
  })

  test('BPF programs become functions with names', () => {
    const writer = mapMemory(new PerfDataWriter().event({ ...cycles, sampleType: COMMON }))
    writer.ksymbol(KERNEL_START + 0x100n, 0x40, 'bpf_prog_1_count', { time: 1n })
    writer.sample({ misc: KERNEL, ip: KERNEL_START + 0x110n, pid: 100, time: 2n })
    writer.sample({ misc: KERNEL, ip: KERNEL_START + 0x140n, pid: 100, time: 3n })
    const profiles = read(writer)
    const { locations, functions, strings } = profiles.dictionary
    expect(observationsOf(profiles).map(({ files }) => files)).toEqual([['bpf_prog_1_count'], ['[kernel.kallsyms]']])
    expect(strings.text(functions.name(locations.lines.function(0)))).toBe('bpf_prog_1_count')
  })

  test('a kernel map without a length extends to the last address, except where modules are mapped', () => {
    const writer = new PerfDataWriter().event({ ...cycles, sampleType: COMMON })
    const name = '[kernel.kallsyms]_stext'
    writer.mmap({ pid: -1, start: 0x8000_0000n, length: 0n, offset: 0x8000_0200n, misc: KERNEL, name })
    writer.mmap({ pid: -1, start: 0x9000_0000n, length: 0x1000n, misc: KERNEL, name: '[module]' })
    for (const [time, ip] of [0x8000_0001n, 0x9000_0001n, 0x9000_1000n, 2n ** 64n - 1n, 0x7fff_ffffn].entries()) {
      writer.sample({ misc: KERNEL, ip, pid: 1, time: BigInt(time + 1) })
    }
    const profiles = read(writer)
    expect(observationsOf(profiles).map(({ files }) => files[0])).toEqual([
      '[kernel.kallsyms]',
      '[module]',
      '[kernel.kallsyms]',
      '[kernel.kallsyms]',
      '',
    ])
    const { dictionary } = profiles
    const kernel = attributesOf(dictionary, dictionary.mappings.attributesOf(1 as never))
    expect(kernel.get(PERF_ATTRIBUTES.kernelText)).toBe(String(0x8000_0200n))
  })
})

describe('the header', () => {
  test('yields machine, command line and version', () => {
    const { resources, scopes } = readPerfData(fixture('callchains')).profiles
    expect(resources.resource(0).attributes).toEqual([
      { key: 'host.name', value: 'box' },
      { key: 'host.arch', value: 'amd64' },
      { key: 'host.cpu.model.name', value: 'A CPU @ 3 GHz' },
      { key: 'os.type', value: 'linux' },
      { key: 'os.version', value: '6.1.0' },
    ])
    expect(scopes.scope(0)).toMatchObject({
      name: 'perf',
      version: '6.1.190',
      attributes: [{ key: 'perf.command_line', value: ['perf', 'record', '-g', '--', './app'] }],
    })
  })

  test('makes timestamps Unix time if it has a clock reference', () => {
    const { profiles } = readPerfData(fixture('the time of day'))
    expect(observationsOf(profiles).map(({ time }) => time)).toEqual([
      1_700_000_000_000_000_001n,
      1_700_000_001_000_000_000n,
    ])
    expect(profiles.profiles.time(0)).toBe(1_700_000_000_000_000_001n)
    expect(profiles.profiles.duration(0)).toBe(1_000_000_000n)
    expect(noteCodes(fixture('the time of day'))).toEqual({})
  })

  test('leads to a named clock if it has no clock reference', () => {
    const { profiles } = readPerfData(fixture('callchains'))
    const { dictionary } = profiles
    expect(attributesOf(dictionary, profiles.profiles.attributesOf(0)).get(PERF_ATTRIBUTES.clock)).toBe('perf')
    expect(noteCodes(fixture('callchains'))).toEqual({ 'lost-samples': 7, clock: 1 })
  })

  test('can lack event names, which are then derived from numbers', () => {
    const writer = new PerfDataWriter()
    const numbers = [
      [0, 1],
      [1, 1],
      [2, 77],
      [3, 0x10001],
      [4, 0x1a8],
      [5, 0],
      [9, 3],
      [0, 99],
    ] as const
    for (const [i, [type, config]] of numbers.entries()) {
      writer.event({ type, config, period: 1, sampleType: SampleBit.identifier | SampleBit.ip, ids: [i + 1] })
    }
    writer.feature(Feature.pmuMappings, sink => sink.u32(1).u32(9).sizedText('uncore'))
    const { profiles, dictionary } = read(writer.sample({ ip: 1n }))
    expect(Array.from({ length: profiles.length }, (_, i) => dictionary.strings.text(profiles.type(i)))).toEqual([
      'instructions',
      'task-clock',
      'tracepoint-77',
      'L1-icache-load-misses',
      'r1a8',
      'mem',
      'uncore/config=0x3/',
      'hardware-0x63',
    ])
  })

  test('skipped records and fields lead to notes', () => {
    const sampleType =
      COMMON | SampleBit.callchain | SampleBit.regsUser | SampleBit.stackUser | SampleBit.branchStack | SampleBit.addr
    const writer = new PerfDataWriter().event({ ...cycles, sampleType })
    const bytes = writer
      .sample({ time: 1n, callchain: [1n], rest: new Uint8Array(64) })
      .record(RecordType.throttle, 0, new Uint8Array(24))
      .record(RecordType.contextSwitch, 0, new Uint8Array(8))
      .record(RecordType.read, 0, new Uint8Array(8))
      .record(RecordType.lostSamples, 0, writer.sink().u64(5).finish())
      .record(200, 0, new Uint8Array(8))
      .finish()
    expect(noteCodes(bytes)).toEqual({
      'lost-samples': 5,
      throttled: 1,
      'context-switches': 1,
      'counter-reads': 1,
      'other-records': 1,
      'user-stacks': 1,
      'branch-stacks': 1,
      'sample-fields': 1,
      clock: 1,
    })
  })
})

describe('compressed records', () => {
  const plain = callchains(new PerfDataWriter())

  test.each([
    ['pieces of 7 bytes', 7, {}],
    ['one piece', 60_000, {}],
    ['a frame that ends', 50, { ends: true }],
    ['pieces with padding', 13, { type: RecordType.compressed2 }],
  ] as const)('%s', (_name, size, how) => {
    const packed = callchains(new PerfDataWriter()).compress(size, how)
    expect(difference(read(packed, { codecs }), read(plain))).toBeUndefined()
  })

  test('are readable in a big-endian pipe', () => {
    const kind = { littleEndian: false, isPipe: true }
    const packed = callchains(new PerfDataWriter(kind)).compress(40)
    expect(difference(read(packed, { codecs }), read(callchains(new PerfDataWriter(kind))))).toBeUndefined()
  })

  test('require a decoder', () => {
    const bytes = callchains(new PerfDataWriter()).compress(40).finish()
    expect(() => readPerfData(bytes)).toThrow(/no zstd decoder/)
    expect(noteCodes(bytes, { lenient: true })['compressed-records']).toBeGreaterThan(1)
  })

  test('report errors at the offset of the record that contains them', () => {
    const writer = callchains(new PerfDataWriter()).record(RecordType.comm, 0, new Uint8Array(4)).compress(40)
    const error = refusal(writer.finish(), { codecs })
    expect(error.message).toMatch(/thread name of only 12 bytes, at byte \d+ of the decompressed records at byte 248/)
  })
})

describe('damaged files', () => {
  test('are rejected with the offset', () => {
    const bytes = callchains(new PerfDataWriter()).finish()
    const dataAt = Number(new DataView(bytes.buffer).getBigUint64(40, true))
    const zeroSize = bytes.slice()
    zeroSize.fill(0, dataAt + 6, dataAt + 8)
    expect(refusal(zeroSize).offset).toBe(dataAt)
    expect(refusal(zeroSize).what).toMatch(/^record of 0 bytes/)
    expect(refusal(bytes.subarray(0, 60))).toMatchObject({ offset: 60, what: 'the file ends within its header' })
    expect(refusal(new Uint8Array(40))).toMatchObject({ offset: 0 })
    expect(refusal(new PerfDataWriter({ isPipe: true }).finish())).toMatchObject({
      offset: 16,
      what: 'the file describes no events',
    })
  })

  test('that are truncated are read up to their end, as by perf', () => {
    const bytes = callchains(new PerfDataWriter()).finish()
    const { profiles, notes } = readPerfData(bytes.subarray(0, bytes.length - 50))
    expect(observationsOf(profiles)).toHaveLength(3)
    const message = expect.stringMatching(/data: bytes \d+ to \d+ are outside of the file .* at byte 40/) as string
    expect(notes).toContainEqual(expect.objectContaining({ code: 'truncated', count: 2, message }))
  })

  test('with a sample that exceeds its record are rejected', () => {
    const writer = new PerfDataWriter().event(cycles)
    const body = writer
      .sink()
      .u64(1)
      .u32(1)
      .u32(1)
      .u64(5)
      .u64(0)
      .u64(1)
      .u64(2n ** 61n)
      .u64(0)
    const bytes = writer
      .record(RecordType.sample, 2, body.finish())
      .sample({ time: 9n, callchain: [3n] })
      .finish()
    expect(refusal(bytes).what).toBe('sample whose callchain exceeds its size')
    expect(observationsOf(readPerfData(bytes, { lenient: true }).profiles)).toHaveLength(1)
    expect(noteCodes(bytes, { lenient: true })).toMatchObject({ 'skipped-records': 1 })
  })

  test('that are unfinished are read to their end', () => {
    const writer = callchains(new PerfDataWriter())
    writer.isUnfinished = true
    expect(observationsOf(read(writer))).toHaveLength(4)
    expect(noteCodes(writer.finish())).toMatchObject({ unfinished: 1 })
  })
})

test('detection uses the magic number in either byte order', () => {
  for (const { bytes } of fixtures) expect(perfData.detect(bytes, '')).toBe('certain')
  expect(perfData.detect(new Uint8Array(100), 'perf.data')).toBe('no')
})
