// Truncated files: an error with the position, or with --lenient the readable part.
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { nodeCodecs } from '@hearth/codecs'
import { exampleFiles } from '../testing/example-profiles.ts'
import { runHearth } from '../testing/run-hearth.ts'

const file = exampleFiles()

// Half a megabyte that compresses badly, so that zstd needs several blocks.
const FOLDED = Array.from({ length: 30_000 }, (_, i) => `main;f${(i * 7919) % 30_011} 1`).join('\n')

describe.each([
  ['gzip', 'cut.folded.gz', gzipSync(FOLDED)],
  ['zstd', 'cut.folded.zst', nodeCodecs.zstd!(Buffer.from(FOLDED))],
] as const)('a truncated %s file', (compression, name, packed) => {
  const cut = file(name)
  writeFileSync(cut, packed.subarray(0, Math.floor(packed.length * 0.8)))

  test('is rejected with the position', async () => {
    const { status, stderr } = await runHearth(['top', cut])
    expect(status).toBe(1)
    expect(stderr).toMatch(new RegExp(`${compression}.* at byte \\d+`))
  })

  test('is read up to the end with --lenient', async () => {
    const { status, stdout, stderr } = await runHearth(['top', '--lenient', cut])
    expect([status, /f\d+/.test(stdout)]).toEqual([0, true])
    expect(stderr).toMatch(new RegExp(`1 × truncated-${compression}: .*; \\d+ bytes were decompressed before that`))
  })
})

describe('truncated OTLP is read with --lenient', () => {
  test.each(['before.otlp', 'before.otlp.json'])('%s', async name => {
    await runHearth(['convert', file('before.otlp'), '-o', file(`whole-${name}`)])
    const cut = file(`cut-${name}`)
    writeFileSync(cut, readFileSync(file(`whole-${name}`)).subarray(0, -4))
    expect((await runHearth(['inspect', cut])).status).toBe(1)
    const { status, stderr } = await runHearth(['top', '--lenient', cut])
    expect(status).toBe(0)
    expect(stderr).toMatch(/1 × truncated: a part is truncated at byte \d+ \(/)
  })
})
