// Small versions of the recorders' classes, and chunks with two threads, three methods and two stacks.
import type { ClassSpec, ClockSpec, FieldSpec, Sink } from './chunk-writer.ts'
import { ChunkWriter } from './chunk-writer.ts'

function field(name: string, type: string): FieldSpec {
  return { name, type }
}

function key(name: string, type: string): FieldSpec {
  return { name, type, constant: true }
}

const COMMON = [field('startTime', 'long'), key('eventThread', 'java.lang.Thread'), key('stackTrace', 'StackTrace')]
const TIMED = [COMMON[0], field('duration', 'long'), ...COMMON.slice(1)]

const CLASSES: readonly (readonly [name: string, fields: readonly FieldSpec[]])[] = [
  ['boolean', []],
  ['byte', []],
  ['short', []],
  ['int', []],
  ['long', []],
  ['float', []],
  ['double', []],
  ['java.lang.String', []],
  [
    'java.lang.Thread',
    [
      field('osName', 'java.lang.String'),
      field('osThreadId', 'long'),
      field('javaName', 'java.lang.String'),
      field('javaThreadId', 'long'),
      field('virtual', 'boolean'),
    ],
  ],
  ['java.lang.Class', [field('modifiers', 'int'), key('name', 'Symbol')]],
  ['Symbol', [field('string', 'java.lang.String')]],
  ['Method', [key('type', 'java.lang.Class'), key('name', 'Symbol'), key('descriptor', 'Symbol')]],
  ['FrameType', [field('description', 'java.lang.String')]],
  ['ThreadState', [field('name', 'java.lang.String')]],
  [
    'StackFrame',
    [key('method', 'Method'), field('lineNumber', 'int'), field('bytecodeIndex', 'int'), key('type', 'FrameType')],
  ],
  ['StackTrace', [field('truncated', 'boolean'), { name: 'frames', type: 'StackFrame', array: true }]],
  ['Point', [field('x', 'int'), field('y', 'double')]],
  [
    'jdk.ExecutionSample',
    [
      field('startTime', 'long'),
      key('sampledThread', 'java.lang.Thread'),
      key('stackTrace', 'StackTrace'),
      key('state', 'ThreadState'),
    ],
  ],
  [
    'profiler.WallClockSample',
    [
      field('startTime', 'long'),
      key('sampledThread', 'java.lang.Thread'),
      key('stackTrace', 'StackTrace'),
      key('state', 'ThreadState'),
      field('samples', 'int'),
    ],
  ],
  [
    'jdk.ObjectAllocationInNewTLAB',
    [...COMMON, key('objectClass', 'java.lang.Class'), field('allocationSize', 'long'), field('tlabSize', 'long')],
  ],
  ['jdk.JavaMonitorEnter', [...TIMED, key('monitorClass', 'java.lang.Class'), field('address', 'long')]],
  ['jdk.FileRead', [...TIMED, field('path', 'java.lang.String'), field('bytesRead', 'long')]],
  [
    'jdk.ActiveSetting',
    [
      field('startTime', 'long'),
      field('id', 'long'),
      field('name', 'java.lang.String'),
      field('value', 'java.lang.String'),
    ],
  ],
  ['jdk.JVMInformation', [field('startTime', 'long'), field('jvmName', 'java.lang.String'), field('pid', 'long')]],
  ['jdk.CPULoad', [field('startTime', 'long'), field('machineTotal', 'float')]],
  ['jdk.JavaMonitorWait', [...TIMED.slice(0, 3), field('timedOut', 'boolean'), TIMED[3]]],
  [
    'datadog.ExecutionSample',
    [
      // Fields that a reader must skip to reach the rest.
      { name: 'names', type: 'java.lang.String', array: true },
      { name: 'points', type: 'Point', array: true },
      { name: 'flags', type: 'byte', array: true },
      { name: 'threads', type: 'java.lang.Thread', constant: true, array: true },
      field('point', 'Point'),
      field('ratio', 'float'),
      ...COMMON,
      field('weight', 'long'),
      field('spanId', 'long'),
      field('localRootSpanId', 'long'),
      field('spanName', 'long'),
      field('contextId', 'long'),
    ],
  ],
]

