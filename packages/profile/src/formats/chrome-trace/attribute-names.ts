// Attribute names for content of Chrome's traces that the model has no field for, and the names of the profiles.

/** Resource, string: the name of a process in the trace, for example `Renderer`. */
export const PROCESS_NAME = 'chrome.process.name'

export const SCOPE_NAME = 'chrome-trace'

export const NANOSECONDS = 'nanoseconds'
export const COUNT = 'count'
/** Events with a duration. The value is their self time. */
export const WALL_TYPE = 'wall'
/** V8's samples. The value is the time until the next sample. */
export const CPU_TYPE = 'cpu'
/**
 * Instant events that Hearth writes at the start and end of V8's samples. DevTools takes the range of a trace, and the
 * threads to show, from events of other categories than V8's. Without them it shows nothing.
 */
export const BOUNDS_NAME = 'ProfileBounds'
export const BOUNDS_CATEGORY = 'toplevel'
/** Samples with a weight that refer to a stack frame. */
export const SAMPLES_TYPE = 'samples'
