// The colour of each box. The hash of a name decides the hue, so a package keeps its colour in every profile and on
// both sides of a comparison. Lightness is nearly the same for all boxes.
import type { CallTree, FrameTable, SideObservations } from '@hearth/profile'
import {
  ROOT,
  THREAD,
  changeLimit,
  changeOf,
  deviations,
  isFunction,
  judgeDeviations,
  noValue,
  noiseOf,
} from '@hearth/profile'
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
  readonly observations?: SideObservations | undefined
}

/** Colour tables. The colour of a box is a row in them. */
export interface Colours {
  readonly box: readonly string[]
  readonly text: readonly string[]
  /** Pixels of the box colours, see pixelOf. */
  readonly pixels: Uint32Array
  /** Returns the colour row of a node. */
  of(node: number): number
}

type BoxColours = Pick<Colours, 'box' | 'of'>

/** Enough hues to distinguish neighbours. Few enough for the canvas to keep them parsed. */
const HUES = 48
/** The number of shades of a hue. The function name selects the shade, so neighbours of one package differ a little. */
const SHADES = 3
const STEPS = 20

/** Lightness and chroma of boxes, and the distance between shades. */
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
      // Charts in time order show one thread, and some trees have no threads. Both are coloured by package.
      return tree.frames.attribute?.includes(THREAD) === true
        ? threadColours(tree, options)
        : frameColours(tree, options, keyOf(tree, 'package'))
    case 'frame-type':
      return typeColours(tree, options)
    case 'package':
    case 'library':
    case 'file':
    case 'function':
      return frameColours(tree, options, keyOf(tree, options.colourBy))
  }
}

function keyOf({ frames }: CallTree, by: 'package' | 'library' | 'file' | 'function'): (frame: number) => string {
  switch (by) {
    case 'package':
      return frame => packageKey(frames, frame)
    case 'library':
      return frame => frames.mapping[frame]
    case 'file':
      return frame => frames.file[frame]
    case 'function':
      return frame => frames.name[frame]
  }
}

function packageKey(frames: FrameTable, i: number): string {
  const frame = { name: frames.name[i], file: frames.file[i], mapping: frames.mapping[i], type: frames.type[i] }
  // C names often start with a prefix that serves as a package: tcp_sendmsg.
  return packageOf(frame) || (/^_*[A-Za-z]+/.exec(frame.name)?.[0] ?? '')
}

/**
 * Computes the colour of a frame when it is first drawn: most of hundreds of thousands of frames never are. Boxes that
 * are not functions have their own colour.
 */
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

/** Hues of the frame types of OpenTelemetry. Types that often meet in one stack are far apart. */
const TYPE_HUES: Readonly<Record<string, number>> = {
  native: 255,
  kernel: 25,
  go: 200,
  rust: 50,
  jvm: 130,
  cpython: 90,
  v8js: 310,
  ruby: 0,
  php: 280,
  perl: 165,
  dotnet: 340,
  beam: 225,
}

/** Fewer hues for eyes that distinguish blue and yellow only: the lightness differs, too. */
const SAFE_TYPES = ['native', 'kernel', 'go', 'jvm', 'cpython', 'v8js', 'rust', 'ruby', 'php', 'perl', 'dotnet', 'beam']

/** One colour for each frame type of the tree. Types without a hue of their own get one by their name; unknown ones are grey. */
function typeColours({ frame, frames }: CallTree, options: Omit<ColourOptions, 'colourBy'>): BoxColours {
  const types = [...new Set(frames.type)]
  const box = [...types.map(type => typeColour(type, options)), hexOf(ROOT_BOX[options.theme])]
  const rows = Uint16Array.from(frames.type, (type, i) => (isFunction(frames, i) ? types.indexOf(type) : types.length))
  return { box, of: node => rows[frame[node]] }
}

/** The colour of a frame type, for boxes and the legend. */
export function typeColour(type: string, { theme, palette }: Omit<ColourOptions, 'colourBy'>): string {
  const { lightness, chroma } = BOX[theme]
  if (type === '') return hexOf({ lightness, chroma: 0.012, hue: 255 })
  if (palette !== 'standard') {
    const place = SAFE_TYPES.indexOf(type)
    return hexOf(safeColour(place < 0 ? 1 + (hashOf(type) % HUES) : place + 1, theme))
  }
  return hexOf({ lightness, chroma, hue: TYPE_HUES[type] ?? hashOf(type) % 360 })
}

