import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EngineError } from '../engine.ts'
import type { RefusalReason } from '../keeper.ts'
import { RefusedError } from '../keeper.ts'
import { openCommitQueue } from './commit-queue.ts'
import { realDisk } from './journal-disk.ts'
import { FakeEngine } from './testing/fake-engine.ts'
import { LogLines, closeQueues, openQueue, until } from './testing/open-queue.ts'
import { TestWriter, requestOf, tables } from './testing/rows.ts'

let directory = ''
let engine = new FakeEngine()

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-commit-'))
  engine = new FakeEngine()
})

afterEach(async () => {
  await closeQueues()
  await rm(directory, { recursive: true, force: true, maxRetries: 3 })
})

const left = async (under = '') =>
  (await readdir(join(directory, 'journal', under))).filter(name => /^\d/.test(name)).sort()

function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code })
}

async function refusalOf(kept: Promise<unknown>): Promise<RefusalReason> {
  const error = await kept.then(
    () => new Error('was kept'),
    (reason: unknown) => reason,
  )
  if (error instanceof RefusedError) return error.reason
  throw error
}

describe('group commit', () => {
  test('requests of one window form a group that is inserted in table order and leaves nothing behind', async () => {
    const committed: number[] = []
    const events = { committed: (group: { requests: number }) => void committed.push(group.requests) }
    const { queue } = await openQueue(directory, engine, { events })
    const ends = await Promise.all(['a1', 'a2', 'b1'].map(name => queue.keep(requestOf(name))))
    expect(ends).toEqual(['kept', 'kept', 'kept'])
    await queue.settled()
    expect(committed).toEqual([3])
    expect(engine.inserts.map(insert => [insert.table, insert.names, insert.sync])).toEqual([
      ['symbols', ['a', 'b'], false],
      ['requests', ['a1', 'a2', 'b1'], false],
      ['items', ['a1', 'a2', 'b1'], false],
    ])
    expect(await left()).toEqual([])
    expect(queue.state()).toMatchObject({ ready: true, problems: [], commits: 1, kept: 3, backlogBytes: 0 })
    expect(queue.state()).toMatchObject({ inFlightBytes: 0, inFlightRequests: 0, backlogGroups: 0 })
    expect(await queue.close()).toBe(true)
  })

  test('a window of 0 commits each request alone', async () => {
    const { queue } = await openQueue(directory, engine, { window: 0 })
    await Promise.all(['a1', 'a2', 'a3'].map(name => queue.keep(requestOf(name))))
    await queue.settled()
    expect(queue.state().commits).toBe(3)
    expect(engine.names('items')).toEqual(['a1', 'a2', 'a3'])
  })

  test('a group is closed early by its size or its number of requests', async () => {
    const day = 86_400_000
    const byRequests = await openQueue(directory, engine, { window: day, limits: { groupRequests: 2 } })
    await Promise.all(['a1', 'a2'].map(name => byRequests.queue.keep(requestOf(name))))
    await byRequests.queue.close()
    const byBytes = await openQueue(directory, engine, { window: day, limits: { groupBytes: 100 } })
    byBytes.writer.padding = 'x'.repeat(100)
    await byBytes.queue.keep(requestOf('b1'))
    await byBytes.queue.close()
    expect(engine.names('requests')).toEqual(['a1', 'a2', 'b1'])
  })

  test('a request whose rows cannot be written is rolled back, and its symbols are announced again', async () => {
    const { queue, writer } = await openQueue(directory, engine)
    const good = queue.keep(requestOf('a1'))
    await expect(queue.keep(requestOf('b!'))).rejects.toThrow('b! cannot be written')
    await expect(queue.keep(requestOf('c?'))).rejects.toThrow('items.number has 1 rows instead of 2')
    const later = queue.keep(requestOf('b2'))
    expect(writer.forgotten).toBe(2)
    expect(await Promise.all([good, later])).toEqual(['kept', 'kept'])
    await queue.settled()
    expect(engine.names('requests')).toEqual(['a1', 'b2'])
    expect(engine.names('items')).toEqual(['a1', 'b2'])
    expect(engine.names('symbols')).toEqual(['a', 'b'])
    expect(engine.inserts.length).toBe(3)
  })

  test('the next group fills during a write, and fails with it because it may need its symbols', async () => {
    const { queue, disk, writer } = await openQueue(directory, engine)
    let full = true
    disk.before = step => {
      if (full && step === 'write') throw diskError('ENOSPC')
    }
    const first = refusalOf(queue.keep(requestOf('a1')))
    const flushed = queue.flush()
    const second = refusalOf(queue.keep(requestOf('a2')))
    await flushed
    expect(await Promise.all([first, second])).toEqual(['disk-full', 'disk-full'])
    expect(writer.forgotten).toBe(1)
    expect(await left()).toEqual([])
    expect(queue.state().problems.map(problem => problem.code)).toEqual(['journal-write-failed'])
    expect(queue.state()).toMatchObject({ ready: false, inFlightBytes: 0, refused: { 'disk-full': 2 } })
    expect(await refusalOf(queue.keep(requestOf('a3')))).toBe('disk-full')
    full = false
    await until(() => queue.state().ready)
    expect(await queue.keep(requestOf('a2'))).toBe('kept')
    await queue.settled()
    expect(engine.names('items')).toEqual(['a2'])
    expect(engine.names('symbols')).toEqual(['a'])
  })

  test('other disk failures count as a lost store', async () => {
    const { queue, disk } = await openQueue(directory, engine)
    disk.before = step => {
      if (step === 'rename') throw diskError('EIO')
    }
    expect(await refusalOf(queue.keep(requestOf('a1')))).toBe('store-lost')
    expect(await left()).toEqual([])
  })

  test('durable mode syncs everything before the response, and inserts, too', async () => {
    const { queue, disk } = await openQueue(directory, engine, { durable: true })
    disk.done.length = 0
    await queue.keep(requestOf('a1'))
    expect(disk.done.slice(0, 7).sort()).toEqual(
      [
        'makeDirectory journal/0000000001.tmp',
        'writeSync journal/0000000001.tmp/symbols.native',
        'writeSync journal/0000000001.tmp/requests.native',
        'writeSync journal/0000000001.tmp/items.native',
        'writeSync journal/0000000001.tmp/manifest.json',
        'syncDirectory journal/0000000001.tmp',
        'rename journal/0000000001',
      ].sort(),
    )
    expect(disk.done.slice(4, 8)).toEqual([
      'writeSync journal/0000000001.tmp/manifest.json',
      'syncDirectory journal/0000000001.tmp',
      'rename journal/0000000001',
      'syncDirectory journal',
    ])
    await queue.settled()
    expect(engine.inserts.every(insert => insert.sync)).toBe(true)
  })

  test('in durable mode a group whose name could not be synced does not reappear', async () => {
    const { queue, disk } = await openQueue(directory, engine, { durable: true })
    disk.before = (step, path) => {
      if (step === 'syncDirectory' && path.endsWith('journal')) throw diskError('EIO')
    }
    expect(await refusalOf(queue.keep(requestOf('a1')))).toBe('store-lost')
    expect(await left()).toEqual([])
  })
})

