import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SourceMap, SourceMapError } from './source-map.ts'
import type { MappedSegment } from './testing/mapped-script.ts'
import { encodeMappings, mapText } from './testing/mapped-script.ts'

describe('SourceMap', () => {
  const map = SourceMap.parse(
    mapText(
      [[[0, 0, 0, 0], [9, 0, 4, 2, 1], [20], [30, 1, 7, 3, 0]], [], [[4, 1, 100_000, 2]]],
      ['a.ts', 'b.ts'],
      ['other', 'greet'],
    ),
  )

  test('finds the segment that contains a position', () => {
    expect(map.originalPositionFor(1, 1)).toEqual({ source: 'a.ts', line: 1, column: 1, name: undefined })
    expect(map.originalPositionFor(1, 9)).toEqual({ source: 'a.ts', line: 1, column: 1, name: undefined })
    expect(map.originalPositionFor(1, 10)).toEqual({ source: 'a.ts', line: 5, column: 3, name: 'greet' })
    expect(map.originalPositionFor(1, 4000)).toEqual({ source: 'b.ts', line: 8, column: 4, name: 'other' })
    expect(map.originalPositionFor(3, 5)).toEqual({ source: 'b.ts', line: 100_001, column: 3, name: undefined })
  })

  test('returns nothing for positions without a source', () => {
    for (const [line, column] of [
      [1, 21],
      [2, 1],
      [3, 4],
      [4, 1],
      [0, 0],
    ]) {
      expect(map.originalPositionFor(line, column)).toBeUndefined()
    }
  })

  test('maps a line without a column only if it comes from one line of one source', () => {
    expect(map.originalPositionFor(3, 0)).toEqual({ source: 'b.ts', line: 100_001, column: 3, name: undefined })
    expect(map.originalPositionFor(1, 0)).toBeUndefined()
  })

  test('returns names only at their start', () => {
    expect(map.nameAt(1, 10)).toBe('greet')
    expect(map.nameAt(1, 11)).toBeUndefined()
    expect(map.nameAt(1, 1)).toBeUndefined()
  })

  test('combines sections', () => {
    const section = (line: number, column: number, source: string): object => ({
      offset: { line, column },
      map: {
        version: 3,
        sources: [source],
        names: [source],
        mappings: encodeMappings([
          [
            [0, 0, 0, 0, 0],
            [50, 0, 9, 0],
          ],
          [[0, 0, 1, 0]],
        ]),
      },
    })
    const joined = SourceMap.parse(
      JSON.stringify({ version: 3, sections: [section(0, 0, 'a.ts'), section(0, 40, 'b.ts'), section(5, 0, 'c.ts')] }),
    )
    expect(joined.originalPositionFor(1, 41)).toMatchObject({ source: 'b.ts', line: 1, name: 'b.ts' })
    expect(joined.originalPositionFor(1, 60)).toMatchObject({ source: 'b.ts', line: 1 })
    expect(joined.originalPositionFor(1, 91)).toMatchObject({ source: 'b.ts', line: 10 })
    expect(joined.originalPositionFor(1, 40)).toMatchObject({ source: 'a.ts', line: 1 })
    expect(joined.originalPositionFor(2, 1)).toMatchObject({ source: 'b.ts', line: 2 })
    expect(joined.originalPositionFor(6, 7)).toMatchObject({ source: 'c.ts', line: 1, name: 'c.ts' })
  })

  test('prepends the root to relative sources', () => {
    const json = '{"version":3,"sourceRoot":"src","sources":["a.ts","/b.ts","webpack://x/c.ts",null],"mappings":""}'
    const { sources } = SourceMap.parse(`)]}'\n${json}`)
    expect(sources).toEqual(['src/a.ts', '/b.ts', 'webpack://x/c.ts', ''])
  })

  test('reports the problem and its position', () => {
    for (const [text, message] of [
      ['', 'is not JSON'],
      ['[]', 'is not an object'],
      ['{"version":2}', 'is not of version 3'],
      ['{"version":3}', 'has no mappings'],
      ['{"version":3,"sources":3,"mappings":""}', 'has sources that are not a list'],
      ['{"version":3,"mappings":"AAAA"}', 'points to a source that does not exist at character 0 of the mappings'],
      ['{"version":3,"sources":["a"],"mappings":"AAAA,AAAAA"}', 'points to a name that does not exist at character 5'],
      ['{"version":3,"sources":["a"],"mappings":";AA"}', 'has a segment of 2 numbers at character 1'],
      ['{"version":3,"sources":["a"],"mappings":"A!"}', 'has a character that is not base 64 at character 1'],
      ['{"version":3,"sources":["a"],"mappings":"D"}', 'points to a negative position at character 0'],
      ['{"version":3,"sources":["a"],"mappings":"gggggggggggggggA"}', 'has a number beyond 32 bits at character 0'],
      [
        '{"version":3,"sections":[{"offset":{"line":2,"column":0},"map":{"mappings":""}},{"offset":{"line":1,"column":0}}]}',
        'has sections out of order',
      ],
    ]) {
      expect(() => SourceMap.parse(text)).toThrow(SourceMapError)
      expect(() => SourceMap.parse(text)).toThrow(message)
    }
  })

  test('finds every segment', () => {
    const number = fc.nat(100_000)
    const segment = fc.tuple(fc.nat(500), fc.nat(2), number, number, fc.nat(1))
    const line = fc.uniqueArray(segment, { selector: ([column]) => column, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), lines => {
        const made = SourceMap.parse(mapText(lines as MappedSegment[][], ['x', 'y', 'z'], ['m', 'n']))
        for (const [i, segments] of lines.entries()) {
          for (const [column, source, originalLine, originalColumn, name] of segments) {
            expect(made.originalPositionFor(i + 1, column + 1)).toEqual({
              source: 'xyz'[source],
              line: originalLine + 1,
              column: originalColumn + 1,
              name: 'mn'[name],
            })
          }
        }
      }),
    )
  })

  test('accepts any text or throws SourceMapError', () => {
    const mappings = fc.array(fc.constantFrom(...'ACDgI,;+/!'.split(''))).map(chars => chars.join(''))
    const json = mappings.map(text => JSON.stringify({ version: 3, sources: ['a'], names: ['b'], mappings: text }))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), json), text => {
        try {
          SourceMap.parse(text)
        } catch (error) {
          expect(error).toBeInstanceOf(SourceMapError)
        }
      }),
    )
  })
})
