import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { layoutOf } from '../../../../profile/src/analyze/testing/tree-of.ts'
import { ROOT } from '@hearth/profile'
import { announcement } from './describe.ts'
import { between, eased, limitedScroll, panned, scrollToRow, within, zoomed } from './viewport.ts'
import { stepOf, walk } from './walk.ts'

const part = fc.double({ min: 0, max: 1, noNaN: true })

describe('zooming', () => {
  test('keeps the place under the pointer fixed', () => {
    expect(zoomed({ left: 0, width: 100 }, 100, 0.25, 2)).toEqual({ left: 12.5, width: 50 })
    expect(zoomed({ left: 12.5, width: 50 }, 100, 0.25, 0.5)).toEqual({ left: 0, width: 100 })
  })

  test('and panning stay within the whole', () => {
    const step = fc.oneof(
      fc.record({ at: part, factor: fc.double({ min: 0.01, max: 100, noNaN: true }) }),
      fc.record({ by: fc.double({ min: -5, max: 5, noNaN: true }) }),
    )
    fc.assert(
      fc.property(fc.array(step), steps => {
        let span = { left: 0, width: 1e9 }
        for (const one of steps) {
          span = 'by' in one ? panned(span, 1e9, one.by) : zoomed(span, 1e9, one.at, one.factor)
          expect(span.left >= 0 && span.left + span.width <= 1e9 * (1 + 1e-12) && span.width > 0).toBe(true)
        }
      }),
    )
  })

  test('within returns the nearest span inside of the whole', () => {
    expect(within({ left: -5, width: 200 }, 100)).toEqual({ left: 0, width: 100 })
    expect(within({ left: 90, width: 20 }, 100)).toEqual({ left: 80, width: 20 })
  })

  test('between starts and ends at the given spans', () => {
    const [from, to] = [
      { left: 0, width: 100 },
      { left: 40, width: 10 },
    ]
    expect(between(from, to, eased(0))).toEqual(from)
    expect(between(from, to, eased(1))).toBe(to)
    expect(between(from, to, 0.5)).toEqual({ left: 20, width: 55 })
  })
})

describe('scrolling', () => {
  test('is limited at both ends', () => {
    expect([limitedScroll(-5, 400, 100), limitedScroll(900, 400, 100), limitedScroll(50, 80, 100)]).toEqual([0, 300, 0])
  })

  test('scrolls as little as needed to show a row', () => {
    expect(scrollToRow(0, 3, 20, 200)).toBe(0)
    expect(scrollToRow(0, 20, 20, 200)).toBe(260)
    expect(scrollToRow(400, 20, 20, 200)).toBe(360)
  })
})

describe('keys', () => {
  const layout = layoutOf('main;run;gc 3\nmain;run 2\nmain;idle 1\nother 2')
  const { tree } = layout

  test('walk to parents, children and siblings, and stay if there is none', () => {
    expect(walk(layout, ROOT, 'child')).toBe(0)
    expect(walk(layout, 0, 'child')).toBe(1)
    expect(walk(layout, 1, 'next')).toBe(3)
    expect(walk(layout, 3, 'previous')).toBe(1)
    expect(walk(layout, 1, 'previous')).toBe(1)
    expect(walk(layout, 3, 'next')).toBe(3)
    expect(walk(layout, 0, 'next')).toBe(4)
    expect(walk(layout, 2, 'child')).toBe(2)
    expect(walk(layout, 0, 'parent')).toBe(ROOT)
    expect(walk(layout, ROOT, 'parent')).toBe(ROOT)
  })

  test('go up and down in the direction of drawing', () => {
    expect([stepOf('ArrowDown', 'icicle'), stepOf('ArrowDown', 'flame')]).toEqual(['child', 'parent'])
    expect(stepOf('x', 'icicle')).toBeUndefined()
  })

  test('announce the position', () => {
    expect(announcement(tree, 1)).toBe('run, 5, 62.5% of total, self 2, level 2, 1 of 2')
    expect(announcement(tree, 3)).toBe('idle, 1, 12.5% of total, self 1, level 2, 2 of 2, calls nothing')
    expect(announcement(tree, ROOT)).toBe('all: 8')
  })
})