/**
 * Colours boxes by the thread at the root of the stack. In an inverted tree the thread is at the other end and a box
 * can belong to several threads. The box then has the colour of its first child, the largest caller.
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

/** Samples without a thread are grey. */
function threadRow({ name }: FrameTable, frame: number): number {
  return name[frame] === noValue(THREAD) ? 1 : rowOf(name[frame])
}

/** The colour of a thread's boxes, for the legend. */
export function threadColour(frames: FrameTable, frame: number, options: Omit<ColourOptions, 'colourBy'>): string {
  return hashColours(options)[threadRow(frames, frame)]
}

/** The row of a group's colour. `shade` selects the shade; without it the middle one is used. */
function rowOf(group: string, shade?: string): number {
  return groupOf(group) * SHADES + (shade === undefined ? 1 : hashOf(shade) % SHADES)
}

/** Returns 0, the grey group, for an empty name. */
function groupOf(key: string): number {
  return key === '' ? 0 : 1 + (hashOf(key) % HUES)
}

/** The row of boxes that are not functions. It follows the rows of all groups and is as plain as a table header. */
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
  // Similar names can have neighbouring hashes, so neighbouring group numbers get distant hues.
  return { lightness, chroma, hue: ((group * 29) % HUES) * (360 / HUES) + 20 }
}

/**
 * Uses only blue and yellow, which every kind of colour vision distinguishes, in steps of lightness and chroma. Most
 * colour-blind people confuse red and green.
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

/** Colours from the paper to ember, by the share of the total. */
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
    // Uses the square root: most boxes have less than a tenth and would all look alike.
    of: node => (sum === 0 ? 0 : Math.min(STEPS, Math.round(STEPS * Math.sqrt(Math.abs(tree.total[node]) / sum)))),
  }
}

/** Blue for less, grey for equal, orange-red for more. The scale is symmetric. Changes that may be chance are pale. */
function diffColours(tree: CallTree, options: ColourOptions): BoxColours {
  const limit = diffLimit(tree, options.observations)
  return {
    box: STRENGTHS.flatMap(strength => diffScale(options, strength)),
    of: node => {
      const step = STEPS + Math.round(STEPS * Math.max(-1, Math.min(1, changeOf(tree, node) / limit)))
      return strengthOf(tree, node, options.observations) * (2 * STEPS + 1) + step
    },
  }
}

/** The strength of colours by significance: chance, likely, clear. */
const STRENGTHS = [0.2, 0.6, 1]

/** The end of the colour scale. It is never below what chance alone can cause. */
export function diffLimit(tree: CallTree, observations: SideObservations | undefined): number {
  return changeLimit(tree, observations === undefined ? 0 : noiseOf(observations))
}

/** A row of `STRENGTHS`. Without a number of observations, all changes count as clear. */
function strengthOf(tree: CallTree, node: number, observations: SideObservations | undefined): number {
  const { before, total, sum } = tree
  if (observations === undefined || before === undefined) return 2
  const part = (value: number, of: bigint): number => (of === 0n ? 0 : Math.min(1, Math.abs(value / Number(of))))
  const size = deviations(
    { part: part(before.total[node], before.sum), of: observations.before },
    { part: part(total[node], sum), of: observations.after },
    observations.between,
  )
  const judged = judgeDeviations(size)
  return judged === 'clear' ? 2 : judged === 'likely' ? 1 : 0
}

/**
 * Colours from the largest decrease to the largest increase, with no change in the middle. The legend uses them too.
 */
export function diffScale({ theme, palette }: Pick<ColourOptions, 'theme' | 'palette'>, strength = 1): string[] {
  const scale: string[] = []
  for (let step = -STEPS; step <= STEPS; step++) {
    // Most changes are small and must be visible, so colours change fastest near the middle.
    const part = strength * (Math.abs(step) / STEPS) ** 0.7
    const lightness = theme === 'light' ? 0.92 - 0.22 * part : 0.36 + 0.19 * part
    const more = palette === 'standard' ? 40 : 85
    scale.push(hexOf({ lightness, chroma: step === 0 ? 0.004 : 0.02 + 0.13 * part, hue: step < 0 ? 255 : more }))
  }
  return scale
}
