// A worker thread for the tests of the pool. It is built with the package, because threads of tests run the build.
import { setImmediate } from 'node:timers/promises'
import type { Channel, Handlers } from '../channel.ts'
import { Transferred } from '../channel.ts'
import { hostWorker } from '../worker-host.ts'
import { TestError } from './test-error.ts'

/** The functions of the main thread. `gate` resolves when the test opens it. */
export interface TestMain extends Handlers {
  readonly gate: (name: string) => Promise<string>
  readonly double: (value: number) => Promise<number>
}

export type TestRemote = ReturnType<typeof remoteHandlers>

function remoteHandlers(label: string, main: Channel<TestMain>) {
  const notices: string[] = []
  let produced = 0
  return {
    echo: async (value: unknown) => ({ label, value }),
    notice: async (text: string) => void notices.push(text),
    notices: async (_: undefined) => notices,
    reversed: async (bytes: Uint8Array<ArrayBuffer>) => new Transferred(bytes.reverse(), [bytes.buffer]),
    double: async (value: number) => await main.call('double', value),
    fail: async ({ fault, position }: { readonly fault: string; readonly position: number }): Promise<never> => {
      throw new TestError(fault, position, 'failed on purpose', { cause: new RangeError('the cause') })
    },
    /** Waits for the test. */
    gate: async (name: string, signal: AbortSignal) => await main.call('gate', name, { signal }),
    async *count(to: number) {
      for (produced = 0; produced < to; produced++) yield produced
    },
    produced: async (_: undefined) => produced,
    /** Sets the second number and holds the thread until another thread changes the first. */
    async block(flags: Int32Array) {
      Atomics.store(flags, 1, 1)
      return Atomics.wait(flags, 0, 0)
    },
    /** Fills the heap. */
    async fill(_: undefined): Promise<never> {
      const held: unknown[] = []
      for (;;) {
        for (let i = 0; i < 10_000; i++) held.push({ held: `${i}${Math.random()}` })
        await setImmediate()
      }
    },
    crash: async (_: undefined) => void setTimeout(() => void JSON.parse('{')),
  }
}

hostWorker<TestMain, string>((label, main) => remoteHandlers(label, main), [TestError])
