// Small pprof files that use every field, built message by message.
import { packedVarints, protoMessage } from '../../../wire/testing/proto-message.ts'

const HUGE_ID = 2n ** 64n - 1n

const STRINGS = [
  '',
  'samples',
  'count',
  'cpu',
  'nanoseconds',
  'main',
  'main.go',
  'inlined',
  '/bin/app',
  'b1d',
  'thread',
  'worker',
  'bytes',
  'size',
  'a comment',
  'another',
  'drop.*',
  'keep.*',
  'https://example.com/doc',
  'trace_id',
  '0102030405060708090a0b0c0d0e0f10',
  'span_id',
  '0102030405060708',
  'libc.so',
  'unused.so',
  'kilobytes',
] as const

const s = (text: (typeof STRINGS)[number]): number => STRINGS.indexOf(text)

/** Every field once, repeated and mixed labels, large and sparse ids, negative values, an unused mapping. */
export function richPprof(): Uint8Array {
  const label = (key: number, string: number, number = 0n, unit = 0): Uint8Array =>
    protoMessage([1, key], [2, string], [3, number], [4, unit])
  return protoMessage(
    [1, protoMessage([1, s('samples')], [2, s('count')])],
    [1, protoMessage([1, s('cpu')], [2, s('nanoseconds')])],
    [
      2,
      protoMessage(
        [1, packedVarints(7, HUGE_ID)],
        [2, packedVarints(1, 10_000_000)],
        [3, label(s('thread'), s('worker'))],
      ),
    ],
    [
      2,
      protoMessage(
        [1, 7],
        [2, -3],
        [2, 2n ** 62n],
        [3, label(s('bytes'), 0, 512n, s('size'))],
        [3, label(s('bytes'), 0, 2n ** 60n)],
      ),
    ],
    [
      2,
      protoMessage(
        [1, packedVarints(7, 7)],
        [2, packedVarints(0, 0)],
        [3, label(s('thread'), s('worker'))],
        [3, label(s('thread'), 0, 4n)],
        [3, label(s('thread'), 0, 9n, s('kilobytes'))],
        [3, label(s('size'), 0)],
      ),
    ],
    [
      2,
      protoMessage(
        [1, packedVarints(3)],
        [2, packedVarints(5, 50)],
        [3, label(s('trace_id'), s('0102030405060708090a0b0c0d0e0f10'))],
        [3, label(s('span_id'), s('0102030405060708'))],
      ),
    ],
    [
      3,
      protoMessage(
        [1, 5],
        [2, 0x400000],
        [3, 0x500000],
        [4, 0x1000],
        [5, s('/bin/app')],
        [6, s('b1d')],
        [7, 1],
        [8, 1],
        [9, 1],
        [10, 1],
      ),
    ],
    [3, protoMessage([1, 6], [2, 0x7f0000000000n], [3, 0x7f0000100000n], [5, s('unused.so')])],
    [3, protoMessage([1, 9])],
    [
      4,
      protoMessage(
        [1, HUGE_ID],
        [2, 5],
        [3, 0x400123],
        [4, protoMessage([1, 2], [2, 12], [3, 4])],
        [4, protoMessage([1, HUGE_ID], [2, 30])],
      ),
    ],
    [4, protoMessage([1, 7], [2, 9], [3, 2n ** 64n - 8n], [5, 1])],
    [4, protoMessage([1, 3], [4, protoMessage([1, 11])])],
    [5, protoMessage([1, HUGE_ID], [2, s('main')], [3, s('main')], [4, s('main.go')], [5, 10])],
    [5, protoMessage([1, 2], [2, s('inlined')])],
    [5, protoMessage([1, 11])],
    ...STRINGS.map(text => [6, text] as const),
    [7, s('drop.*')],
    [8, s('keep.*')],
    [9, 1_700_000_000_000_000_000n],
    [10, 10_000_000_000n],
    [11, protoMessage([1, s('cpu')], [2, s('nanoseconds')])],
    [12, 10_000_000],
    [13, packedVarints(s('a comment'), s('another'))],
    [14, s('samples')],
    [15, s('https://example.com/doc')],
  )
}

/** A file like those of the Go runtime: the last type is the default one, ids count up. */
export function plainPprof(): Uint8Array {
  return protoMessage(
    [1, protoMessage([1, 1], [2, 2])],
    [1, protoMessage([1, 3], [2, 4])],
    [2, protoMessage([1, packedVarints(1, 2)], [2, packedVarints(3, 30)])],
    [2, protoMessage([1, packedVarints(2)], [2, packedVarints(1, 10)])],
    [3, protoMessage([1, 1], [2, 0x1000], [3, 0x2000], [5, 7], [7, 1])],
    [4, protoMessage([1, 1], [2, 1], [3, 0x1100], [4, protoMessage([1, 1], [2, 5])])],
    [4, protoMessage([1, 2], [2, 1], [3, 0x1200], [4, protoMessage([1, 2], [2, 9])])],
    [5, protoMessage([1, 1], [2, 5], [3, 5], [4, 8])],
    [5, protoMessage([1, 2], [2, 6], [3, 6], [4, 8])],
    ...['', 'samples', 'count', 'cpu', 'nanoseconds', 'work', 'main', '/bin/go-app', 'app.go'].map(
      text => [6, text] as const,
    ),
    [9, 1_700_000_000_000_000_000n],
    [10, 1_000_000_000n],
    [11, protoMessage([1, 3], [2, 4])],
    [12, 10_000_000],
  )
}

export const fixtures = [
  { name: 'every field', bytes: richPprof() },
  { name: 'like those of Go', bytes: plainPprof() },
]
