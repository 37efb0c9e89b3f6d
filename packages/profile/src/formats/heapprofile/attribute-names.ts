// What V8's heap profiles say beyond what all of V8's profiles do, and how theirs are named.

/** Sample, int: the place of an allocation in the order of time. */
export const ORDINAL = 'v8.sample.ordinal'

/** What is still in use, by node. */
export const SIZE_TYPE = 'inuse_space'
/** The allocations that were sampled, each with its ordinal. */
export const SAMPLES_TYPE = 'inuse_space_samples'
export const UNIT = 'bytes'
