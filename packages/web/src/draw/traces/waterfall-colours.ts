// The colours of services. The hash of the name decides the hue, so a service keeps its colour in every trace.
import { hashOf } from '../hash-of.ts'
import type { Theme } from '../theme.ts'
import { hexOf } from '../oklch.ts'

const BAR = { light: { lightness: 0.68, chroma: 0.12 }, dark: { lightness: 0.62, chroma: 0.11 } } as const
/** Enough hues to distinguish neighbours. */
const HUES = 24

const known = { light: new Map<number, string>(), dark: new Map<number, string>() }

export function serviceColour(service: string, theme: Theme): string {
  const hue = hashOf(service) % HUES
  let colour = known[theme].get(hue)
  if (colour === undefined) known[theme].set(hue, (colour = hexOf({ ...BAR[theme], hue: (hue * 360) / HUES })))
  return colour
}
