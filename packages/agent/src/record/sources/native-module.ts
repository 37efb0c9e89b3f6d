// Loads the native profiler @datadog/pprof. The time profiler comes from an internal module: `stop` of the public one converts
// everything to pprof objects and loses columns, `(program)` and the time of each sample. Therefore the package is pinned to
// one version. If anything is not as expected, loading throws and the recorder uses node:inspector.
import { createRequire } from 'node:module'

export interface V8Node {
  readonly name?: string
  readonly scriptName: string
  readonly scriptId?: number
  readonly lineNumber?: number
  readonly columnNumber?: number
}

export interface TimeNode extends V8Node {
  readonly hitCount: number
  readonly children: readonly TimeNode[]
  readonly contexts?: readonly TimeNodeContext[]
}

export interface TimeNodeContext {
  readonly context?: object
  /** Unix microseconds. */
  readonly timestamp: bigint
  /** CPU nanoseconds of this thread since its previous sample. */
  readonly cpuTime?: number
}

export interface TimeTree {
  readonly topDownRoot: TimeNode
  /** CPU nanoseconds of threads that run no JavaScript, since the previous tree. Main thread only. */
  readonly nonJSThreadsCpuTime?: number
}

export interface TimeProfiler {
  start(): void
  stop(restart: boolean): TimeTree
  dispose(): void
  v8ProfilerStuckEventLoopDetected(): number
  createContextHolder(context: object): object
  context: object | undefined
  /** The number of samples since the last start or stop. */
  readonly state: Uint32Array
}

export interface AllocationNode extends V8Node {
  readonly children: readonly AllocationNode[]
  readonly allocations: readonly { readonly sizeBytes: number; readonly count: number }[]
}

export interface NativeModule {
  readonly TimeProfiler: new (options: Readonly<Record<string, unknown>>) => TimeProfiler
  readonly getNativeThreadId: () => number
  readonly isAsyncContextFrameActive: () => boolean
  readonly heap: {
    start(intervalBytes: number, stackDepth: number): void
    stop(): void
    v8Profile(): AllocationNode
  }
}

/** Throws if the addon cannot be loaded, with the reason. */
export function loadNativeModule(): NativeModule {
  const require = createRequire(import.meta.url)
  const time: unknown = require('@datadog/pprof/out/src/time-profiler-bindings.js')
  const frame: unknown = require('@datadog/pprof/out/src/async-context-frame.js')
  const door: unknown = require('@datadog/pprof')
  const native = { ...(time as object), ...(frame as object), ...(door as object) } as Partial<NativeModule>
  const { TimeProfiler, getNativeThreadId, isAsyncContextFrameActive, heap } = native
  if (
    typeof TimeProfiler !== 'function' ||
    typeof getNativeThreadId !== 'function' ||
    typeof isAsyncContextFrameActive !== 'function' ||
    heap === undefined
  )
    throw new Error(
      '@datadog/pprof does not have the expected exports; install the version that @hearth/agent requires',
    )
  return { TimeProfiler, getNativeThreadId, isAsyncContextFrameActive, heap }
}
