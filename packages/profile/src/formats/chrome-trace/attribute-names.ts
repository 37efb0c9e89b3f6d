// What Chrome's traces and V8's profiles in them say that the model has no field for.

export const V8_ATTRIBUTES = {
  /** Location, string: V8's number of the script. */
  scriptId: 'v8.script.id',
  /** Location, int: the column of the function, counted from 1, where the location is another line of it. 0: not known. */
  functionColumn: 'v8.function.column',
  /** Location, string: why the function lost its optimized code. */
  deoptReason: 'v8.deopt_reason',
} as const

/** Resource, string: what the trace calls a process, as `Renderer`. */
export const PROCESS_NAME = 'chrome.process.name'

export const SCOPE_NAME = 'chrome-trace'
export const FRAME_TYPE = 'v8js'
export const ROOT = '(root)'
export const ANONYMOUS = '(anonymous)'

export const NANOSECONDS = 'nanoseconds'
export const COUNT = 'count'
/** Events with a duration: the time that each spent itself. */
export const WALL_TYPE = 'wall'
/** V8's samples, each with the time to the next. */
export const CPU_TYPE = 'cpu'
/** Samples that name a stack frame, with a weight. */
export const SAMPLES_TYPE = 'samples'
