import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SpanTimes } from './waterfall-spans.ts'
import {
  collapsedFrom,
  ownParts,
  positionOfRow,
  shownRows,
  expandedTo,
  waterfallOf,
  zoomedPart,
} from './waterfall-spans.ts'

/** Creates spans from a parent, a start, a length and a skew each. */
function spansOf(
  rows: readonly (readonly [parent: number, start: number, length: number, skew?: number])[],
  origin = 0n,
): SpanTimes {
  return {
    length: rows.length,
    parent: Int32Array.from(rows, ([parent]) => parent),
    start: BigInt64Array.from(rows, ([, start]) => origin + BigInt(start)),
    duration: BigInt64Array.from(rows, ([, , length]) => BigInt(length)),
    skew: BigInt64Array.from(rows, ([, , , skew = 0]) => BigInt(skew)),
  }
}

describe('waterfallOf', () => {
  test('counts times from the earliest start, whichever row it is', () => {
    const origin = 2n ** 63n + 5n
    const spans = waterfallOf(
      spansOf(
        [
          [-1, 100, 50],
          [0, 90, 10],
          [0, 140, 20],
        ],
        origin,
      ),
      false,
    )
    expect([spans.origin, spans.whole]).toEqual([origin + 90n, 70])
    expect([...spans.start]).toEqual([10, 0, 50])
    expect([...spans.end]).toEqual([3, 2, 3])
    expect([...spans.depth]).toEqual([0, 1, 1])
    expect(waterfallOf(spansOf([]), true)).toMatchObject({ length: 0, whole: 0, origin: 0n })
  })

  test('corrects clocks on request and moves descendants along', () => {
    // A server is ahead by 1000. It has a child of its own and a call back to the first clock, which is behind by 1000.
    const rows = spansOf([
      [-1, 0, 100],
      [0, 1010, 50, -985],
      [1, 1020, 30],
      [2, 40, 5, 990],
    ])
    expect([...waterfallOf(rows, false).moved]).toEqual([0, 0, 0, 0])
    const { start, moved, whole } = waterfallOf(rows, true)
    expect([...moved]).toEqual([0, -985, -985, 5])
    expect([...start]).toEqual([0, 25, 35, 45])
    expect(whole).toBe(100)
  })
})

/** Any tree in depth-first order. */
const trees = fc.array(fc.tuple(fc.nat(6), fc.nat(100), fc.nat(100)), { maxLength: 40 }).map(rows => {
  const open: number[] = []
  return rows.map(([up, start, length], i) => {
    open.length = Math.max(0, open.length - up)
    const parent = open.at(-1) ?? -1
    open.push(i)
    return [parent, start, length] as const
  })
})

describe('shownRows', () => {
  test('hides all descendants of a collapsed span and nothing else', () => {
    fc.assert(
      fc.property(trees, fc.array(fc.nat(40)), (rows, list) => {
        const spans = waterfallOf(spansOf(rows), false)
        const collapsed = new Set(list)
        const hidden = (row: number): boolean => {
          for (let above = rows[row][0]; above !== -1; above = rows[above][0]) if (collapsed.has(above)) return true
          return false
        }
        const shown = shownRows(spans, collapsed)
        expect([...shown]).toEqual(rows.map((_, i) => i).filter(i => !hidden(i)))
        for (let row = 0; row < rows.length; row++) {
          const place = positionOfRow(shown, row)
          if (!hidden(row)) expect(shown[place]).toBe(row)
          else {
            expect(shown[place]).toBeLessThan(row)
            expect(spans.end[shown[place]]).toBeGreaterThan(row)
          }
          expect(shownRows(spans, expandedTo(spans, collapsed, row))).toContain(row)
        }
      }),
    )
  })

  test('collapses everything from a depth on', () => {
    const spans = waterfallOf(
      spansOf([
        [-1, 0, 9],
        [0, 0, 5],
        [1, 0, 3],
        [0, 6, 1],
      ]),
      false,
    )
    expect([...shownRows(spans, collapsedFrom(spans, 1))]).toEqual([0, 1, 3])
    expect([...shownRows(spans, collapsedFrom(spans, 0))]).toEqual([0])
  })
})

test('ownParts returns the times that no child covers', () => {
  fc.assert(
    fc.property(trees, given => {
      // Siblings ordered by start, like in responses of the server.
      const rows = given.map(([parent, start, length], i) => [parent, (start % 5) + i * 5, length] as const)
      const spans = waterfallOf(spansOf(rows), false)
      for (let row = 0; row < rows.length; row++) {
        const length = rows[row][2]
        const covered = new Uint8Array(length)
        for (let child = row + 1; child < spans.end[row]; child = spans.end[child]) {
          const from = rows[child][1] - rows[row][1]
          for (let at = Math.max(0, from); at < Math.min(length, from + rows[child][2]); at++) covered[at] = 1
        }
        const own = new Uint8Array(length).fill(1)
        for (const [from, to] of ownParts(spans, row)) own.fill(2, Math.round(from * length), Math.round(to * length))
        expect([...own].map(each => each === 2)).toEqual([...covered].map(each => each === 0))
      }
    }),
  )
})

test('zoomedPart keeps the place under the pointer fixed and stays within the whole', () => {
  const near = zoomedPart({ from: 0, until: 1e6 }, 1e6, 250_000, 0.5)
  expect(near).toEqual({ from: 125_000, until: 625_000 })
  expect(zoomedPart(near, 1e6, 250_000, 4)).toEqual({ from: 0, until: 1e6 })
  expect(zoomedPart({ from: 0, until: 1e6 }, 1e6, 0, 1e-9)).toEqual({ from: 0, until: 1000 })
  expect(zoomedPart({ from: 0, until: 0 }, 0, 0, 0.5)).toEqual({ from: 0, until: 0 })
})
