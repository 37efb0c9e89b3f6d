import { describe, expect, test } from 'vitest'
import { cells, clipped, clippedStart, printable, printableJson } from './printable.ts'

describe('printable', () => {
  test('escapes control characters', () => {
    expect(printable('a\u001b[31mb\u0007')).toBe('a\\u{1b}[31mb\\u{7}')
    expect(printable('one\ntwo\tthree\r')).toBe('one\\ntwo\\tthree\\r')
    expect(printable('\u009b2J \u202egnp.exe \u2028')).toBe('\\u{9b}2J \\u{202e}gnp.exe \\u{2028}')
  })

  test('keeps all other text', () => {
    for (const text of ['main', 'größe', '処理', 'a\u0301', '👍🏽', 'std::vec<T>::push'])
      expect(printable(text)).toBe(text)
  })

  test('keeps JSON equal', () => {
    const value = { name: '\u007f\u009b\u202e\u2028 é 処理' }
    const json = printableJson(JSON.stringify(value))
    expect(json).toBe('{"name":"\\u007f\\u009b\\u202e\\u2028 é 処理"}')
    expect(JSON.parse(json)).toEqual(value)
  })
})

describe('cells', () => {
  test('counts one for letters, two for wide ones and none for marks', () => {
    expect(cells('main')).toBe(4)
    expect(cells('größe')).toBe(5)
    expect(cells('処理')).toBe(4)
    expect(cells('a\u0301')).toBe(1)
  })

  test('truncates text at either end', () => {
    expect(clipped('function', 8)).toBe('function')
    expect(clipped('function', 5)).toBe('func…')
    expect(clipped('処理処理', 6)).toBe('処理…')
    expect(clipped('ab', 0)).toBe('')
    expect(clippedStart('src/lib/gc.ts', 8)).toBe('…b/gc.ts')
    expect(clippedStart('処理処理', 6)).toBe('…処理')
    expect(clippedStart('gc.ts', 5)).toBe('gc.ts')
  })
})
