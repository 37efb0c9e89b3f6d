import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TreeSpan } from './trace-tree.ts'
import { Oddity, longestRows, traceTree } from './trace-tree.ts'

const span = (spanId: string, parentSpanId: string, start: number, end: number, resource = 1n): TreeSpan => ({
  spanId,
  parentSpanId,
  start: BigInt(start),
  end: BigInt(end),
  resource,
})

describe('traceTree', () => {
  test('sorts siblings by start and computes self times without the time of children', () => {
    const spans = [
      span('render', 'root', 14, 20),
      span('root', '', 10, 30),
      span('query', 'root', 12, 15),
      span('row', 'render', 15, 19),
    ]
    const { order, depth, self, duration, oddities, parent } = traceTree(spans)
    expect(Array.from(order, row => spans[row].spanId)).toEqual(['root', 'query', 'render', 'row'])
    expect([...depth]).toEqual([1, 0, 1, 2])
    expect([...parent]).toEqual([1, -1, 1, 0])
    expect([...duration]).toEqual([6n, 20n, 3n, 4n])
    // The root's children cover 12 to 20 together.
    expect([...self]).toEqual([2n, 12n, 3n, 4n])
    expect([...oddities]).toEqual([0, 0, 0, 0])
  })

  test('marks irregular spans', () => {
    const spans = [
      span('open', '', 10, 0),
      span('back', 'open', 12, 11),
      span('lost', 'nobody', 5, 6),
      span('a', 'b', 20, 30),
      span('b', 'a', 21, 29),
      span('own', 'own', 40, 41),
      span('twice', '', 50, 60),
      span('twice', '', 51, 52),
      span('under', 'twice', 55, 56),
    ]
    const tree = traceTree(spans)
    expect([...tree.oddities]).toEqual([
      Oddity.noEnd,
      Oddity.noEnd,
      Oddity.missingParent,
      Oddity.circle,
      0,
      Oddity.circle,
      0,
      Oddity.sameId,
      0,
    ])
    expect(tree.parent[4]).toBe(3)
    expect(tree.parent[8]).toBe(6)
    expect([...tree.order].sort((x, y) => x - y)).toEqual(spans.map((_, row) => row))
  })

  test('computes the offset of clocks, only between processes', () => {
    const spans = [
      span('root', '', 100, 200, 1n),
      span('early', 'root', 40, 100, 2n),
      span('late', 'root', 150, 210, 2n),
      span('beyond', 'root', 300, 310, 2n),
      span('own', 'root', 90, 110, 1n),
      span('long', 'root', 50, 250, 3n),
    ]
    const { oddities, skew, self } = traceTree(spans)
    expect([...oddities]).toEqual([
      0,
      Oddity.beforeParent,
      Oddity.afterParent,
      Oddity.afterParent,
      Oddity.beforeParent,
      Oddity.beforeParent | Oddity.afterParent,
    ])
    // Centred: 60 of 100 leaves 20 on each side.
    expect([...skew]).toEqual([0n, 80n, 0n, -155n, 0n, 50n])
    expect(self[0]).toBe(0n)
  })

  test('returns each of any spans once, parents before children, with self times', () => {
    const some = fc.array(
      fc.record({
        id: fc.integer({ min: 0, max: 9 }),
        parent: fc.integer({ min: 0, max: 12 }),
        start: fc.integer({ min: 1, max: 40 }),
        length: fc.integer({ min: -3, max: 30 }),
      }),
      { maxLength: 14 },
    )
    fc.assert(
      fc.property(some, list => {
        const spans = list.map(({ id, parent, start, length }) =>
          span(`s${id}`, parent === 12 ? '' : `s${parent}`, start, start + length),
        )
        const { order, parent, depth, self, duration } = traceTree(spans)
        expect([...order].sort((a, b) => a - b)).toEqual(spans.map((_, row) => row))
        const place = new Map(Array.from(order, (row, at) => [row, at]))
        for (const [row, { start }] of spans.entries()) {
          const above = parent[row]
          expect(depth[row]).toBe(above === -1 ? 0 : depth[above] + 1)
          if (above !== -1) {
            expect(place.get(above)!).toBeLessThan(place.get(row)!)
            expect(spans[row].parentSpanId).toBe(spans[above].spanId)
          }
          const children = spans.map((_, other) => other).filter(other => parent[other] === row)
          let alone = 0n
          for (let at = start; at < start + duration[row]; at++) {
            const isCovered = children.some(c => at >= spans[c].start && at < spans[c].start + duration[c])
            if (!isCovered) alone++
          }
          expect(self[row]).toBe(alone)
        }
        // A subtree is contiguous in the order.
        for (let i = 1; i < order.length; i++) expect(depth[order[i]]).toBeLessThanOrEqual(depth[order[i - 1]] + 1)
      }),
    )
  })

  test('handles a chain of 100,000 spans, and a cycle of as many', () => {
    const chain = Array.from({ length: 100_000 }, (_, i) => span(`${i}`, i === 0 ? '' : `${i - 1}`, i + 1, 200_000 - i))
    expect(traceTree(chain).depth[99_999]).toBe(99_999)
    const circle = chain.map((each, i) => (i === 0 ? { ...each, parentSpanId: '99999' } : each))
    expect(traceTree(circle).oddities.filter(bits => bits !== 0)).toHaveLength(1)
  })

  test('keeps the longest spans with all their ancestors', () => {
    const spans = [
      span('root', '', 0, 100),
      span('a', 'root', 1, 10),
      span('b', 'root', 10, 50),
      span('late', 'a', 20, 80),
      span('c', 'b', 11, 40),
    ]
    const tree = traceTree(spans)
    expect([...longestRows(tree, 5)]).toEqual([1, 1, 1, 1, 1])
    expect([...longestRows(tree, 3)]).toEqual([1, 1, 0, 1, 0])
    expect([...longestRows(tree, 4)]).toEqual([1, 1, 1, 1, 0])
    // There is no room for the second longest, so as many of its ancestors as fit are kept.
    expect([...longestRows(tree, 2)]).toEqual([1, 1, 0, 0, 0])
  })
})
