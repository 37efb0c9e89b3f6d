// Folded files of other tools: read, detected by content alone, and written again line by line.
import { describe, expect, test } from 'vitest'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { detectFormat } from '../detect.ts'
import { corpus } from '../testing/corpora.node.ts'
import { folded } from './index.ts'
import { readFolded } from './read.ts'
import { openText } from './text.ts'
import { writeFolded } from './write.ts'

const files = corpus('folded')

/**
 * The content of a file by the simplest possible reading: the sum of each stack's values, as lines sorted by their
 * bytes.
 */
function expected(bytes: Uint8Array): string[] {
  const text = openText(bytes)
  const sums = new Map<string, bigint>()
  for (const line of decodeUtf8(text.bytes, text.from, text.bytes.length).split(/\r?\n/)) {
    if (line === '') continue
    const split = line.lastIndexOf(' ')
    const stack = line.slice(0, split)
    sums.set(stack, (sums.get(stack) ?? 0n) + BigInt(line.slice(split + 1)))
  }
  return Array.from(sums, ([stack, sum]) => `${stack} ${sum}`).sort()
}

describe.skipIf(files === undefined)('the folded corpus', () => {
  test('exists', () => {
    expect(files?.length).toBeGreaterThan(0)
  })

  test.each(files ?? [])('$name', ({ bytes }) => {
    const { profiles, notes } = readFolded(bytes)
    expect(notes).toEqual([])
    expect(validate(profiles)).toEqual([])
    expect(detectFormat(bytes, 'unknown')?.format).toBe(folded)
    const written = writeFolded(profiles)
    expect(written.notes).toEqual([])
    expect(decodeUtf8(written.bytes).split('\n').slice(0, -1)).toEqual(expected(bytes))
  })
})
