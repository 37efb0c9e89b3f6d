// Truncated, damaged and malicious recordings: the reader reports an error with its offset, or returns the intact part.
import { describe, expect, test } from 'vitest'
import type { ReadResult } from '../format.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { FormatError } from '../format.ts'
import { HEADER_BYTES } from './encoding/chunk-header.ts'
import { readJfr } from './read.ts'
import type { ClassSpec } from './testing/chunk-writer.ts'
import { ChunkWriter, joined } from './testing/chunk-writer.ts'
import { fixture, fixtures } from './testing/fixtures.ts'
import {
  STACK,
  STATE,
  THREAD,
  addConstants,
  addExecution,
  sampleChunk,
  sampleClasses,
} from './testing/sample-chunks.ts'
import { showSamples } from './testing/show.ts'

const good = fixture('samples of the JDK')

function errorOf(bytes: Uint8Array): FormatError {
  try {
    readJfr(bytes)
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error('the reader did not throw')
}

function patched(bytes: Uint8Array, at: number, ...values: readonly number[]): Uint8Array {
  const copy = bytes.slice()
  copy.set(values, at)
  return copy
}

/** The JDK writes the size of the header and no offsets until it finishes a chunk. */
const unfinished = patched(good, 8, 0, 0, 0, 0, 0, 0, 0, 68, ...new Uint8Array(16))

function lenient(bytes: Uint8Array): ReadResult {
  return readJfr(bytes, { lenient: true })
}

function codesOf({ notes }: ReadResult): string[] {
  return notes.map(({ code }) => code)
}

describe('an invalid chunk header', () => {
  test.each([
    ['no magic', patched(good, 0, 0x47), 0, /not FLR/],
    ['an old version', patched(good, 4, 0, 1), 4, /version 1\.1/],
    ['uncompressed integers', patched(good, 67, 0), 64, /not compressed/],
    ['an unfinished chunk', patched(good, 8, 0, 0, 0, 0, 0, 0, 0, 0), 8, /unfinished/],
    ['an unfinished chunk of the JDK', unfinished, 8, /unfinished: its size is 68/],
    ['a size beyond the file', patched(good, 12, 1), 8, /chunk of \d+ bytes, but only \d+ are left/],
    ['a negative size', patched(good, 8, 0xff), 8, /chunk of -\d+ bytes/],
    ['a clock rate of 0', patched(good, 56, 0, 0, 0, 0, 0, 0, 0, 0), 56, /0 ticks per second/],
  ])('%s', (_, bytes, offset, what) => {
    const error = errorOf(bytes)
    expect(error.what).toMatch(what)
    expect(error.offset).toBe(offset)
  })

  test.each([
    ['bytes after the last chunk', new Uint8Array(3)],
    ['a truncated header', good.slice(0, 40)],
    ['a truncated chunk', good.slice(0, -100)],
    ['an unfinished chunk', patched(good, 8, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['an unfinished chunk of the JDK', unfinished],
  ])('%s after a complete chunk is skipped, as by JDK Mission Control', (_, rest) => {
    const result = readJfr(joined(good, rest))
    expect(difference(result.profiles, readJfr(good).profiles)).toBeUndefined()
    expect(codesOf(result)).toContain('skipped-bytes')
  })

  test('is reported for an empty file', () => {
    expect(errorOf(new Uint8Array(0)).offset).toBe(0)
  })
})

describe('a recording truncated at any byte', () => {
  test('causes an error within the file', () => {
    for (let length = 0; length < good.length; length += length < 100 ? 1 : 41) {
      expect(errorOf(good.slice(0, length)).offset).toBeLessThanOrEqual(length)
    }
  })

  test('causes an error even if the header has the shorter size', () => {
    for (let length = HEADER_BYTES; length < good.length; length += 3) {
      const cut = patched(good.slice(0, length), 14, length >> 8, length & 0xff)
      expect(errorOf(cut).offset).toBeLessThanOrEqual(length)
    }
  })

  test('keeps its first chunk with lenient if the second one is truncated', () => {
    const both = joined(good, good)
    const whole = showSamples(readJfr(good).profiles, 'cpu')
    for (let length = good.length + 1; length < both.length; length += 101) {
      const result = lenient(both.slice(0, length))
      expect(showSamples(result.profiles, 'cpu')[0].startsWith(whole[0])).toBe(true)
      expect(codesOf(result)).toEqual(
        expect.arrayContaining([length < good.length + HEADER_BYTES ? 'skipped-bytes' : 'truncated']),
      )
    }
  })
})

describe('the lenient reader', () => {
  test('reads an unfinished chunk like any other', () => {
    const unfinished = patched(good, 8, 0, 0, 0, 0, 0, 0, 0, 68, ...new Uint8Array(16))
    const result = lenient(unfinished)
    expect(showSamples(result.profiles, 'cpu')).toEqual(showSamples(readJfr(good).profiles, 'cpu'))
    expect(codesOf(result)).toContain('truncated')
  })

  test('searches for metadata that is not at the offset of the header', () => {
    const result = lenient(patched(good, 31, HEADER_BYTES))
    expect(showSamples(result.profiles, 'cpu')).toHaveLength(3)
    expect(result.notes.find(({ code }) => code === 'truncated')?.message).toMatch(/expected metadata/)
  })

  test('skips invalid events and constants', () => {
    const writer = addExecution(sampleChunk(), 1_500, THREAD.main, STACK.fib, STATE.runnable)
    writer.event('jdk.ExecutionSample', sink => sink.long(1_600))
    writer.constants({ Unheard: [] })
    const bytes = addConstants(addExecution(writer, 1_700, THREAD.main, STACK.fib, STATE.runnable)).bytes()
    expect(errorOf(bytes).what).toMatch(/constants of class 999999/)
    const result = lenient(bytes)
    expect(showSamples(result.profiles, 'cpu', [])[0]).toMatch(/@500 @700$/)
    expect(codesOf(result)).toEqual(['skipped-constants', 'skipped-events'])
  })

  test('skips a chunk without metadata', () => {
    const empty = patched(good.slice(0, HEADER_BYTES), 14, 0, HEADER_BYTES)
    expect(errorOf(empty).what).toMatch(/no metadata/)
    const result = lenient(joined(empty, good))
    expect(codesOf(result)).toContain('skipped-chunks')
    expect(showSamples(result.profiles, 'cpu')).toHaveLength(3)
  })

  test('rejects a file that is not a recording', () => {
    expect(() => lenient(new Uint8Array(500))).toThrow(FormatError)
  })
})

describe('an event', () => {
  const at = HEADER_BYTES

  test.each([
    ['of size 0', patched(good, at, 0), /event of 0 bytes/],
    ['shorter than its size field', patched(good, at, 1), /event of 1 bytes/],
    ['beyond the chunk', patched(good, at, 0xff, 0xff, 0xff, 0x7f), /event of \d+ bytes, but only \d+ are left/],
  ])('%s', (_, bytes, what) => {
    const error = errorOf(bytes)
    expect(error.what).toMatch(what)
    expect(error.offset).toBe(at)
  })

  test('a metadata event whose fields exceed its size is rejected', () => {
    const bytes = addConstants(sampleChunk())
      .event('jdk.ExecutionSample', sink => sink.long(1_600))
      .bytes()
    expect(errorOf(bytes).what).toMatch(/exceeds the end/)
  })
})

describe('a class', () => {
  function withClasses(more: readonly ClassSpec[], write: (writer: ChunkWriter) => unknown): Uint8Array {
    const writer = new ChunkWriter([...sampleClasses(), ...more])
    write(writer)
    return writer.bytes()
  }
  const one = (name: string, type: string, array = false): ClassSpec => ({
    name,
    id: 5_000n + BigInt(name.charCodeAt(0)),
    fields: [{ name: 'of', type, array }],
  })

  test('that contains itself is rejected', () => {
    const bytes = withClasses([one('A', 'B'), one('B', 'A')], writer => writer.constants({ A: [[1, s => s.long(0)]] }))
    expect(errorOf(bytes).what).toMatch(/contains itself/)
  })

  test('that contains deeply nested lists of itself is rejected', () => {
    const nested = (depth: number): Uint8Array =>
      withClasses([one('A', 'A', true)], writer =>
        writer.constants({ A: [[1, s => s.raw(new Array<number>(depth).fill(1)).byte(0)]] }),
      )
    expect(errorOf(nested(1_000)).what).toMatch(/nested deeper/)
    expect(() => readJfr(nested(10))).not.toThrow()
  })

  test('without content takes no time in huge lists', () => {
    const hollow = [
      { name: 'A', id: 5_001n, fields: [] },
      { name: 'C', id: 5_003n, fields: Array.from({ length: 40 }, (_, i) => ({ name: `a${i}`, type: 'A' })) },
      one('B', 'C', true),
    ]
    const bytes = withClasses(hollow, writer => writer.constants({ B: [[1, s => s.long(2n ** 40n)]] }))
    expect(readJfr(bytes).profiles.profiles.length).toBe(0)
  })

  test('without a description is rejected', () => {
    const bytes = withClasses([one('A', 'nowhere')], writer => writer.constants({ A: [[1, s => s.long(0)]] }))
    expect(errorOf(bytes).what).toMatch(/"of" has a class that is not described/)
  })

  test('with more constants than bytes is rejected', () => {
    const bytes = withClasses([], writer => writer.constants({ StackTrace: [[1, s => s.byte(0).long(2n ** 31n)]] }))
    expect(errorOf(bytes).what).toMatch(/length of 2147483648/)
  })
})

test('strings that refer to themselves are empty', () => {
  const bytes = sampleChunk()
    .constants({
      'java.lang.String': [[1, s => s.textOfConstant(1)]],
      Symbol: [[2, s => s.textOfConstant(1)]],
      'java.lang.Class': [[3, s => s.int(0).long(2)]],
      Method: [[4, s => s.longs(3, 2, 2)]],
      StackTrace: [[5, s => s.byte(0).long(1).long(4).int(1).int(1).int(0)]],
    })
    .event('jdk.ExecutionSample', sink => sink.longs(1_500, 0, 5, 0))
    .bytes()
  expect(showSamples(readJfr(bytes).profiles, 'cpu')).toEqual(['.:1 {} @500'])
})

test('all fixtures are readable', () => {
  for (const { bytes } of fixtures) {
    const strict = readJfr(bytes)
    expect(lenient(bytes).notes).toEqual(strict.notes)
  }
})
