import type { Column } from '@hearth/profile'
import { TextColumn, WireError, encodeColumns, frameRow } from '@hearth/profile'
import { describe, expect, test } from 'vitest'
import { readColumnResponse } from './columns.ts'

const GOOD: Readonly<Record<string, Column>> = {
  strings: TextColumn.of(['', 'main', 'a.c', '/lib/ü.so']),
  'frames.name': Uint32Array.of(1, 1),
  'frames.file': Uint32Array.of(2, 0),
  'frames.mapping': Uint32Array.of(0, 3),
  'frames.type': Uint32Array.of(0, 0),
  'frames.has': Uint8Array.of(1, 2),
  'frames.line': BigInt64Array.of(5n, 0n),
  'frames.address': BigInt64Array.of(0n, -1n),
  'nodes.parent': Int32Array.of(-1, 0),
  'nodes.frame': Uint32Array.of(0, 1),
  'nodes.hiddenChildren': Uint32Array.of(0, 3),
  'nodes.self': Float64Array.of(0, 2),
  'nodes.total': Float64Array.of(2, 2),
}

function responseOf(columns: Readonly<Record<string, Column | undefined>>, fields: unknown = { sum: '2', nodes: {} }) {
  const given = Object.entries({ ...GOOD, ...columns }).filter(
    (entry): entry is [string, Column] => entry[1] !== undefined,
  )
  const pieces = encodeColumns({ fields, columns: new Map(given) })
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return readColumnResponse('flameGraph', bytes)
}

describe('readColumnResponse', () => {
  test('returns columns instead of lists', () => {
    const { sum, nodes, frames } = responseOf({})
    expect([sum, [...nodes.parent], [...nodes.total], nodes.selfExact]).toEqual(['2', [-1, 0], [2, 2], undefined])
    expect(frames.length).toBe(2)
    expect(frameRow(frames, 0)).toEqual({ name: 'main', file: 'a.c', line: '5' })
    expect(frameRow(frames, 1)).toEqual({ name: 'main', mapping: '/lib/ü.so', address: String(2n ** 64n - 1n) })
    expect([frames.line[1], frames.address[0], frames.type[0]]).toEqual(['', '', ''])
    const exact = responseOf({ 'nodes.selfExact': BigInt64Array.of(0n, 2n) })
    expect([...(exact.nodes.selfExact ?? [])]).toEqual([0n, 2n])
    const plain = responseOf({ 'frames.has': undefined, 'frames.line': undefined, 'frames.address': undefined })
    expect(frameRow(plain.frames, 0)).toEqual({ name: 'main', file: 'a.c' })
  })

  test.each<[string, Readonly<Record<string, Column | undefined>>, RegExp]>([
    ['a missing column', { 'nodes.parent': undefined }, /no column nodes\.parent/],
    ['a column of another type', { 'nodes.parent': Uint32Array.of(0, 0) }, /nodes\.parent has another type/],
    ['a column of another length', { 'nodes.total': Float64Array.of(1) }, /nodes\.total has another length/],
    ['frames of several lengths', { 'frames.file': Uint32Array.of(1) }, /frames\.file has another length/],
    ['no texts', { strings: undefined }, /no column strings/],
    ['a text that does not exist', { 'frames.file': Uint32Array.of(0, 4) }, /no text 4/],
  ])('rejects %s', (_what, columns, message) => {
    expect(() => responseOf(columns)).toThrow(message)
    expect(() => responseOf(columns)).toThrow(WireError)
  })

  test('ignores fields with an unexpected shape', () => {
    for (const fields of [undefined, 5, [], { nodes: 5 }, { nodes: [] }]) {
      expect(responseOf({}, fields).nodes.parent.length).toBe(2)
    }
  })
})
