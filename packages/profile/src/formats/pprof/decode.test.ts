// Tests for the fast paths of the reader: ids of every size and order, numbers of every length, labels compared by their bytes,
// and reused memory.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { packedVarints, protoMessage } from '../../wire/testing/proto-message.ts'
import { FormatError } from '../format.ts'
import { readPprof } from './read.ts'
import { plainPprof, richPprof } from './testing/fixtures.ts'
import { writePprof } from './write.ts'

type Field = readonly [number, Uint8Array | string | number | bigint]

const type: Field = [1, protoMessage([1, 1], [2, 1])]
const empty: Field = [6, '']

/** A file with one value per sample. The address of a location identifies it. */
function file(ids: readonly bigint[], stacks: readonly (readonly bigint[])[], isPacked = true): Uint8Array {
  return protoMessage(
    type,
    ...stacks.map((stack, i): Field => {
      const locations: Field[] = isPacked ? [[1, packedVarints(...stack)]] : stack.map((id): Field => [1, id])
      return [2, protoMessage(...locations, [2, packedVarints(i)])]
    }),
    ...ids.map((id, i): Field => [4, protoMessage([1, id], [3, 1000 + i])]),
    empty,
    [6, 'x'],
  )
}

/** For each sample, the positions of its locations in the file's table. */
function locationPositions({ dictionary, samples }: Profiles): number[][] {
  const { stacks, locations } = dictionary
  return Array.from({ length: samples.length }, (_, i) => {
    const stack = samples.stack(i) as StackIndex
    const rows = stacks.locations.slice(stacks.from(stack), stacks.to(stack))
    return rows.map(row => Number(locations.address(row as LocationIndex)) - 1000)
  })
}

describe('ids', () => {
  const anyId = fc.oneof(
    fc.bigInt({ min: 1n, max: 300n }),
    fc.bigInt({ min: 1n, max: 2n ** 22n }),
    fc.bigInt({ min: 2n ** 27n, max: 2n ** 36n }),
    fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  )

  test('resolve to their locations at any size and in any order', () => {
    const shape = fc
      .uniqueArray(anyId, { minLength: 1, maxLength: 40 })
      .chain(ids =>
        fc.tuple(fc.constant(ids), fc.array(fc.array(fc.nat(ids.length - 1), { maxLength: 12 })), fc.boolean()),
      )
    fc.assert(
      fc.property(shape, ([ids, stacks, isPacked]) => {
        const bytes = file(
          ids,
          stacks.map(stack => stack.map(place => ids[place])),
          isPacked,
        )
        const { profiles } = readPprof(bytes)
        expect(locationPositions(profiles)).toEqual(stacks)
        expect(new Set(stacks.map(String)).size).toBe(
          new Set(profiles.samples.length === 0 ? [] : stacksOf(profiles)).size,
        )
        const again = readPprof(writePprof(profiles).bytes).profiles
        expect(difference(again, profiles)).toBeUndefined()
      }),
      { numRuns: 200 },
    )
  })

  test('resolve to rows if they count up, with gaps, a zero and missing ids', () => {
    const ids = [1n, 2n, 3n]
    expect(locationPositions(readPprof(file(ids, [[3n, 1n], [2n]])).profiles)).toEqual([[2, 0], [1]])
    for (const bad of [0n, 4n, 2n ** 33n, 2n ** 64n - 1n]) {
      expect(locationPositions(readPprof(file(ids, [[1n], [3n, bad]])).profiles)).toEqual([[0]])
      expect(() =>
        readPprof(
          file(ids, [
            [bad, 1n],
            [3n, bad],
          ]),
        ),
      ).toThrow('sample[0].location_id[0]')
    }
  })

  test('ids of functions and mappings resolve to their rows in any order', () => {
    const names = ['', 'x', 'f', 'g', 'm', 'n']
    const bytes = protoMessage(
      type,
      [2, protoMessage([1, 1], [2, 1])],
      [3, protoMessage([1, 2n ** 40n], [5, 4])],
      [3, protoMessage([1, 7], [5, 5])],
      [4, protoMessage([1, 1], [2, 7], [4, protoMessage([1, 500_000])], [4, protoMessage([1, 2n ** 50n])])],
      [5, protoMessage([1, 2n ** 50n], [2, 2])],
      [5, protoMessage([1, 3])],
      [5, protoMessage([1, 500_000], [2, 3])],
      ...names.map((text): Field => [6, text]),
    )
    const { dictionary } = readPprof(bytes).profiles
    const { functions, locations, mappings, strings } = dictionary
    const row = 1 as LocationIndex
    expect(strings.text(mappings.filename(locations.mapping(row)))).toBe('n')
    const lines = [locations.linesFrom(row), locations.linesFrom(row) + 1]
    expect(lines.map(k => strings.text(functions.name(locations.lines.function(k))))).toEqual(['g', 'f'])
  })
})

function stacksOf({ samples }: Profiles): number[] {
  return Array.from({ length: samples.length }, (_, i) => samples.stack(i))
}

