// Waiting groups are inserted together, and a fault in one of them affects no other.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EngineError } from '../engine.ts'
import type { CommitQueue } from './commit-queue.ts'
import { FakeEngine } from './testing/fake-engine.ts'
import { closeQueues, openQueue, until } from './testing/open-queue.ts'
import { requestOf } from './testing/rows.ts'

let directory: string
let engine: FakeEngine

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-together-'))
  engine = new FakeEngine()
})
afterEach(async () => {
  await closeQueues()
  await rm(directory, { recursive: true, force: true })
})

/** Commits each name as a group while the engine is unavailable. */
async function commitAll(queue: CommitQueue, names: readonly string[]): Promise<void> {
  let open = false
  engine.before = () => {
    if (!open) throw new EngineError('unavailable', 0, 'not yet')
  }
  await queue.keep(requestOf('first'))
  await until(() => engine.attempts > 0)
  for (const name of names) await queue.keep(requestOf(name))
  open = true
}

function itemInserts(): readonly (readonly string[])[] {
  return engine.inserts.filter(({ table }) => table === 'items').map(({ names }) => names)
}

async function journalNames(): Promise<readonly string[]> {
  return (await readdir(join(directory, 'journal'))).filter(
    name => !['refused', 'broken', 'lock'].includes(name) && !name.startsWith('counter.json'),
  )
}

test('inserts waiting groups together in order and leaves nothing in the journal', async () => {
  const { queue } = await openQueue(directory, engine, { window: 0 })
  await commitAll(queue, ['a1', 'b1', 'a2'])
  await queue.settled()
  expect(itemInserts()).toEqual([['first'], ['a1', 'b1', 'a2']])
  expect(engine.inserts.map(({ table }) => table)).toEqual([
    'symbols',
    'requests',
    'items',
    'symbols',
    'requests',
    'items',
  ])
  expect(await journalNames()).toEqual([])
  expect(queue.state()).toMatchObject({ backlogBytes: 0, backlogGroups: 0, problems: [] })
})

test('quarantines a rejected group and inserts the others once', async () => {
  const { queue, log } = await openQueue(directory, engine, { window: 0 })
  await commitAll(queue, ['a1', 'bad', 'a2'])
  engine.refuses = 'bad'
  await queue.settled()
  expect([...engine.names('items')].sort()).toEqual(['a1', 'a2', 'first'])
  expect([...engine.names('requests')].sort()).toEqual(['a1', 'a2', 'bad', 'first'])
  expect(await journalNames()).toEqual([])
  expect(await readdir(join(directory, 'journal', 'refused'))).toHaveLength(1)
  expect(queue.state().problems.map(({ code }) => code)).toEqual(['groups-refused'])
  expect(log.lines.filter(line => line.startsWith('error'))).toHaveLength(1)
})

test('repeats a combined insert with the same groups after a crash', async () => {
  const first = await openQueue(directory, engine, { window: 0 })
  await commitAll(first.queue, ['a1', 'b1'])
  // The engine gets the rows of the last table, and the process ends before it knows.
  engine.after = table => {
    if (table === 'items' && engine.names('items').length === 3) first.disk.stop()
  }
  await until(() => first.disk.stopped)
  void first.queue.close(0)
  engine.after = () => {}
  engine.recent = []
  expect(await journalNames()).toContain('applying.json')
  const { queue } = await openQueue(directory, engine, { window: 0 })
  await queue.keep(requestOf('c1'))
  await queue.settled()
  expect(engine.names('items')).toEqual(['first', 'a1', 'b1', 'c1'])
  expect(engine.names('requests')).toEqual(['first', 'a1', 'b1', 'c1'])
  expect(await journalNames()).toEqual([])
})
