// Tests the pixels of lanes against the role of each pixel, computed one by one.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BandPixels } from './band-pixels.ts'
import { BAND_HEIGHT } from './timeline-rows.ts'

const PAPER = -1
const UNTOUCHED = -2
/** The colours of the roles and of the area above them. There are at most as many as roles. */
const COLOURS = [10, 20, 30, 40, 50, 60, 70, 80]

/** Stacks the roles from the bottom up. Each gets at least a pixel. */
function columnByHand(parts: readonly number[]): number[] {
  const column: number[] = []
  let sum = 0
  parts.forEach((part, i) => {
    if (part <= 0) return
    sum = Math.fround(sum + part * BAND_HEIGHT)
    const end = Math.min(BAND_HEIGHT, Math.max(column.length + 1, Math.floor(sum + 0.5)))
    while (column.length < end) column.push(COLOURS[i])
  })
  while (column.length < BAND_HEIGHT) column.push(PAPER)
  return column
}

const aPart = fc.oneof(fc.constantFrom(0, 0, 1e-6, 1), fc.float({ min: 0, max: 1, noNaN: true }))

test('BandPixels.lane draws every pixel in the colour of its role, wherever the lane is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: -BAND_HEIGHT, max: 45 }),
      fc.array(fc.array(aPart, { minLength: 9, maxLength: 9 }), { maxLength: COLOURS.length }),
      (wide, high, top, roles) => {
        const bands = new BandPixels(wide, high)
        bands.fill(UNTOUCHED, 0, high)
        const parts = roles.map(each => Float32Array.from(each))
        const colours = Int32Array.from([...COLOURS.slice(0, roles.length), PAPER])
        // Draws twice: one lane must not affect the next.
        for (let time = 0; time < 2; time++) bands.lane(top, parts, colours)
        for (let x = 0; x < wide; x++) {
          const column = columnByHand(parts.map(each => each[x]))
          for (let y = 0; y < high; y++) {
            const height = top + BAND_HEIGHT - 1 - y
            expect(bands.pixels[y * bands.line + x]).toBe(column[height] ?? UNTOUCHED)
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('BandPixels.lane shows a role that takes almost no time', () => {
  const bands = new BandPixels(1, BAND_HEIGHT)
  bands.lane(0, [Float32Array.of(0.5), Float32Array.of(1e-9)], Int32Array.of(10, 20, PAPER))
  expect(bands.pixels.filter((_, i) => i % bands.line === 0).filter(each => each === 20)).toHaveLength(1)
})

test('BandPixels.ticks draws ticks at the bottom of columns with events', () => {
  const bands = new BandPixels(3, BAND_HEIGHT)
  bands.fill(PAPER, 0, BAND_HEIGHT)
  bands.ticks(0, 2, Float32Array.of(0, 3, 0), 90)
  const ticked = [...bands.pixels.entries()].filter(([, colour]) => colour === 90).map(([i]) => i)
  expect(ticked).toEqual([BAND_HEIGHT - 2, BAND_HEIGHT - 1].map(y => y * bands.line + 1))
})