test('numbers of every length are exact', () => {
  const edges = Array.from({ length: 10 }, (_, k) => 1n << BigInt(7 * k)).flatMap(edge => [edge - 1n, edge, edge + 1n])
  const numbers = [...edges.filter(edge => edge < 2n ** 63n), -1n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n]
  const wire = numbers.map(number => BigInt.asUintN(64, number))
  // Each number is tested near the end of the list, where no complete word is left, and far from it.
  for (let k = 0; k < wire.length; k++) {
    const packed = [...wire.slice(k), ...wire.slice(0, k)]
    const bytes = protoMessage(
      ...packed.map((): Field => type),
      [2, protoMessage([2, packedVarints(...packed)])],
      empty,
      [6, 'x'],
    )
    const { profiles } = readPprof(bytes)
    const read = [...profiles.samples.values.signed()]
    const [last, ...rest] = packed.map(number => BigInt.asIntN(64, number)).toReversed()
    expect(read).toEqual([last, ...rest.toReversed()])
  }
  for (const number of wire) {
    const line = protoMessage([2, number], [3, number])
    const bytes = protoMessage(type, [4, protoMessage([1, 1], [3, number], [4, line])], empty, [6, 'x'])
    const { locations } = readPprof(bytes).profiles.dictionary
    expect(locations.address(1 as LocationIndex)).toBe(number)
    expect(locations.lines.line(0)).toBe(BigInt.asIntN(64, number))
    expect(locations.lines.column(0)).toBe(BigInt.asIntN(64, number))
  }
})

describe('labels', () => {
  test('stay distinct at any length and position', () => {
    const label = fc.record({ string: fc.nat(3), number: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), unit: fc.nat(3) })
    const short = fc.record({ string: fc.nat(3), number: fc.bigInt({ min: 0n, max: 200n }), unit: fc.nat(3) })
    fc.assert(
      fc.property(fc.array(fc.oneof(short, label), { maxLength: 60 }), labels => {
        const bytes = protoMessage(
          type,
          ...['', 'x', 'y', 'z', 'key'].map((text): Field => [6, text]),
          ...labels.map(({ string, number, unit }): Field => {
            return [
              2,
              protoMessage([2, packedVarints(1)], [3, protoMessage([1, 4], [2, string], [3, number], [4, unit])]),
            ]
          }),
        )
        const { profiles } = readPprof(bytes)
        const { attributes, strings } = profiles.dictionary
        for (const [i, { string, number, unit }] of labels.entries()) {
          const [row] = profiles.samples.attributesOf(i)
          const isEmpty = string === 0 && number === 0n && unit === 0
          const value = string !== 0 ? ['', 'x', 'y', 'z'][string] : isEmpty ? undefined : number
          expect([strings.text(attributes.key(row)), attributes.value(row), attributes.unit(row)]).toEqual([
            'key',
            value,
            unit,
          ])
        }
      }),
      { numRuns: 100 },
    )
  })

  test('that refer to a missing string are kept without it', () => {
    const good: Field = [2, protoMessage([2, 1], [3, protoMessage([1, 1], [2, 1])])]
    const bad: Field = [2, protoMessage([2, 1], [3, protoMessage([1, 1], [2, 9])])]
    const { profiles, notes } = readPprof(protoMessage(type, good, good, bad, empty, [6, 'x']))
    expect(profiles.samples.attributesOf(2)).toHaveLength(1)
    expect(notes).toMatchObject([{ code: 'missing-strings', count: 1 }])
  })
})

test('errors found after decoding report the offset of the entry', () => {
  const start = protoMessage(type, [2, protoMessage([2, packedVarints(1, 2)])])
  const bytes = new Uint8Array([
    ...start,
    ...protoMessage([2, protoMessage([1, packedVarints(4)], [2, 1])], empty, [6, 'x']),
  ])
  expect(() => readPprof(bytes)).toThrow('a sample has 2 values for 1 sample types at byte 6 (sample[0])')
})

describe('reused memory', () => {
  test('does not change earlier results', () => {
    const first = readPprof(richPprof()).profiles
    const copy = writePprof(first).bytes
    readPprof(plainPprof())
    expect(() => readPprof(richPprof().subarray(0, 100))).toThrow(FormatError)
    readPprof(plainPprof())
    expect(writePprof(first).bytes).toEqual(copy)
    expect(difference(readPprof(richPprof()).profiles, first)).toBeUndefined()
  })

  test('gives the same result for a file above 1 MB, whose rows are counted first', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => BigInt(i + 1))
    const stacks = Array.from({ length: 10_000 }, (_, i) =>
      Array.from({ length: 40 }, (_, k) => (i * 7 + k * 131) % 20_000),
    )
    const bytes = file(
      ids,
      stacks.map(stack => stack.map(place => ids[place])),
    )
    expect(bytes.length).toBeGreaterThan(1 << 20)
    const first = readPprof(bytes).profiles
    readPprof(bytes)
    expect(locationPositions(first)).toEqual(stacks)
    expect(() => readPprof(bytes.subarray(0, bytes.length - 1))).toThrow(FormatError)
  })
})

test('broken UTF-8 is found between long strings and others', () => {
  const long = 'l'.repeat(300)
  const parts: Field[] = [
    empty,
    [6, 'x'],
    [6, long],
    [6, 'häßlich'],
    [6, Uint8Array.of(0x61, 0xff)],
    [6, long],
    [6, '€'],
  ]
  const { profiles, notes } = readPprof(protoMessage(type, ...parts))
  expect(notes).toMatchObject([{ code: 'invalid-utf8', count: 1 }])
  const { strings } = profiles.dictionary
  expect([2, 3, 4, 5, 6].map(i => strings.text(i as never))).toEqual([long, 'häßlich', 'a\u{fffd}', long, '€'])
})
