// Small perf.data files, one for each feature of the format or the reader.
import { encodeUtf8 } from '../../../wire/utf8.ts'
import { Feature, ReadFormat, RecordType, SampleBit } from '../record-types.ts'
import type { TestEvent } from './perf-data-writer.ts'
import { CONTEXT_KERNEL, CONTEXT_USER, Flag, KERNEL, PerfDataWriter } from './perf-data-writer.ts'

export interface PerfDataFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

export const COMMON = SampleBit.ip | SampleBit.tid | SampleBit.time | SampleBit.cpu | SampleBit.period
export const KERNEL_START = 0xffff_ffff_8100_0000n
export const BUILD_ID = Uint8Array.from({ length: 20 }, (_, i) => 16 * i + i)

export const cycles: TestEvent = {
  period: 4000,
  sampleType: COMMON | SampleBit.callchain,
  flags: [Flag.frequency, Flag.sampleIdAll],
  ids: [11, 12],
  name: 'cycles:u',
}

/** The memory of one process and of the kernel. */
export function mapMemory(writer: PerfDataWriter): PerfDataWriter {
  const kernel = { pid: -1, start: KERNEL_START, length: 0x100_0000n, offset: KERNEL_START, misc: KERNEL }
  const nfs = { pid: -1, start: 0xffff_ffff_c000_0000n, length: 0x8000n, misc: KERNEL, name: '[nfs]' }
  return writer
    .mmap({ ...kernel, name: '[kernel.kallsyms]_text' })
    .mmap(nfs)
    .comm(100, 100, 'app')
    .mmap2({ pid: 100, start: 0x40_0000n, length: 0x1000n, name: '/usr/bin/app' })
    .mmap2({
      pid: 100,
      start: 0x7f00_0000_0000n,
      length: 0x2_0000n,
      offset: 0x1000n,
      name: '/usr/lib/libc.so.6',
      buildId: BUILD_ID,
    })
}

/** One event, two threads, kernel and user frames. */
export function callchains(writer: PerfDataWriter): PerfDataWriter {
  mapMemory(writer.event(cycles))
  const chain = [
    CONTEXT_KERNEL,
    KERNEL_START + 0x10n,
    0xffff_ffff_c000_0020n,
    CONTEXT_USER,
    0x7f00_0000_0123n,
    0x40_0456n,
  ]
  return writer
    .fork(100, 100, 101, 100, { time: 1_000n })
    .comm(100, 101, 'app: worker 1', { time: 1_001n })
    .sample({ misc: KERNEL, ip: KERNEL_START + 0x10n, pid: 100, time: 2_000n, cpu: 1, period: 250n, callchain: chain })
    .sample({ misc: KERNEL, ip: KERNEL_START + 0x10n, pid: 100, time: 3_000n, cpu: 1, period: 251n, callchain: chain })
    .sample({
      ip: 0x40_0456n,
      pid: 100,
      tid: 101,
      time: 4_000n,
      cpu: 0,
      period: 9n,
      callchain: [CONTEXT_USER, 0x40_0456n],
    })
    .sample({ ip: 0x1234n, pid: 100, tid: 101, time: 5_000n, cpu: 0, period: 1n, callchain: [CONTEXT_USER, 0x1234n] })
    .lost(7n, { time: 6_000n })
}

function described(writer: PerfDataWriter): PerfDataWriter {
  return writer
    .textFeature(Feature.hostName, 'box')
    .textFeature(Feature.osRelease, '6.1.0')
    .textFeature(Feature.version, '6.1.190')
    .textFeature(Feature.arch, 'x86_64')
    .textFeature(Feature.cpuDescription, 'A CPU @ 3 GHz')
    .commandLine('perf', 'record', '-g', '--', './app')
}

function severalEvents(writer: PerfDataWriter): PerfDataWriter {
  const sampleType = COMMON | SampleBit.identifier
  const flags = [Flag.frequency, Flag.sampleIdAll]
  return writer
    .event({ sampleType, flags, period: 99, ids: [21], name: 'cycles' })
    .event({
      type: 1,
      config: 2,
      sampleType,
      flags: [Flag.sampleIdAll],
      period: 1,
      ids: [2n ** 60n + 1n],
      name: 'page-faults',
    })
    .event({ type: 1, config: 9, sampleType, flags: [Flag.sampleIdAll], ids: [23] })
    .eventNames()
    .comm(5, 5, 'five')
    .mmap({ pid: 5, start: 0x1000n, length: 0x1000n, name: '/bin/five' })
    .sample({ event: 0, ip: 0x1010n, pid: 5, time: 10n, period: 1000n })
    .sample({ event: 1, ip: 0x1020n, pid: 5, time: 11n, period: 1n })
    .sample({ event: 1, ip: 0x1020n, pid: 5, time: 12n, period: 1n })
    .sample({ event: 0, ip: 0x1030n, pid: 5, time: 13n, period: 2n ** 62n })
    .sample({ event: 0, id: 99, ip: 0x1030n, pid: 5, time: 14n, period: 1n })
}

