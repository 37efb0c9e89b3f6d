import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StringTable, Table } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { ProfilesDraft } from '../columns/profiles-draft.ts'
import { difference } from '../compare/content-equal.ts'
import { carryProfiles } from '../merge/carry-profiles.ts'
import { arbitraryProfiles } from '../testing/arbitrary-profiles.ts'
import { DictionaryBuilder } from './dictionary-builder.ts'
import { DictionaryTransfer } from './dictionary-transfer.ts'
import { LastRows, LastStrings } from './repeated-tables.ts'

/** The texts behind `gap` bytes each. */
function stringTable(texts: readonly string[], gap: number): StringTable {
  const ints: number[] = []
  let content = ''
  for (const text of texts) {
    content += ' '.repeat(gap)
    ints.push(content.length, text.length)
    content += text
  }
  return new StringTable(Int32Array.from(ints), 0, texts.length, new TextEncoder().encode(content))
}

describe('LastStrings', () => {
  it('recognises the same strings at other offsets', () => {
    const last = new LastStrings()
    const texts = ['', 'main', 'a longer name', 'cpu']
    expect(last.repeats(stringTable(texts, 0))).toBe(false)
    expect(last.repeats(stringTable(texts, 3))).toBe(true)
    expect(last.repeats(stringTable([...texts, ''], 3))).toBe(false)
    expect(last.repeats(stringTable(texts, 0))).toBe(false)
    last.forget()
    expect(last.repeats(stringTable(texts, 0))).toBe(false)
  })

  it('recognises exactly equal tables', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 9 }), { maxLength: 4 })
    fc.assert(
      fc.property(texts, texts, fc.nat(3), (first, second, gap) => {
        const last = new LastStrings()
        last.repeats(stringTable(first, 0))
        expect(last.repeats(stringTable(second, gap))).toBe(
          first.join() === second.join() && first.length === second.length,
        )
      }),
    )
  })

  it('compares with a copy, because a source may reuse its memory', () => {
    const last = new LastStrings()
    const table = stringTable(['', 'main'], 0)
    last.repeats(table)
    table.bytes.set(new TextEncoder().encode('mail'))
    expect(last.repeats(table)).toBe(false)
  })
})

describe('LastRows', () => {
  it('compares with a copy of all columns', () => {
    const last = new LastRows(2)
    const table = new Table(Int32Array.of(9, 1, 2, 3, 4), 1, 2)
    expect(last.repeats(table)).toBe(false)
    expect(last.repeats(new Table(Int32Array.of(1, 2, 3, 4), 0, 2))).toBe(true)
    table.ints[4] = 5
    expect(last.repeats(table)).toBe(false)
  })
})

function carried(inputs: readonly Profiles[], change: 'from' | 'next'): Profiles {
  const dictionary = new DictionaryBuilder()
  const draft = new ProfilesDraft()
  let transfer: DictionaryTransfer | undefined
  for (const input of inputs) {
    transfer = transfer?.[change](input.dictionary) ?? new DictionaryTransfer(input.dictionary, dictionary)
    carryProfiles(input, transfer, dictionary, draft)
  }
  dictionary.writeTo(draft)
  return draft.freeze(dictionary.bytes.array.subarray(0, dictionary.bytes.length))
}

describe('DictionaryTransfer', () => {
  it('carries the same rows whether or not sources repeat tables', () => {
    const orders = fc.array(fc.nat(2), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(arbitraryProfiles(), { minLength: 3, maxLength: 3 }), orders, (sources, order) => {
        const inputs = order.map(i => sources[i])
        expect(difference(carried(inputs, 'next'), carried(inputs, 'from'))).toBeUndefined()
      }),
    )
  })
})
