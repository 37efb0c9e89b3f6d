// Opens the sources of a recorder, as far as the options require them and this Node supports them.
import { threadId } from 'node:worker_threads'
import * as workerThreads from 'node:worker_threads'
import { reasonOf } from '../reason-of.ts'
import type { HeapSource } from './heap-source.ts'
import { NativeHeap, ONE_OF_TWO } from './heap-source.ts'
import { InspectorAllocations, InspectorHeap, InspectorTime } from './inspector-source.ts'
import type { NativeModule } from './native-module.ts'
import { NativeTime } from './native-time.ts'
import type { ProfileKind, RecorderOptions } from '../recorder-options.ts'
import { RuntimeEventLog } from './runtime-events.ts'
import type { Thread } from '../profiles/thread-part.ts'
import type { TimeSource } from './time-source.ts'
import { WaitLog } from './wait-log.ts'

export interface Sources {
  readonly thread: Thread
  /** True if the native profiler is used, false if node:inspector is. */
  readonly isNative: boolean
  readonly time: TimeSource | undefined
  readonly heap: HeapSource | undefined
  readonly events: RuntimeEventLog | undefined
  readonly waits: WaitLog | undefined
  readonly kinds: ReadonlySet<ProfileKind>
  /** The kinds that cannot be recorded, each with the reason. */
  readonly missing: readonly string[]
}

export function openSources(options: RecorderOptions, loadNative: () => NativeModule): Sources {
  const { kinds } = options
  const missing: string[] = []
  const native = nativeOf(loadNative, missing)
  const time = attempt('cpu, wall', missing, () => startTime(options, native))
  const heap = attempt('heap', missing, () => startHeap(options, native))
  const events = attempt('events', missing, () => startEvents(options))
  const waits = attempt('waits', missing, () => startWaits(options))
  if (kinds.includes('heap') && kinds.includes('allocations')) missing.push(`allocations: ${ONE_OF_TWO}`)
  missing.push(...(time?.missing ?? []), ...(heap?.missing ?? []))
  const isRecorded = (kind: ProfileKind): boolean => {
    if (kind === 'events') return events !== undefined
    if (kind === 'waits') return waits !== undefined
    if (kind === 'cpu' || kind === 'wall') return time !== undefined
    return heap !== undefined && (kind === 'heap' || !kinds.includes('heap'))
  }
  return {
    thread: {
      id: BigInt(native?.getNativeThreadId() ?? (threadId === 0 ? process.pid : threadId)),
      name: threadName(),
    },
    isNative: native !== undefined,
    time,
    heap,
    events,
    waits,
    kinds: new Set(kinds.filter(isRecorded)),
    missing,
  }
}

function startTime(options: RecorderOptions, native: NativeModule | undefined): TimeSource | undefined {
  const { kinds, sampleRateHz } = options
  if (!kinds.includes('cpu') && !kinds.includes('wall')) return undefined
  return native === undefined ? new InspectorTime(sampleRateHz) : new NativeTime(native, sampleRateHz, options)
}

function startHeap(
  { kinds, heapIntervalBytes }: RecorderOptions,
  native: NativeModule | undefined,
): HeapSource | undefined {
  if (kinds.includes('heap'))
    return native === undefined ? new InspectorHeap(heapIntervalBytes) : new NativeHeap(native, heapIntervalBytes)
  return kinds.includes('allocations') ? new InspectorAllocations(heapIntervalBytes) : undefined
}

function startEvents({ kinds }: RecorderOptions): RuntimeEventLog | undefined {
  if (!kinds.includes('events')) return undefined
  const log = new RuntimeEventLog()
  log.start()
  return log
}

function startWaits({ kinds }: RecorderOptions): WaitLog | undefined {
  if (!kinds.includes('waits')) return undefined
  const log = new WaitLog()
  log.start()
  return log
}

/** Returns undefined if it fails, and adds the reason to `missing`. */
function attempt<T>(what: string, missing: string[], start: () => T | undefined): T | undefined {
  try {
    return start()
  } catch (error) {
    missing.push(`${what}: ${reasonOf(error)}`)
    return undefined
  }
}

function nativeOf(loadNative: () => NativeModule, missing: string[]): NativeModule | undefined {
  try {
    return loadNative()
  } catch (error) {
    missing.push(`cannot load the native profiler, using node:inspector: ${reasonOf(error)}`)
    return undefined
  }
}

function threadName(): string {
  // Newer versions of Node have the name of a worker.
  const { threadName: given } = workerThreads as { readonly threadName?: unknown }
  if (typeof given === 'string' && given !== '' && given !== 'WorkerThread') return given
  return threadId === 0 ? 'main' : `worker ${threadId}`
}
