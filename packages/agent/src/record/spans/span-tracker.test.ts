import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { OtelContext } from './span-context.ts'
import { spanContextOf } from './span-context.ts'
import type { ContextHolder, ContextSink } from './span-tracker.ts'
import { SpanTracker } from './span-tracker.ts'
import type { FakeContext } from '../testing/fake-otel.ts'
import { FakeManager, ROOT, isPlain, register, replace, unregister } from '../testing/fake-otel.ts'

const CHOICE = { spanAttributes: [], baggageKeys: [] }
const started: SpanTracker[] = []

afterEach(() => {
  for (const tracker of started.splice(0)) tracker.stop()
  unregister()
})

function start(sink: ContextSink): SpanTracker {
  const tracker = new SpanTracker(CHOICE, sink)
  started.push(tracker)
  return tracker
}

function spanIdOf(context: OtelContext | undefined): string {
  return (context && spanContextOf(context, CHOICE)?.labels().spanId) ?? ''
}

interface Profiler {
  readonly sink: ContextSink
  /** The span of a sample taken now. */
  readonly now: () => string
}

function setSink(): Profiler & { readonly samples: Uint32Array; readonly holder: () => ContextHolder | undefined } {
  let current: ContextHolder | undefined
  const samples = new Uint32Array(1)
  return {
    sink: { kind: 'set', set: given => (current = given), samples: () => samples[0] },
    now: () => spanIdOf(current?.context),
    samples,
    holder: () => current,
  }
}

function carriedSink(): Profiler {
  const storage = new AsyncLocalStorage<object>()
  return {
    sink: { kind: 'carried', storage, hold: held => ({ held }) },
    now: () => spanIdOf((storage.getStore() as { readonly held: OtelContext } | undefined)?.held),
  }
}

for (const [name, sinkOf] of [
  ['by hooks', setSink],
  ['carried by the engine', carriedSink],
] as const) {
  describe(`the active span, ${name}`, () => {
    test('is tracked through asynchronous calls of two concurrent requests', async () => {
      const { sink, now } = sinkOf()
      start(sink)
      const manager = new FakeManager()
      register(manager)
      const seen: boolean[] = []
      const run = (): Promise<void> =>
        manager.startActiveSpan(async ({ spanId }) => {
          const check = (): number => seen.push(now() === spanId)
          const emitter = new EventEmitter()
          emitter.on('event', check)
          for (let i = 0; i < 3; i++) {
            check()
            await sleep(1)
            check()
            await Promise.all([Promise.resolve().then(check), new Promise(resolve => process.nextTick(resolve))])
            check()
            emitter.emit('event')
            await new Promise<void>(resolve => {
              setImmediate(() => {
                check()
                resolve()
              })
            })
            await manager.startActiveSpan(async inner => {
              seen.push(now() === inner.spanId)
              await sleep(1)
              seen.push(now() === inner.spanId)
            })
            check()
          }
        })
      const both = Promise.all([run(), run()])
      expect(now()).toBe('')
      await both
      expect(seen.length).toBe(54)
      expect(seen).not.toContain(false)
      expect(now()).toBe('')
    })

    test('is restored after another scope', () => {
      const { sink, now } = sinkOf()
      start(sink)
      const manager = new FakeManager()
      register(manager)
      const other = new AsyncResource('other')
      manager.startActiveSpan(({ spanId }) => {
        expect(other.runInAsyncScope(now)).toBe('')
        expect(now()).toBe(spanId)
      })
    })

    test('is found with a manager that was registered before, later, or as a replacement', () => {
      const first = new FakeManager()
      register(first)
      const { sink, now } = sinkOf()
      const tracker = start(sink)
      const sees = (manager: FakeManager): boolean => manager.startActiveSpan(({ spanId }) => now() === spanId)
      expect(sees(first)).toBe(true)
      const second = new FakeManager()
      register(second)
      expect(sees(second)).toBe(true)
      expect(sees(first)).toBe(false)
      // This deletes the watched property.
      unregister()
      const third = new FakeManager()
      register(third)
      expect(sees(third)).toBe(true)
      // In a way that cannot be watched.
      const fourth = new FakeManager()
      replace(fourth)
      expect(sees(fourth)).toBe(false)
      tracker.refresh()
      expect(sees(fourth)).toBe(true)
    })

    test('is tracked by attach and dispose', () => {
      const manager = new FakeManager()
      register(manager)
      const { sink, now } = sinkOf()
      start(sink)
      manager.startActiveSpan(outer => {
        const context = manager.active()
        manager.with(ROOT, () => {
          const token = manager.attach(context)
          expect(now()).toBe(outer.spanId)
          token.dispose()
          expect(now()).toBe('')
        })
      })
    })

    test('leaves the results and errors of callbacks unchanged, and is unhooked at the end', () => {
      const manager = new FakeManager()
      const { sink, now } = sinkOf()
      const tracker = start(sink)
      register(manager)
      expect(Object.hasOwn(manager, 'with')).toBe(true)
      expect(isPlain()).toBe(false)
      const failure = new Error('mine')
      const fail = (): never => {
        throw failure
      }
      expect(() => manager.with(ROOT, fail)).toThrow(failure)
      const self = { word: 'ok' }
      function say(this: typeof self, a: number, b: number): string {
        return `${this.word} ${a + b}`
      }
      expect(manager.with(ROOT, say, self, 1, 2)).toBe('ok 3')
      expect(manager.with(undefined as never, say, self, 1, 2)).toBe('ok 3')
      const wrapped = manager.with.bind(manager)
      tracker.stop()
      expect(wrapped(ROOT, say, self, 1, 2)).toBe('ok 3')
      expect(Object.hasOwn(manager, 'with')).toBe(false)
      expect(Object.hasOwn(manager, 'attach')).toBe(false)
      expect(isPlain()).toBe(true)
      manager.startActiveSpan(() => expect(now()).toBe(''))
    })
  })
}

