// The colour of each box. A hue is the hash of a name, so that a package keeps its colour in every profile and on both
// sides of a comparison; lightness is nearly the same for all.
import type { CallTree, FrameTable } from '@hearth/profile'
import { ROOT, THREAD, changeLimit, changeOf, isFunction, noValue } from '@hearth/profile'
import { packageOf } from '../../tree/package-name.ts'
import { hashOf } from '../hash-of.ts'
import type { Theme } from '../theme.ts'
import type { ColourBy, Palette } from './flame-graph-types.ts'
import type { Oklch } from '../oklch.ts'
import { hexOf, pixelOf, textOn } from '../oklch.ts'

export interface ColourOptions {
  readonly colourBy: ColourBy
  readonly palette: Palette
  readonly theme: Theme
}

/** A box's colour is a row in these. */
export interface Colours {
  readonly box: readonly string[]
  readonly text: readonly string[]
  /** Of the boxes, see pixelOf. */
  readonly pixels: Uint32Array
  /** Of a node. */
  of(node: number): number
}

type BoxColours = Pick<Colours, 'box' | 'of'>

/** Enough to tell apart what lies side by side; few enough for a canvas to keep them parsed. */
const HUES = 48
/** How many shades a hue has, by the name of the function: neighbours of one package differ a little. */
const SHADES = 3
const STEPS = 20

/** Lightness and chroma of boxes, and how far shades are apart. */
const BOX = {
  light: { lightness: 0.835, chroma: 0.092, step: 0.024 },
  dark: { lightness: 0.49, chroma: 0.088, step: 0.026 },
} as const

export function coloursOf(tree: CallTree, options: ColourOptions): Colours {
  const { box, of } = boxColours(tree, options)
  return { box, text: box.map(textOn), pixels: Uint32Array.from(box, pixelOf), of }
}

function boxColours(tree: CallTree, options: ColourOptions): BoxColours {
  switch (options.colourBy) {
    case 'value':
      return valueColours(tree, options)
    case 'diff':
      return diffColours(tree, options)
    case 'thread':
      // Of calls in the order of time, which are of one thread, and where nothing says of threads.
      return tree.frames.attribute?.includes(THREAD) === true
        ? threadColours(tree, options)
        : frameColours(tree, options, keyOf(tree, 'package'))
    case 'package':
    case 'library':
    case 'file':
    case 'frame-type':
    case 'function':
      return frameColours(tree, options, keyOf(tree, options.colourBy))
  }
}

function keyOf(
  { frames }: CallTree,
  by: 'package' | 'library' | 'file' | 'frame-type' | 'function',
): (frame: number) => string {
  switch (by) {
    case 'package':
      return frame => packageKey(frames, frame)
    case 'library':
      return frame => frames.mapping[frame]
    case 'file':
      return frame => frames.file[frame]
    case 'frame-type':
      return frame => frames.type[frame]
    case 'function':
      return frame => frames.name[frame]
  }
}

function packageKey(frames: FrameTable, i: number): string {
  const frame = { name: frames.name[i], file: frames.file[i], mapping: frames.mapping[i], type: frames.type[i] }
  // Names of C often begin with what would be a package: tcp_sendmsg.
  return packageOf(frame) || (/^_*[A-Za-z]+/.exec(frame.name)?.[0] ?? '')
}

/** FrameTable get their colour when they are first seen: of hundreds of thousands, most never are. What is no function has its own. */
function frameColours({ frame, frames }: CallTree, options: ColourOptions, key: (frame: number) => string): BoxColours {
  const none = 0xffff
  const rows = new Uint16Array(frames.length).fill(none)
  return {
    box: hashColours(options),
    of: node => {
      const own = frame[node]
      if (rows[own] === none) rows[own] = isFunction(frames, own) ? rowOf(key(own), frames.name[own]) : ROOT_ROW
      return rows[own]
    },
  }
}

/**
 * By the thread at the root of the stack. Inverted, that is at the other end, and a box is of several threads: it then has the
 * colour of the largest way up, which is its first child's.
 */
function threadColours(tree: CallTree, options: ColourOptions): BoxColours {
  const { parent, frame, frames, length, order } = tree
  const rows = new Uint16Array(length).fill(ROOT_ROW)
  const isThread = (node: number): boolean => frames.attribute?.[frame[node]] === THREAD
  const ofThread = (node: number): number => threadRow(frames, frame[node])
  if (order === 'root-first') {
    for (let i = 0; i < length; i++) {
      if (isThread(i)) rows[i] = ofThread(i)
      else if (parent[i] !== ROOT) rows[i] = rows[parent[i]]
    }
  } else {
    for (let i = length - 1; i >= 0; i--) {
      if (isThread(i)) rows[i] = ofThread(i)
      if (parent[i] !== ROOT) rows[parent[i]] = rows[i]
    }
  }
  return { box: hashColours(options), of: node => rows[node] }
}

