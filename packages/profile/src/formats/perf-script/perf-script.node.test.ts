// Reads texts of real perf versions, detects them by content alone, and writes them again without loss.
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { corpus } from '../testing/corpora.node.ts'
import { perfScript } from './index.ts'
import { readPerfScript } from './read.ts'
import { testSamples } from './testing/test-samples.ts'
import { writePerfScript } from './write.ts'

const files = corpus('perf-script')?.map(({ name, bytes }) => ({
  name,
  bytes: name.endsWith('.gz') ? new Uint8Array(gunzipSync(bytes)) : bytes,
}))

/** Counts with a simple parser: lines with a time are samples, lines that begin with a tab are frames. */
function counts(bytes: Uint8Array): { samples: number; frames: number; values: bigint } {
  const lines = decodeUtf8(bytes).split('\n')
  const samples = lines.filter(line => /^\S.* \d+\.\d+: /.test(`${line} `) && !line.startsWith('#'))
  const periods = samples.map(line => /\d+\.\d+: +(\d+) /.exec(line)?.[1] ?? '1')
  return {
    samples: samples.length,
    frames: lines.filter(line => line.startsWith('\t')).length,
    values: periods.reduce((sum, period) => sum + BigInt(period), 0n),
  }
}

describe.skipIf(files === undefined)('the perf script corpus', () => {
  test('is present', () => {
    expect(files?.length).toBeGreaterThan(0)
  })

  test.each(files ?? [])('$name reads and writes without loss', ({ name, bytes }) => {
    expect(perfScript.detect(bytes.subarray(0, 1 << 16), '')).toBe('certain')
    const { profiles } = readPerfScript(bytes)
    expect(validate(profiles)).toEqual([])
    const samples = testSamples(profiles)
    const sum = (of: (sample: (typeof samples)[number]) => bigint): bigint =>
      samples.reduce((all, one) => all + of(one), 0n)
    expect({
      samples: Number(sum(({ times }) => BigInt(times.length))),
      values: sum(({ values, times }) =>
        values.length === 0 ? BigInt(times.length) : values.reduce((a, b) => a + b, 0n),
      ),
      // Inlined frames are lines of other locations.
      frames: Number(
        sum(({ frames, times }) =>
          BigInt(frames.reduce((all, { lines }) => all + Math.max(1, lines.length), 0) * times.length),
        ),
      ),
    }).toEqual(counts(bytes))
    const written = writePerfScript(profiles)
    // One file has a line that was joined from two, with unbalanced brackets.
    expect(written.notes.map(({ code }) => code)).toEqual(name.startsWith('flamescope') ? ['renamed'] : [])
    const again = readPerfScript(written.bytes).profiles
    if (written.notes.length === 0) expect(difference(again, profiles)).toBeUndefined()
    expect(writePerfScript(again).bytes).toEqual(written.bytes)
  })
})
