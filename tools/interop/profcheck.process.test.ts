// Files that Hearth converts to OTLP pass profcheck, the conformance checker of the Profiling SIG, unchanged.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conforming, formats, readProfile, writeProfile } from '@hearth/profile'
import { afterAll, describe, expect, it } from 'vitest'
import { fixturesOf } from '../../packages/profile/src/formats/testing/fixtures-of.ts'
import { PROFCHECK, findPeer, runPeer } from './peer.ts'

const profcheck = findPeer(PROFCHECK)

/** No conversion can avoid it: a range of profcheck that contains the last nanosecond of 64 bits would need an end of 65 bits. */
const LAST_NANOSECOND = /=18446744073709551615 is outside profile time range/

/** The checks of profcheck. Older versions do not have all of them. */
async function checksOf(file: string): Promise<string[]> {
  const { text } = await runPeer(file, ['-help'])
  const checks = ['-check-dupes', '-check-orphans'].filter(check => text.includes(check))
  console.log(`profcheck runs with ${checks.join(' ')}`)
  return checks
}

describe.skipIf(profcheck === undefined)('profcheck', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-profcheck-'))
  const checks = profcheck === undefined ? Promise.resolve([]) : checksOf(profcheck)
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(formats.filter(format => format.read !== undefined).map(({ name }) => name))(
    'accepts files that were converted from %s',
    async name => {
      const format = formats.find(each => each.name === name)!
      const rejected: string[] = []
      for (const [i, fixture] of fixturesOf(format).entries()) {
        const { profiles } = conforming(readProfile(fixture.bytes, { format: name }).profiles, 'otlp')
        const file = join(folder, `${name}-${i}.otlp`)
        writeFileSync(file, writeProfile(profiles, 'otlp', { fresh: true }).bytes)
        const { status, text } = await runPeer(profcheck!, [...(await checks), file])
        if (status === 0) continue
        const found = text.trim().split('\n')
        rejected.push(...found.filter(line => !LAST_NANOSECOND.test(line)).map(line => `${fixture.name}: ${line}`))
      }
      expect(rejected).toEqual([])
    },
  )
})
