import { describe, expect, it } from 'vitest'
import type { Slot } from './schedule.ts'
import { chooseSlot } from './schedule.ts'

/** `a2` is a thread with two calls of a, `a1!` one that does not react, `-` a free one, `.` one that is not started. */
function slots(text: string): Slot[] {
  return text.split(' ').map((each, used) => ({
    key: each[0],
    calls: each.length === 1 ? 0 : Number(each[1]),
    isStarted: each !== '.',
    stuck: each.endsWith('!'),
    used,
  }))
}

function chosen(text: string, key: string, options: Partial<Parameters<typeof chooseSlot>[2]> = {}): number {
  return chooseSlot(slots(text), key, { home: -1, perThread: 4, crowded: false, ...options })
}

describe('chooseSlot', () => {
  it('returns to the thread that the key used last', () => {
    expect(chosen('- - -', 'a')).toBe(0)
    expect(chosen('- - -', 'a', { home: 2 })).toBe(2)
    expect(chosen('a3 - a1', 'a')).toBe(2)
    expect(chosen('a3 - a1', 'a', { home: 0 })).toBe(0)
  })

  it('prefers started threads', () => {
    expect(chosen('. - .', 'a')).toBe(1)
    expect(chosen('a1! . -', 'a')).toBe(2)
    expect(chosen('. - .', 'a', { home: 2 })).toBe(2)
  })

  it('adds calls to a thread of the same key, up to the limit', () => {
    expect(chosen('- a3 -', 'a')).toBe(1)
    expect(chosen('- a4 -', 'a')).toBe(0)
    expect(chosen('- a1 -', 'a', { perThread: 1 })).toBe(0)
  })

  it('avoids a thread that does not react', () => {
    expect(chosen('- a1! -', 'a')).toBe(0)
  })

  it('leaves the last free thread to other keys', () => {
    expect(chosen('a4 -', 'a')).toBe(-1)
    expect(chosen('a1! -', 'a')).toBe(-1)
    expect(chosen('a1! -', 'b')).toBe(1)
    expect(chosen('a1 b1', 'c')).toBe(-1)
  })

  it('adds no calls while other keys wait for a thread', () => {
    expect(chosen('a1 b1', 'a', { crowded: true })).toBe(-1)
  })

  it('gives the only thread of a pool to any key', () => {
    expect(chosen('-', 'a')).toBe(0)
    expect(chosen('a1', 'b')).toBe(-1)
  })
})
