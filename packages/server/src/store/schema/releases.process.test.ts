// Opens the data directories that earlier releases have written, and reads back everything. `testing/fixtures/store-VERSION.tar.gz` is
// made once for each release, by testing/make-store.node.ts with its code.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkStore } from '../../testing/check-store.ts'
import { openEmbedded } from '../engines/embedded.ts'
import { Store } from '../store.ts'
import { migrations, schemaVersion } from './migrations.ts'
import { RELEASE_REQUESTS } from './testing/release-requests.ts'

const fixtures = join(import.meta.dirname, 'testing', 'fixtures')
const directory = mkdtempSync(join(tmpdir(), 'hearth-releases-'))
const log = { info() {}, warn() {}, error() {} }

afterAll(() => rmSync(directory, { recursive: true }))

const releases = readdirSync(fixtures).map(name => /^store-(.*)\.tar\.gz$/.exec(name)?.[1] ?? name)

describe.each(releases)('the data of Hearth %s', version => {
  const data = join(directory, version)

  it('has an older schema than this version, or the same', async () => {
    mkdirSync(data)
    execFileSync('tar', ['-xzf', join(fixtures, `store-${version}.tar.gz`), '-C', data])
    const engine = await openEmbedded({ directory: join(data, 'store') })
    const found = await schemaVersion(engine)
    await engine.close()
    expect(found).toBeGreaterThan(0)
    expect(found).toBeLessThanOrEqual(migrations.length)
  })

  it('is upgraded, and every request reads back equal', { timeout: 120_000 }, async () => {
    const store = await Store.open({ dataDirectory: data, log })
    try {
      expect(await schemaVersion(store.engine)).toBe(migrations.length)
      await checkStore(store.engine, RELEASE_REQUESTS, RELEASE_REQUESTS.length)
      expect(store.state().problems).toEqual([])
    } finally {
      await store.close(10_000)
    }
  })
})