interface ChunkLayout {
  /** Added to the class ids. */
  readonly offset?: bigint
  /** Reverses the fields of events and constants. */
  readonly reversed?: boolean
}

export function sampleClasses({ offset = 100n, reversed = false }: ChunkLayout = {}): ClassSpec[] {
  return CLASSES.map(([name, fields], i) => ({
    name,
    id: offset + BigInt(i),
    fields: reversed ? fields.toReversed() : fields,
  }))
}

/** Keys of constants. */
export const THREAD = { main: 1n, gc: 2n ** 63n + 5n } as const
export const STACK = { fib: 7n, park: 2n ** 60n + 1n } as const
export const STATE = { runnable: 1, sleeping: 2, none: 3 } as const
export const CLASS_OF_STRING = 40n
const FRAME = { interpreted: 1, jit: 2, native: 3, kernel: 4 } as const

type Constant = readonly [bigint | number, (sink: Sink) => unknown]

function texts(entries: readonly (readonly [bigint | number, string])[]): Constant[] {
  return entries.map(([id, text]) => [id, sink => sink.text(text)] as const)
}

/** Adds all constants that samples refer to. */
export function addConstants(writer: ChunkWriter): ChunkWriter {
  // The stacks come before the constants that they refer to.
  writer.constants({
    StackTrace: [
      [
        STACK.fib,
        s => s.byte(0).long(2).long(9).int(12).int(3).int(FRAME.jit).long(8).int(-1).int(0).int(FRAME.interpreted),
      ],
      [
        STACK.park,
        s =>
          s
            .byte(1)
            .long(1)
            .long(2n ** 53n + 1n)
            .int(0)
            .int(-1)
            .int(FRAME.native),
      ],
    ],
    'java.lang.Thread': [
      [THREAD.main, s => s.text('old').long(4711).text('starting').long(1).byte(0)],
      [
        THREAD.gc,
        s =>
          s
            .text('GC Thread#0')
            .long(2n ** 40n)
            .text(undefined)
            .long(0)
            .byte(0),
      ],
    ],
  })
  return writer.constants({
    Method: [
      [9, s => s.longs(41, 50, 51)],
      [8, s => s.longs(42, 52, 51)],
      [2n ** 53n + 1n, s => s.longs(43, 53, 54)],
    ],
    'java.lang.Class': [
      [CLASS_OF_STRING, s => s.int(17).long(60)],
      [41, s => s.int(1).long(61)],
      [42, s => s.int(1).long(62)],
      [43, s => s.int(0).long(63)],
    ],
    Symbol: texts([
      [50, 'fib'],
      [51, '(I)I'],
      [52, 'run'],
      [53, 'pthread_cond_wait'],
      [54, '()L;'],
      [60, 'java/lang/String'],
      [61, 'org/acme/Fib'],
      [62, 'org/acme/App$$Lambda$12/0x0000000800c03000'],
      [63, 'libc.so.6'],
    ]),
    FrameType: texts([
      [FRAME.interpreted, 'Interpreted'],
      [FRAME.jit, 'JIT compiled'],
      [FRAME.native, 'Native'],
      [FRAME.kernel, 'Kernel'],
    ]),
    ThreadState: texts([
      [STATE.runnable, 'STATE_RUNNABLE'],
      [STATE.sleeping, 'STATE_SLEEPING'],
      [STATE.none, 'STATE_DEFAULT'],
    ]),
    'java.lang.Thread': [[THREAD.main, s => s.text('os-main').long(4711).text('main').long(1).byte(1)]],
  })
}

export function sampleChunk(clock: ClockSpec = {}, layout: ChunkLayout = {}): ChunkWriter {
  return new ChunkWriter(sampleClasses(layout), clock)
}

export function addSetting(writer: ChunkWriter, event: string, name: string, value: string): ChunkWriter {
  const id = sampleClasses().find(one => one.name === event)?.id ?? 0n
  return writer.event('jdk.ActiveSetting', sink => sink.longs(1000, id).text(name).text(value))
}

export function addExecution(
  writer: ChunkWriter,
  time: bigint | number,
  thread: bigint,
  stack: bigint,
  state: number,
): ChunkWriter {
  return writer.event('jdk.ExecutionSample', sink => sink.longs(time, thread, stack, state))
}
