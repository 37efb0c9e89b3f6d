// Small files of the arrays draft: the document's example in each numbering, and profiles with every feature of the draft.
import { fixed64, hex, join, len, packed, text, unpacked, varint } from '../../testing/wire.ts'

export interface ArraysDraftFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

const ID = hex('0102030405060708090a0b0c0d0e0f10')
const TRACE = hex('01020304010203040102030401020304')
const SPAN = hex('9999999999999999')
const TIME = 1_687_841_528_000_000n

const region = len(1, text(1, 'region'), len(2, text(1, 'us')))
const emptySet = new Uint8Array(0)
const strings = ['', 'foo', 'bar', 'baz']

/** Wraps one profile in the envelope of the example. */
export function envelope(profile: Uint8Array): Uint8Array {
  return len(1, len(1), len(2, len(1), len(2, profile)), text(3, 'todo'))
}

/** The YAML of the document, field by field. */
export function documentExample(): Uint8Array {
  const profile = join(
    len(1, ID),
    len(7, packed(1, [0, 1, 2])),
    len(7, packed(1, [0, 1])),
    len(9, len(3)),
    len(9, len(3, varint(1, 1))),
    len(9, len(3, varint(1, 2))),
    len(10, varint(1, 1)),
    len(10, varint(1, 2)),
    len(10, varint(1, 3)),
    len(11),
    len(11, len(1, TRACE), len(2, SPAN)),
    len(12, emptySet),
    len(12, region),
    ...strings.map(string => text(13, string)),
    len(14, packed(10, [0, 1]), packed(11, [1, 0]), packed(12, [1, 1]), packed(13, [100, 200]), packed(14, [TIME, 0])),
  )
  return envelope(profile)
}

/** The same with types in separate lists, inside a container. */
export function splitExample(field = 10): Uint8Array {
  return envelope(join(len(1, ID), len(field, splitProfile())))
}

function splitProfile(): Uint8Array {
  return join(
    len(1, varint(1, 1), varint(2, 7), varint(3, 4), varint(4, 5)),
    len(2, packed(1, [0, 1, 2])),
    len(2, packed(1, [0, 1])),
    len(5, len(3)),
    len(5, len(3, varint(1, 1))),
    len(5, len(3, varint(1, 2))),
    len(6, varint(1, 1)),
    len(6, varint(1, 2)),
    len(6, varint(1, 3)),
    len(7),
    len(7, len(1, TRACE), len(2, SPAN)),
    len(8),
    len(8, region),
    ...[...strings, 'cpu', 'samples'].map(string => text(9, string)),
    len(10, packed(10, [0, 1]), packed(11, [1, 0]), packed(12, [1, 1]), packed(13, [100, 200]), packed(14, [TIME, 0])),
  )
}

/** The form of the generation after the document: one attribute set, in field 4 of a location. */
export function singleSetExample(): Uint8Array {
  return envelope(
    join(
      len(1, ID),
      fixed64(2, 1_687_841_520_000_000n),
      fixed64(3, 1_687_841_530_000_000n),
      len(7, packed(1, [0])),
      len(8, varint(1, 4096), varint(2, 8192), varint(4, 2), varint(7, 1)),
      len(9, varint(2, 5000), len(3, varint(2, 12)), varint(4, 1)),
      len(10, varint(1, 1)),
      len(12),
      len(12, region),
      text(13, ''),
      text(13, 'foo'),
      text(13, '/bin/app'),
      len(14, varint(1, 2), varint(2, 100), varint(3, 1), unpacked(10, [0]), unpacked(13, [-5])),
    ),
  )
}