describe('duplicate requests', () => {
  test('a retry is a duplicate in flight and afterwards, but not for another tenant', async () => {
    const { queue } = await openQueue(directory, engine)
    const ends = [queue.keep(requestOf('a1')), queue.keep(requestOf('a1')), queue.keep(requestOf('a1', 'other'))]
    expect(await Promise.all(ends)).toEqual(['kept', 'duplicate', 'kept'])
    expect(await queue.keep(requestOf('a1'))).toBe('duplicate')
    await queue.settled()
    expect(engine.names('items')).toEqual(['a1', 'a1'])
    expect(queue.state()).toMatchObject({ kept: 2, duplicates: 2 })
  })

  test('a retry shares the failure of the first and can be stored later', async () => {
    const { queue, disk } = await openQueue(directory, engine)
    disk.before = () => {
      throw diskError('ENOSPC')
    }
    const ends = [refusalOf(queue.keep(requestOf('a1'))), refusalOf(queue.keep(requestOf('a1')))]
    expect(await Promise.all(ends)).toEqual(['disk-full', 'disk-full'])
    disk.before = () => {}
    await until(() => queue.state().ready)
    expect(await queue.keep(requestOf('a1'))).toBe('kept')
  })

  test('are detected after a restart by the journal and the engine', async () => {
    const first = await openQueue(directory, engine)
    engine.before = () => new Promise(() => {})
    await first.queue.keep(requestOf('a1'))
    await until(() => engine.attempts > 0)
    first.disk.stop()
    engine.before = () => {}
    engine.recent = [{ tenant: 'home', id: requestOf('b1').id, received: Date.now() - 1000 }]
    const { queue } = await openQueue(directory, engine)
    expect(await queue.keep(requestOf('a1'))).toBe('duplicate')
    expect(await queue.keep(requestOf('b1'))).toBe('duplicate')
    expect(await queue.keep(requestOf('c1'))).toBe('kept')
    await queue.settled()
    expect(engine.names('items')).toEqual(['a1', 'c1'])
  })

  test('cannot be detected before recent requests are loaded, so requests are rejected', async () => {
    engine.selectFailure = new EngineError('unavailable', 0, 'not there')
    const { queue, log } = await openQueue(directory, engine)
    expect(queue.state().ready).toBe(false)
    expect(await refusalOf(queue.keep(requestOf('a1')))).toBe('store-lost')
    expect(log.lines).toEqual(['warn cannot read recent requests from the store; requests are rejected'])
    engine.selectFailure = undefined
    await until(() => queue.state().ready)
    expect(await queue.keep(requestOf('a1'))).toBe('kept')
  })

  test('require an id of 16 bytes', async () => {
    const { queue } = await openQueue(directory, engine)
    await expect(queue.keep({ ...requestOf('a1'), id: new Uint8Array(15) })).rejects.toThrow(RangeError)
  })
})

