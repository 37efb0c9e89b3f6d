import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { Channel } from '../../workers/channel.ts'
import type { BytesOptions, Engine } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { TableBatch, defineTable, uint64 } from '../native/table.ts'
import type { EngineHandlers } from './thread-engine.ts'
import { SharedChanges, ThreadEngine, engineHandlers } from './thread-engine.ts'

const numbers = defineTable('numbers', { number: uint64() }, { engine: 'merge', orderBy: 'number', shardBy: 'number' })

/** One block of the Native format. */
function blockOf(...values: readonly bigint[]): Uint8Array {
  const batch = new TableBatch(numbers)
  for (const value of values) batch.columns.number.push(value)
  return batch.toNative()
}

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A ThreadEngine whose engine returns these pieces. */
function threadEngine(
  selectBytes: (sql: string, options: BytesOptions) => AsyncIterable<Uint8Array>,
  changes?: SharedChanges,
): ThreadEngine {
  const { port1, port2 } = new MessageChannel()
  closers.push(() => port1.close())
  const main = new Channel(port1, engineHandlers({ selectBytes } as unknown as Engine))
  expect(main.silentSince).toBeUndefined()
  return new ThreadEngine(new Channel<EngineHandlers>(port2, {}, [EngineError]), changes)
}

describe('ThreadEngine', () => {
  it('selects rows with their parameters', async () => {
    const calls: unknown[] = []
    const engine = threadEngine(async function* (sql, { parameters, maxSeconds, streamed }) {
      calls.push([sql, parameters, maxSeconds, streamed])
      yield blockOf(1n, 2n)
      // A view of a larger buffer must not take the others along.
      yield Buffer.concat([Uint8Array.of(9), blockOf(2n ** 64n - 1n)]).subarray(1)
    })
    const block = await engine.select('SELECT 1', { parameters: { v0: 5n, v1: ['a'] }, maxSeconds: 3 })
    expect([block.rows, block.column('number').bigint(2)]).toEqual([3, 2n ** 64n - 1n])
    expect(calls).toEqual([['SELECT 1', { v0: 5n, v1: ['a'] }, 3, false]])
  })

  it('streams blocks and ends the query when the reader stops', async () => {
    let ended = false
    const engine = threadEngine(async function* (_sql, { streamed }) {
      try {
        for (let i = 0n; streamed; i++) yield blockOf(i)
      } finally {
        ended = true
      }
    })
    const seen: bigint[] = []
    for await (const block of engine.selectBlocks('SELECT')) {
      seen.push(block.column('number').bigint(0))
      if (seen.length === 10) break
    }
    expect(seen).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n])
    await expect.poll(() => ended).toBe(true)
  })

  it('cancels the query in the engine', async () => {
    const leaving = new AbortController()
    let cancelled = false
    const engine = threadEngine(async function* (_sql, { signal }) {
      leaving.abort(new Error('left'))
      await new Promise(resolve => signal!.addEventListener('abort', resolve))
      cancelled = true
      yield blockOf()
    })
    await expect(engine.select('SELECT', { signal: leaving.signal })).rejects.toThrow('left')
    await expect.poll(() => cancelled).toBe(true)
  })

  it('keeps the class and the fault of errors', async () => {
    // oxlint-disable-next-line require-yield
    const engine = threadEngine(async function* () {
      throw new EngineError('limit', 241, 'too much memory')
    })
    const error: unknown = await engine.select('SELECT').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ fault: 'limit', code: 241, message: 'too much memory' })
  })

  it('finds the message of an engine that fails after the first rows', async () => {
    const engine = threadEngine(async function* () {
      yield blockOf(1n)
      yield Buffer.from('Code: 159. DB::Exception: Timeout exceeded')
    })
    const all = async () => {
      for await (const { rows } of engine.selectBlocks('SELECT')) expect(rows).toBe(1)
    }
    await expect(all()).rejects.toMatchObject({ name: 'EngineError', fault: 'limit', code: 159 })
  })

  it('reports changes of tables only if the engine does', () => {
    const none = async function* (): AsyncGenerator<Uint8Array> {}
    expect(threadEngine(none).changes).toBeUndefined()
    const changes = new SharedChanges()
    const engine = threadEngine(none, new SharedChanges(changes.memory))
    expect(engine.changes?.('stacks')).toBe(0)
    changes.update(table => (table === 'stacks' ? 7 : 1))
    expect([engine.changes?.('stacks'), engine.changes?.('series')]).toEqual([7, 1])
  })
})
