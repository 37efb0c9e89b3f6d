import { describe, expect, it } from 'vitest'
import { matchingSpans, nextSpan } from './search-spans.ts'

const NAMES = ['GET /cart', 'query', 'Render', 'query']
const spans = {
  length: NAMES.length,
  name: (i: number) => NAMES[i],
  service: (i: number) => (i === 2 ? 'back' : 'front'),
  id: (i: number) => `00000000000000a${i}`,
  statusMessage: (i: number) => (i === 1 ? 'Timed out' : ''),
}

describe('matchingSpans', () => {
  it('searches name, service, status message and ID, ignoring case', () => {
    const rows = (text: string) => [...(matchingSpans(spans, text)?.matches ?? [])]
    expect(rows('QUERY')).toEqual([0, 1, 0, 1])
    expect(rows('render')).toEqual([0, 0, 1, 0])
    expect(rows('back')).toEqual([0, 0, 1, 0])
    expect(rows('timed')).toEqual([0, 1, 0, 0])
    expect(rows('a3')).toEqual([0, 0, 0, 1])
    expect(matchingSpans(spans, 'query')?.text).toBe('2 spans')
    expect(matchingSpans(spans, 'render')?.text).toBe('1 span')
    expect(matchingSpans(spans, 'nothing')?.text).toBe('No results')
    expect(matchingSpans(spans, '  ')).toBeUndefined()
  })
})

describe('nextSpan', () => {
  it('moves to the next match in either direction and wraps around', () => {
    const matches = Uint8Array.of(0, 1, 0, 1)
    expect([nextSpan(matches, -1, 1), nextSpan(matches, 1, 1), nextSpan(matches, 3, 1)]).toEqual([1, 3, 1])
    expect([nextSpan(matches, -1, -1), nextSpan(matches, 3, -1), nextSpan(matches, 1, -1)]).toEqual([3, 1, 3])
    expect(nextSpan(Uint8Array.of(0, 0), 0, 1)).toBe(-1)
    expect(nextSpan(new Uint8Array(0), -1, 1)).toBe(-1)
  })
})
