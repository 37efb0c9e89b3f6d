// Original files inside converted ones, and damaged files that are read as far as possible.
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { compressionOf, formatNamed, readProfile } from '@hearth/profile'
import { describe, expect, test } from 'vitest'
import { nodeCodecs } from '@hearth/codecs'
import { exampleFiles } from '../../testing/example-profiles.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const file = exampleFiles()

async function convert(...argv: readonly string[]): Promise<void> {
  expect(await runHearth(['convert', ...argv])).toMatchObject({ status: 0 })
}

describe('convert --keep-original', () => {
  // Not the compression level of this program, so that the bytes differ from what it would write.
  const stored = gzipSync('# a comment that the model has no place for\nmain;run 3\nmain;stop 4\n', { level: 1 })
  writeFileSync(file('first.folded.gz'), stored)

  test('returns the same bytes through formats that can contain the original', async () => {
    for (const middle of ['middle.otlp', 'middle.otlp.zst', 'middle.otlp.json']) {
      await convert('--keep-original', file('first.folded.gz'), '-o', file(middle))
      await convert(file(middle), '-o', file('back.folded.gz'))
      expect(readFileSync(file('back.folded.gz')).equals(stored)).toBe(true)
    }
  })

  test('changes the compression if the output name requires it', async () => {
    await convert('--keep-original', file('first.folded.gz'), '-o', file('middle.otlp'))
    await convert(file('middle.otlp'), '-o', file('back.folded.zst'))
    const bytes = readFileSync(file('back.folded.zst'))
    expect(compressionOf(bytes)).toBe('zstd')
    expect(Buffer.from(nodeCodecs.unzstd!(bytes, 1e6)).equals(gunzipSync(stored))).toBe(true)
  })

  test('is ignored with --fresh and --type', async () => {
    await convert('--keep-original', file('first.folded.gz'), '-o', file('middle.otlp'))
    await convert('--fresh', file('middle.otlp'), '-o', file('fresh.folded'))
    expect(readFileSync(file('fresh.folded'), 'utf8')).toBe('main;run 3\nmain;stop 4\n')
  })

  test('shows in inspect', async () => {
    await convert('--keep-original', file('first.folded.gz'), '-o', file('middle.otlp'))
    const { stdout } = await runHearth(['inspect', file('middle.otlp')])
    expect(stdout).toContain(`payloads    folded of ${stored.length} B`)
    const result = JSON.parse((await runHearth(['inspect', '--json', file('middle.otlp')])).stdout) as object
    expect(result).toMatchObject({
      profiles: [{ originalPayloadFormat: 'folded', originalPayloadBytes: stored.length }],
    })
  })

  test('keeps one original per file, and returns none of them for several files', async () => {
    await convert('--keep-original', file('first.folded.gz'), file('before.otlp'), '-o', file('both.otlp'))
    const { profiles } = readProfile(readFileSync(file('both.otlp'))).profiles
    const formats = Array.from({ length: profiles.length }, (_, i) => profiles.originalPayloadFormat(i))
    expect(formats).toEqual(['folded', 'otlp', '', ''])
    await convert(file('both.otlp'), '-o', file('both.folded'))
    expect(readFileSync(file('both.folded'), 'utf8')).toBe('main;run 3\nmain;stop 4\n')
  })

  test('returns a read-only format but cannot create it', async () => {
    const { status, stderr } = await runHearth(['convert', file('before.otlp'), '-o', file('x.jfr')])
    expect([status, stderr.split('\n')[0]]).toEqual([
      2,
      'hearth: hearth cannot write jfr, and the input does not contain an original of it',
    ])
  })
})

describe('--lenient', () => {
  test('is an option of every command that reads', async () => {
    for (const command of ['inspect', 'validate', 'convert', 'merge', 'diff', 'top', 'flame']) {
      expect((await runHearth([command, '--help'])).stdout).toContain('--lenient')
    }
  })

  test.skipIf(formatNamed('cpuprofile') === undefined)('reports what is missing', async () => {
    const cut = file('cut.cpuprofile')
    writeFileSync(cut, CUT)
    const strict = await runHearth(['top', cut])
    expect(strict).toMatchObject({ status: 1, stdout: '' })
    const { status, stdout, stderr } = await runHearth(['top', '--lenient', cut])
    expect(status).toBe(0)
    expect(stdout).toContain('main')
    expect(stderr).toMatch(/cut\.cpuprofile: 1 × truncated: /)
  })
})

test('top, flame and diff report lines that cannot be read without --lenient, too', async () => {
  const damaged = file('damaged.folded')
  writeFileSync(damaged, 'main;work 3\nmain;work\n')
  for (const argv of [
    ['top', damaged],
    ['flame', damaged],
    ['diff', damaged, damaged],
  ]) {
    const { status, stderr } = await runHearth(argv)
    expect([status, stderr]).toEqual([0, expect.stringMatching(/damaged\.folded: 1 × skipped-lines: /)])
  }
})

const CUT =
  '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},' +
  '"children":[2]},{"id":2,"callFrame":{"functionName":"main","scriptId":"1","url":"a.js","lineNumber":1,' +
  '"columnNumber":0},"children":[]}],"startTime":0,"endTime":300,"samples":[2,2,2],"timeDeltas":[100,100,1'
