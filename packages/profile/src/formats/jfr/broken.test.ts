// Recordings that are cut off, damaged or made to do harm: an error that says where, or as much as can be read.
import { describe, expect, test } from 'vitest'
import type { ReadResult } from '../format.ts'
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
  throw new Error('it was read')
}

function patched(bytes: Uint8Array, at: number, ...values: readonly number[]): Uint8Array {
  const copy = bytes.slice()
  copy.set(values, at)
  return copy
}

function lenient(bytes: Uint8Array): ReadResult {
  return readJfr(bytes, { lenient: true })
}

function codesOf({ notes }: ReadResult): string[] {
  return notes.map(({ code }) => code)
}

describe('headers', () => {
  test.each([
    ['no magic', patched(good, 0, 0x47), 0, /not FLR/],
    ['an old version', patched(good, 4, 0, 1), 4, /version 1\.1/],
    ['integers that are not compressed', patched(good, 67, 0), 64, /not compressed/],
    ['a chunk that was never finished', patched(good, 8, 0, 0, 0, 0, 0, 0, 0, 0), 8, /never finished/],
    ['a size beyond the file', patched(good, 12, 1), 8, /a chunk of \d+ bytes with \d+ left/],
    ['a negative size', patched(good, 8, 0xff), 8, /a chunk of -\d+ bytes/],
    ['a clock that stands still', patched(good, 56, 0, 0, 0, 0, 0, 0, 0, 0), 56, /0 ticks per second/],
    ['bytes behind the last chunk', joined(good, new Uint8Array(3)), good.length, /not FLR/],
    ['a second header that is cut off', joined(good, good.slice(0, 40)), good.length + 40, /header .* is cut off/],
  ])('%s', (_, bytes, offset, what) => {
    const error = errorOf(bytes)
    expect(error.what).toMatch(what)
    expect(error.offset).toBe(offset)
  })

  test('nothing at all', () => {
    expect(errorOf(new Uint8Array(0)).offset).toBe(0)
  })
})

describe('every cut', () => {
  test('is an error inside the file', () => {
    for (let length = 0; length < good.length; length += length < 100 ? 1 : 41) {
      expect(errorOf(good.slice(0, length)).offset).toBeLessThanOrEqual(length)
    }
  })

  test('is one as well where the header agrees', () => {
    for (let length = HEADER_BYTES; length < good.length; length += 3) {
      const cut = patched(good.slice(0, length), 14, length >> 8, length & 0xff)
      expect(errorOf(cut).offset).toBeLessThanOrEqual(length)
    }
  })

  test('of a second chunk leaves the first one to a lenient reader', () => {
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

describe('lenient', () => {
  test('a chunk that was never finished is read like any other', () => {
    const unfinished = patched(good, 8, ...new Array<number>(24).fill(0))
    const result = lenient(unfinished)
    expect(showSamples(result.profiles, 'cpu')).toEqual(showSamples(readJfr(good).profiles, 'cpu'))
    expect(codesOf(result)).toContain('truncated')
  })

  test('metadata that is not where the header says is looked for', () => {
    const result = lenient(patched(good, 31, HEADER_BYTES))
    expect(showSamples(result.profiles, 'cpu')).toHaveLength(3)
    expect(result.notes.find(({ code }) => code === 'truncated')?.message).toMatch(/where the metadata should be/)
  })

  test('an event that is broken is left out, and so are constants', () => {
    const writer = addExecution(sampleChunk(), 1_500, THREAD.main, STACK.fib, STATE.runnable)
    writer.event('jdk.ExecutionSample', sink => sink.long(1_600))
    writer.constants({ Unheard: [] })
    const bytes = addConstants(addExecution(writer, 1_700, THREAD.main, STACK.fib, STATE.runnable)).bytes()
    expect(errorOf(bytes).what).toMatch(/constants of class 999999/)
    const result = lenient(bytes)
    expect(showSamples(result.profiles, 'cpu', [])[0]).toMatch(/@500 @700$/)
    expect(codesOf(result)).toEqual(['skipped-constants', 'skipped-events'])
  })

  test('a chunk without any metadata is skipped', () => {
    const empty = patched(good.slice(0, HEADER_BYTES), 14, 0, HEADER_BYTES)
    expect(errorOf(empty).what).toMatch(/no metadata/)
    const result = lenient(joined(empty, good))
    expect(codesOf(result)).toContain('skipped-chunks')
    expect(showSamples(result.profiles, 'cpu')).toHaveLength(3)
  })

  test('what is no recording is an error all the same', () => {
    expect(() => lenient(new Uint8Array(500))).toThrow(FormatError)
  })
})

describe('events', () => {
  const at = HEADER_BYTES

  test.each([
    ['of no size', patched(good, at, 0), /an event of 0 bytes/],
    ['shorter than their size', patched(good, at, 1), /an event of 1 bytes/],
    ['beyond the chunk', patched(good, at, 0xff, 0xff, 0xff, 0x7f), /an event of \d+ bytes with \d+ left/],
  ])('%s', (_, bytes, what) => {
    const error = errorOf(bytes)
    expect(error.what).toMatch(what)
    expect(error.offset).toBe(at)
  })

  test('whose fields run past their end', () => {
    const bytes = addConstants(sampleChunk())
      .event('jdk.ExecutionSample', sink => sink.long(1_600))
      .bytes()
    expect(errorOf(bytes).what).toMatch(/runs past the end/)
  })
})

describe('classes', () => {
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

  test('that hold themselves', () => {
    const bytes = withClasses([one('A', 'B'), one('B', 'A')], writer => writer.constants({ A: [[1, s => s.long(0)]] }))
    expect(errorOf(bytes).what).toMatch(/holds itself/)
  })

  test('that hold lists of themselves, deep', () => {
    const nested = (depth: number): Uint8Array =>
      withClasses([one('A', 'A', true)], writer =>
        writer.constants({ A: [[1, s => s.raw(new Array<number>(depth).fill(1)).byte(0)]] }),
      )
    expect(errorOf(nested(1_000)).what).toMatch(/nested deeper/)
    expect(() => readJfr(nested(10))).not.toThrow()
  })

  test('without content, many of them, cost nothing', () => {
    const hollow = [
      { name: 'A', id: 5_001n, fields: [] },
      { name: 'C', id: 5_003n, fields: Array.from({ length: 40 }, (_, i) => ({ name: `a${i}`, type: 'A' })) },
      one('B', 'C', true),
    ]
    const bytes = withClasses(hollow, writer => writer.constants({ B: [[1, s => s.long(2n ** 40n)]] }))
    expect(readJfr(bytes).profiles.profiles.length).toBe(0)
  })

  test('that are not described', () => {
    const bytes = withClasses([one('A', 'nowhere')], writer => writer.constants({ A: [[1, s => s.long(0)]] }))
    expect(errorOf(bytes).what).toMatch(/"of" is of a class that is not described/)
  })

  test('whose constants claim to be more than there are bytes', () => {
    const bytes = withClasses([], writer => writer.constants({ StackTrace: [[1, s => s.byte(0).long(2n ** 31n)]] }))
    expect(errorOf(bytes).what).toMatch(/a length of 2147483648/)
  })
})

test('strings that point at themselves are empty', () => {
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

test('all fixtures are read as they are', () => {
  for (const { bytes } of fixtures) {
    const strict = readJfr(bytes)
    expect(lenient(bytes).notes).toEqual(strict.notes)
  }
})
