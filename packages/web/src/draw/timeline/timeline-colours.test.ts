// Tests that people who see no red or no green can distinguish the colours of roles.
import { expect, test } from 'vitest'
import { ROLES } from '../../timeline/roles.ts'
import { roleColour } from './timeline-colours.ts'

type Rgb = readonly number[]

/** Matrices for linear light, complete deficiency: Machado, Oliveira and Fernandes 2009. */
const EYES: Readonly<Record<string, readonly Rgb[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'without red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'without green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
}

function seen(colour: string, eye: readonly Rgb[]): Rgb {
  const linear = [1, 3, 5].map(at => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return oklab(
    eye.map(row =>
      Math.max(
        0,
        row.reduce((sum, each, i) => sum + each * linear[i], 0),
      ),
    ),
  )
}

/** Matrices by Björn Ottosson, https://bottosson.github.io/posts/oklab/. */
function oklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

/** In OKLab a difference of 0.02 is just visible side by side. */
const MIN_DISTANCE = 0.09

test.each(['light', 'dark'] as const)('roleColour gives distinguishable colours in the %s theme', theme => {
  for (const [eyes, eye] of Object.entries(EYES)) {
    for (const [i, one] of ROLES.entries()) {
      for (const other of ROLES.slice(i + 1)) {
        const [a, b] = [seen(roleColour(one, theme), eye), seen(roleColour(other, theme), eye)]
        const distance = Math.hypot(...a.map((each, k) => each - b[k]))
        expect([eyes, one, other, distance > MIN_DISTANCE ? 'apart' : distance]).toEqual([eyes, one, other, 'apart'])
      }
    }
  }
})
