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
/** Samples that name a stack frame, with a weight. */
export const SAMPLES_TYPE = 'samples'
