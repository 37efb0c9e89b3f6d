// The colours of roles. They differ in lightness as well as in hue, so people who see no red or no green can
// distinguish them, also in print.
import type { Role } from '../../timeline/roles.ts'
import { ROLES } from '../../timeline/roles.ts'
import type { Theme } from '../theme.ts'
import type { Oklch } from '../oklch.ts'
import { hexOf, pixelOf } from '../oklch.ts'

const colour = (lightness: number, chroma: number, hue: number): Oklch => ({ lightness, chroma, hue })

const BY_ROLE: Readonly<Record<Role, Readonly<Record<Theme, Oklch>>>> = {
  running: { light: colour(0.7, 0.17, 48), dark: colour(0.72, 0.16, 50) },
  ready: { light: colour(0.9, 0.15, 100), dark: colour(0.9, 0.14, 100) },
  gc: { light: colour(0.57, 0.2, 345), dark: colour(0.63, 0.2, 345) },
  lock: { light: colour(0.38, 0.16, 292), dark: colour(0.45, 0.17, 292) },
  io: { light: colour(0.6, 0.13, 250), dark: colour(0.64, 0.13, 250) },
  idle: { light: colour(0.9, 0.025, 240), dark: colour(0.31, 0.025, 240) },
  wait: { light: colour(0.78, 0.07, 195), dark: colour(0.44, 0.06, 190) },
  mark: { light: colour(0.3, 0.01, 60), dark: colour(0.9, 0.01, 60) },
}

export interface TimelineColours {
  /** By the numbers of ROLES. */
  readonly roles: readonly string[]
  /** Pixels of an ImageData as signed words, which stay small integers of the engine when they are written. */
  readonly pixels: Int32Array
  readonly paper: string
  readonly paperPixel: number
  readonly quiet: string
  readonly line: string
  readonly text: string
  readonly muted: string
  readonly accent: string
  readonly danger: string
  readonly warn: string
  readonly span: string
  readonly spanText: string
  readonly shade: string
}

const made = new Map<Theme, TimelineColours>()

export function timelineColours(theme: Theme): TimelineColours {
  let colours = made.get(theme)
  if (colours === undefined) made.set(theme, (colours = make(theme)))
  return colours
}

export function roleColour(role: Role, theme: Theme): string {
  return hexOf(BY_ROLE[role][theme])
}

function make(theme: Theme): TimelineColours {
  const isDark = theme === 'dark'
  const roles = ROLES.map(role => roleColour(role, theme))
  const grey = (light: number, dark: number): string => hexOf(colour(isDark ? dark : light, 0.005, 65))
  const paper = grey(1, 0.178)
  return {
    roles,
    pixels: Int32Array.from(roles, pixelOf),
    paper,
    paperPixel: pixelOf(paper) | 0,
    quiet: grey(0.975, 0.215),
    line: grey(0.92, 0.3),
    text: grey(0.21, 0.93),
    muted: grey(0.475, 0.72),
    accent: hexOf(colour(isDark ? 0.74 : 0.54, 0.155, 45)),
    danger: hexOf(colour(isDark ? 0.74 : 0.53, 0.17, 25)),
    warn: hexOf(colour(isDark ? 0.8 : 0.5, 0.12, 78)),
    span: hexOf(colour(isDark ? 0.38 : 0.9, 0.05, 265)),
    spanText: grey(0.21, 0.95),
    shade: isDark ? '#ffffff1f' : '#0000001a',
  }
}
