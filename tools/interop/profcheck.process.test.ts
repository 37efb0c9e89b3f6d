// Files that Hearth converts to OTLP pass profcheck, the conformance checker of the Profiling SIG, unchanged.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formats, readProfile, writeProfile } from '@hearth/profile'
import { afterAll, describe, expect, it } from 'vitest'
import { fixturesOf } from '../../packages/profile/src/formats/testing/fixtures-of.ts'
import { PROFCHECK, findPeer, runPeer } from './peer.ts'

const profcheck = findPeer(PROFCHECK)

describe.skipIf(profcheck === undefined)('profcheck', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-profcheck-'))
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(formats.filter(format => format.read !== undefined).map(({ name }) => name))(
    'accepts files that were converted from %s',
    async name => {
      const format = formats.find(each => each.name === name)!
      const rejected: string[] = []
      for (const [i, fixture] of fixturesOf(format).entries()) {
        const { profiles } = readProfile(fixture.bytes, { format: name })
        const file = join(folder, `${name}-${i}.otlp`)
        writeFileSync(file, writeProfile(profiles, 'otlp', { fresh: true }).bytes)
        const { status, text } = await runPeer(profcheck!, ['-check-dupes', '-check-orphans', file])
        if (status !== 0) rejected.push(`${fixture.name}: ${text}`)
      }
      expect(rejected).toEqual([])
    },
  )
})
