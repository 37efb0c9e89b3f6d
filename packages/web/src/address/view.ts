// The view state of profiles from any source, as addresses keep it.
import type { HeatView } from './heat-view.ts'
import { DEFAULT_HEAT, heatField } from './heat-view.ts'
import type { LanesView } from './lanes-view.ts'
import { DEFAULT_LANES, lanesField } from './lanes-view.ts'
import type { Field, Fields } from './route-fields.ts'
import { choice, flag, text, texts } from './route-fields.ts'
import type { Transform } from '@hearth/profile'
import { THREAD } from '@hearth/profile'
import { formatTransforms, parseTransforms } from '../tree/transform-text.ts'

export const SHOWN = [
  'both',
  'flame',
  'table',
  'sandwich',
  'lines',
  'instructions',
  'time',
  'threads',
  'heat',
  'tree',
  'graph',
] as const
export type Shown = (typeof SHOWN)[number]

export const COLOURS = ['package', 'library', 'file', 'frame-type', 'thread', 'function'] as const
export type Colour = (typeof COLOURS)[number]

export const FOLDS = ['auto', 'yes', 'no'] as const
/** 'auto' folds chains of single calls and recursion only where they fill the screen. */
export type Fold = (typeof FOLDS)[number]

export const SORTS = ['self', 'total', 'name'] as const
export type Sort = (typeof SORTS)[number]

export interface View {
  readonly show: Shown
  readonly search: string
  readonly regex: boolean
  /** The zoomed path: names of frames from the root. Node numbers change with every response. */
  readonly focus: readonly string[]
  readonly transforms: readonly Transform[]
  /** Attributes whose values are at the root of the stacks, outermost first. */
  readonly roots: readonly string[]
  /** Whether frames without a name are shown by address; otherwise those of a library are one box. */
  readonly addresses: boolean
  readonly fold: Fold
  readonly inverted: boolean
  /** Whether the root is at the bottom. */
  readonly upwards: boolean
  readonly colour: Colour
  /** Whether to use colours that people who see no red or no green can distinguish. */
  readonly colourBlind: boolean
  /** The frame of the sandwich. */
  readonly frame: string
  readonly frameFile: string
  readonly sort: Sort
  /** Reverses the order, which is largest first or A to Z by default. */
  readonly reverse: boolean
  /**
   * The thread of time views, and the visible time as `from-until` in nanoseconds. Empty for the first thread and for
   * the whole time.
   */
  readonly thread: string
  readonly span: string
  readonly lanes: LanesView
  readonly heat: HeatView
}

const transformList: Field<readonly Transform[]> = {
  read: values => parseTransforms(values[0] ?? '').transforms,
  write: transforms => (transforms.length === 0 ? [] : [formatTransforms(transforms)]),
}

export const viewFields: Fields<View> = {
  show: ['view', choice(SHOWN, 'both')],
  search: ['search', text()],
  regex: ['regex', flag()],
  focus: ['at', texts],
  transforms: ['do', transformList],
  roots: ['root', texts],
  addresses: ['addresses', flag()],
  fold: ['fold', choice(FOLDS, 'auto')],
  inverted: ['inverted', flag()],
  upwards: ['up', flag()],
  colour: ['colour', choice(COLOURS, 'package')],
  colourBlind: ['colour-blind', flag()],
  frame: ['frame', text()],
  frameFile: ['file-of-frame', text()],
  sort: ['sort', choice(SORTS, 'self')],
  reverse: ['reverse', flag()],
  thread: ['thread', text()],
  span: ['span', text()],
  lanes: ['lanes', lanesField],
  heat: ['heat', heatField],
}

export const DEFAULT_VIEW: View = {
  show: 'both',
  search: '',
  regex: false,
  focus: [],
  transforms: [],
  roots: [],
  addresses: false,
  fold: 'auto',
  inverted: false,
  upwards: false,
  colour: 'package',
  colourBlind: false,
  frame: '',
  frameFile: '',
  sort: 'self',
  reverse: false,
  thread: '',
  span: '',
  lanes: DEFAULT_LANES,
  heat: DEFAULT_HEAT,
}

/** Colouring by thread needs the threads at the root. */
export function rootsOf({ roots, colour }: Pick<View, 'roots' | 'colour'>): readonly string[] {
  return colour !== 'thread' || roots.includes(THREAD) ? roots : [...roots, THREAD]
}
