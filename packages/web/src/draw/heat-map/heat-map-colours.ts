// The colours of a heat map: one ramp that gets darker on light paper and lighter on dark paper, so the order is
// visible without hues. An empty cell has the colour of the paper.
import type { Theme } from '../theme.ts'
import type { Oklch } from '../oklch.ts'
import { hexOf, pixelOf } from '../oklch.ts'

export const PAPER: Readonly<Record<Theme, string>> = { light: '#ffffff', dark: '#131110' }

/** From the smallest value above 0 to the maximum. */
const RAMPS: Readonly<Record<Theme, readonly Oklch[]>> = {
  light: [
    { lightness: 0.93, chroma: 0.04, hue: 80 },
    { lightness: 0.68, chroma: 0.17, hue: 48 },
    { lightness: 0.36, chroma: 0.13, hue: 25 },
  ],
  dark: [
    { lightness: 0.3, chroma: 0.05, hue: 30 },
    { lightness: 0.62, chroma: 0.17, hue: 42 },
    { lightness: 0.94, chroma: 0.09, hue: 90 },
  ],
}

const STEPS = 255

/** `#rrggbb` for a share of the maximum, above 0 up to 1. */
export function rampColour(theme: Theme, share: number): string {
  const ramp = RAMPS[theme]
  const place = Math.min(1, Math.max(0, share)) * (ramp.length - 1)
  const at = Math.min(ramp.length - 2, Math.floor(place))
  const part = place - at
  const mix = (key: keyof Oklch): number => ramp[at][key] + part * (ramp[at + 1][key] - ramp[at][key])
  return hexOf({ lightness: mix('lightness'), chroma: mix('chroma'), hue: mix('hue') })
}

/**
 * The position of a value on the ramp. On the enhanced scale each doubling has the same distance, so single samples
 * stand out.
 */
export function shareOf(value: number, max: number, enhanced: boolean): number {
  if (!(max > 0) || value <= 0) return 0
  return enhanced ? Math.log1p(value) / Math.log1p(max) : value / max
}

/** Pixels by step; 0 is an empty cell. */
export function rampPixels(theme: Theme): Uint32Array {
  return Uint32Array.from({ length: STEPS + 1 }, (_, step) =>
    pixelOf(step === 0 ? PAPER[theme] : rampColour(theme, (step - 1) / (STEPS - 1))),
  )
}

/** Writes a pixel per cell. The first row of pixels is the end of every column. */
export function paintCells(
  pixels: Uint32Array,
  { rows, columns }: { readonly rows: number; readonly columns: number },
  values: Float64Array,
  enhanced: boolean,
  ramp: Uint32Array,
): void {
  let max = 0
  for (const value of values) if (value > max) max = value
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const value = values[column * rows + row]
      // Every value above 0 is visible.
      const step = value > 0 ? 1 + Math.round((STEPS - 1) * shareOf(value, max, enhanced)) : 0
      pixels[(rows - 1 - row) * columns + column] = ramp[step]
    }
  }
}
