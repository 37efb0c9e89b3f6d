import { expect, test } from 'vitest'
import { dotAt, dotScale, durationTicks, nearestDot, placeOfDot } from './duration-dots.ts'

const dots = [
  { time: 1000, duration: 2e6 },
  { time: 1500, duration: 0 },
  { time: 2000, duration: 5e8 },
]
const scale = dotScale(dots, { from: 1000, to: 2000 }, 100, 90)

test('dotScale places dots on a logarithmic scale, and dotAt reverses it', () => {
  expect([scale.min, scale.max]).toEqual([1, 1e9])
  for (const dot of dots) {
    const { x, y } = placeOfDot(scale, dot)
    const back = dotAt(scale, x, y)
    expect(back.time).toBeCloseTo(dot.time)
    expect(back.duration).toBeCloseTo(Math.max(1, dot.duration), 0)
  }
  expect(placeOfDot(scale, { time: 1500, duration: 1e9 })).toEqual({ x: 50, y: 0 })
})

test('nearestDot returns the nearest dot within reach', () => {
  const { x, y } = placeOfDot(scale, dots[2])
  expect(nearestDot(scale, dots, x - 3, y + 3, 8)).toBe(2)
  expect(nearestDot(scale, dots, x - 30, y, 8)).toBe(-1)
  expect(nearestDot(scale, [], x, y, 8)).toBe(-1)
})

test('dotScale has a scale for no dots and for one', () => {
  expect(dotScale([], { from: 0, to: 1 }, 10, 10)).toMatchObject({ min: 1e6, max: 1e9 })
  const one = dotScale([{ time: 0, duration: 1e6 }], { from: 0, to: 1 }, 10, 10)
  expect([one.min, one.max]).toEqual([1e6, 1e7])
  expect(durationTicks(scale, 4)).toEqual([1, 1e3, 1e6, 1e9])
  expect(durationTicks(one, 4)).toEqual([1e6, 1e7])
})
