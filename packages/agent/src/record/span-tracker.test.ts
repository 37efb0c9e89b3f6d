import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { SpanContext } from './span-context.ts'
import type { ContextSink } from './span-tracker.ts'
import { SpanTracker } from './span-tracker.ts'
import { FakeManager, ROOT, isPlain, register, replace, unregister } from './testing/fake-otel.ts'

const started: SpanTracker[] = []

afterEach(() => {
  for (const tracker of started.splice(0)) tracker.stop()
  unregister()
})

function start(sink: ContextSink): SpanTracker {
  const tracker = new SpanTracker({ spanAttributes: [], baggageKeys: [] }, sink)
  started.push(tracker)
  return tracker
}

/** A profiler of which one sees what it would put on a sample taken now. */
function setSink(): { readonly sink: ContextSink; readonly now: () => string } {
  let current: SpanContext | undefined
  return {
    sink: { kind: 'set', set: given => (current = given) },
    now: () => current?.labels().spanId ?? '',
  }
}

function carriedSink(): { readonly sink: ContextSink; readonly now: () => string } {
  const storage = new AsyncLocalStorage<object>()
  return {
    sink: { kind: 'carried', storage, hold: held => ({ held }) },
    now: () => {
      const { held } = (storage.getStore() ?? {}) as { readonly held?: unknown }
      return held instanceof SpanContext ? (held.labels().spanId ?? '') : ''
    },
  }
}

for (const [name, sinkOf] of [
  ['by hooks', setSink],
  ['carried by the engine', carriedSink],
] as const) {
  describe(`the active span, ${name}`, () => {
    test('is followed through everything asynchronous, of two at once', async () => {
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

    test('comes back after what ran in another scope', () => {
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

    test('is found with a manager that was there before, one that comes later, and one in its place', () => {
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
      // This deletes the property, with what watches it.
      unregister()
      const third = new FakeManager()
      register(third)
      expect(sees(third)).toBe(true)
      // In a way that can't be watched.
      const fourth = new FakeManager()
      replace(fourth)
      expect(sees(fourth)).toBe(false)
      tracker.refresh()
      expect(sees(fourth)).toBe(true)
    })

    test('attach and dispose', () => {
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

    test('what the callback throws and returns is left alone, and all is as before in the end', () => {
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

test('a profiler that somebody else stopped is left alone', async () => {
  let calls = 0
  const set = (): void => {
    calls++
    throw new Error('Wall profiler is not started')
  }
  start({ kind: 'set', set })
  const manager = new FakeManager()
  register(manager)
  const value = await manager.startActiveSpan(async () => {
    await sleep(1)
    return 'fine'
  })
  expect(value).toBe('fine')
  expect(calls).toBe(1)
})
