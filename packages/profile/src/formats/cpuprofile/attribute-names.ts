// Names in the model that all V8 formats share, and those of CPU profiles.
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'

/** Attributes of locations that a node of the call tree has members for. */
export const NODE_ATTRIBUTES: readonly string[] = [
  ATTRIBUTES.v8ScriptId,
  ATTRIBUTES.v8FunctionColumn,
  ATTRIBUTES.v8DeoptReason,
]

export const SCOPE_NAME = 'v8'
export const FRAME_TYPE = 'v8js'
/** The topmost node. It represents no code, so stacks begin below it. */
export const ROOT = '(root)'
/** The name that viewers show for a function with an empty name. The model requires a name. */
export const ANONYMOUS = '(anonymous)'

/** The time between samples, by node. */
export const TIME_TYPE = 'cpu'
export const TIME_UNIT = 'nanoseconds'
/** Counts from hitCount and positionTicks. */
export const HITS_TYPE = 'samples'
export const HITS_UNIT = 'count'
