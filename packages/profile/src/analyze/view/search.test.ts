import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { framesOfRows } from '../tree/frame-table.ts'
import { matchedPart, nextMatch, searchFrames } from './search.ts'
import type { SearchQuery } from './search.ts'
import { treeOfFolded } from '../testing/tree-of.ts'

const frames = framesOfRows([
  { name: 'json.Parse', file: 'lib/json/parse.go' },
  { name: 'main' },
  { name: 'JSON_Write', file: 'src/main.c' },
  { name: 'a.b' },
])

function found(query: SearchQuery): string[] {
  const { matches, count } = searchFrames(frames, query)
  const names = frames.name.filter((_, i) => matches[i] === 1)
  expect(count).toBe(names.length)
  return names
}

describe('searchFrames', () => {
  test('finds part of a name and ignores case unless the text has a capital letter', () => {
    expect(found({ text: 'json' })).toEqual(['json.Parse', 'JSON_Write'])
    expect(found({ text: 'JSON' })).toEqual(['JSON_Write'])
    expect(found({ text: 'json', matchCase: true })).toEqual(['json.Parse'])
    expect(found({ text: '' })).toEqual([])
  })

  test('takes special characters literally unless the text is an expression', () => {
    expect(found({ text: 'n.p' })).toEqual(['json.Parse'])
    expect(found({ text: '^(a.b|main)$', regularExpression: true })).toEqual(['main', 'a.b'])
    expect(found({ text: '\\Wb', regularExpression: true })).toEqual(['a.b'])
  })

  test('searches files if the text has a slash', () => {
    expect(found({ text: 'src/' })).toEqual(['JSON_Write'])
  })

  test('reports an invalid or too long expression as a problem', () => {
    expect(searchFrames(frames, { text: '(', regularExpression: true }).problem).toMatch(/\(/)
    expect(searchFrames(frames, { text: 'a'.repeat(2000), regularExpression: true }).problem).toMatch(/1000/)
  })

  test('stops when it takes too long', () => {
    const many = framesOfRows(Array.from({ length: 1000 }, (_, i) => ({ name: `f${i}` })))
    let time = 0
    const result = searchFrames(many, { text: 'f' }, () => (time += 400))
    expect(result.problem).toMatch(/too long/)
    expect(result.count).toBeLessThan(1000)
  })
})

describe('matchedPart and nextMatch', () => {
  const tree = treeOfFolded('main;f;g;f 4\nmain;f 1\nmain;h 2\ngc;f 3')
  const { matches } = searchFrames(tree.frames, { text: 'f' })

  test('count each stack once', () => {
    expect(matchedPart(tree, matches)).toEqual({ nodes: 3, total: 8n })
    expect(matchedPart(tree, new Uint8Array(tree.frames.length))).toEqual({ nodes: 0, total: 0n })
  })

  test('wrap around in both directions', () => {
    const seen: number[] = []
    for (let at = nextMatch(tree, matches, undefined, 1); seen.length < 4; at = nextMatch(tree, matches, at, 1))
      seen.push(at!)
    expect(seen).toEqual([1, 3, 6, 1])
    expect(nextMatch(tree, matches, 1, -1)).toBe(6)
    expect(nextMatch(tree, matches, undefined, -1)).toBe(6)
    expect(nextMatch(tree, matches, 1, 1, 1)).toBe(3)
    expect(nextMatch(tree, matches, 3, 1, 1)).toBe(1)
    expect(nextMatch(tree, new Uint8Array(tree.frames.length), 0, 1)).toBeUndefined()
  })

  test('sum the stacks that contain a match', () => {
    const name = fc.constantFrom<string>('a', 'b', 'c', 'd')
    const stacks = fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
    })
    fc.assert(
      fc.property(stacks, fc.uniqueArray(name), (rows, wanted) => {
        const random = treeOfFolded(rows.map(([path, value]) => `${path.join(';')} ${value}`).join('\n'))
        const set = Uint8Array.from(random.frames.name, one => (wanted.includes(one) ? 1 : 0))
        const expected = rows
          .filter(([path]) => path.some(one => wanted.includes(one)))
          .reduce((sum, [, value]) => sum + value, 0)
        expect(matchedPart(random, set).total).toBe(BigInt(expected))
      }),
    )
  })
})
