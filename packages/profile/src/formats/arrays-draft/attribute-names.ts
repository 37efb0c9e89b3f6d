// Attributes of profiles for fields that the data model lacks.

/** int: a rate that is not a whole period. */
export const SAMPLE_RATE = 'arrays_draft.sample_rate'
export const SAMPLE_RATE_UNIT = 'Hz'
/** int: a field of the first numbering that was dropped later. Its meaning is not documented. */
export const SAMPLE_SIZE = 'arrays_draft.sample_size'
