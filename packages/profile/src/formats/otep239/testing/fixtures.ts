// Small files of OTEP 0239: the two examples of the document, both forms of stacks, every field of every message, and bare
// messages.
import { fixed64, hex, join, len, packed, text, varint } from '../../testing/wire.ts'

export interface Otep239Fixture {
  readonly name: string
  readonly bytes: Uint8Array
}

const ID = hex('0102030405060708090a0b0c0d0e0f10')
export const TRACE = hex('01020304010203040102030401020304')
export const SPAN = hex('9999999999999999')
const strings = (...all: string[]): Uint8Array => join(...['', ...all].map(string => text(6, string)))
const attribute = (field: number, key: string, value: Uint8Array): Uint8Array => len(field, text(1, key), len(2, value))

export function envelope(...containers: Uint8Array[]): Uint8Array {
  return len(1, len(1), len(2, len(1), ...containers.map(container => len(2, container))), text(3, 'todo'))
}

/** The first example, field by field. `attributes` adds the attributes of its text to the samples. */
export function simpleExample(attributes = false): Uint8Array {
  const profile = join(
    len(1, varint(1, 4), varint(2, 5), varint(3, 1)),
    len(
      2,
      varint(8, 3),
      packed(13, [1_687_841_528_000_000n]),
      packed(2, [100]),
      ...(attributes ? [packed(10, [0, 1, 2])] : []),
    ),
    len(2, varint(7, 0), varint(8, 2), packed(2, [200]), ...(attributes ? [packed(10, [2])] : [])),
    len(4, len(4)),
    len(4, len(4, varint(1, 1))),
    len(4, len(4, varint(1, 2))),
    len(5, varint(2, 1)),
    len(5, varint(2, 2)),
    len(5, varint(2, 3)),
    strings('foo', 'bar', 'baz', 'cpu', 'samples'),
    packed(15, [0, 1, 2]),
    attribute(16, 'trace_id', len(7, TRACE)),
    attribute(16, 'span_id', len(7, SPAN)),
    attribute(16, 'region', text(1, 'us')),
  )
  return envelope(
    join(len(1, ID), fixed64(2, 1_687_841_520_000_000n), fixed64(3, 1_687_841_530_000_000n), len(8, profile)),
  )
}

/** The second example: slices with a common start. */
export function slicesProfile(): Uint8Array {
  return join(
    len(1),
    len(2, varint(7, 0), varint(8, 3), packed(2, [100])),
    len(2, varint(7, 3), varint(8, 2), packed(2, [200])),
    len(2, varint(7, 0), varint(8, 2), packed(2, [300])),
    ...[0, 1, 2, 3, 4].map(i => len(4, len(4, varint(1, i)))),
    ...[1, 2, 3, 4, 5].map(name => len(5, varint(2, name))),
    strings('foo', 'bar', 'baz', 'abc', 'def'),
    packed(15, [0, 1, 2, 3, 4]),
  )
}

/** As written by producers of the released form: leaf first, so slices share their end. */
export function leafFirstProfile(): Uint8Array {
  return join(
    len(1),
    len(2, varint(7, 0), varint(8, 3), packed(2, [100])),
    len(2, varint(7, 1), varint(8, 2), packed(2, [300])),
    ...[0, 1, 2].map(i => len(4, len(4, varint(1, i)))),
    ...[1, 2, 3].map(name => len(5, varint(2, name))),
    strings('foo', 'bar', 'baz'),
    packed(15, [2, 1, 0]),
  )
}

