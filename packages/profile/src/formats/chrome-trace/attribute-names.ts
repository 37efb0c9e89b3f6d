// What Chrome's traces say that the model has no field for, and how their profiles are named.

/** Resource, string: what the trace calls a process, as `Renderer`. */
export const PROCESS_NAME = 'chrome.process.name'

export const SCOPE_NAME = 'chrome-trace'

export const NANOSECONDS = 'nanoseconds'
export const COUNT = 'count'
/** Events with a duration: the time that each spent itself. */
export const WALL_TYPE = 'wall'
/** V8's samples, each with the time to the next. */
export const CPU_TYPE = 'cpu'
/**
 * Instants at the start and end of V8's samples, of Hearth. DevTools takes the range of a trace, and which of its threads to
 * show, from events of other categories than V8's: without them it shows nothing.
 */
export const BOUNDS_NAME = 'ProfileBounds'
export const BOUNDS_CATEGORY = 'toplevel'
/** Samples that name a stack frame, with a weight. */
export const SAMPLES_TYPE = 'samples'