function counterGroup(writer: PerfDataWriter): PerfDataWriter {
  const sampleType = SampleBit.ip | SampleBit.tid | SampleBit.time | SampleBit.id | SampleBit.read
  const readFormat = ReadFormat.group | ReadFormat.id | ReadFormat.timeEnabled
  return writer
    .event({ sampleType, readFormat, period: 100, ids: [1], name: 'cycles' })
    .event({ config: 1, sampleType, readFormat, ids: [2], name: 'instructions' })
    .sample({
      ip: 0x10n,
      pid: 3,
      time: 1n,
      id: 1,
      counters: [
        [100n, 1],
        [50n, 2],
      ],
    })
    .sample({
      ip: 0x20n,
      pid: 3,
      time: 2n,
      id: 1,
      counters: [
        [200n, 1],
        [50n, 2],
      ],
    })
    .sample({
      ip: 0x10n,
      pid: 3,
      time: 3n,
      id: 1,
      counters: [
        [2n ** 40n, 1],
        [175n, 2],
      ],
    })
}

/** A process that forks and maps its own memory, followed by another process with the same id. */
function forks(writer: PerfDataWriter): PerfDataWriter {
  mapMemory(writer.event({ ...cycles, sampleType: COMMON }))
  return writer
    .fork(200, 100, 200, 100, { time: 10n })
    .sample({ ip: 0x40_0010n, pid: 200, time: 11n })
    .mmap2({ pid: 200, start: 0x40_0000n, length: 0x800n, name: '/usr/bin/child' }, { time: 12n })
    .comm(200, 200, 'child', { time: 12n })
    .sample({ ip: 0x40_0010n, pid: 200, time: 13n })
    .sample({ ip: 0x40_0900n, pid: 200, time: 14n })
    .sample({ ip: 0x40_0010n, pid: 100, time: 15n })
    .exit(200, 100, 200, 100, { time: 16n })
    .sample({ ip: 0x40_0010n, pid: 200, time: 17n })
    .mmap2({ pid: 200, start: 0x50_0000n, length: 0x1000n, name: '/usr/bin/next' }, { time: 18n })
    .sample({ ip: 0x40_0010n, pid: 200, time: 19n })
    .sample({ ip: 0x50_0010n, pid: 200, time: 20n })
}

/** Two CPUs whose buffers were written one after the other. */
function outOfOrder(writer: PerfDataWriter): PerfDataWriter {
  return writer
    .event({ ...cycles, sampleType: COMMON })
    .sample({ ip: 0x2010n, pid: 7, time: 30n, cpu: 0 })
    .sample({ ip: 0x2010n, pid: 7, time: 50n, cpu: 0 })
    .comm(7, 7, 'seven', { time: 20n, cpu: 1 })
    .mmap({ pid: 7, start: 0x2000n, length: 0x100n, name: '/bin/before' }, { time: 20n, cpu: 1 })
    .mmap({ pid: 7, start: 0x2000n, length: 0x100n, name: '/bin/after' }, { time: 40n, cpu: 1 })
    .record(RecordType.finishedRound, 0, new Uint8Array(0))
}

function clocks(writer: PerfDataWriter): PerfDataWriter {
  const flags = [Flag.clock]
  return writer
    .event({
      type: 1,
      config: 0,
      sampleType: SampleBit.ip | SampleBit.time,
      period: 1_000_000,
      flags,
      clock: 1,
      ids: [1],
    })
    .feature(Feature.clockData, sink => sink.u32(1).u32(1).u64(1_700_000_000_000_000_000n).u64(5_000_000_000n))
    .sample({ ip: 0x10n, time: 5_000_000_001n })
    .sample({ ip: 0x10n, time: 6_000_000_000n })
}

/** A hardware trace whose payload follows its record. */
function payloads(writer: PerfDataWriter): PerfDataWriter {
  const auxtrace = writer.sink().u64(24).u64(0).u64(0).u32(0).u32(0).u32(0).u32(0).finish()
  return writer
    .event({ sampleType: SampleBit.ip | SampleBit.tid, period: 1000 })
    .record(RecordType.auxtrace, 0, auxtrace)
    .raw(new Uint8Array(24).fill(0xff))
    .record(RecordType.tracingData, 0, writer.sink().u32(5).u32(0).finish())
    .raw(encodeUtf8('abcde\0\0\0'))
    .sample({ ip: 0x10n, pid: 3 })
    .sample({ ip: 0x10n, pid: 3 })
    .sample({ ip: 0x11n, pid: -1, tid: -1 })
}

const BIG = { littleEndian: false }
const PIPE = { isPipe: true }

export const fixtures: readonly PerfDataFixture[] = [
  { name: 'callchains', bytes: callchains(described(new PerfDataWriter())).eventNames().finish() },
  {
    name: 'callchains, big-endian',
    bytes: callchains(described(new PerfDataWriter(BIG)))
      .eventNames()
      .finish(),
  },
  { name: 'callchains, pipe', bytes: callchains(described(new PerfDataWriter(PIPE))).finish() },
  {
    name: 'callchains, big-endian pipe',
    bytes: callchains(described(new PerfDataWriter({ ...BIG, ...PIPE }))).finish(),
  },
  { name: 'several events', bytes: severalEvents(new PerfDataWriter()).finish() },
  { name: 'several events, big-endian pipe', bytes: severalEvents(new PerfDataWriter({ ...BIG, ...PIPE })).finish() },
  { name: 'a group of counters', bytes: counterGroup(new PerfDataWriter()).finish() },
  { name: 'forks', bytes: forks(new PerfDataWriter()).finish() },
  { name: 'out of order', bytes: outOfOrder(new PerfDataWriter()).finish() },
  { name: 'the time of day', bytes: clocks(new PerfDataWriter()).finish() },
  { name: 'payloads and no times', bytes: payloads(new PerfDataWriter()).finish() },
]
