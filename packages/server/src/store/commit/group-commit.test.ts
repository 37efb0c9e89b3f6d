import { describe, expect, it } from 'vitest'
import { RefusedError } from '../keeper.ts'
import type { TakenRows } from './group-file.ts'
import type { JournalRequest } from './manifest.ts'
import { GroupCommit } from './group-commit.ts'

interface Deferred<Value> {
  readonly promise: Promise<Value>
  resolve(value: Value): void
}

function deferred<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void
  const promise = new Promise<Value>(done => (resolve = done))
  return { promise, resolve }
}

/** A source in another thread: results arrive when the test says so. */
class RemoteRows {
  readonly taken: Deferred<TakenRows>[] = []
  discards = 0

  take(): Promise<TakenRows> {
    const taking = deferred<TakenRows>()
    this.taken.push(taking)
    return taking.promise
  }

  discard(): void {
    this.discards++
  }

  async forget(): Promise<void> {}
}

const ROWS: TakenRows = {
  files: [{ table: 'items', columns: [], rows: 1, crc32: 0, content: new Uint8Array(1) }],
  delta: new Map(),
}
const NO_ROWS: TakenRows = { files: [], delta: new Map() }

function open(enoughRequests = Infinity) {
  const source = new RemoteRows()
  const written: string[][] = []
  const failures: RefusedError[] = []
  const groups = new GroupCommit({
    window: 60_000,
    groupBytes: 100,
    groupRequests: 3,
    enoughRequests,
    source,
    journal: {
      write: async (files, requests) => {
        written.push(requests.map(({ id }) => id))
        return {
          number: 1,
          directory: '',
          files: [],
          bytes: files.length,
          committed: 0,
          receivedFrom: 0,
          applied: [],
          contained: requests,
          alone: false,
        }
      },
    },
    onCommitted: () => {},
    onFailed: error => failures.push(error),
    elapsed: () => 0,
  })
  const add = (id: string, rowBytes = 10, added: Promise<unknown> = Promise.resolve()) => {
    const request: JournalRequest = { tenant: 'home', id, received: 0 }
    const { committed } = groups.add(request, () => added.then(() => ({ rowBytes })))
    return committed.then(
      () => 'committed',
      (error: unknown) => (error instanceof RefusedError ? error.reason : String(error)),
    )
  }
  return { source, written, failures, groups, add }
}

const CAUSE = new Error('the thread died')

describe('GroupCommit', () => {
  it('commits the requests whose rows were added before the group was taken', async () => {
    const { source, written, groups, add } = open()
    const adding = deferred<void>()
    const first = add('a', 10, adding.promise)
    const failing = add('b', 10, Promise.reject(new Error('invalid')))
    const flushed = groups.flush()
    const second = add('c')
    adding.resolve()
    source.taken[0].resolve(ROWS)
    await flushed
    expect([await first, await failing]).toEqual(['committed', 'Error: invalid'])
    expect(written).toEqual([['a']])
    void groups.flush()
    source.taken[1].resolve(ROWS)
    expect(await second).toBe('committed')
    expect(groups.bytes).toBe(0)
  })

  it('closes a group at its limits', async () => {
    const { source, add } = open()
    const large = add('a', 100)
    await expect.poll(() => source.taken.length).toBe(1)
    const many = [add('b'), add('c'), add('d')]
    expect(source.taken).toHaveLength(2)
    for (const taking of source.taken) taking.resolve(ROWS)
    expect([await large, ...(await Promise.all(many))]).toEqual(['committed', 'committed', 'committed', 'committed'])
  })

  it('commits enough requests as soon as no other group is being written', async () => {
    const { source, written, add } = open(2)
    const first = [add('a'), add('b')]
    const second = [add('c'), add('d')]
    expect(source.taken).toHaveLength(1)
    source.taken[0].resolve(ROWS)
    await Promise.all(first)
    await expect.poll(() => source.taken.length).toBe(2)
    source.taken[1].resolve(ROWS)
    expect(await Promise.all(second)).toEqual(['committed', 'committed'])
    expect(written).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('fails the groups whose rows are lost with their thread, and no other', async () => {
    const { source, written, failures, groups, add } = open()
    const taken = [add('a'), add('b'), add('c')]
    source.taken[0].resolve(ROWS)
    expect(await Promise.all(taken)).toEqual(['committed', 'committed', 'committed'])
    const closed = [add('d'), add('e'), add('f')]
    const inOpenGroup = add('g')
    const onItsWay = deferred<void>()
    const late = add('h', 10, onItsWay.promise)
    await expect.poll(() => groups.bytes).toBe(40)
    groups.lost(CAUSE)
    expect(source.discards).toBe(1)
    // The next thread runs the calls that were on their way.
    onItsWay.resolve()
    source.taken[1].resolve(NO_ROWS)
    expect(await Promise.all([...closed, inOpenGroup, late])).toEqual(Array.from({ length: 5 }, () => 'rows-lost'))
    const next = add('i')
    void groups.flush()
    source.taken[2].resolve(ROWS)
    expect(await next).toBe('committed')
    expect(written).toEqual([['a', 'b', 'c'], ['i']])
    expect([failures.length, groups.bytes]).toEqual([0, 0])
  })

  it('drops the rows of lost groups that arrive from the next thread', async () => {
    const { source, written, groups, add } = open()
    const request = add('a')
    void groups.flush()
    groups.lost(CAUSE)
    source.taken[0].resolve(ROWS)
    expect(await request).toBe('rows-lost')
    expect(written).toEqual([])
  })
})
