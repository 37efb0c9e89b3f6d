// The faults. Each one happens to a running server under load, and leaves it running.
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { STATE_DIRECTORIES } from '../../files/state-problems.ts'
import type { FaultRandom } from './random.ts'
import type { World } from './world.ts'

export interface Fault {
  readonly name: string
  readonly store: 'embedded' | 'clickhouse' | 'both'
  /** Whether rows may be lost if the server reports it. The fault is followed by a repair. */
  readonly damages: boolean
  run(world: World): Promise<void>
}

const MAX_PAUSE_MS = 800

export const FAULTS: readonly Fault[] = [
  {
    name: 'kill',
    store: 'both',
    damages: false,
    async run(world) {
      await sleep(world.random.next() * MAX_PAUSE_MS)
      await world.kill()
      await world.start()
    },
  },
  {
    name: 'stop',
    store: 'both',
    damages: false,
    async run(world) {
      await world.stop()
      await world.start()
    },
  },
  {
    name: 'freeze',
    store: 'both',
    damages: false,
    async run(world) {
      world.server.signal('SIGSTOP')
      await sleep(world.random.next() * MAX_PAUSE_MS)
      world.server.signal('SIGCONT')
    },
  },
  {
    name: 'slow-disk',
    store: 'both',
    damages: false,
    async run(world) {
      world.server.slow(50 + world.random.below(200))
      await world.acknowledge(20)
      await world.kill()
      await world.start()
    },
  },
  {
    name: 'full-disk',
    store: 'both',
    damages: false,
    async run(world) {
      // From now on every write of the journal fails as on a full disk.
      world.server.fillDisk(true)
      await sleep(world.random.next() * MAX_PAUSE_MS)
      world.server.fillDisk(false)
      await world.acknowledge(5)
    },
  },
  {
    name: 'clock-jump',
    store: 'both',
    damages: false,
    async run(world) {
      await world.kill()
      // Up to two days back or forth.
      world.clockAhead = Math.round((world.random.next() - 0.5) * 4 * 86_400_000)
      await world.start()
      await world.acknowledge(10)
      await world.kill()
      world.clockAhead = 0
      await world.start()
    },
  },
  {
    name: 'delete-record',
    store: 'both',
    damages: false,
    async run(world) {
      await killDuringInsert(world)
      rmSync(join(world.directory, 'journal', 'applying.json'), { force: true })
      await world.start()
    },
  },
  {
    name: 'flip-record',
    store: 'both',
    damages: false,
    async run(world) {
      await killDuringInsert(world)
      flipIn(world.random, [join(world.directory, 'journal', 'applying.json')])
      await world.start()
    },
  },
  {
    name: 'flip-journal',
    store: 'both',
    damages: true,
    async run(world) {
      await killDuringInsert(world)
      const journal = join(world.directory, 'journal')
      const groups = readdirSync(journal).filter(name => /^\d{10}$/.test(name))
      flipIn(
        world.random,
        groups.flatMap(group => filesIn(join(journal, group))),
      )
      await world.start()
    },
  },
  {
    name: 'delete-journal',
    store: 'both',
    damages: true,
    async run(world) {
      await killDuringInsert(world)
      rmSync(join(world.directory, 'journal'), { recursive: true })
      await world.start()
    },
  },
  {
    name: 'flip-state-file',
    store: 'both',
    damages: false,
    async run(world) {
      await world.kill()
      flipIn(
        world.random,
        STATE_DIRECTORIES.flatMap(folder =>
          filesIn(join(world.directory, folder)).filter(file => /\.json(?:\.previous)?$/.test(file)),
        ),
      )
      await world.start()
    },
  },
  {
    name: 'flip-part',
    store: 'both',
    damages: true,
    async run(world) {
      const paths = await world.server.select(
        'SELECT path FROM system.parts WHERE database = currentDatabase() AND active',
      )
      await world.kill()
      const parts = paths.map(text => text.slice(2, -2)).filter(exists)
      const part = world.random.pick(parts)
      if (part !== undefined) flipIn(world.random, filesIn(part))
      await world.start()
    },
  },
  {
    name: 'flip-definition',
    store: 'embedded',
    damages: false,
    async run(world) {
      await world.kill()
      const folder = join(world.directory, 'store', 'store')
      const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.sql'))
      flipIn(
        world.random,
        paths.sort().map(path => join(folder, path)),
      )
      await world.start()
    },
  },
  {
    name: 'lost-clickhouse',
    store: 'clickhouse',
    damages: false,
    async run(world) {
      await world.gate?.shut()
      await sleep(world.random.next() * MAX_PAUSE_MS)
      await world.gate?.reopen()
    },
  },
  {
    name: 'lost-nats',
    store: 'both',
    damages: false,
    async run(world) {
      await world.meshIs(true)
      await world.natsGate?.shut()
      await world.meshIs(false)
      await world.acknowledge(10)
      await world.natsGate?.reopen()
      await world.meshIs(true)
    },
  },
]

/** Kills the server while groups wait in the journal. */
async function killDuringInsert(world: World): Promise<void> {
  world.server.slow(150)
  await world.acknowledge(20)
  await world.kill()
}

/** Flips one to four neighbouring bytes of a random file. */
function flipIn(random: FaultRandom, files: readonly string[]): void {
  const file = random.pick(files.filter(path => exists(path) && statSync(path).size > 0))
  if (file === undefined) return
  const bytes = readFileSync(file)
  const at = random.below(bytes.length)
  const end = Math.min(bytes.length, at + 1 + random.below(4))
  for (let i = at; i < end; i++) bytes[i] ^= 1 + random.below(255)
  writeFileSync(file, bytes)
}

function filesIn(directory: string): readonly string[] {
  if (!exists(directory)) return []
  return readdirSync(directory, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(directory, entry.name))
    .sort()
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
