// An attribute of a container that names the unit of its timestamps, where their size would mislead a reader. The times of the
// container are then in nanoseconds. Only Hearth writes it.
export const UNIT_ATTRIBUTE = 'otep239.timestamp_unit'
export const NANOSECONDS = 'ns'
export const MILLISECONDS = 'ms'
export type MarkedUnit = typeof NANOSECONDS | typeof MILLISECONDS
/** Nanoseconds per unit. */
export const NANOS: Readonly<Record<MarkedUnit, bigint>> = { ns: 1n, ms: 1_000_000n }
