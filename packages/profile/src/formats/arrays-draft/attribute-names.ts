// Attributes of profiles for what the data model has no field for.

/** int: a rate that is no whole period. */
export const SAMPLE_RATE = 'arrays_draft.sample_rate'
export const SAMPLE_RATE_UNIT = 'Hz'
/** int: a field of the first numbering that was given up; nothing says what it meant. */
export const SAMPLE_SIZE = 'arrays_draft.sample_size'
