// Tests the visible boxes of flame charts against a scan of all boxes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ROOT, framesOfRows, layOut } from '@hearth/profile'
import { CallRecorder } from '../../worker/call-recorder.ts'
import { timeTicks } from '../time-ticks.ts'
import { VisibleBoxes, nodeAround, nodeAt } from './visible-boxes.ts'

const FRAMES = framesOfRows([{ name: 'a' }, { name: 'b' }, { name: 'c' }])

/** Creates a chart from the start, end and frames of each observation. */
function chartOf(seen: readonly (readonly [number, number, ...number[]])[]) {
  const calls = new CallRecorder()
  for (const [from, until, ...path] of seen) calls.observe(Uint32Array.from(path), path.length, from, until, 0)
  return layOut(calls.tree(FRAMES, 0))
}

function collected(layout: ReturnType<typeof layOut>, left: number, right: number, pixels: number): VisibleBoxes {
  const boxes = new VisibleBoxes()
  boxes.collect(layout, { left, right, firstRow: 0, lastRow: 9, pixels, narrowest: 0.5 })
  return boxes
}

const chart = chartOf([
  [0, 10, 0, 1],
  [10, 20, 0, 2],
  [60, 100, 1],
])

describe('a flame chart', () => {
  test('places boxes at the start of their calls and leaves gaps empty', () => {
    const boxes = collected(chart, 0, 100, 1000)
    const places = Array.from({ length: boxes.length }, (_, i) => [
      boxes.node[i],
      boxes.row[i],
      boxes.x[i] + 0,
      boxes.width[i],
    ])
    expect(places).toEqual([
      [ROOT, 0, 0, 1000],
      [0, 1, 0, 200],
      [3, 1, 600, 400],
      [1, 2, 0, 100],
      [2, 2, 100, 100],
    ])
  })

  test('finds the box at a position and around a window', () => {
    expect([nodeAt(chart, 0, 1), nodeAt(chart, 10, 2), nodeAt(chart, 30, 1), nodeAt(chart, 60, 1)]).toEqual([
      0,
      2,
      undefined,
      3,
    ])
    expect([nodeAt(chart, 5, 0), nodeAt(chart, 5, 3), nodeAt(chart, 200, 0)]).toEqual([ROOT, undefined, undefined])
    expect([nodeAround(chart, 2, 8), nodeAround(chart, 2, 18), nodeAround(chart, 2, 70)]).toEqual([1, 0, ROOT])
  })

  test('draws one box per pixel for narrow boxes and never skips wide ones', () => {
    const calls = fc.array(
      fc.record({ gap: fc.double({ min: 0, max: 3, noNaN: true }), wide: fc.constantFrom(0.01, 0.3, 1, 7, 40) }),
      {
        minLength: 1,
        maxLength: 60,
      },
    )
    fc.assert(
      fc.property(
        calls,
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        fc.constantFrom(0.2, 1, 5),
        (list, part, scale) => {
          let at = 0
          const seen = list.map(({ gap, wide }, i) => {
            const from = at + gap
            at = from + wide
            return [from, at, i % 3] as const
          })
          const layout = chartOf(seen)
          const [left, right] = [part * layout.whole, layout.whole]
          const pixels = (right - left) * scale
          const boxes = collected(layout, left, right, pixels)
          const shown = Array.from({ length: boxes.length }, (_, i) => boxes.node[i]).filter(node => node !== ROOT)
          expect(new Set(shown).size).toBe(shown.length)
          for (let i = 0; i < layout.tree.length; i++) {
            const x = (layout.left[i] - left) * scale
            const wide = layout.width[i] * scale
            if (x + wide <= 0 || wide < 1) continue
            expect(shown).toContain(i)
          }
          // Every pixel in which a box starts shows one. Coordinates are 32-bit numbers, so 14.999999999 becomes 15.
          const slack = 1e-3
          const filled = new Set<number>()
          for (let i = 1; i < boxes.length; i++) {
            for (let p = Math.floor(boxes.x[i]); p <= boxes.x[i] + boxes.width[i]; p++) filled.add(p)
          }
          for (let i = 0; i < layout.tree.length; i++) {
            const x = (layout.left[i] - left) * scale
            if (x < 0 || layout.left[i] >= right) continue
            const places = [Math.floor(x - slack), Math.floor(x + slack)]
            expect([places, places.some(place => filled.has(place))]).toEqual([places, true])
          }
        },
      ),
    )
  })
})

test('timeTicks returns round numbers in the unit of the end', () => {
  expect(timeTicks(0, 2.5e9, 5).map(({ text }) => text)).toEqual(['0.0 s', '0.5 s', '1.0 s', '1.5 s', '2.0 s', '2.5 s'])
  expect(timeTicks(12_000_345_000, 12_000_346_000, 4).map(({ text }) => text)).toEqual([
    '12.0003450 s',
    '12.0003455 s',
    '12.0003460 s',
  ])
  expect(timeTicks(250, 750, 2)).toEqual([{ at: 0.5, text: '500 ns' }])
  expect(timeTicks(0, 0, 5)).toEqual([])
})
