// Kill -9 at every step and at random: acknowledged requests are stored once and complete, whatever happens.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Engine } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { CrashingDisk } from './testing/crashing-disk.ts'
import { FakeEngine } from './testing/fake-engine.ts'
import type { TestProcess } from './testing/open-queue.ts'
import { closeQueues, openQueue, until } from './testing/open-queue.ts'
import { requestOf } from './testing/rows.ts'

afterEach(closeQueues)

/** A data directory and an engine that survive processes, and what the senders know. */
class World {
  readonly engine = new FakeEngine()
  readonly directory: string
  readonly durable: boolean
  readonly acknowledged = new Set<string>()
  readonly sent = new Set<string>()
  process: TestProcess | undefined
  /** Number of further writes that fail. */
  failingWrites = 0
  engineFault: 'unavailable' | 'limit' | undefined

  constructor(directory: string, durable: boolean) {
    this.directory = directory
    this.durable = durable
  }

  /** Starts a process that stops at step `stopAt`, possibly before it is open. */
  async open(window: number, stopAt = Infinity): Promise<void> {
    const { engine } = this
    const disk = new CrashingDisk()
    disk.stopAt = stopAt
    disk.before = step => {
      if (step.startsWith('write') && this.failingWrites-- > 0)
        throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    // The connection of this process: after a kill, pending operations do not happen later.
    const connection: Engine = {
      kind: engine.kind,
      select: sql => engine.select(sql),
      selectBlocks: () => engine.selectBlocks(),
      selectBytes: () => engine.selectBytes(),
      insert: async (table, source, how) => {
        await disk.moment()
        if (this.engineFault !== undefined) throw new EngineError(this.engineFault, 0, 'not now')
        await engine.insert(table, source, how)
        await disk.moment()
      },
      command: () => engine.command(),
      close: () => engine.close(),
    }
    engine.recent = engine
      .names('requests')
      .map(name => ({ tenant: 'home', id: requestOf(name).id, received: Date.now() - 1 }))
    const stopped = new Promise<undefined>(resolve => (disk.onStop = () => resolve(undefined)))
    const retry = { firstMs: 1, maxMs: 2, tries: 1e9 }
    const options = { window, durable: this.durable }
    this.process = await Promise.race([openQueue(this.directory, connection, options, { retry }, disk), stopped])
  }

  /** Sends a request and remembers the response, which never comes if the process stops. */
  send(name: string): Promise<void> {
    this.sent.add(name)
    const response = this.process?.queue.keep(requestOf(name)) ?? Promise.reject(new Error('no process'))
    return response.then(
      () => void this.acknowledged.add(name),
      () => {},
    )
  }

  /** Resolves when `work` is done or the process has stopped. */
  async orStopped(work: Promise<unknown> | undefined): Promise<void> {
    let done = false
    void work?.finally(() => (done = true)).catch(() => {})
    await until(() => done || this.process === undefined || this.process.disk.stopped)
  }

  kill(): void {
    this.process?.disk.stop()
    // Ends its timers, of which there would be thousands. For the disk and the engine the process is dead.
    void this.process?.queue.close(0)
    this.process = undefined
  }
}

/** Starts again without faults and checks the store. Then sends everything again, like senders without a response. */
async function check(world: World): Promise<void> {
  const { engine, acknowledged, sent } = world
  world.kill()
  world.failingWrites = 0
  world.engineFault = undefined
  await world.open(1)
  const { queue } = world.process!
  await queue.settled()
  expectComplete(engine)
  expect(engine.names('items')).toEqual(expect.arrayContaining([...acknowledged]))
  await Promise.all([...sent].map(name => world.send(name)))
  await queue.settled()
  expectComplete(engine)
  expect([...engine.names('items')].sort()).toEqual([...sent].sort())
  expect(queue.state()).toMatchObject({ ready: true, problems: [], inFlightBytes: 0, backlogBytes: 0 })
  expect(await queue.close()).toBe(true)
}

/** No row twice, and none before the rows it refers to. */
function expectComplete(engine: FakeEngine): void {
  const names = engine.names('items')
  expect(new Set(names).size).toBe(names.length)
  expect(engine.names('requests')).toEqual(names)
  const symbols = new Set<string>()
  for (const insert of engine.inserts)
    for (const name of insert.names)
      if (insert.table === 'symbols') symbols.add(name)
      else expect(symbols).toContain(name[0])
}

async function inWorld(durable: boolean, body: (world: World) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-crash-'))
  try {
    await body(new World(directory, durable))
  } finally {
    await closeQueues()
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Three groups, the second of which fills while the first is written, and a close. */
async function scenario(world: World): Promise<void> {
  const queue = world.process?.queue
  if (queue === undefined) return
  const first = [world.send('a1'), world.send('b1')]
  const flushed = queue.flush()
  const second = [world.send('a2'), world.send('c1')]
  await flushed
  await Promise.all([...first, ...second])
  await world.send('c2')
  await queue.close()
}

describe.each([false, true])('with durable: %s', durable => {
  test('a process killed in any step neither loses nor duplicates nor splits requests', async () => {
    let steps = 0
    await inWorld(durable, async world => {
      await world.open(1)
      await world.orStopped(scenario(world))
      steps = world.process!.disk.steps
      expect([...world.acknowledged].sort()).toEqual(['a1', 'a2', 'b1', 'c1', 'c2'])
      await check(world)
    })
    expect(steps).toBeGreaterThan(40)
    for (let stopAt = 1; stopAt <= steps; stopAt++)
      await inWorld(durable, async world => {
        await world.open(1, stopAt)
        await world.orStopped(scenario(world))
        await check(world)
      })
  })

  test('a process killed in any step of its recovery does not either', async () => {
    for (let stopAt = 1; stopAt <= 30; stopAt++)
      await inWorld(durable, async world => {
        await world.open(0)
        world.engineFault = 'unavailable'
        await Promise.all([world.send('a1'), world.send('b1'), world.send('b2')])
        world.kill()
        world.engineFault = undefined
        expect(world.acknowledged.size).toBe(3)
        await world.open(1, stopAt)
        await world.orStopped(world.process?.queue.settled())
        await check(world)
      })
  })
})

interface Act {
  /** For failure reports. */
  readonly name: string
  readonly act: (world: World) => Promise<void> | void
}

const names = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), fc.integer({ min: 0, max: 4 }))
  .map(([of, n]) => `${of}${n}`)

const sends = names.map((name): Act => ({ name: `send ${name}`, act: world => void world.send(name) }))
const responses = names.map((name): Act => ({
  name: `response ${name}`,
  act: world => world.orStopped(world.send(name)),
}))
const failures = names.map((name): Act => ({
  name: `fail ${name}`,
  act: world => void world.process?.queue.keep(requestOf(`${name}!`)).catch(() => {}),
}))
const flushes = fc.boolean().map((wait): Act => ({
  name: wait ? 'flush' : 'begin to flush',
  act: world => {
    const flushed = world.process?.queue.flush()
    return wait ? world.orStopped(flushed) : undefined
  },
}))
/** The second group needs a symbol of the first, which is being written. */
const pairs = names.map((name): Act => ({
  name: `${name} in two groups`,
  act: world => {
    void world.send(`${name}x`)
    void world.process?.queue.flush()
    void world.send(`${name}y`)
  },
}))
const pauses = fc.constant<Act>({ name: 'pause', act: () => new Promise(resolve => setTimeout(resolve, 2)) })
const disks = fc
  .constantFrom(0, 1, 2, 4, Infinity)
  .map((writes): Act => ({ name: `disk full for ${writes} writes`, act: world => void (world.failingWrites = writes) }))
const engines = fc
  .constantFrom('unavailable' as const, 'limit' as const, undefined)
  .map((fault): Act => ({ name: `engine: ${fault}`, act: world => void (world.engineFault = fault) }))
const kills = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 2 })).map(([steps, window]): Act => ({
  name: `kill, and live for ${steps} steps with a window of ${window}`,
  act: world => {
    world.kill()
    return world.open(window, steps)
  },
}))
const restarts = fc.constant<Act>({
  name: 'close and open',
  act: async world => {
    await world.orStopped(world.process?.queue.close(2))
    world.kill()
    await world.open(1)
  },
})

const acts = fc.oneof(
  { weight: 8, arbitrary: sends },
  { weight: 3, arbitrary: responses },
  { weight: 1, arbitrary: failures },
  { weight: 3, arbitrary: flushes },
  { weight: 3, arbitrary: pairs },
  { weight: 1, arbitrary: pauses },
  { weight: 2, arbitrary: disks },
  { weight: 1, arbitrary: engines },
  { weight: 2, arbitrary: kills },
  { weight: 1, arbitrary: restarts },
)

test('random requests, faults, kills and restarts lose nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(acts, { maxLength: 40, size: 'max' }), (durable, steps) =>
      inWorld(durable, async world => {
        await world.open(1)
        for (const { act } of steps) await act(world)
        await check(world)
      }),
    ),
    { numRuns: Number(process.env['HEARTH_CRASH_RUNS'] ?? 40) },
  )
})