/** The document's example in the last numbering. */
export function renumberedExample(): Uint8Array {
  return envelope(
    join(
      len(1, ID),
      len(3, packed(1, [0, 1, 2])),
      len(3, packed(1, [0, 1])),
      len(5, len(1)),
      len(5, len(1, varint(1, 1)), varint(3, 0)),
      len(5, len(1, varint(1, 2)), varint(4, 1)),
      len(6, varint(1, 1)),
      len(6, varint(1, 2)),
      len(6, varint(1, 3)),
      len(7),
      len(7, len(1, TRACE), len(2, SPAN)),
      len(8),
      len(8, region),
      ...[...strings, 'cpu', 'samples'].map(string => text(9, string)),
      len(
        10,
        packed(1, [0, 1]),
        packed(2, [1, 0]),
        packed(3, [1, 1]),
        packed(4, [100, 200]),
        packed(5, [TIME, 0]),
        varint(6, 99),
        varint(7, 4),
        varint(8, 5),
        varint(9, 1),
      ),
      len(11, text(1, 'k'), len(2, varint(3, 7))),
      varint(12, 3),
      fixed64(13, 1_687_841_520_000_000n),
      fixed64(14, 1_687_841_530_000_000n),
    ),
  )
}

/** Two types over the same stacks, complete mappings, inlined calls, 64-bit extremes. */
function heap(): Uint8Array {
  const stacks = [len(7, packed(1, [0, 1])), len(7, packed(1, [0])), len(7)]
  return join(
    len(1, ID),
    fixed64(2, 1_700_000_000_000_000_000n),
    fixed64(3, 1_700_000_010_000_000_000n),
    len(4, text(1, 'host'), len(2, text(1, 'a'))),
    varint(5, 2),
    len(6, Uint8Array.of(1, 2, 3)),
    ...stacks,
    len(
      8,
      varint(1, 4096),
      varint(2, 2n ** 64n - 1n),
      varint(3, 16),
      varint(4, 3),
      varint(5, 4),
      varint(6, 1),
      packed(7, [1]),
    ),
    len(9, varint(2, 2n ** 63n), len(3, varint(2, 7)), len(3, varint(1, 1), varint(2, 2 ** 32 - 1)), packed(5, [1])),
    len(9, varint(2, 5000)),
    len(10, varint(1, 1), varint(2, 2), varint(3, 3), varint(4, 10)),
    len(10, varint(1, 2)),
    len(12),
    len(12, region, len(1, text(1, 'n'), len(2, varint(3, -1)))),
    ...['', 'main', '_Z4mainv', '/bin/app', 'ab12', 'alloc_objects', 'count', 'alloc_space', 'bytes'].map(s =>
      text(13, s),
    ),
    len(14, varint(1, 2), varint(3, 5), varint(4, 6), packed(10, [0, 1, 2]), packed(13, [1, 2n ** 62n, -(2n ** 63n)])),
    len(
      14,
      varint(1, 2),
      varint(3, 7),
      varint(4, 8),
      packed(10, [0, 1, 2]),
      packed(12, [0, 1, 0]),
      packed(13, [48, 0, -1]),
    ),
  )
}

/** All samples have a time, some share stack and attributes, and the rate is not a whole period. */
function timed(): Uint8Array {
  return join(
    len(1, ID),
    len(7, packed(1, [0])),
    len(7, packed(1, [0, 1])),
    len(9, len(3)),
    len(9, len(3, varint(1, 1))),
    len(10, varint(1, 1)),
    len(10, varint(1, 2)),
    ...['', 'main', 'run', 'cpu', 'samples'].map(string => text(13, string)),
    len(
      14,
      varint(2, 1_000_003),
      varint(3, 3),
      varint(4, 4),
      packed(10, [1, 0, 1]),
      packed(13, [1, 1, 1]),
      packed(14, [3n, 2n ** 64n - 1n, 9n]),
    ),
  )
}

export const fixtures: readonly ArraysDraftFixture[] = [
  { name: 'the example of the document', bytes: documentExample() },
  { name: 'the example in the first numbering', bytes: splitExample() },
  { name: 'the example in the first numbering, in field 103', bytes: splitExample(103) },
  { name: 'a profile in the first numbering, without a container', bytes: splitProfile() },
  { name: 'one attribute set for each location', bytes: singleSetExample() },
  { name: 'the example in the last numbering', bytes: renumberedExample() },
  { name: 'two types, mappings and inlined calls', bytes: envelope(heap()) },
  { name: 'a profile without an envelope', bytes: heap() },
  { name: 'all samples timed', bytes: timed() },
]
