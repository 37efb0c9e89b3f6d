// What Firefox profiles call things, and what the model calls those that it has no place for.

/** Of Hearth. */
export const FIREFOX_ATTRIBUTES = {
  /** Resource: a process id that is no number, as merged profiles have them. */
  processId: 'firefox.process.id',
  /** Sample: a thread id that is no number. */
  threadId: 'firefox.thread.id',
  /** Mapping: the id by which symbols of a library are found. */
  breakpadId: 'firefox.lib.breakpad_id',
} as const

/** The processed format that is written; see README.md. */
export const WRITTEN_VERSION = 57

/**
 * The key of a thread under which Hearth keeps what the format has no field for. Others skip it.
 *
 *   "hearth": { "type": "cpu", "unit": "ns", "aggregated": true }
 */
export const EXTRA_KEY = 'hearth'

/** In `meta`, of Hearth: the interval has to be there but is not known. */
export const NO_INTERVAL_KEY = 'hearthUnknownInterval'

/** Process and thread ids have to be there; these stand for none. */
export const NO_ID = /^unknown( \d+)?$/

export interface WeightMeaning {
  /** Weights in the file are multiplied by 10^shift. */
  readonly shift: number
  readonly type: string
  readonly unit: string
}

/** By `weightType` of samples, and by the name of the tables that hold allocations. */
export const WEIGHTS: ReadonlyMap<string, WeightMeaning> = new Map([
  ['samples', { shift: 0, type: 'samples', unit: 'count' }],
  ['tracing-ms', { shift: 6, type: 'time', unit: 'nanoseconds' }],
  ['bytes', { shift: 0, type: 'memory', unit: 'bytes' }],
  ['jsAllocations', { shift: 0, type: 'js_allocations', unit: 'bytes' }],
  ['nativeAllocations', { shift: 0, type: 'native_allocations', unit: 'bytes' }],
])
