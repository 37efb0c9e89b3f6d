// The reader returns what columns write, and reports invalid bytes as errors.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BlockReader, mergeBlocks, readBlocks } from './block.ts'
import type { ColumnValues } from './column-values.ts'
import { IncompleteError, NativeFormatError } from './byte-cursor.ts'
import type { Column } from './column.ts'
import { ArrayColumn, StringColumn } from './column.ts'
import type { ColumnKind } from './table.ts'
import {
  TableBatch,
  arrayOf,
  date,
  defineTable,
  fewTexts,
  fixedBytes,
  float64,
  int32,
  int64,
  text,
  time64,
  uint32,
  uint64,
  uint8,
} from './table.ts'
import { parseTypeName } from './type-name.ts'

type Value = number | bigint | string | readonly number[] | readonly Value[]

/** A kind of column with arbitrary values, and how to push and read them. */
interface Sample {
  readonly kind: ColumnKind<Column>
  readonly values: fc.Arbitrary<Value>
  push(column: Column, value: Value): void
  read(column: ColumnValues, row: number): Value
}

interface Pushing {
  push(value: Value | Uint8Array): void
}

const push = (column: Column, value: Value) => (column as unknown as Pushing).push(value)
const asNumber = (column: ColumnValues, row: number) => column.number(row)
const asBigint = (column: ColumnValues, row: number) => column.bigint(row)
const asText = (column: ColumnValues, row: number) => column.text(row)
const texts = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ maxLength: 300, minLength: 100 }))

const simple: readonly Sample[] = [
  { kind: uint8(), values: fc.nat(255), push, read: asNumber },
  { kind: uint32(), values: fc.nat(0xffffffff), push, read: asNumber },
  { kind: int32(), values: fc.integer(), push, read: asNumber },
  { kind: date(), values: fc.nat(0xffff), push, read: asNumber },
  { kind: float64(), values: fc.double(), push, read: asNumber },
  { kind: uint64(), values: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), push, read: asBigint },
  { kind: int64(), values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), push, read: asBigint },
  { kind: time64(), values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), push, read: asBigint },
  { kind: text(), values: texts, push, read: asText },
  { kind: fewTexts(), values: texts, push, read: asText },
  ...[4, 40].map(width => ({
    kind: fixedBytes(width),
    values: fc.array(fc.nat(255), { minLength: width, maxLength: width }),
    push: (column: Column, value: Value) => (column as unknown as Pushing).push(Uint8Array.from(value as number[])),
    read: (column: ColumnValues, row: number) => [...column.bytes(row)],
  })),
]

function listOf(sample: Sample): Sample {
  return {
    kind: arrayOf(sample.kind),
    values: fc.array(sample.values, { maxLength: 4 }),
    push(column, value) {
      const array = column as ArrayColumn<Column>
      for (const element of value as readonly Value[]) sample.push(array.values, element)
      array.endRow()
    },
    read(column, row) {
      const elements: Value[] = []
      for (let i = column.from(row); i < column.to(row); i++) elements.push(sample.read(column.values, i))
      return elements
    },
  }
}

const samples = [...simple, ...simple.map(listOf), ...simple.map(sample => listOf(listOf(sample)))]

/** A table with some columns and rows for it. */
const filled = fc
  .array(fc.constantFrom(...samples), { minLength: 1, maxLength: 5 })
  .chain(columns =>
    fc.tuple(fc.constant(columns), fc.array(fc.tuple(...columns.map(column => column.values)), { maxLength: 30 })),
  )

function fill(
  columns: readonly Sample[],
  rows: readonly (readonly Value[])[],
  batch = emptyBatch(columns),
): TableBatch {
  for (const row of rows) columns.forEach((column, i) => column.push(batch.columns[`c${i}`], row[i]))
  return batch
}

function emptyBatch(columns: readonly Sample[]): TableBatch {
  const kinds = Object.fromEntries(columns.map(({ kind }, i) => [`c${i}`, kind]))
  return new TableBatch(defineTable('t', kinds, { engine: 'merge', orderBy: 'c0', shardBy: 'c0' }))
}

function readRows(columns: readonly Sample[], bytes: Uint8Array): Value[][] {
  const block = mergeBlocks(readBlocks(bytes))
  return Array.from({ length: block.rows }, (_, row) =>
    columns.map((column, i) => column.read(block.column(`c${i}`), row)),
  )
}