describe('the applier', () => {
  test.each(['unavailable', 'disk-full', 'corrupt'] as const)('waits while the engine is %s', async fault => {
    const { queue, log } = await openQueue(directory, engine)
    engine.before = () => {
      throw new EngineError(fault, 0, 'gone away')
    }
    await queue.keep(requestOf('a1'))
    await until(() => engine.attempts > 5)
    const state = queue.state()
    const code = fault === 'corrupt' ? 'engine-failing' : `engine-${fault}`
    expect(state.problems).toMatchObject([{ code, message: 'gone away' }])
    expect(state).toMatchObject({ ready: true, backlogGroups: 1, lastEngineError: 'gone away' })
    expect(state.backlogBytes).toBeGreaterThan(0)
    engine.before = () => {}
    await queue.settled()
    expect(queue.state()).toMatchObject({ problems: [], backlogGroups: 0, backlogBytes: 0, lastEngineError: '' })
    expect(engine.names('items')).toEqual(['a1'])
    expect(log.lines).toEqual([
      'warn cannot insert into the store; rows wait in the journal',
      'info inserts into the store succeed again',
    ])
  })

  test.each(['refused', 'limit', 'corrupt', 'unknown'] as const)(
    'quarantines a group that fails for good: %s',
    async fault => {
      const { queue, writer, log } = await openQueue(directory, engine, { window: 0 })
      engine.before = (table, file) => {
        if (table !== 'requests' || !file.includes('0000000001')) return
        throw fault === 'unknown' ? new Error('no') : new EngineError(fault, 27, 'no')
      }
      await Promise.all([queue.keep(requestOf('a1')), queue.keep(requestOf('a2'))])
      await queue.settled()
      expect(engine.names('items')).toEqual(['a1', 'a2'])
      expect(engine.names('requests')).toEqual(['a2'])
      expect(await left()).toEqual([])
      expect(await left('refused')).toEqual(['0000000001'])
      const note = await readFile(join(directory, 'journal/refused/0000000001/set-aside.json'), 'utf8')
      expect(JSON.parse(note)).toEqual({ reason: 'requests: no', applied: ['symbols', 'items'] })
      expect(queue.state().problems.map(problem => problem.code)).toEqual(['groups-refused'])
      expect(queue.state()).toMatchObject({ ready: true, quarantinedGroups: 1, backlogGroups: 0 })
      expect(writer.forgotten).toBe(1)
      expect(log.lines.filter(line => line.startsWith('error'))).toEqual([
        'error quarantined a group of requests that the store rejected; its rows are not in the store',
      ])
      await queue.close()
      // After moving it back by hand, only the missing tables are inserted.
      await realDisk.rename(join(directory, 'journal/refused/0000000001'), join(directory, 'journal/0000000001'))
      engine.before = () => {}
      engine.tokens.clear()
      const again = await openQueue(directory, engine)
      expect(again.queue.state()).toMatchObject({ ready: false, problems: [{ code: 'journal-unapplied' }] })
      await again.queue.settled()
      expect(again.queue.state()).toMatchObject({ ready: true, problems: [] })
      expect(engine.names('requests')).toEqual(['a2', 'a1'])
      expect(engine.names('items')).toEqual(['a1', 'a2'])
    },
  )

  test('quarantines a group as broken when it is damaged while it waits', async () => {
    const { queue } = await openQueue(directory, engine)
    engine.before = async (table, file) => {
      if (table !== 'items') return
      await truncate(file, 3)
      throw new EngineError('corrupt', 0, 'cannot read all data')
    }
    await queue.keep(requestOf('a1'))
    await queue.settled()
    expect(await left('broken')).toEqual(['0000000001'])
    expect(queue.state().problems).toMatchObject([{ code: 'groups-broken', message: '1 in journal/broken' }])
  })

  test('continues after a group was deleted by hand', async () => {
    const { queue, log } = await openQueue(directory, engine, { window: 0 })
    engine.before = async (_, file) => {
      if (!file.includes('0000000001')) return
      await rm(join(directory, 'journal/0000000001'), { recursive: true })
      throw new EngineError('unavailable', 76, 'cannot open file')
    }
    await Promise.all([queue.keep(requestOf('a1')), queue.keep(requestOf('b1'))])
    await queue.settled()
    expect(engine.names('items')).toEqual(['b1'])
    expect(queue.state().problems).toMatchObject([{ code: 'groups-broken' }])
    expect(log.lines).toContain('error a group of requests is missing from the journal')
  })

  test('settles what was committed before the call only', async () => {
    const { queue } = await openQueue(directory, engine, { window: 0 })
    let stuck = (): void => {}
    engine.before = (_, file) =>
      file.includes('0000000002') ? new Promise<void>(resolve => (stuck = resolve)) : undefined
    await queue.keep(requestOf('a1'))
    const first = queue.settled()
    await queue.keep(requestOf('a2'))
    await first
    expect(engine.names('items')).toEqual(['a1'])
    const second = queue.settled()
    engine.before = () => {}
    await until(() => queue.state().backlogGroups === 1)
    stuck()
    await second
    expect(engine.names('items')).toEqual(['a1', 'a2'])
  })

  test('never uses a token twice, although group numbers restart', async () => {
    for (const name of ['a1', 'a2']) {
      const { queue } = await openQueue(directory, engine)
      await queue.keep(requestOf(name))
      await queue.close()
    }
    expect(engine.names('items')).toEqual(['a1', 'a2'])
  })
})

