// An attribute of a container whose times are in nanoseconds although their size says otherwise. Only Hearth writes it.
export const UNIT_ATTRIBUTE = 'otep239.timestamp_unit'
export const NANOSECONDS = 'ns'
