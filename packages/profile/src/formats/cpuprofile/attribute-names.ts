// What V8's profiles of every kind say that the model has no field for, and the names of those of time.

/** All are of locations. */
export const V8_ATTRIBUTES = {
  /** Location, string: V8's number of the script. */
  scriptId: 'v8.script.id',
  /** Location, int: the column of the function, counted from 1, where the location is another line of it. 0: not known. */
  functionColumn: 'v8.function.column',
  /** Location, string: why the function lost its optimized code. */
  deoptReason: 'v8.deopt_reason',
} as const

export const SCOPE_NAME = 'v8'
export const FRAME_TYPE = 'v8js'
/** The node above all others. It stands for no code, so stacks begin below it. */
export const ROOT = '(root)'
/** What viewers call a function whose name is empty. The model wants a name. */
export const ANONYMOUS = '(anonymous)'

/** The time between samples, by node. */
export const TIME_TYPE = 'cpu'
export const TIME_UNIT = 'nanoseconds'
/** hitCount and positionTicks. */
export const HITS_TYPE = 'samples'
export const HITS_UNIT = 'count'
