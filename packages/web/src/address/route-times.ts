// The times in an address: which of them are invalid, and the same address with absolute times.
import type { Route } from './route.ts'
import type { TimeRange } from './time-range.ts'
import { absolute, resolveTime } from './time-range.ts'

/** Each range of a route with the prefix of its parameters. */
function rangesOf(route: Route): readonly (readonly [prefix: string, range: TimeRange])[] {
  if (route.screen === 'compare')
    return [
      ['a.', route.before],
      ['b.', route.after],
    ]
  if ('query' in route) return [['', route.query]]
  if ('search' in route) return [['', route.search]]
  return route.screen === 'services' || route.screen === 'symbols' ? [['', route]] : []
}

/** A sentence for each invalid time, with the name of its parameter. */
export function timeProblems(route: Route, now: number): readonly string[] {
  return rangesOf(route).flatMap(([prefix, { from, to }]) => {
    const [start, end] = [resolveTime(from, now), resolveTime(to, now)]
    const unknown = [
      ...(start === undefined ? [`“${from}” is not a time (${prefix}from).`] : []),
      ...(end === undefined ? [`“${to}” is not a time (${prefix}to).`] : []),
    ]
    if (start === undefined || end === undefined) return unknown
    return start < end
      ? []
      : [`The range ends at “${to}” (${prefix}to), before it starts at “${from}” (${prefix}from).`]
  })
}

/** The route with every range replaced. */
export function withRanges(route: Route, change: <Range extends TimeRange>(range: Range) => Range): Route {
  if (route.screen === 'compare') return { ...route, before: change(route.before), after: change(route.after) }
  if ('query' in route) return { ...route, query: change(route.query) }
  if ('search' in route) return { ...route, search: change(route.search) } as Route
  return route.screen === 'services' || route.screen === 'symbols' ? change(route) : route
}

/** The route with absolute times. A link to it shows the same data later. */
export function withAbsoluteTimes(route: Route, now: number): Route {
  return withRanges(route, range => {
    const { from, to } = absolute({ from: range.from, to: range.to }, now)
    return { ...range, from, to }
  })
}