describe('damage found at startup', () => {
  async function leaveTwo(): Promise<void> {
    engine.before = () => new Promise(() => {})
    const { queue, disk } = await openQueue(directory, engine, { window: 0 })
    await Promise.all([queue.keep(requestOf('a1')), queue.keep(requestOf('b1'))])
    // Requests are acknowledged before their insert begins: this queue must hang in it before the engine works again.
    await until(() => engine.attempts > 0)
    disk.stop()
    engine.before = () => {}
    expect(await left()).toEqual(['0000000001', '0000000002'])
  }

  const damages: Readonly<Record<string, (group: string) => Promise<void>>> = {
    'a file of zeros': async group => {
      const { length } = await readFile(join(group, 'items.native'))
      await writeFile(join(group, 'items.native'), new Uint8Array(length))
    },
    'a short file': group => truncate(join(group, 'requests.native'), 5),
    'a missing file': group => rm(join(group, 'symbols.native')),
    'an empty manifest': group => truncate(join(group, 'manifest.json'), 0),
    'a missing manifest': group => rm(join(group, 'manifest.json')),
    'a manifest with one wrong digit': async group => {
      const text = await readFile(join(group, 'manifest.json'), 'utf8')
      await writeFile(join(group, 'manifest.json'), text.replace('"rows":1', '"rows":2'))
    },
    'a manifest that is another kind of JSON': group => writeFile(join(group, 'manifest.json'), 'null'),
  }

  test.each(Object.keys(damages))('quarantines the group and inserts the others: %s', async damage => {
    await leaveTwo()
    await damages[damage](join(directory, 'journal/0000000001'))
    const { queue, log } = await openQueue(directory, engine)
    await queue.settled()
    expect(engine.names('items')).toEqual(['b1'])
    expect(await left('broken')).toEqual(['0000000001'])
    expect(queue.state()).toMatchObject({ ready: true, problems: [{ code: 'groups-broken' }] })
    expect(log.lines[0]).toBe('error quarantined a damaged group of requests; its rows are not in the store')
    // Its requests are not in the store, so a retry must be stored. Its number is not reused.
    expect(await queue.keep(requestOf('a1'))).toBe('kept')
    await queue.close()
    const again = await openQueue(directory, engine)
    expect(again.queue.state().problems).toMatchObject([{ code: 'groups-broken', message: '1 in journal/broken' }])
  })

  test('does not concern unacknowledged and inserted groups, which are removed', async () => {
    await leaveTwo()
    const journal = join(directory, 'journal')
    await realDisk.rename(join(journal, '0000000001'), join(journal, '0000000001.applied'))
    await realDisk.rename(join(journal, '0000000002'), join(journal, '0000000002.tmp'))
    const { queue } = await openQueue(directory, engine)
    expect(await left()).toEqual([])
    await queue.keep(requestOf('c1'))
    await queue.settled()
    expect(engine.names('items')).toEqual(['c1'])
    expect(engine.inserts[0].token).toMatch(/^[0-9a-f]{16}-0000001\d{3}-symbols$/)
  })
})

