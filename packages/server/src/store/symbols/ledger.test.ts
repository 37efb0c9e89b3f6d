import { describe, expect, test } from 'vitest'
import { HASH_WORDS, Seed, hashInts } from './content-hash.ts'
import { MemoryLedger, SymbolCollision, announce } from './ledger.ts'

function wordsOf(...content: number[]): Int32Array {
  const words = new Int32Array(HASH_WORDS)
  hashInts(Seed.stacks, Int32Array.from(content), 0, content.length, words, 0)
  return words
}

describe('ledger', () => {
  test('reports an id as new once per tenant and table', () => {
    const ledger = new MemoryLedger()
    for (let k = 0; k < 10_000; k++) expect(announce(ledger, 'a', 'stacks', wordsOf(k))).toBe(true)
    for (let k = 0; k < 10_000; k++) expect(announce(ledger, 'a', 'stacks', wordsOf(k))).toBe(false)
    expect(announce(ledger, 'a', 'locations', wordsOf(1))).toBe(true)
    expect(announce(ledger, 'b', 'stacks', wordsOf(1))).toBe(true)
    expect(ledger.entries).toBe(10_002)
  })

  test('never reports the id 0 as new', () => {
    expect(new MemoryLedger().isNew('a', 'stacks', 0, 0, 1, 2)).toBe(false)
  })

  test('reports everything as new on a new day and after a failed commit', () => {
    const ledger = new MemoryLedger()
    ledger.startDay(20_000)
    expect(announce(ledger, 'a', 'stacks', wordsOf(1))).toBe(true)
    expect(announce(ledger, 'a', 'stacks', wordsOf(1))).toBe(false)
    ledger.startDay(20_000)
    expect(announce(ledger, 'a', 'stacks', wordsOf(1))).toBe(false)
    ledger.startDay(20_001)
    expect(announce(ledger, 'a', 'stacks', wordsOf(1))).toBe(true)
    expect(announce(ledger, 'a', 'stacks', wordsOf(1))).toBe(false)
    ledger.startDay(20_000)
    expect(announce(ledger, 'a', 'stacks', wordsOf(1))).toBe(false)
    ledger.forgetAll()
    expect(announce(ledger, 'a', 'stacks', wordsOf(1))).toBe(true)
    expect(ledger.entries).toBe(1)
  })

  test('evicts the least recently used tables when it is full', () => {
    const ledger = new MemoryLedger({ maxEntries: 1000 })
    for (let k = 0; k < 400; k++) announce(ledger, 'cold', 'stacks', wordsOf(k))
    for (let k = 0; k < 400; k++) announce(ledger, 'warm', 'stacks', wordsOf(k))
    for (let k = 0; k < 300; k++) announce(ledger, 'hot', 'stacks', wordsOf(k))
    expect(announce(ledger, 'hot', 'stacks', wordsOf(1))).toBe(false)
    expect(announce(ledger, 'warm', 'stacks', wordsOf(1))).toBe(false)
    expect(announce(ledger, 'cold', 'stacks', wordsOf(1))).toBe(true)
    expect(ledger.dropped).toBe(400)
    // A single table that is too large.
    for (let k = 0; k < 5000; k++) announce(ledger, 'hot', 'stacks', wordsOf(k))
    expect(ledger.entries).toBeLessThanOrEqual(1000)
  })

  test('distinguishes and counts two contents with one id', () => {
    const ledger = new MemoryLedger()
    const first = wordsOf(1)
    const second = Int32Array.from([first[0], first[1], 5, 6])
    expect(announce(ledger, 'a', 'stacks', first)).toBe(true)
    expect(() => ledger.isNew('a', 'stacks', second[0], second[1], second[2], second[3])).toThrow(SymbolCollision)
    expect(announce(ledger, 'a', 'stacks', second)).toBe(true)
    expect([second[0], second[1]]).not.toEqual([first[0], first[1]])
    expect([second[2], second[3]]).toEqual([5, 6])
    expect(ledger.collisions).toBe(2)
    // The same content gets the same id again.
    const again = Int32Array.from([first[0], first[1], 5, 6])
    expect(announce(ledger, 'a', 'stacks', again)).toBe(false)
    expect(again).toEqual(second)
  })
})
