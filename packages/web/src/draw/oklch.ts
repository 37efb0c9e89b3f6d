// Colours by lightness, chroma and hue in OKLCH, where equal lightness looks equally light, so no box stands out by its
// hue alone. Canvases get #rrggbb, which they parse fastest.
import type { Theme } from './theme.ts'

export interface Oklch {
  /** 0 is black, 1 is white. */
  readonly lightness: number
  /** 0 is grey. Screens can show up to about 0.1 to 0.3. */
  readonly chroma: number
  /** Degrees. */
  readonly hue: number
}

/** `#rrggbb`, with less chroma if the screen cannot show the colour. */
export function hexOf({ lightness, chroma, hue }: Oklch): string {
  let [low, high] = [0, chroma]
  let rgb = linearRgb(lightness, chroma, hue)
  if (!isShown(rgb)) {
    // Twelve halvings leave less than one step of 8 bits.
    for (let i = 0; i < 12; i++) {
      const middle = (low + high) / 2
      if (isShown(linearRgb(lightness, middle, hue))) low = middle
      else high = middle
    }
    rgb = linearRgb(lightness, low, hue)
  }
  return `#${rgb.map(channel => hex(Math.round(255 * encoded(channel)))).join('')}`
}

type Rgb = readonly [number, number, number]

/** Björn Ottosson's matrices, https://bottosson.github.io/posts/oklab/. */
function linearRgb(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function isShown(rgb: Rgb): boolean {
  return rgb.every(channel => channel >= -0.0005 && channel <= 1.0005)
}

function encoded(channel: number): number {
  const value = Math.min(1, Math.max(0, channel))
  return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

/** `#rrggbb` as a little-endian pixel of an ImageData. */
export function pixelOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16))
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
}

/** WCAG's relative luminance of `#rrggbb`. */
function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map(at => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** WCAG's contrast of two colours, 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [darker, lighter] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y)
  return (lighter + 0.05) / (darker + 0.05)
}

const DARK_TEXT = '#0d0b09'
const LIGHT_TEXT = '#ffffff'

/** The more readable of the two text colours. */
export function textOn(colour: string): string {
  return contrastOf(colour, DARK_TEXT) >= contrastOf(colour, LIGHT_TEXT) ? DARK_TEXT : LIGHT_TEXT
}

/** The colours of everything except the boxes of functions. */
export interface Surfaces {
  readonly paper: string
  /** The box of the root. */
  readonly root: string
  readonly rootText: string
  /** Boxes too narrow to draw each. */
  readonly merged: string
  /** Boxes that a search does not match. */
  readonly dim: string
  readonly dimText: string
  /** The outline of the selected box. */
  readonly selection: string
  /** The outline of the boxes of the hovered function. */
  readonly mark: string
}

export const SURFACES: Readonly<Record<Theme, Surfaces>> = {
  light: {
    paper: '#ffffff',
    root: '#e4e1dc',
    rootText: '#26221c',
    merged: '#cfcac3',
    dim: '#efece8',
    dimText: '#6b645b',
    selection: '#16130f',
    mark: '#16130f',
  },
  dark: {
    paper: '#131110',
    root: '#37332d',
    rootText: '#efeae2',
    merged: '#45403a',
    dim: '#262320',
    dimText: '#9a9388',
    selection: '#ffffff',
    mark: '#f4efe6',
  },
}
