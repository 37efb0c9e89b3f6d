// Names in Firefox profiles, and the attributes for content that the model has no field for.

/** Defined by Hearth. */
export const FIREFOX_ATTRIBUTES = {
  /** Resource: a process id that is not a number, as in merged profiles. */
  processId: 'firefox.process.id',
  /** Sample: a thread id that is not a number. */
  threadId: 'firefox.thread.id',
  /** Mapping: the id for looking up the symbols of a library. */
  breakpadId: 'firefox.lib.breakpad_id',
} as const

/** The written version of the processed format; see README.md. */
export const WRITTEN_VERSION = 57

/**
 * The key of a thread under which Hearth keeps content that the format has no field for. Other tools skip it.
 *
 * "hearth": { "type": "cpu", "unit": "ns", "aggregated": true }
 */
export const EXTRA_KEY = 'hearth'

/** In `meta`, defined by Hearth: the interval is required but unknown. */
export const NO_INTERVAL_KEY = 'hearthUnknownInterval'

/** Process and thread ids are required. This value means that there is none. */
export const NO_ID = /^unknown( \d+)?$/

export interface WeightMeaning {
  /** Weights in the file are multiplied by 10^shift. */
  readonly shift: number
  readonly type: string
  readonly unit: string
}

/** By `weightType` of samples, and by the name of the tables of allocations. */
export const WEIGHTS: ReadonlyMap<string, WeightMeaning> = new Map([
  ['samples', { shift: 0, type: 'samples', unit: 'count' }],
  ['tracing-ms', { shift: 6, type: 'time', unit: 'nanoseconds' }],
  ['bytes', { shift: 0, type: 'memory', unit: 'bytes' }],
  ['jsAllocations', { shift: 0, type: 'js_allocations', unit: 'bytes' }],
  ['nativeAllocations', { shift: 0, type: 'native_allocations', unit: 'bytes' }],
])
