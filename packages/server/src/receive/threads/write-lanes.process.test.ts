// Requests in real threads, with an engine that only counts.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommitQueue } from '../../store/commit/commit-queue.ts'
import { FakeEngine } from '../../store/commit/testing/fake-engine.ts'
import { closeQueues, openQueue } from '../../store/commit/testing/open-queue.ts'
import { workerEntry } from '../../workers/worker-entry.ts'
import { Admission } from '../admission.ts'
import { otlpContent } from '../otlp-content.ts'
import { emptyItems } from '../testing/empty-items.ts'
import { logsProtobuf, record } from '../testing/requests.ts'
import { WriteLanes } from './write-lanes.ts'
import type { WriterResult } from './writer.ts'

const MIB = 2 ** 20
const LOGS = otlpContent({ signal: 'logs', encoding: 'protobuf' })
/** Longer than any test. */
const WINDOW = 600_000

let directory: string
let queue: CommitQueue
let lanes: WriteLanes
let deaths: string[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-lanes-'))
  deaths = []
  queue = (await openQueue(directory, new FakeEngine(), { window: WINDOW })).queue
  lanes = new WriteLanes({
    entry: workerEntry('testing/crashing-worker', import.meta.url),
    store: queue,
    admission: new Admission(64 * MIB),
    maxBody: 16 * MIB,
    maxAttributes: 8,
    maxMemory: 64 * MIB,
    onDeath: ({ message }) => deaths.push(message),
  })
})
afterEach(async () => {
  await closeQueues()
  await lanes.close()
  await rm(directory, { recursive: true, force: true })
})

const sender = { tenant: 'home', client: 'test', contentEncoding: '' }
const sendLogs = (...texts: readonly string[]) =>
  lanes.write({ ...sender, content: LOGS, body: logsProtobuf(...texts.map(text => record(text))) })
const sendMany = (count: number) =>
  lanes.write({ ...sender, content: LOGS, body: emptyItems('logs', 'protobuf', count).body })
const crash = (memory: number) =>
  lanes.write({ ...sender, content: { reader: 'crash', options: memory }, body: new Uint8Array(3) })

/** Commits when this many requests wait for it. */
async function commitAt(count: number): Promise<void> {
  await expect.poll(() => queue.state().inFlightRequests).toBe(count)
  await queue.flush()
}

describe('WriteLanes', () => {
  it('commits requests of both threads, and recognises duplicates', async () => {
    const sent = [sendLogs('a'), sendLogs('a'), sendLogs('b'), sendMany(20_000)]
    await commitAt(3)
    const results = await Promise.all(sent)
    expect(results.map(({ isDuplicate }) => isDuplicate)).toEqual([false, true, false, false])
    expect(results.map(({ signal }) => signal)).toEqual(['logs', 'logs', 'logs', 'logs'])
    expect(queue.state()).toMatchObject({ kept: 3, duplicates: 1, inFlightBytes: 0 })
  })

  it('stores large requests of a tenant while a thread reads one of another tenant', async () => {
    const gate = new Int32Array(new SharedArrayBuffer(8))
    const blocking = { ...sender, tenant: 'busy', content: { reader: 'block', options: gate }, body: new Uint8Array(3) }
    const blocked = lanes.write(blocking)
    await expect.poll(() => Atomics.load(gate, 0)).toBe(1)
    const others = [sendLogs('small'), sendMany(20_000)]
    await expect.poll(() => queue.state().inFlightRequests).toBe(3)
    const flushed = queue.flush()
    expect((await Promise.all(others)).map(({ signal }) => signal)).toEqual(['logs', 'logs'])
    Atomics.store(gate, 1, 1)
    Atomics.notify(gate, 1)
    await flushed
    expect((await blocked).signal).toBeUndefined()
  })

  it('reads a content in the thread for large requests if it expands too much for the other one', async () => {
    const content = { reader: 'expand', options: undefined }
    let result: WriterResult | undefined
    const sent = lanes.write({ ...sender, content, body: Uint8Array.of(1, 2) }).then(written => (result = written))
    // The request is in flight in one thread after the other, so that a single flush may come too early.
    await expect.poll(() => queue.flush().then(() => result)).toMatchObject({ isDuplicate: false, bytes: 2 })
    await sent
  })

  it('refuses contents that take too much memory', async () => {
    await expect(sendMany(200_000)).rejects.toMatchObject({ name: 'Refusal', http: 413, retryAfterSeconds: undefined })
    const broken = lanes.write({ ...sender, content: LOGS, body: Uint8Array.of(255) })
    await expect(broken).rejects.toMatchObject({ name: 'Refusal', http: 400 })
    expect(queue.state().inFlightRequests).toBe(0)
  })

  it('reports what the observer found, in threads that start later too', async () => {
    lanes.watch('errors')
    const first = sendLogs('a')
    await commitAt(1)
    expect((await first).observed).toEqual(['logs', 'errors'])
    await expect(crash(0)).rejects.toMatchObject({ http: 503 })
    const second = sendLogs('b')
    await commitAt(1)
    expect((await second).observed).toEqual(['logs', 'errors'])
  })

  it('refuses the requests whose rows die with their thread, and stores them when they are sent again', async () => {
    const small = sendLogs('a')
    const large = sendMany(20_000)
    await expect.poll(() => queue.state().inFlightRequests).toBe(2)
    // Rows of the large thread are not affected.
    const [crashed, lost] = await Promise.allSettled([crash(0), small])
    expect(crashed).toMatchObject({ reason: { name: 'Refusal', http: 503, retryAfterSeconds: 1 } })
    expect(lost).toMatchObject({ reason: { name: 'RefusedError', reason: 'rows-lost' } })
    expect(deaths).toHaveLength(1)
    const again = sendLogs('a')
    await commitAt(2)
    expect((await again).isDuplicate).toBe(false)
    expect((await large).isDuplicate).toBe(false)
    expect(queue.state()).toMatchObject({ kept: 2, ready: true })
  })
})