describe('pressure', () => {
  test('requests beyond the memory limit are rejected until a commit, except a single large one', async () => {
    const { queue } = await openQueue(directory, engine, { window: 86_400_000, limits: { memoryBytes: 1000 } })
    const large = queue.keep(requestOf('a1', 'home', 5000))
    expect(await refusalOf(queue.keep(requestOf('a2')))).toBe('queue-full')
    expect(queue.state()).toMatchObject({ ready: true, problems: [{ code: 'memory-full' }] })
    await queue.flush()
    expect(await large).toBe('kept')
    const next = queue.keep(requestOf('a2'))
    await queue.flush()
    expect(await next).toBe('kept')
    expect(queue.state().problems).toEqual([])
    await queue.close()
  })

  test.each([
    ['unavailable', 'store-lost'],
    ['disk-full', 'disk-full'],
    ['limit', 'queue-full'],
  ] as const)('a full backlog while the engine is %s is rejected as %s', async (fault, reason) => {
    const limits = { backlogGroups: 2 }
    const retry = { firstMs: 1, maxMs: 2, tries: 1e9 }
    const { queue } = await openQueue(directory, engine, { window: 0, limits }, { retry })
    engine.before = () => {
      throw new EngineError(fault, 0, 'no')
    }
    await Promise.all([queue.keep(requestOf('a1')), queue.keep(requestOf('a2'))])
    await until(() => queue.state().lastEngineError !== '')
    expect(await refusalOf(queue.keep(requestOf('a3')))).toBe(reason)
    expect(await queue.keep(requestOf('a1'))).toBe('duplicate')
    expect(queue.state().ready).toBe(false)
    engine.before = () => {}
    await queue.settled()
    expect(queue.state()).toMatchObject({ ready: true, problems: [] })
    expect(await queue.keep(requestOf('a3'))).toBe('kept')
  })

  test('requests are rejected while the free disk space is below the reserve', async () => {
    const { queue, disk } = await openQueue(directory, engine, { limits: { diskReserveBytes: 1000 } })
    disk.free = 999
    await until(() => !queue.state().ready)
    expect(await refusalOf(queue.keep(requestOf('a1')))).toBe('disk-full')
    expect(queue.state().problems).toMatchObject([
      { code: 'disk-low', message: 'the disk is almost full (999 bytes free)' },
    ])
    disk.free = 2000
    await until(() => queue.state().ready)
    expect(await queue.keep(requestOf('a1'))).toBe('kept')
  })

  test('too many rejected groups block further requests', async () => {
    const { queue } = await openQueue(directory, engine, { window: 0, limits: { backlogBytes: 200 } })
    engine.before = () => {
      throw new EngineError('refused', 0, 'no such table')
    }
    let reason = ''
    for (let i = 0; reason === '' && i < 100; i++) {
      await queue.keep(requestOf(`a${i}`)).catch((error: RefusedError) => (reason = error.reason))
      await queue.settled()
    }
    expect(reason).toBe('store-lost')
  })
})

