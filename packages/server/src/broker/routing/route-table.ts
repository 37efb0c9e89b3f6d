// Finds the component for an event by the rules of a tenant's components, highest priority first.
import type { Event, RouteRule, RuleMatch } from '@hearth/broker'
import { DEFAULT_ROUTE, RouteRules } from '@hearth/broker'
import type { Group } from './group.ts'
import type { Member } from './member.ts'

export interface GroupRoute {
  readonly id: number
  readonly priority: number
  readonly rule: RouteRule
}

export type RoutedGroup = Group<GroupRoute>

export interface FoundRoute {
  readonly group: RoutedGroup
  readonly routeId: bigint
  /** Values that the rule extracted from the event. Undefined for the default handler. */
  readonly match: RuleMatch | undefined
}

interface Entry {
  readonly group: RoutedGroup
  readonly route: GroupRoute
}

/** Stands for all environments. */
const ANY = ''

export class RouteTable {
  /** In order of registration, which decides between rules of equal priority. */
  readonly #groups = new Set<RoutedGroup>()
  readonly #byName = new Map<string, RoutedGroup[]>()
  /** Compiled rules by environment, built on first use. */
  readonly #rules = new Map<string, RouteRules<Entry>>()
  /** Compiled rules of the most recent set of groups, by the first group of the set. */
  readonly #rulesTogether = new WeakMap<RoutedGroup, { groups: readonly RoutedGroup[]; rules: RouteRules<Entry> }>()

  add(group: RoutedGroup): void {
    const { name } = group.component
    this.#groups.add(group)
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), group])
    this.#forget(group)
  }

  remove(group: RoutedGroup): void {
    const { name } = group.component
    this.#groups.delete(group)
    const others = (this.#byName.get(name) ?? []).filter(other => other !== group)
    if (others.length === 0) this.#byName.delete(name)
    else this.#byName.set(name, others)
    this.#forget(group)
  }

  named(name: string): readonly RoutedGroup[] {
    return this.#byName.get(name) ?? []
  }

  /** Searches the rules of one environment, or of all environments if none is named. */
  find(event: Event, environment: string): FoundRoute | undefined {
    let rules = this.#rules.get(environment)
    if (rules === undefined) {
      const groups = [...this.#groups].filter(group => environment === ANY || group.environment === environment)
      // The sender chooses the name, so cache rules only for environments that exist.
      if (groups.length === 0) return undefined
      this.#rules.set(environment, (rules = rulesOf(groups)))
    }
    return foundIn(rules, event)
  }

  /** Searches the rules of these groups. If none matches, returns a group with a default handler. */
  findAmong(groups: readonly RoutedGroup[], event: Event): FoundRoute | undefined {
    const found = foundIn(this.#rulesAmong(groups), event)
    if (found !== undefined) return found
    const group = groups.find(({ defaultHandler }) => defaultHandler)
    return group === undefined ? undefined : { group, routeId: DEFAULT_ROUTE, match: undefined }
  }

  #forget(group: RoutedGroup): void {
    if (group.routes.length === 0) return
    this.#rules.delete(ANY)
    this.#rules.delete(group.environment)
  }

  #rulesAmong(groups: readonly RoutedGroup[]): RouteRules<Entry> {
    const known = this.#rulesTogether.get(groups[0])
    if (known?.groups.length === groups.length && known.groups.every((group, i) => group === groups[i]))
      return known.rules
    const rules = rulesOf(groups)
    this.#rulesTogether.set(groups[0], { groups, rules })
    return rules
  }
}

/** At equal priority, local groups come before remote ones. The stable sort keeps the order of registration otherwise. */
function rulesOf(groups: readonly RoutedGroup[]): RouteRules<Entry> {
  const entries = groups.flatMap(group => group.routes.map(route => ({ group, route })))
  const sorted = entries.toSorted(
    (a, b) => b.route.priority - a.route.priority || Number(a.group.isRemote) - Number(b.group.isRemote),
  )
  return new RouteRules(sorted.map(entry => ({ rule: entry.route.rule, value: entry })))
}

function foundIn(rules: RouteRules<Entry>, event: Event): FoundRoute | undefined {
  const found = rules.find(event)
  if (found === undefined) return undefined
  const { group, route } = found.route.value
  return { group, routeId: BigInt(route.id), match: found.match }
}

/** The event as the component receives it, with the full target, the extracted values and the environment of the group. */
export function routedEvent(event: Event, { group, match }: FoundRoute, { component }: Member): Event {
  const { context } = event
  const params = match === undefined ? event.params : { ...event.params, ...match.params }
  const values = match?.pathSuffix === undefined ? event.values : { ...event.values, pathSuffix: match.pathSuffix }
  if (context === undefined || context.virtualEnvironment !== '' || group.environment === '')
    return { ...event, params, values, target: component }
  return { ...event, params, values, target: component, context: { ...context, virtualEnvironment: group.environment } }
}
