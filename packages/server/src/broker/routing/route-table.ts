// Which component an event goes to: the rules of a tenant's components, the highest priority first.
import type { Event, RouteRule, RuleMatch } from '@hearth/broker'
import { DEFAULT_ROUTE, RouteRules } from '@hearth/broker'
import type { Group, Member } from './group.ts'

export interface GroupRoute {
  readonly id: number
  readonly priority: number
  readonly rule: RouteRule
}

export type RoutedGroup = Group<GroupRoute>

export interface Found {
  readonly group: RoutedGroup
  readonly routeId: bigint
  /** What the rule took out of the event; undefined for the default handler. */
  readonly match: RuleMatch | undefined
}

interface Entry {
  readonly group: RoutedGroup
  readonly route: GroupRoute
}

/** All environments. */
const ANY = ''

export class RouteTable {
  /** In the order of their coming, which decides between rules of the same priority. */
  readonly #groups = new Set<RoutedGroup>()
  readonly #byName = new Map<string, RoutedGroup[]>()
  /** By environment, made when first needed. */
  readonly #rules = new Map<string, RouteRules<Entry>>()
  /** Of the groups that were last looked at together, by the first of them. */
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

  /** Among all components of an environment, or of all where none is named. */
  find(event: Event, environment: string): Found | undefined {
    let rules = this.#rules.get(environment)
    if (rules === undefined) {
      const groups = [...this.#groups].filter(group => environment === ANY || group.environment === environment)
      // The name is the sender's to choose: it must not be remembered unless there is such an environment.
      if (groups.length === 0) return undefined
      this.#rules.set(environment, (rules = rulesOf(groups)))
    }
    return foundIn(rules, event)
  }

  /** Among these components alone; where no rule matches, one with a default handler. */
  findAmong(groups: readonly RoutedGroup[], event: Event): Found | undefined {
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

/** What is here comes before what is as good elsewhere. Sorting keeps the order of those that are equal. */
function rulesOf(groups: readonly RoutedGroup[]): RouteRules<Entry> {
  const entries = groups.flatMap(group => group.routes.map(route => ({ group, route })))
  const sorted = entries.toSorted(
    (a, b) => b.route.priority - a.route.priority || Number(a.group.isRemote) - Number(b.group.isRemote),
  )
  return new RouteRules(sorted.map(entry => ({ rule: entry.route.rule, value: entry })))
}

function foundIn(rules: RouteRules<Entry>, event: Event): Found | undefined {
  const found = rules.find(event)
  if (found === undefined) return undefined
  const { group, route } = found.route.value
  return { group, routeId: BigInt(route.id), match: found.match }
}

/** As the component gets it: with its whole name, what the rule took out of the event, and the environment it was found in. */
export function routedEvent(event: Event, { group, match }: Found, { component }: Member): Event {
  const { context } = event
  const params = match === undefined ? event.params : { ...event.params, ...match.params }
  const values = match?.pathSuffix === undefined ? event.values : { ...event.values, pathSuffix: match.pathSuffix }
  if (context === undefined || context.virtualEnvironment !== '' || group.environment === '')
    return { ...event, params, values, target: component }
  return { ...event, params, values, target: component, context: { ...context, virtualEnvironment: group.environment } }
}
