// The colour of a frame by its name: the same in every flame graph, warm, and light enough for dark text.
import { textHash } from '@hearth/profile'
import type { ColorDepth } from '../terminal/terminal.ts'

export interface Rgb {
  readonly red: number
  readonly green: number
  readonly blue: number
}

/** `dimmed` distinguishes a frame from a neighbour with the same name. */
export function frameColor(name: string, dimmed: boolean): Rgb {
  const plain = textHash(name)
  const hash = (plain ^ (plain >>> 15)) >>> 0
  // Hues from red (8°) to yellow (52°), in three degrees of lightness.
  const hue = 8 + (hash % 45)
  const lightness = 0.62 + 0.05 * ((hash >>> 8) % 3) - (dimmed ? 0.08 : 0)
  return fromHsl(hue, 0.85, lightness)
}

function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  const spread = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number): number => {
    const k = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return { red: channel(0), green: channel(8), blue: channel(4) }
}

/** The parameters of an SGR sequence: 38 sets the text colour, 48 the background. */
export function sgr(layer: 38 | 48, { red, green, blue }: Rgb, depth: ColorDepth): string {
  if (depth === 24) return `${layer};2;${red};${green};${blue}`
  // The cube of 6 by 6 by 6 colours, from 16 on.
  const step = (value: number): number => Math.round((value / 255) * 5)
  return `${layer};5;${16 + 36 * step(red) + 6 * step(green) + step(blue)}`
}
