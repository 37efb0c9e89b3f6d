// The time before which everything that was received is visible to queries.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeEngine } from './testing/fake-engine.ts'
import { closeQueues, openQueue, until } from './testing/open-queue.ts'
import type { RowWriter } from '../row-group.ts'
import { TestWriter, requestOf } from './testing/rows.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-visible-'))
})
afterEach(async () => {
  await closeQueues()
  await rm(directory, { recursive: true, force: true, maxRetries: 3 })
})

test('visibleBefore is the time of the first request that the engine does not have, and otherwise now', async () => {
  const engine = new FakeEngine()
  let release = (): void => {}
  const blocked = new Promise<void>(resolve => (release = resolve))
  engine.before = () => blocked
  let now = 1_000_000
  const visible = (queue: { visibleBefore(): bigint }): number => Number(queue.visibleBefore() / 1_000_000n)
  const { queue } = await openQueue(directory, engine, { window: 60_000 }, { now: () => now })
  expect(visible(queue)).toBe(1_000_000)
  now = 2_000_000
  const first = queue.keep(requestOf('a1'))
  now = 3_000_000
  expect(visible(queue)).toBe(2_000_000)
  await queue.flush()
  await first
  // In the journal, and the engine does not take it.
  await until(() => engine.attempts > 0)
  const second = queue.keep(requestOf('a2'))
  now = 4_000_000
  expect(visible(queue)).toBe(2_000_000)
  release()
  await queue.settled()
  expect(visible(queue)).toBe(3_000_000)
  await queue.flush()
  await second
  await queue.settled()
  expect(visible(queue)).toBe(4_000_000)
})

test('no request is received before a time that visibleBefore has returned, also when the clock is set back', async () => {
  const engine = new FakeEngine()
  let now = 2_000_000
  const received: bigint[] = []
  const writer = new TestWriter()
  const write: RowWriter = (rows, context, request) => {
    received.push(context.received)
    writer.write(rows, context, request)
  }
  const { queue } = await openQueue(directory, engine, { window: 0, write }, { now: () => now })
  const complete = queue.visibleBefore()
  now = 1_000_000
  await queue.keep(requestOf('a1'))
  await queue.keep(requestOf('a2'))
  expect(received).toEqual([complete, complete + 1n])
})
