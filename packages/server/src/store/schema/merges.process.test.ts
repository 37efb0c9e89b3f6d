// Merges of large profiles open few files. With the engine's default, this merge has about 700 open.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openEmbedded } from '../engines/embedded.ts'
import { migrate } from './migrations.ts'

const PARTS = 6
const MAX_FILES = 250

it('merges parts of profiles column by column', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-merges-'))
  const engine = await openEmbedded({ directory: join(directory, 'store') })
  try {
    await migrate(engine)
    // A part of this test is small, but has a file per column like a large one.
    await engine.command('ALTER TABLE profiles MODIFY SETTING min_bytes_for_wide_part = 1')
    await engine.command('SYSTEM STOP MERGES profiles')
    for (let part = 0; part < PARTS; part++)
      await engine.command(
        'INSERT INTO profiles (tenant, day, received, request, service, sample_stacks) SELECT ' +
          `'default', toDate(20000), now64(9), toFixedString(toString(number), 16), 'shop', range(400) FROM numbers(300)`,
      )
    await engine.command('SYSTEM START MERGES profiles')
    const open = (): number => readdirSync('/proc/self/fd').length
    const before = open()
    let most = 0
    let isRunning = true
    const watching = (async () => {
      for (; isRunning; await sleep(1)) most = Math.max(most, open())
    })()
    await engine.command('OPTIMIZE TABLE profiles FINAL')
    isRunning = false
    await watching
    expect(most - before).toBeLessThan(MAX_FILES)
  } finally {
    await engine.close()
    rmSync(directory, { recursive: true })
  }
})
