// The view state of the thread timeline, with the selected part, as addresses keep it.
import { LANE_KINDS } from '@hearth/profile'
import type { LaneKind } from '@hearth/profile'
import type { LaneSort } from '../timeline/lane-sort.ts'
import { LANE_SORTS } from '../timeline/lane-sort.ts'
import type { Field, Fields } from './route-fields.ts'
import { choice, nested, readFields, text, texts } from './route-fields.ts'
import type { TimeSpan } from './time-span.ts'
import { spanField } from './time-span.ts'

export const LANE_PARTS = ['both', 'flame', 'table', 'sandwich', 'lines'] as const

export interface LanesView {
  readonly kind: LaneKind
  readonly sort: LaneSort
  /** A search in the names of threads and processes. */
  readonly find: string
  /** Keys of hidden threads. */
  readonly hidden: readonly string[]
  /** Hidden profile types, such as `cpu:ns`. */
  readonly hiddenTypes: readonly string[]
  /** Names of metrics above the lanes. */
  readonly metrics: readonly string[]
  /** The selected time, and keys of threads; empty for all. */
  readonly range: TimeSpan | undefined
  readonly threads: readonly string[]
  /** The type of the selection's profile; empty for the type of the source. */
  readonly type: string
  /** The view of the selection. */
  readonly part: (typeof LANE_PARTS)[number]
}

const fields: Fields<LanesView> = {
  kind: ['by', choice(LANE_KINDS, 'thread')],
  sort: ['sort', choice(LANE_SORTS, 'name')],
  find: ['find', text()],
  hidden: ['hide', texts],
  hiddenTypes: ['without', texts],
  metrics: ['metric', texts],
  range: ['range', spanField],
  threads: ['on', texts],
  type: ['type', text()],
  part: ['part', choice(LANE_PARTS, 'both')],
}

export const DEFAULT_LANES: LanesView = readFields(fields, new URLSearchParams())

export const lanesField: Field<LanesView> = nested(fields)
