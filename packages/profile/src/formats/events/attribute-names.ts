// Attributes for data that only the proposal or only the data model has a field for.

// On profiles of the model.
/** The meaning of a profile's numbers if they are not the values of events: see MEASURES. */
export const MEASURE = 'events.measure'
/** string: the unit of the event type, if its events have only counts or durations. */
export const EVENT_UNIT = 'events.unit'
/** A key-value list of `frequency`, `time_unix_nano` and `attributes`: the clock of the times. */
export const CLOCK = 'events.clock'
// On samples of the model.
/** int: the stack of an event in a file without stacks. */
export const STACK_INDEX = 'events.stack_index'

// On event types of a file: key-value lists for data without a field in the proposal.
export const HEADER = 'hearth.profile'
export const RESOURCE = 'hearth.resource'
export const SCOPE = 'hearth.scope'

/** The number of events, and their duration. A profile of values has no such attribute. */
export const COUNT = 'count'
export const DURATION = 'duration'

/** Units in which a count is the value. */
export const COUNT_UNIT = 'count'
export const DURATION_UNIT = 'ns'

export function isCountUnit(unit: string): boolean {
  return unit === '' || unit === COUNT_UNIT || unit === '1'
}
