import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '@hearth/profile'
import type { StackFormat } from './stack-counts.ts'
import { UnfoldError, readStackCounts } from './stack-counts.ts'
import { treeOf, trieOf } from '../testing/node-bytes.ts'

function read(format: StackFormat, body: Uint8Array | string, limit = 1 << 20): Record<string, bigint> {
  const { counts } = readStackCounts(format, Buffer.from(body), limit)
  return Object.fromEntries([...counts].map(([key, value]) => [key.replaceAll('\0', ';'), value]))
}

describe('text', () => {
  test('takes the last word of a group as its value and sums equal stacks', () => {
    expect(read('groups', 'main;run loop;gc 12\r\nmain 1\n\nmain 2')).toEqual({ 'main;run loop;gc': 12n, main: 3n })
  })

  test('reads groups with values of 64 bits', () => {
    expect(read('groups', 'a 9223372036854775807\nb -5')).toEqual({ a: 9223372036854775807n, b: -5n })
    expect(() => read('groups', 'a 9223372036854775808')).toThrow(FormatError)
    expect(() => read('groups', 'a 9223372036854775807\na 1')).toThrow(RangeError)
  })

  test.each(['a;b', 'rejects the group %j', 'a;b 1.5', 'ok 1\na;b 0x10'])('groups: %j is refused', text => {
    expect(() => read('groups', text)).toThrow(/whole number at byte/)
  })

  test('counts each line as one', () => {
    expect(read('lines', 'a;b 7\na;b 7\n#c\n')).toEqual({ 'a;b 7': 2n, '#c': 1n })
  })
})

describe('trie and tree', () => {
  // A root without text and value, then `foo` with two children.
  test('reads a trie, whose nodes are parts of lines', () => {
    const bytes = [
      0,
      0,
      1,
      6,
      ...Buffer.from('foo;ba'),
      0,
      2,
      1,
      ...Buffer.from('r'),
      2,
      0,
      1,
      ...Buffer.from('z'),
      3,
      0,
    ]
    expect(read('trie', Uint8Array.from(bytes))).toEqual({ 'foo;bar': 2n, 'foo;baz': 3n })
  })

  test('reads a tree, whose nodes are functions', () => {
    const bytes = [
      0,
      0,
      1,
      3,
      ...Buffer.from('foo'),
      1,
      2,
      3,
      ...Buffer.from('bar'),
      2,
      0,
      3,
      ...Buffer.from('baz'),
      3,
      0,
    ]
    expect(read('tree', Uint8Array.from(bytes))).toEqual({ foo: 1n, 'foo;bar': 2n, 'foo;baz': 3n })
  })

  const frame = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '日'), minLength: 1, maxLength: 3 })
  const stacks = fc.dictionary(
    fc.array(frame, { minLength: 1, maxLength: 5 }).map(list => list.join(';')),
    fc.bigInt({ min: 1n, max: 2n ** 40n }),
  )

  test('reads whatever is written', () => {
    fc.assert(
      fc.property(stacks, expected => {
        const plain = { ...expected }
        expect(read('trie', trieOf(plain))).toEqual(plain)
        expect(read('tree', treeOf(plain))).toEqual(plain)
      }),
      { numRuns: 200 },
    )
  })

  test('rejects every truncated body that is not empty', () => {
    const bytes = trieOf({ 'main;run': 3n, 'main;rest': 4n, other: 500n })
    for (let length = 1; length < bytes.length; length++)
      expect(() => read('trie', bytes.subarray(0, length))).toThrow(FormatError)
    expect(read('trie', new Uint8Array(0))).toEqual({})
  })

  test('reads or rejects any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.constantFrom('trie' as const, 'tree' as const),
        (bytes, format) => {
          try {
            read(format, bytes)
          } catch (error) {
            if (!(error instanceof FormatError || error instanceof RangeError)) throw error
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('checks lengths and counts before it uses them', () => {
    expect(() => read('tree', Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0]))).toThrow(/runs past the end/)
    expect(() => read('tree', Uint8Array.from([0, 0, 0xff, 0xff, 0xff, 0x7f]))).toThrow(/children run past the end/)
    expect(() => read('tree', new Uint8Array(16).fill(0xff))).toThrow(/longer than 10 bytes/)
  })

  test('limits the text of a deep trie', () => {
    // 20,000 nested nodes expand to 200 MB of text.
    const chain = Buffer.concat(
      Array.from({ length: 20_000 }, (_, i) => Buffer.from([1, 0x61, 1, i === 19_999 ? 0 : 1])),
    )
    expect(() => read('trie', chain)).toThrow(UnfoldError)
    expect(() => read('tree', chain)).toThrow(UnfoldError)
  })
})
