// The ids of Chrome trace events, processes and threads.

/** A number, also if it is quoted in the file, or other text. Undefined if the event has no id. */
export type Id = number | string | undefined
