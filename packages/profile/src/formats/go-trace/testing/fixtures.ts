// A small trace in the version of each Go release: two threads, a goroutine that blocks and is unblocked by another, a
// system call, a garbage collection, CPU samples.
import { GoEventType as E, GoStatus } from '../event-types.ts'
import { TraceWriter, event, stackEvent, stringEvent } from './trace-writer.ts'

/** Strings and stacks belong to no thread. */
export const NO_THREAD = 2n ** 64n - 1n
export const WALL_SECONDS = 1_740_755_049

const STRINGS = ['main.work', '/src/main.go', 'main.main', 'chan receive', 'GC mark termination', 'preempted']
const WORK = [0x401000, 1, 2, 12] as const
const MAIN = [0x402000, 3, 2, 30] as const

/** A clock of 1 GHz, read when the batch began. */
export function clockBatch(version: number, mono = 5000, nanos = 7): number[] {
  const frequency = event(E.frequency, 1_000_000_000)
  return version < 25 ? frequency : [E.sync, ...frequency, ...event(E.clockSnapshot, 0, mono, WALL_SECONDS, nanos)]
}

export function smallTrace(version: number): Uint8Array {
  const trace = new TraceWriter(version)
  trace.batch(1, NO_THREAD, 1000, clockBatch(version))
  trace.batch(1, 11, 1000, [
    ...event(E.procStatus, 1, 0, 1),
    ...event(E.goStatus, 1, 1, 11, GoStatus.running),
    ...event(E.goCreate, 8, 2, 2, 1),
    ...event(E.gcBegin, 10, 1, 1),
    ...event(E.stwBegin, 5, 5, 1),
    ...event(E.stwEnd, 20),
    ...event(E.gcEnd, 5, 2),
    ...event(E.goBlock, 50, 4, 2),
    ...event(E.procStop, 1),
  ])
  // The clock of this thread is fast: it starts goroutine 2 before that was created, and unblocks 1 before that
  // blocked.
  trace.batch(1, 12, 1000, [
    ...event(E.procStatus, 1, 1, 1),
    ...event(E.goStart, 1, 2, 1),
    ...event(E.goSyscallBegin, 40, 1, 1),
    ...event(E.goSyscallEnd, 30),
    ...event(E.gcSweepBegin, 1, 2),
    ...event(E.gcSweepEnd, 4, 100, 50),
    ...event(E.gcMarkAssistBegin, 1, 2),
    ...event(E.gcMarkAssistEnd, 6),
    ...event(E.goUnblock, 10, 1, 1, 2),
    ...event(E.goStop, 100, 6, 2),
    ...event(E.goStart, 10, 1, 2),
    ...event(E.userLog, 1, 0, 1, 1, 1),
  ])
  const frames = [E.stacks, ...stackEvent(1, WORK, MAIN), ...stackEvent(2, MAIN)]
  trace.batch(1, NO_THREAD, 1300, frames)
  trace.batch(1, NO_THREAD, 1300, [
    E.cpuSamples,
    ...event(E.cpuSample, 1050, 12, 1, 2, 1),
    ...event(E.cpuSample, 1060, 12, NO_THREAD, 0, 2),
  ])
  trace.batch(1, NO_THREAD, 1300, [E.strings, ...STRINGS.flatMap((text, i) => stringEvent(i + 1, text))])
  if (version >= 26) trace.raw(E.endOfGeneration)
  // A second generation, in which goroutine 2, which was runnable, ends.
  trace.batch(2, 12, 2000, [
    ...event(E.procStatus, 0, 1, 1),
    ...event(E.goStatus, 0, 1, 12, GoStatus.running),
    ...event(E.goStatus, 0, 2, NO_THREAD, GoStatus.runnable),
    ...event(E.goDestroy, 100),
    ...event(E.goStart, 100, 2, 1),
    ...event(E.goDestroy, 100),
  ])
  trace.batch(2, NO_THREAD, 2000, clockBatch(version, 6000, 1_000_007))
  if (version >= 26) trace.raw(E.endOfGeneration)
  return trace.finish()
}

export const fixtures: readonly { name: string; bytes: Uint8Array }[] = [22, 23, 25, 26].map(version => ({
  name: `Go 1.${version}`,
  bytes: smallTrace(version),
}))
