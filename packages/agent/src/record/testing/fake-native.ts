// A fake native module that returns the samples of a test, so that the recorder can be tested without a profiler.
import type { NativeModule, TimeNode, TimeNodeContext, TimeTree } from '../sources/native-module.ts'

export class FakeNative {
  /** Functions and Unix milliseconds of samples that wait in the profiler. */
  waiting: [name: string, millis: number][] = []
  /** Thrown by the next read of the samples. */
  failure: Error | undefined
  isRunning = false
  /** The interval of every profiler that was started. */
  readonly intervals: unknown[] = []
  /** The current context, as the span tracker sets it. */
  context: object | undefined

  readonly load = (): NativeModule => ({
    TimeProfiler: profilerOf(this),
    getNativeThreadId: () => 4242,
    isAsyncContextFrameActive: () => false,
    heap: {
      start: () => {},
      stop: () => {},
      v8Profile: () => ({ scriptName: '', children: [], allocations: [] }),
    },
  })

  take(): TimeTree {
    const { failure } = this
    this.failure = undefined
    if (failure !== undefined) throw failure
    const children: TimeNode[] = []
    for (const [name, millis] of this.waiting.splice(0)) {
      const sample = { timestamp: BigInt(millis * 1000), cpuTime: 1_000_000 }
      const contexts: TimeNodeContext[] = [this.context === undefined ? sample : { ...sample, context: this.context }]
      // V8's own frames have no script.
      const position = name.startsWith('(') ? { scriptName: '' } : { scriptName: '/app.js', lineNumber: 1 }
      children.push({ name, ...position, hitCount: 1, children: [], contexts })
    }
    return { topDownRoot: { name: '(root)', scriptName: '', hitCount: 0, children } }
  }
}

function profilerOf(fake: FakeNative): NativeModule['TimeProfiler'] {
  return class {
    context: object | undefined
    #samples = 0
    /** As if a sample came at every read. */
    readonly state = new Proxy(new Uint32Array(1), { get: () => this.#samples++ })
    readonly #intervalMicros: unknown
    constructor({ intervalMicros }: Readonly<Record<string, unknown>>) {
      this.#intervalMicros = intervalMicros
    }
    start(): void {
      fake.isRunning = true
      fake.intervals.push(this.#intervalMicros)
    }
    stop(restart: boolean): TimeTree {
      fake.isRunning = restart
      return fake.take()
    }
    dispose(): void {}
    v8ProfilerStuckEventLoopDetected(): number {
      return 0
    }
    createContextHolder(context: object): object {
      return context
    }
  }
}