describe('closing', () => {
  test('refuses new requests, commits the open group and applies it', async () => {
    const { queue } = await openQueue(directory, engine, { window: 86_400_000 })
    const kept = queue.keep(requestOf('a1'))
    const closed = queue.close()
    expect(await refusalOf(queue.keep(requestOf('a2')))).toBe('shutting-down')
    expect(await kept).toBe('kept')
    expect(await closed).toBe(true)
    expect(queue.state().ready).toBe(false)
    expect(engine.names('items')).toEqual(['a1'])
    expect(await queue.close()).toBe(true)
  })

  test('leaves to the next start what the engine cannot insert in time', async () => {
    const { queue } = await openQueue(directory, engine)
    let go = (): void => {}
    engine.before = () => new Promise<void>(resolve => (go = resolve))
    await queue.keep(requestOf('a1'))
    await until(() => engine.attempts > 0)
    const settled = refusalOf(queue.settled())
    expect(await queue.close(5)).toBe(false)
    expect(await settled).toBe('shutting-down')
    engine.before = () => {}
    go()
    await until(() => engine.inserts.length === 1)
    expect(await left()).toEqual(['0000000001'])
    const again = await openQueue(directory, engine)
    await again.queue.settled()
    expect(engine.inserts.map(insert => insert.table)).toEqual(['symbols', 'requests', 'items'])
    expect(await left()).toEqual([])
  })

  test('keeps the journal locked until the end', async () => {
    const writer = new TestWriter()
    const { write, forget } = writer
    const options = { dataDirectory: directory, engine, tables, write, forget, log: new LogLines() }
    const first = await openCommitQueue(options)
    await expect(openCommitQueue(options)).rejects.toThrow('another server is using')
    await first.close()
    const second = await openCommitQueue(options)
    expect(await second.keep(requestOf('a1'))).toBe('kept')
    expect(await second.close()).toBe(true)
  })
})
