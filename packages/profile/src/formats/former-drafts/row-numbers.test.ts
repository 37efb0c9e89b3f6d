import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { StringIndex } from '../../model/columns/brand.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { join, text } from '../testing/wire.ts'
import { RowNumbers, StringNumbers } from './row-numbers.ts'

describe('RowNumbers', () => {
  test('numbers rows by first use and can be cleared', () => {
    const numbers = new RowNumbers(10)
    expect([7, 3, 7, 0].map(row => numbers.of(row))).toEqual([0, 1, 0, 2])
    expect([...numbers.rows.view()]).toEqual([7, 3, 0])
    numbers.clear()
    expect([numbers.of(0), numbers.length]).toEqual([0, 1])
  })
})

describe('StringNumbers', () => {
  test('starts with the empty string and mixes strings of the dictionary with others', () => {
    const builder = new ProfilesBuilder()
    const rows: StringIndex[] = ['a', 'b'].map(string => builder.string(string))
    const numbers = new StringNumbers(builder.build().dictionary)
    const write = (): Uint8Array => {
      const writer = new BackwardWriter(16)
      numbers.write(writer, 0x0a)
      return writer.finish()
    }
    expect([numbers.of(rows[1]), numbers.text('x'), numbers.of(rows[0]), numbers.text('x'), numbers.text('')]).toEqual([
      1, 2, 3, 2, 0,
    ])
    expect(write()).toEqual(join(...['', 'b', 'x', 'a'].map(string => text(1, string))))
    numbers.clear()
    expect(numbers.of(rows[0])).toBe(1)
    expect(write()).toEqual(join(text(1, ''), text(1, 'a')))
  })
})
