import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { LocationSpec } from '../../model/testing/profiles-spec.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import { validate } from '../../model/validate/validate.ts'
import { applySourceMaps } from './apply-source-maps.ts'
import { SourceMap } from './source-map.ts'
import { mapText } from './testing/mapped-script.ts'

// function a(n){…}          line 1: `a` at column 9 was greet at 3:9 of hello.ts; what follows up to 30 is 3:15
// const r=t=>t+1            column 30: `r` was addOne at 8:6 of math.ts, `t` at 32 was value at 8:15
const map = SourceMap.parse(
  mapText(
    [
      [
        [0, 0, 2, 0],
        [9, 0, 2, 9, 0],
        [20, 0, 3, 4],
        [30, 1, 7, 6, 1],
        [32, 1, 7, 15, 2],
      ],
      [
        [0, 0, 20, 0],
        [5, 0, 20, 8],
      ],
    ],
    ['src/hello.ts', 'src/math.ts'],
    ['greet', 'addOne', 'value'],
  ),
)

const URL = 'file:///dist/app.js'
const find = (url: string): SourceMap | undefined => (url === URL ? map : undefined)
const frameType = { key: 'profile.frame.type', value: 'v8js' }

function withLocations(...locations: readonly LocationSpec[]): Profiles {
  const samples = locations.map((location, i) => ({ stack: [location], values: [BigInt(i + 1)] }))
  return buildProfiles([{ scopes: [{ profiles: [{ type: 'cpu', unit: 'nanoseconds', samples }] }] }])
}

function mapped(before: LocationSpec, after: LocationSpec): void {
  const other: LocationSpec = {
    lines: [{ function: { name: 'b', filename: 'node:fs', startLine: 3n }, line: 3n }],
    attributes: [frameType],
  }
  const { profiles, count } = applySourceMaps(withLocations(other, before, other), find)
  expect(count).toBe(1)
  expect(difference(profiles, withLocations(other, after, other))).toBeUndefined()
  expect(validate(profiles).filter(problem => problem.level === 'must')).toEqual([])
}

describe('applySourceMaps', () => {
  test('maps a function at its own position', () => {
    mapped(
      {
        lines: [{ function: { name: 'a', filename: URL, startLine: 1n }, line: 1n, column: 11n }],
        attributes: [frameType],
      },
      {
        lines: [
          {
            function: { name: 'greet', systemName: 'a', filename: 'src/hello.ts', startLine: 3n },
            line: 3n,
            column: 10n,
          },
        ],
        attributes: [frameType, { key: 'hearth.generated.position', value: `${URL}:1:11` }],
      },
    )
  })

  test('does not name an arrow function after its parameter', () => {
    mapped(
      { lines: [{ function: { name: 'r', filename: URL, startLine: 1n }, line: 1n, column: 33n }] },
      {
        lines: [
          {
            function: { name: 'addOne', systemName: 'r', filename: 'src/math.ts', startLine: 8n },
            line: 8n,
            column: 16n,
          },
        ],
        attributes: [{ key: 'hearth.generated.position', value: `${URL}:1:33` }],
      },
    )
  })

  test('keeps the name of an anonymous function', () => {
    mapped(
      { lines: [{ function: { name: '(anonymous)', filename: URL, startLine: 1n }, line: 1n, column: 33n }] },
      {
        lines: [{ function: { name: '(anonymous)', filename: 'src/math.ts', startLine: 8n }, line: 8n, column: 16n }],
        attributes: [{ key: 'hearth.generated.position', value: `${URL}:1:33` }],
      },
    )
  })

  test('maps another line of a function without a column', () => {
    const column = { key: 'v8.function.column', value: 11n }
    mapped(
      { lines: [{ function: { name: 'a', filename: URL, startLine: 1n }, line: 2n }], attributes: [column] },
      {
        lines: [{ function: { name: 'greet', systemName: 'a', filename: 'src/hello.ts', startLine: 3n }, line: 21n }],
        attributes: [
          column,
          { key: 'hearth.generated.position', value: `${URL}:2:0` },
          { key: 'hearth.generated.start_line', value: 1n },
        ],
      },
    )
  })

  test('keeps the function name for a line in a script with only one line', () => {
    const column = { key: 'v8.function.column', value: 11n }
    mapped(
      { lines: [{ function: { name: 'a', filename: URL, startLine: 1n }, line: 1n }], attributes: [column] },
      {
        lines: [{ function: { name: 'greet', systemName: 'a', filename: 'src/hello.ts', startLine: 3n } }],
        attributes: [column, { key: 'hearth.generated.position', value: `${URL}:1:0` }],
      },
    )
  })

  test('skips a position whose source differs from that of its function', () => {
    mapped(
      { lines: [{ function: { name: 'a', filename: URL, startLine: 2n }, line: 1n, column: 33n }] },
      {
        lines: [{ function: { name: 'a', filename: 'src/hello.ts', startLine: 21n } }],
        attributes: [
          { key: 'hearth.generated.position', value: `${URL}:1:33` },
          { key: 'hearth.generated.start_line', value: 2n },
        ],
      },
    )
  })

  test('separates functions with the same name on one line', () => {
    const at = (column: bigint): LocationSpec => ({
      lines: [{ function: { name: 'e', filename: URL, startLine: 1n }, line: 1n, column }],
    })
    const { profiles, count } = applySourceMaps(withLocations(at(21n), at(33n)), find)
    expect(count).toBe(2)
    const { locations, functions, strings } = profiles.dictionary
    const files = [1, 2].map(i =>
      strings.text(functions.filename(locations.lines.function(locations.linesFrom(i as never)))),
    )
    expect(files).toEqual(['src/hello.ts', 'src/math.ts'])
  })

  test('keeps positions that no map knows', () => {
    const before = withLocations(
      { lines: [{ function: { name: 'a', filename: URL, startLine: 9n }, line: 9n, column: 9n }] },
      { lines: [{ function: { name: 'a', filename: 'other.js', startLine: 1n }, line: 1n, column: 11n }] },
      { address: 4n },
    )
    expect(applySourceMaps(before, find)).toEqual({ profiles: before, count: 0 })
  })

  test('does not map a location twice', () => {
    const before = withLocations({
      lines: [{ function: { name: 'a', filename: URL, startLine: 1n }, line: 1n, column: 11n }],
    })
    const once = applySourceMaps(before, () => map)
    expect(once.count).toBe(1)
    expect(applySourceMaps(once.profiles, () => map)).toEqual({ profiles: once.profiles, count: 0 })
  })
})
