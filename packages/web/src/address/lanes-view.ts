// How the timeline of threads is shown, and which part of it was chosen: what a link to one keeps.
import type { Field, Fields } from './route-fields.ts'
import { choice, nested, readFields, text, texts } from './route-fields.ts'
import type { TimeSpan } from './time-span.ts'
import { spanField } from './time-span.ts'

export const LANE_SORTS = ['name', 'busy', 'first'] as const
export type LaneSort = (typeof LANE_SORTS)[number]

export const LANE_PARTS = ['both', 'flame', 'table', 'sandwich', 'lines'] as const

export interface LanesView {
  readonly sort: LaneSort
  /** In the names of threads and processes. */
  readonly find: string
  /** Keys of threads left out. */
  readonly hidden: readonly string[]
  /** Types of profiles left out, as `cpu:ns`. */
  readonly hiddenTypes: readonly string[]
  /** Names of metrics above the lanes. */
  readonly metrics: readonly string[]
  /** What was chosen: a time, and keys of threads, none for all. */
  readonly range: TimeSpan | undefined
  readonly threads: readonly string[]
  /** Of which type it is shown; the source's own where it is empty. */
  readonly type: string
  /** How it is shown. */
  readonly part: (typeof LANE_PARTS)[number]
}

const fields: Fields<LanesView> = {
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
