// Colours of services: a hue by the hash of the name, so that a service keeps its colour in every trace.
import { hashOf } from '../hash-of.ts'
import type { Theme } from '../theme.ts'
import { hexOf } from '../oklch.ts'

const BAR = { light: { lightness: 0.68, chroma: 0.12 }, dark: { lightness: 0.62, chroma: 0.11 } } as const
/** So many tell apart what lies side by side. */
const HUES = 24

const known = { light: new Map<number, string>(), dark: new Map<number, string>() }

export function serviceColour(service: string, theme: Theme): string {
  const hue = hashOf(service) % HUES
  let colour = known[theme].get(hue)
  if (colour === undefined) known[theme].set(hue, (colour = hexOf({ ...BAR[theme], hue: (hue * 360) / HUES })))
  return colour
}