describe('columns and blocks', () => {
  test('return the values that were written', () => {
    fc.assert(
      fc.property(filled, ([columns, rows]) => {
        expect(readRows(columns, fill(columns, rows).toNative())).toEqual(rows)
      }),
    )
  })

  test('forget rows when they are truncated', () => {
    fc.assert(
      fc.property(filled, fc.nat(40), fc.boolean(), ([columns, rows], keep, half) => {
        const kept = rows.slice(0, keep)
        const batch = fill(columns, rows)
        // A failed request has often written only some columns of a row.
        if (half && rows.length > 0) columns[0].push(batch.columns['c0'], rows[0][0])
        batch.truncate(kept.length)
        expect(batch.rows).toBe(kept.length)
        expect([...batch.toNative()]).toEqual([...fill(columns, kept).toNative()])
        fill(columns, rows, batch)
        expect(readRows(columns, batch.toNative())).toEqual([...kept, ...rows])
      }),
    )
  })

  test('forget values without the end of their row when they are truncated', () => {
    const column = new ArrayColumn(new StringColumn())
    column.values.push('kept')
    column.endRow()
    column.values.push('lost')
    column.truncate(1)
    expect([column.length, column.values.length]).toEqual([1, 1])
    column.truncate(0)
    expect([column.length, column.values.length, column.byteLength]).toEqual([0, 0, 0])
  })

  test('name a column that was not filled', () => {
    const batch = emptyBatch([simple[0], simple[1]])
    push(batch.columns['c0'], 1)
    expect(() => batch.toNative()).toThrow('t.c1 has 0 rows instead of 1')
  })

  test('are read from pieces of any size and merge into one', () => {
    fc.assert(
      fc.property(filled, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), ([columns, rows], sizes) => {
        const one = fill(columns, rows).toNative()
        const bytes = Buffer.concat([one, one, one])
        const reader = new BlockReader()
        const blocks = []
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const end = at + sizes[i % sizes.length]
          blocks.push(...reader.push(bytes.subarray(at, end)))
          at = end
        }
        blocks.push(...reader.end())
        const merged = mergeBlocks(blocks)
        expect(merged.rows).toBe(rows.length * 3)
        const all = Array.from({ length: merged.rows }, (_, row) =>
          columns.map((column, i) => column.read(merged.column(`c${i}`), row)),
        )
        expect(all).toEqual([...rows, ...rows, ...rows])
      }),
    )
  })

  test('report incomplete bytes', () => {
    fc.assert(
      fc.property(filled, fc.nat(), ([columns, rows], cut) => {
        const bytes = fill(columns, rows).toNative()
        const length = cut % bytes.length
        const read = () => readBlocks(bytes.subarray(0, length))
        if (length === 0) expect(read()).toEqual([])
        else expect(read).toThrow(IncompleteError)
      }),
    )
  })

  test('report invalid bytes with an offset, or read them as other values', () => {
    fc.assert(
      fc.property(filled, fc.nat(), fc.nat(255), ([columns, rows], where, value) => {
        const bytes = fill(columns, rows).toNative()
        bytes[where % bytes.length] = value
        try {
          for (const block of readBlocks(bytes)) expect(block.rows).toBeLessThanOrEqual(bytes.length)
        } catch (error) {
          expect(error).toBeInstanceOf(NativeFormatError)
          expect((error as NativeFormatError).byteOffset).toBeLessThanOrEqual(bytes.length)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

const hex = (digits: string) => Uint8Array.from(Buffer.from(digits.replaceAll(' ', ''), 'hex'))

describe('broken blocks', () => {
  test.each([
    ['more columns than can be', 'ffffff7f 01', /columns/],
    ['more rows than bytes', '01 ffffffff0f 0161 0655496e743634 00', /cut off/],
    ['more strings than bytes', '01 ffffffff0f 0161 06537472696e67 00', /cut off/],
    ['a count of 64 bits', 'ffffffffffffffffff01', /53 bits/],
    ['rows without columns', '00 05', /without columns/],
    ['a type that is not read', '01 01 0161 044a534f4e 00', /JSON/],
    ['a FixedString of nothing', '01 01 0161 0e4669786564537472696e67283029 00', /FixedString/],
    ['array ends that shrink', `01 02 0161 0c41727261792855496e743829 0200000000000000 0100000000000000 00`, /grow/],
    ['an array end of 64 bits', `01 01 0161 0c41727261792855496e743829 0000000001000000 00`, /32 bits/],
  ])('%s', (_, digits, message) => {
    expect(() => readBlocks(hex(digits))).toThrow(message)
    expect(() => readBlocks(hex(digits))).toThrow(NativeFormatError)
  })

  test('a type too deep for the stack', () => {
    expect(() => parseTypeName(`${'Array('.repeat(50)}UInt8${')'.repeat(50)}`)).toThrow(/deep/)
  })

  test('throws if a method does not match the column type', () => {
    const [block] = readBlocks(hex('01 01 0161 0655496e743634 ffffffffffffffff'))
    const column = block.column('a')
    expect(column.bigint(0)).toBe(2n ** 64n - 1n)
    expect(() => column.number(0)).toThrow(/safe integer/)
    expect(() => column.text(0)).toThrow('UInt64 is not a text')
    expect(() => column.bigint(1)).toThrow(RangeError)
    expect(() => block.column('b')).toThrow('no column b in the response; it has a')
  })
})

test('parses type names', () => {
  expect(
    parseTypeName("Tuple(id UInt64, `a, b` Array(String), DateTime64(9, 'UTC'))").of.map(type => type.text),
  ).toEqual(['UInt64', 'Array(String)', "DateTime64(9, 'UTC')"])
  expect(parseTypeName('SimpleAggregateFunction(max, Nullable(Date))').name).toBe('Nullable')
  expect(parseTypeName("Enum8('a)' = 1, 'b,' = 2)").arguments).toEqual(["'a)' = 1", "'b,' = 2"])
})