/** Samples that say of no thread are grey. */
function threadRow({ name }: FrameTable, frame: number): number {
  return name[frame] === noValue(THREAD) ? 1 : rowOf(name[frame])
}

/** Of a thread's boxes, for the legend. */
export function threadColour(frames: FrameTable, frame: number, options: Omit<ColourOptions, 'colourBy'>): string {
  return hashColours(options)[threadRow(frames, frame)]
}

/** The row of a group's colour; its shade is by another name, or the middle one. */
function rowOf(group: string, shade?: string): number {
  return groupOf(group) * SHADES + (shade === undefined ? 1 : hashOf(shade) % SHADES)
}

/** 0 is the grey of what has no name. */
function groupOf(key: string): number {
  return key === '' ? 0 : 1 + (hashOf(key) % HUES)
}

/** The row of what is no function, behind those of all groups: as plain as a table's head. */
const ROOT_ROW = (HUES + 1) * SHADES
const ROOT_BOX: Readonly<Record<Theme, Oklch>> = {
  light: { lightness: 0.925, chroma: 0.012, hue: 255 },
  dark: { lightness: 0.345, chroma: 0.014, hue: 255 },
}

function hashColours({ palette, theme }: Omit<ColourOptions, 'colourBy'>): string[] {
  const box: string[] = []
  for (let group = 0; group <= HUES; group++) {
    for (let shade = 0; shade < SHADES; shade++) {
      const base = palette === 'standard' ? hueColour(group, theme) : safeColour(group, theme)
      const lightness = base.lightness + (shade - 1) * BOX[theme].step
      box.push(hexOf({ ...base, lightness, chroma: group === 0 ? 0.012 : base.chroma }))
    }
  }
  box.push(hexOf(ROOT_BOX[theme]))
  return box
}

function hueColour(group: number, theme: Theme): Oklch {
  const { lightness, chroma } = BOX[theme]
  // Neighbouring numbers are not neighbouring hues, as hashes of like names may be close.
  return { lightness, chroma, hue: ((group * 29) % HUES) * (360 / HUES) + 20 }
}

/**
 * Blue and yellow only, which every kind of colour vision tells apart, in steps of lightness and chroma; red and green are
 * what most colour-blind people take for one another.
 */
function safeColour(group: number, theme: Theme): Oklch {
  const { lightness, chroma } = BOX[theme]
  const level = group === 0 ? 3.7 : Math.floor(group / 2) % 6
  const spread = theme === 'light' ? 0.042 : 0.036
  return {
    lightness: lightness + (level - 3.7) * spread,
    chroma: chroma * (0.75 + 0.25 * (level % 3)),
    hue: group % 2 === 0 ? 85 : 255,
  }
}

/** From the colour of the paper to ember, by the share of the sum. */
function valueColours(tree: CallTree, { theme, palette }: ColourOptions): BoxColours {
  const box: string[] = []
  const hue = palette === 'standard' ? 45 : 255
  for (let step = 0; step <= STEPS; step++) {
    const part = step / STEPS
    const lightness = theme === 'light' ? 0.93 - 0.27 * part : 0.34 + 0.22 * part
    box.push(hexOf({ lightness, chroma: 0.025 + 0.125 * part, hue: hue + 30 * (1 - part) }))
  }
  const sum = Math.abs(Number(tree.sum))
  return {
    box,
    // By the root: most boxes have below a tenth, and would all look alike.
    of: node => (sum === 0 ? 0 : Math.min(STEPS, Math.round(STEPS * Math.sqrt(Math.abs(tree.total[node]) / sum)))),
  }
}

/** Blue for less, grey for the same, orange-red for more; the scale is the same on both sides. */
function diffColours(tree: CallTree, options: ColourOptions): BoxColours {
  const limit = changeLimit(tree)
  const box = diffScale(options)
  return {
    box,
    of: node => STEPS + Math.round(STEPS * Math.max(-1, Math.min(1, changeOf(tree, node) / limit))),
  }
}

/** From the most that is less to the most that is more, the same in the middle: for the legend too. */
export function diffScale({ theme, palette }: Pick<ColourOptions, 'theme' | 'palette'>): string[] {
  const scale: string[] = []
  for (let step = -STEPS; step <= STEPS; step++) {
    // Small changes are the rule and must be seen, so colours change fastest near the middle.
    const part = (Math.abs(step) / STEPS) ** 0.7
    const lightness = theme === 'light' ? 0.92 - 0.22 * part : 0.36 + 0.19 * part
    const more = palette === 'standard' ? 40 : 85
    scale.push(hexOf({ lightness, chroma: step === 0 ? 0.004 : 0.02 + 0.13 * part, hue: step < 0 ? 255 : more }))
  }
  return scale
}