/** Every field of every message, two types, stacks as lists. */
export function everything(): Uint8Array {
  const names = [
    'cpu',
    'ns',
    'samples',
    'count',
    'main',
    '_Z4mainv',
    '/src/main.c',
    '/bin/app',
    'ab12',
    'python',
    'drop.*',
    'keep',
  ]
  const more = ['a comment', 'stack-id', 'thread', 'worker', 'size', 'bytes', 'n', '00112233445566778899aabbccddeeff']
  const profile = join(
    len(1, varint(1, 3), varint(2, 4), varint(3, 1)),
    len(1, varint(1, 1), varint(2, 2), varint(3, 2)),
    len(
      2,
      packed(1, [1, 0]),
      packed(2, [2, -20_000_000]),
      len(3, varint(1, 15), varint(2, 16)),
      len(3, varint(1, 17), varint(3, 512), varint(4, 18)),
      varint(9, 14),
      packed(10, [0, 1]),
      varint(12, 1),
    ),
    len(2, packed(2, [2n ** 63n - 1n, -(2n ** 63n)])),
    len(
      3,
      varint(1, 9),
      varint(2, 4096),
      varint(3, 2n ** 64n - 1n),
      varint(4, 16),
      varint(5, 8),
      varint(6, 9),
      varint(7, 1),
      varint(8, 1),
      varint(10, 1),
      packed(12, [0]),
    ),
    len(3, varint(2, 1), varint(3, 2), varint(6, 20), varint(11, 1)),
    len(
      4,
      varint(1, 7),
      varint(2, 0),
      varint(3, 5000),
      len(4, varint(2, 12), varint(3, 5)),
      varint(5, 1),
      varint(6, 10),
      packed(7, [1]),
    ),
    len(4, varint(2, 1), varint(3, 2n ** 63n), len(4, varint(1, 1)), len(4, varint(1, 0), varint(2, 2n ** 63n - 1n))),
    len(5, varint(1, 3), varint(2, 5), varint(3, 6), varint(4, 7), varint(5, 10)),
    len(5, varint(2, 6)),
    strings(...names, ...more),
    varint(7, 11),
    varint(8, 12),
    varint(9, 1_700_000_000_000_000_000n),
    varint(10, 60_000_000_000n),
    len(11, varint(1, 1), varint(2, 2)),
    varint(12, 10_000_000),
    packed(13, [13, 5]),
    varint(14, 1),
    attribute(16, 'n', varint(3, -1)),
    attribute(16, 'list', len(5, len(1, text(1, 'a')), len(1, varint(2, 1)), len(1))),
    len(17, varint(1, 19), varint(2, 18)),
    len(18),
    len(18, len(1, TRACE), len(2, SPAN)),
  )
  return join(
    len(1, ID),
    fixed64(2, 1_700_000_000_000_000_001n),
    fixed64(3, 1_700_000_060_000_000_001n),
    attribute(4, 'host', text(1, 'a')),
    varint(5, 3),
    text(6, 'jfr'),
    len(7, Uint8Array.of(0x46, 0x4c, 0x52, 0)),
    len(8, profile),
  )
}

/** Times in milliseconds, as in the document. */
export function milliseconds(): Uint8Array {
  const profile = join(
    len(1, varint(1, 1), varint(2, 2)),
    len(2, packed(1, [0]), packed(2, [2]), packed(13, [1_700_000_000_500n, 1_700_000_000_250n])),
    len(2, packed(1, [1, 0]), packed(2, [1]), packed(13, [1_700_000_001_000n])),
    len(4, len(4)),
    len(4, len(4, varint(1, 1))),
    len(5, varint(2, 3)),
    len(5, varint(2, 4)),
    strings('samples', 'count', 'main', 'run'),
  )
  return join(fixed64(2, 1_700_000_000_000_000_000n), fixed64(3, 1_700_000_002_000_000_000n), len(8, profile))
}

/** A pprof file, which can be parsed with the document's proto. Rows are referred to by id. */
export function pprof(): Uint8Array {
  return join(
    len(1, varint(1, 1), varint(2, 2)),
    len(2, packed(1, [20, 10]), packed(2, [7]), len(3, varint(1, 5), varint(2, 6))),
    len(3, varint(1, 4), varint(2, 4096), varint(3, 8192), varint(5, 7)),
    len(4, varint(1, 10), varint(2, 4), varint(3, 5000), len(4, varint(1, 2), varint(2, 3))),
    len(4, varint(1, 20), varint(3, 6000), len(4, varint(1, 1))),
    len(5, varint(1, 1), varint(2, 3)),
    len(5, varint(1, 2), varint(2, 4)),
    strings('cpu', 'ns', 'leaf', 'root', 'k', 'v', '/bin/app'),
  )
}

export const fixtures: readonly Otep239Fixture[] = [
  { name: 'the first example of the document', bytes: simpleExample() },
  { name: 'the first example, with the attributes of its text', bytes: simpleExample(true) },
  { name: 'the second example of the document', bytes: envelope(len(8, slicesProfile())) },
  { name: 'a bare profile with slices', bytes: slicesProfile() },
  { name: 'every field of every message', bytes: everything() },
  { name: 'several containers', bytes: envelope(join(len(8, slicesProfile())), everything(), milliseconds()) },
  { name: 'times in milliseconds', bytes: milliseconds() },
  { name: 'times in milliseconds, in an envelope', bytes: envelope(milliseconds()) },
]
