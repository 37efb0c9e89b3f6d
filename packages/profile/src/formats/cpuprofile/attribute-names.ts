// How V8's profiles of every kind are named in the model, and those of time.
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'

/** Those of locations that a node of the call tree has members for. */
export const NODE_ATTRIBUTES: readonly string[] = [
  ATTRIBUTES.v8ScriptId,
  ATTRIBUTES.v8FunctionColumn,
  ATTRIBUTES.v8DeoptReason,
]

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
