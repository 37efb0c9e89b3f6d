// Small recordings, one for each feature of recorders.
import { ChunkWriter, Sink, joined } from './chunk-writer.ts'
import {
  CLASS_OF_STRING,
  STACK,
  STATE,
  THREAD,
  addConstants,
  addExecution,
  addSetting,
  sampleChunk,
  sampleClasses,
} from './sample-chunks.ts'

export interface JfrFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

function jdk(): Uint8Array {
  const writer = sampleChunk()
  writer.event('jdk.JVMInformation', sink => sink.long(1000).text('OpenJDK').long(42))
  addSetting(writer, 'jdk.ExecutionSample', 'enabled', 'true')
  addSetting(writer, 'jdk.ExecutionSample', 'period', '20 ms')
  addExecution(writer, 1_500, THREAD.main, STACK.fib, STATE.runnable)
  addExecution(writer, 21_500, THREAD.main, STACK.fib, STATE.runnable)
  addExecution(writer, 31_500, THREAD.gc, STACK.park, STATE.runnable)
  addExecution(writer, 41_500, THREAD.main, 0n, STATE.runnable)
  writer.event('jdk.CPULoad', sink => sink.long(2_000).raw([0x3f, 0x80, 0, 0]))
  return addConstants(writer).bytes()
}

/** Fields of constants and events in another order, other class ids, metadata first, a clock of 3 GHz. */
function reversed(): Uint8Array {
  const clock = { startTicks: 90_000_000_000n, ticksPerSecond: 2_999_999_857n }
  const classes = sampleClasses({ offset: 2n ** 55n, reversed: true })
  return new ChunkWriter(classes, clock)
    .metadata()
    .constants({
      StackTrace: [[3, s => s.long(1).long(1).int(7).int(44).long(9).byte(0)]],
      Method: [[9, s => s.longs(51, 50, 41)]],
      'java.lang.Class': [[41, s => s.long(61).int(1)]],
      Symbol: [
        [50, s => s.textOfLatin1('caf\u00e9')],
        [51, s => s.text('()V')],
        [61, s => s.textOfConstant(2n ** 63n)],
      ],
      'java.lang.String': [[2n ** 63n, s => s.textOfChars('org/acme/\u65e5\ud83d\ude00')]],
      FrameType: [[1, s => s.text('Interpreted')]],
      ThreadState: [[1, s => s.text('STATE_RUNNABLE')]],
      'java.lang.Thread': [[1, s => s.byte(0).long(12).text('worker').long(99).text('')]],
    })
    .event('jdk.ExecutionSample', sink => sink.longs(1, 3, 1, 90_000_000_123n))
    .event('jdk.ExecutionSample', sink => sink.longs(1, 3, 1, 89_999_999_999n))
    .event('jdk.JavaMonitorEnter', sink => sink.longs(0, 41, 3, 1, 3_000_000_000n, 93_000_000_000n))
    .bytes()
}

function asyncProfiler(event: string, more: readonly (readonly [string, string])[]): Uint8Array {
  const writer = sampleChunk()
  for (const [name, value] of [['version', '3.0'], ['event', event], ...more]) {
    addSetting(writer, 'jdk.ExecutionSample', name, value)
  }
  addExecution(writer, 1_500, THREAD.main, STACK.fib, STATE.none)
  addExecution(writer, 1_600, THREAD.main, STACK.fib, STATE.runnable)
  addExecution(writer, 1_700, THREAD.gc, STACK.park, STATE.sleeping)
  for (const [time, state, samples] of [
    [2_000, STATE.sleeping, 300],
    [2_100, STATE.runnable, 1],
  ]) {
    writer.event('profiler.WallClockSample', sink => sink.longs(time, THREAD.gc, STACK.park, state, samples))
  }
  return addConstants(writer).bytes()
}

function counted(): Uint8Array {
  const writer = addConstants(sampleChunk({ ticksPerSecond: 2_000_000_000n }))
  for (const [time, size] of [
    [5_000, 2n ** 62n],
    [6_000, 2n ** 53n + 1n],
  ]) {
    writer.event('jdk.ObjectAllocationInNewTLAB', sink =>
      sink.longs(time, THREAD.main, STACK.fib, CLASS_OF_STRING, 24, size),
    )
  }
  writer.event('jdk.JavaMonitorEnter', sink =>
    sink.longs(7_000, 3_001, THREAD.main, STACK.park, CLASS_OF_STRING, 0xdead_beefn),
  )
  writer.event('jdk.JavaMonitorWait', sink => sink.longs(7_500, 10, THREAD.main).byte(1).long(STACK.park))
  for (const path of ['/a', '/b', '/a', '']) {
    writer.event('jdk.FileRead', sink => sink.longs(8_000, 400, THREAD.main, STACK.fib).text(path).long(512))
  }
  return writer.bytes()
}

