// What V8's heap profiles say that the model has no field for.

export const V8_ATTRIBUTES = {
  /** Location, string: V8's number of the script. */
  scriptId: 'v8.script.id',
  /** Sample, int: the place of an allocation in the order of time. */
  ordinal: 'v8.sample.ordinal',
} as const

export const SCOPE_NAME = 'v8'
export const FRAME_TYPE = 'v8js'
/** The node above all others. It stands for no code, so stacks begin below it. */
export const ROOT = '(root)'
/** What viewers call a function whose name is empty. The model wants a name. */
export const ANONYMOUS = '(anonymous)'

/** What is still in use, by node. */
export const SIZE_TYPE = 'inuse_space'
/** The allocations that were sampled, each with its ordinal. */
export const SAMPLES_TYPE = 'inuse_space_samples'
export const UNIT = 'bytes'
