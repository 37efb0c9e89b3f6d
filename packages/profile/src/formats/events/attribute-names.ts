// Attributes for what the proposal has and the data model has not, and the other way round.

// On profiles of the model.
/** What a profile tells of its events, where that is not their value: see MEASURES. */
export const MEASURE = 'events.measure'
/** string: the unit of the event type, where only counts or durations of its events were given. */
export const EVENT_UNIT = 'events.unit'
/** A key-value list of `frequency`, `time_unix_nano` and `attributes`: the clock that times were counted by. */
export const CLOCK = 'events.clock'
// On samples of the model.
/** int: the stack of an event in a file without stacks. */
export const STACK_INDEX = 'events.stack_index'

// On event types of a file: key-value lists for what the proposal has no field for.
export const HEADER = 'hearth.profile'
export const RESOURCE = 'hearth.resource'
export const SCOPE = 'hearth.scope'

/** How many events there were, and how long they took; a profile of values has no such attribute. */
export const COUNT = 'count'
export const DURATION = 'duration'

/** Units in which a count is the value. */
export const COUNT_UNIT = 'count'
export const DURATION_UNIT = 'ns'

export function isCountUnit(unit: string): boolean {
  return unit === '' || unit === COUNT_UNIT || unit === '1'
}
