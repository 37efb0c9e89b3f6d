import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Column, ColumnFile } from './columns.ts'
import { TextColumn, decodeColumns, encodeColumns } from './columns.ts'
import { encodeUtf8 } from './utf8.ts'
import { WireError } from './wire-error.ts'

function joined(pieces: readonly Uint8Array[], before = 0): Uint8Array {
  const bytes = new Uint8Array(before + pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = before
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes.subarray(before)
}

const column: fc.Arbitrary<Column> = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.int32Array({ maxLength: 20 }),
  fc.uint32Array({ maxLength: 20 }),
  fc.float64Array({ maxLength: 20 }),
  fc.bigInt64Array({ maxLength: 20 }),
  fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 20 }).map(texts => TextColumn.of(texts)),
)
const file: fc.Arbitrary<ColumnFile> = fc.record({
  fields: fc.jsonValue(),
  columns: fc.dictionary(fc.string(), column, { maxKeys: 6 }).map(named => new Map(Object.entries(named))),
})

const plain = (each: Column) =>
  each instanceof TextColumn ? Array.from({ length: each.length }, (_, i) => each.text(i)) : each

describe('encodeColumns and decodeColumns', () => {
  test('return equal columns at any alignment', () => {
    fc.assert(
      fc.property(file, fc.nat(9), (sent, before) => {
        const bytes = joined(encodeColumns(sent), before)
        expect(bytes.length % 8).toBe(0)
        const read = decodeColumns(bytes)
        expect(read.fields).toEqual(JSON.parse(JSON.stringify(sent.fields)))
        expect([...read.columns.keys()]).toEqual([...sent.columns.keys()])
        for (const [name, each] of read.columns) {
          expect(each.constructor).toBe(sent.columns.get(name)!.constructor)
          expect(plain(each)).toEqual(plain(sent.columns.get(name)!))
        }
      }),
    )
  })

  test('return views of the bytes with exact 64-bit values', () => {
    const values = BigInt64Array.of(-1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n)
    const bytes = joined(encodeColumns({ fields: {}, columns: new Map([['a', values]]) }))
    const read = decodeColumns(bytes).columns.get('a') as BigInt64Array
    expect([...read]).toEqual([...values])
    expect(read.buffer).toBe(bytes.buffer)
  })

  test('throw WireError for broken bytes', () => {
    fc.assert(
      fc.property(file, fc.nat(), fc.nat(255), fc.boolean(), (sent, place, byte, cut) => {
        const bytes = joined(encodeColumns(sent))
        const at = place % bytes.length
        const broken = cut ? bytes.slice(0, at) : bytes.slice()
        if (!cut) broken[at] = byte
        try {
          for (const each of decodeColumns(broken).columns.values()) plain(each)
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
          return
        }
        // Only padding can be cut off unnoticed.
        if (cut) expect(bytes.length - at).toBeLessThan(8)
      }),
    )
  })

  function withHead(head: unknown, data = 16, version = 1): Uint8Array {
    const text = encodeUtf8(typeof head === 'string' ? head : JSON.stringify(head))
    const length = Math.ceil(text.length / 8) * 8
    const bytes = new Uint8Array(16 + length + data).fill(0x20, 16, 16 + length)
    const view = new DataView(bytes.buffer)
    bytes.set(encodeUtf8('hcol'))
    view.setUint32(4, version, true)
    view.setUint32(8, length, true)
    bytes.set(text, 16)
    return bytes
  }
  const of = (descriptor: object) => ({ columns: [{ name: 'a', type: 'i32', length: 1, offset: 0, ...descriptor }] })

  test.each<[string, Uint8Array, RegExp]>([
    ['empty input', new Uint8Array(0), /end within the header at byte 0/],
    ['another file', new Uint8Array(64), /not a columns file/],
    ['a later version', withHead(of({}), 16, 2), /version 2/],
    ['invalid JSON', withHead('{'), /not JSON/],
    ['a head without a list', withHead({ columns: 5 }), /no list/],
    ['a head that is null', withHead('null'), /no list/],
    ['a column that is null', withHead('{"columns":[null]}'), /without a name/],
    ['an unknown type', withHead(of({ type: 'constructor' })), /known type/],
    ['an enormous length', withHead(of({ length: 2 ** 53 - 1 })), /"a" is truncated/],
    ['a length one too large', withHead(of({ length: 5 })), /"a" is truncated/],
    ['an offset beyond the end', withHead(of({ offset: 1024 })), /"a" is truncated/],
    ['an unaligned offset', withHead(of({ offset: 4 })), /invalid offset or length/],
    ['a negative length', withHead(of({ length: -1 })), /invalid offset or length/],
    ['a fractional length', withHead(of({ length: 0.5 })), /invalid offset or length/],
    ['texts beyond the end', withHead(of({ type: 'text', bytes: 2 ** 50 })), /truncated/],
    ['texts without their byte count', withHead(of({ type: 'text' })), /invalid offset or length/],
    ['texts with another total length', withHead(of({ type: 'text', bytes: 3 })), /3 bytes of text/],
    ['a duplicate name', withHead({ columns: [...of({}).columns, ...of({}).columns] }), /two columns/],
  ])('decodeColumns rejects %s', (_what, bytes, message) => {
    expect(() => decodeColumns(bytes)).toThrow(message)
    expect(() => decodeColumns(bytes)).toThrow(WireError)
  })

  test('decodeColumns rejects texts with descending ends', () => {
    const bytes = withHead(of({ type: 'text', length: 2, bytes: 1 }))
    new DataView(bytes.buffer).setUint32(bytes.length - 16, 2, true)
    new DataView(bytes.buffer).setUint32(bytes.length - 12, 1, true)
    expect(() => decodeColumns(bytes)).toThrow(/descending ends/)
  })
})
