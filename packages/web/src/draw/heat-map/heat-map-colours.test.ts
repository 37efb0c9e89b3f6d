// Tests that larger values stand out more from the paper, in both themes and on both scales.
import { expect, test } from 'vitest'
import { PAPER, paintCells, rampColour, rampPixels, shareOf } from './heat-map-colours.ts'
import { contrastOf, pixelOf } from '../oklch.ts'

test.each(['light', 'dark'] as const)('rampColour moves away from the paper in the %s theme', theme => {
  const steps = Array.from({ length: 33 }, (_, i) => contrastOf(PAPER[theme], rampColour(theme, i / 32)))
  for (let i = 1; i < steps.length; i++) expect(steps[i]).toBeGreaterThan(steps[i - 1])
  expect(steps[0]).toBeGreaterThan(1.05)
  expect(steps[32]).toBeGreaterThan(7)
})

test('the enhanced scale shows a single sample among thousands', () => {
  expect(shareOf(1, 5000, false)).toBeLessThan(0.001)
  expect(shareOf(1, 5000, true)).toBeGreaterThan(0.05)
  for (const enhanced of [true, false]) {
    expect(shareOf(5000, 5000, enhanced)).toBe(1)
    expect(shareOf(0, 5000, enhanced)).toBe(0)
    expect(shareOf(0, 0, enhanced)).toBe(0)
  }
})

test('paintCells draws a pixel per cell with the end of a column at the top', () => {
  const pixels = new Uint32Array(4)
  const ramp = rampPixels('light')
  // Column 0 has 0 and 1, column 1 has 10,000 and 0.
  paintCells(pixels, { rows: 2, columns: 2 }, Float64Array.of(0, 1, 10_000, 0), false, ramp)
  const paper = pixelOf(PAPER.light)
  expect([...pixels]).toEqual([ramp[1], paper, paper, ramp[255]])
  expect(ramp[1]).not.toBe(paper)
})
