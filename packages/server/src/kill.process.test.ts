// Kills the real server with -9 under load, again and again, on the same data, in turn with and without --durable.
// HEARTH_KILLS=50 kills more often, and HEARTH_SEED repeats the timing of a run.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Random } from './demo/random.ts'
import { openEmbedded } from './store/engines/embedded.ts'
import { checkStore } from './testing/check-store.ts'
import { Senders } from './testing/senders.ts'
import { sentRequest } from './testing/sent-request.ts'
import { ServerProcess } from './testing/server-process.ts'

const KILLS = Number(process.env['HEARTH_KILLS'] ?? 4)
const SEED = Number(process.env['HEARTH_SEED'] ?? Date.now() % 1_000_000)
const MAX_LIFE_MS = 1500
const MIN_REQUESTS = 100
/** One kill in four comes before the server accepts a request. */
const DURING_RECOVERY = 2

test(
  `acknowledged requests survive kill -9, complete and once (HEARTH_SEED=${SEED})`,
  { timeout: 120_000 + KILLS * 60_000 },
  async () => {
    const random = new Random(SEED)
    const directory = await mkdtemp(join(tmpdir(), 'hearth-kill-'))
    const flags = { data: directory, 'commit-window': '20ms', 'disk-reserve': '1MiB' }
    // Always some requests are under way. More would only make the test longer.
    const senders = new Senders(16, sentRequest, 20)
    let server: ServerProcess | undefined
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        // Both modes have the same journal, so that one recovers what the other has left.
        const mode = { ...flags, durable: kill % 2 === 0 ? 'yes' : 'no' }
        if (kill % 4 === DURING_RECOVERY) {
          server = ServerProcess.launch(mode)
          await sleep(random.next() * 2 * MAX_LIFE_MS)
          await server.kill()
          continue
        }
        server = await ServerProcess.start(mode)
        senders.aim(server)
        const before = senders.acknowledged.length
        while (senders.acknowledged.length === before) await sleep(10)
        await sleep(random.next() * MAX_LIFE_MS)
        await server.kill()
        senders.aim(undefined)
      }
      server = await ServerProcess.start(flags)
      senders.aim(server)
      // Even on a slow machine there must be enough requests to check.
      while (senders.acknowledged.length < MIN_REQUESTS) await sleep(50)
      await senders.finish()
      expect(await server.end()).toBe(0)
      expect(senders.faults).toEqual([])
      process.stdout.write(`${KILLS} kills, ${senders.acknowledged.length} requests, ${senders.retries} retries\n`)
      const engine = await openEmbedded({ directory: join(directory, 'store') })
      try {
        await checkStore(engine, senders.acknowledged, 50)
      } finally {
        await engine.close()
      }
    } finally {
      if (server?.alive === true) await server.kill()
      await rm(directory, { recursive: true, force: true })
    }
  },
)
