import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TestRemote } from './testing/test-worker.ts'
import { TestError } from './testing/test-error.ts'
import { workerEntry } from './worker-entry.ts'
import { WorkerError } from './worker-error.ts'
import type { WorkerPoolOptions } from './worker-pool.ts'
import { WorkerPool } from './worker-pool.ts'

const pools: WorkerPool<TestRemote>[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()))
})

/** Opens gates by name, and says which are waited for. */
class Gates {
  readonly waiting = new Map<string, () => void>()

  readonly handler = (name: string): Promise<string> =>
    new Promise(resolve => this.waiting.set(name, () => resolve(`passed ${name}`)))

  async open(name: string): Promise<void> {
    await vi.waitUntil(() => this.waiting.has(name))
    this.waiting.get(name)!()
    this.waiting.delete(name)
  }
}

function openPool(options: Partial<WorkerPoolOptions<TestRemote>> & { readonly gates?: Gates } = {}) {
  const { gates = new Gates(), ...more } = options
  const handlers = { gate: gates.handler, double: async (value: number) => value * 2 }
  const pool = new WorkerPool<TestRemote>({
    name: 'test',
    entry: workerEntry('testing/test-worker', import.meta.url),
    size: 2,
    data: 'label',
    kinds: [TestError],
    handlersFor: () => handlers,
    ...more,
  })
  pools.push(pool)
  return pool
}

/** The error of a call that fails later. */
function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error)
}

const A = { key: 'a' }