function spans(): Uint8Array {
  const writer = addConstants(sampleChunk())
  for (const [time, span, root, name, context] of [
    [5_000n, 0xefn, 2n ** 64n - 1n, 1n, 1n],
    [6_000n, 0xefn, 2n ** 64n - 1n, 1n, 1n],
    [7_000n, 0n, 0n, 0n, 2n],
    [8_000n, 0n, 0n, 0n, 0n],
  ]) {
    writer.event('datadog.ExecutionSample', sink => {
      sink.long(2).text('one').textOfLatin1('two')
      sink.long(1).int(-3).raw([0x40, 0, 0, 0, 0, 0, 0, 0])
      sink.long(3).raw([1, 2, 3])
      sink.longs(2, THREAD.main, THREAD.gc)
      sink.int(5).raw([0, 0, 0, 0, 0, 0, 0, 0])
      sink.raw([0, 0, 0, 0])
      sink.longs(time, THREAD.main, STACK.fib, 3, span, root, name, context)
    })
  }
  return writer.bytes()
}

/** A key without a constant, and an event type without a description. */
function missing(): Uint8Array {
  const writer = sampleChunk()
  addExecution(writer, 1_500, 77n, 78n, 79)
  writer.eventOfType(54_321n, sink => sink.long(1))
  writer.constants({ StackTrace: [[80, s => s.byte(0).long(1).long(81).int(1).int(1).int(82)]] })
  addExecution(writer, 1_600, 77n, 80n, 79)
  return writer.bytes()
}

/** The labels snapshot that Pyroscope's agent would send with the recording `spans`. */
export function labelsSnapshot(): Uint8Array {
  const message = new Sink()
  const nested = (field: number, content: Sink): Sink =>
    new Sink()
      .byte((field << 3) | 2)
      .long(content.bytes.length)
      .raw(content.bytes)
  const number = (field: number, value: number): Sink => new Sink().byte(field << 3).long(value)
  const pair = (key: number, value: number): Sink =>
    nested(1, new Sink().raw(number(1, key).bytes).raw(number(2, value).bytes))
  const entry = (field: number, key: number, value: Sink): Sink =>
    nested(field, new Sink().raw(number(1, key).bytes).raw(value.bytes))
  const context = (pairs: readonly Sink[]): Sink => {
    const content = new Sink()
    for (const one of pairs) content.raw(one.bytes)
    return nested(2, content)
  }
  const text = (value: string): Sink => nested(2, new Sink().raw(Array.from(value, char => char.charCodeAt(0))))
  message.raw(entry(1, 1, context([pair(10, 11), pair(12, 13)])).bytes)
  message.raw(entry(1, 2, context([pair(14, 15), pair(16, 11)])).bytes)
  const strings: readonly (readonly [number, string])[] = [
    [1, 'GET /'],
    [10, 'region'],
    [11, 'us'],
    [12, 'trace_id'],
    [13, '0102030405060708090a0b0c0d0e0f10'],
    [14, 'thread.name'],
    [15, 'mine'],
    [16, 'tier'],
  ]
  for (const [key, value] of strings) message.raw(entry(2, key, text(value)).bytes)
  return Uint8Array.from(message.bytes)
}

export const fixtures: readonly JfrFixture[] = [
  { name: 'samples of the JDK', bytes: jdk() },
  { name: 'fields in another order, all encodings of strings', bytes: reversed() },
  { name: 'two chunks with different layouts', bytes: joined(jdk(), reversed()) },
  { name: 'async-profiler: CPU', bytes: asyncProfiler('cpu', [['interval', '0']]) },
  { name: 'async-profiler: wall clock', bytes: asyncProfiler('wall', [['interval', '5000000']]) },
  {
    name: 'async-profiler: both clocks',
    bytes: asyncProfiler('cpu', [
      ['interval', '1000000'],
      ['wall', '50000000'],
    ]),
  },
  { name: 'async-profiler: counter', bytes: asyncProfiler('cache-misses', [['interval', '1000']]) },
  { name: 'events with a count and measures', bytes: counted() },
  { name: 'span contexts, and fields of all kinds to skip', bytes: spans() },
  { name: 'missing constants and descriptions', bytes: missing() },
]

export function fixture(name: string): Uint8Array {
  const found = fixtures.find(one => one.name === name)
  if (found === undefined) throw new Error(`no fixture ${name}`)
  return found.bytes
}
