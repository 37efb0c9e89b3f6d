// Names in the model for V8's heap profiles, beyond those that all V8 formats share.

/** Sample, int: the position of an allocation in the order of time. */
export const ORDINAL = 'v8.sample.ordinal'

/** Bytes in use, by node. */
export const SIZE_TYPE = 'inuse_space'
/** The sampled allocations, each with its ordinal. */
export const SAMPLES_TYPE = 'inuse_space_samples'
export const UNIT = 'bytes'