describe('WorkerPool', () => {
  it('calls threads, which call back', async () => {
    const pool = openPool()
    expect(await pool.call('echo', { a: [1n, 'two'] }, A)).toEqual({ label: 'label', value: { a: [1n, 'two'] } })
    expect(await pool.call('double', 21, A)).toBe(42)
  })

  it('starts no spare thread before a call takes long', async () => {
    const pool = openPool({ size: 3, spareAfterMs: 3_600_000 })
    expect(pool.state.threads).toBe(0)
    expect(await pool.call('double', 1, A)).toBe(2)
    expect(await pool.call('double', 1, A)).toBe(2)
    expect(pool.state).toEqual({ threads: 1, busy: 0, waiting: 0, deaths: 0 })
  })

  it('starts one spare thread while a call takes long, before the next key needs it', async () => {
    const pool = openPool({ size: 3, spareAfterMs: 1 })
    const held = errorOf(pool.call('gate', 'never', A))
    await expect.poll(() => pool.state).toEqual({ threads: 2, busy: 1, waiting: 0, deaths: 0 })
    await pool.close()
    expect(await held).toMatchObject({ fault: 'closed' })
  })

  it('moves buffers in both directions', async () => {
    const bytes = Uint8Array.of(1, 2, 3)
    const response = openPool().call('reversed', bytes, { ...A, transfer: [bytes.buffer] })
    expect([...(await response)]).toEqual([3, 2, 1])
    expect(bytes.length).toBe(0)
  })

  it('keeps the class, the fields and the cause of errors', async () => {
    const error = await errorOf(openPool().call('fail', { fault: 'syntax', position: 7 }, A))
    if (!(error instanceof TestError)) throw error
    expect([error.name, error.message, error.place]).toEqual(['TestError', 'failed on purpose', 'syntax at 7'])
    expect(error.stack).toContain('test-worker')
    expect(error.cause).toMatchObject({ name: 'RangeError', message: 'the cause' })
  })

  it('streams items no faster than they are read', async () => {
    const pool = openPool({ perThread: 2 })
    const items: number[] = []
    let produced = 0
    for await (const item of pool.stream('count', 100, A)) {
      items.push(item)
      if (items.length === 10) produced = await pool.call('produced', undefined, A)
    }
    expect(items).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(produced).toBeGreaterThan(9)
    expect(produced).toBeLessThan(20)
  })

  it('cancels a stream that is not read to its end', async () => {
    const pool = openPool()
    for await (const item of pool.stream('count', 1_000_000, A)) if (item === 3) break
    expect(await pool.call('produced', undefined, A)).toBeLessThan(20)
    await expect.poll(() => pool.state.busy).toBe(0)
  })

  it('rejects at once when the signal aborts, and occupies the thread until it is done', async () => {
    const gates = new Gates()
    const pool = openPool({ gates })
    const leaving = new AbortController()
    const flags = new Int32Array(new SharedArrayBuffer(8))
    const blocked = pool.call('block', flags, { ...A, signal: leaving.signal })
    const waiting = pool.call('echo', 1, { ...A, signal: leaving.signal })
    await expect.poll(() => flags[1]).toBe(1)
    leaving.abort(new Error('left'))
    await expect(blocked).rejects.toThrow('left')
    await expect(waiting).rejects.toThrow('left')
    expect(pool.state).toMatchObject({ busy: 1, waiting: 0 })
    Atomics.store(flags, 0, 1)
    Atomics.notify(flags, 0)
    await expect.poll(() => pool.state.busy).toBe(0)
    await expect(pool.call('echo', 1, { ...A, signal: leaving.signal })).rejects.toThrow('left')
    // A handler that waits for the main thread ends with the call.
    const second = new AbortController()
    const gated = pool.call('gate', 'x', { ...A, signal: second.signal })
    await expect.poll(() => gates.waiting.has('x')).toBe(true)
    second.abort(new Error('left too'))
    await expect(gated).rejects.toThrow('left too')
    await expect.poll(() => pool.state.busy).toBe(0)
  })

  it('leaves a thread to other keys', async () => {
    const gates = new Gates()
    const pool = openPool({ gates, size: 3 })
    const many = ['1', '2', '3', '4'].map(name => pool.call('gate', name, A))
    expect(pool.state).toMatchObject({ busy: 2, waiting: 2 })
    expect(await pool.call('double', 1, { key: 'b' })).toBe(2)
    for (const name of ['1', '2', '3', '4']) await gates.open(name)
    expect(await Promise.all(many)).toEqual(['passed 1', 'passed 2', 'passed 3', 'passed 4'])
  })

  it('fails the calls of a thread that exceeds its memory, and starts another', async () => {
    const deaths: WorkerError[] = []
    const pool = openPool({ heapMiB: 16, onDeath: error => deaths.push(error) })
    const held = errorOf(pool.call('gate', 'never', { key: 'b' }))
    const error = await errorOf(pool.call('fill', undefined, A))
    expect(error).toBeInstanceOf(WorkerError)
    expect(error).toMatchObject({ fault: 'memory', message: 'a test thread exceeded its memory limit' })
    expect(deaths).toEqual([error])
    expect(await pool.call('double', 4, A)).toBe(8)
    expect(pool.state.deaths).toBe(1)
    await pool.close()
    expect(await held).toMatchObject({ fault: 'closed' })
  })

  it('reports the error that ended a thread', async () => {
    const pool = openPool({ perThread: 2 })
    const crashed = { fault: 'crashed', message: expect.stringContaining('JSON') as string }
    const held = errorOf(pool.call('gate', 'never', A))
    await pool.call('crash', undefined, A)
    expect(await held).toMatchObject(crashed)
    const missing = openPool({ entry: new URL('missing.js', import.meta.url) })
    await expect(missing.call('double', 1, A)).rejects.toMatchObject({ fault: 'crashed' })
  })

  it('sends notices to all threads, also to those that start later', async () => {
    const pool = openPool({ onStart: channel => channel.notify('notice', 'at start') })
    pool.broadcast('notice', 'before the start')
    await pool.call('echo', 1, A)
    pool.broadcast('notice', 'to all')
    expect(await pool.call('notices', undefined, A)).toEqual(['at start', 'to all'])
    const held = errorOf(pool.call('gate', 'never', A))
    expect(await pool.call('notices', undefined, { key: 'b' })).toEqual(['at start'])
    pool.broadcast('notice', 'to both')
    expect(await pool.call('notices', undefined, { key: 'b' })).toEqual(['at start', 'to both'])
    await pool.close()
    expect(await held).toMatchObject({ fault: 'closed' })
    await expect(pool.call('echo', 1, A)).rejects.toMatchObject({ fault: 'closed' })
  })

  it('closes while its threads start, and starts none afterwards', async () => {
    const pool = openPool()
    pool.warm()
    await pool.close()
    expect(pool.state.threads).toBe(0)
    pool.warm()
    expect(pool.state.threads).toBe(0)
  })
})