test('SpanTracker stops if another program stopped the profiler', async () => {
  let calls = 0
  const set = (): void => {
    calls++
    throw new Error('Wall profiler is not started')
  }
  start({ kind: 'set', set, samples: () => 0 })
  const manager = new FakeManager()
  register(manager)
  const value = await manager.startActiveSpan(async () => {
    await sleep(1)
    return 'fine'
  })
  expect(value).toBe('fine')
  expect(calls).toBe(1)
})

test('a sample keeps its span, whatever becomes active later', async () => {
  const profiler = setSink()
  const { sink, samples, holder } = profiler
  const tracker = start(sink)
  const manager = new FakeManager()
  register(manager)
  const taken: { readonly holder: ContextHolder | undefined; readonly spanId: string }[] = []
  const sample = (spanId: string): void => {
    samples[0]++
    taken.push({ holder: holder(), spanId })
  }
  const run = (): Promise<void> =>
    manager.startActiveSpan(async ({ spanId }) => {
      for (let i = 0; i < 20; i++) {
        if (i % 3 === 0) sample(spanId)
        await Promise.resolve()
        if (i % 4 === 0) sample(spanId)
        manager.startActiveSpan(inner => sample(inner.spanId))
        if (i % 5 === 0) sample(spanId)
      }
    })
  await Promise.all([run(), run(), run()])
  expect(taken.map(each => spanIdOf(each.holder?.context))).toEqual(taken.map(({ spanId }) => spanId))
  // The profiler counts from 0 again after samples were fetched: an equal number does not mean that none was taken.
  const two = manager.startActiveSpan(({ spanId }) => {
    samples[0] = 7
    manager.startActiveSpan(() => {})
    const before = { holder: holder(), spanId: '' }
    tracker.refresh()
    samples[0] = 7
    manager.startActiveSpan(() => {})
    return [before, { holder: holder(), spanId }]
  })
  expect(two[0].holder).not.toBe(two[1].holder)
})

test('SpanTracker adds hooks only at the first span', async () => {
  const { sink, now } = setSink()
  start(sink)
  let calls = 0
  class CountingManager extends FakeManager {
    override active(): FakeContext {
      calls++
      return super.active()
    }
  }
  const manager = new CountingManager()
  register(manager)
  calls = 0
  await manager.with(ROOT, async () => {
    for (let i = 0; i < 10; i++) await sleep(0)
  })
  expect(calls).toBe(0)
  await manager.startActiveSpan(async ({ spanId }) => {
    await sleep(0)
    expect(now()).toBe(spanId)
  })
  expect(calls).toBeGreaterThan(1)
})

test('SpanTracker finds a span that was active before the manager was found', async () => {
  const manager = new FakeManager()
  register(manager)
  await manager.startActiveSpan(async ({ spanId }) => {
    await sleep(0)
    const { sink, now } = setSink()
    start(sink)
    expect(now()).toBe(spanId)
    await sleep(0)
    expect(now()).toBe(spanId)
  })
})
