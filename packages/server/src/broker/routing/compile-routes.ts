// Compiles the rules of a component's routes.
import type { RouteDefinition } from '@hearth/broker'
import { BrokerError, RuleError, compileRoute, parseRule, variablesOf } from '@hearth/broker'
import type { Variables } from '../../config/broker-environments.ts'
import type { GroupRoute } from './route-table.ts'

/** Throws BrokerError with the position of the mistake. */
export function compileRoutes(
  routes: readonly Pick<RouteDefinition, 'id' | 'rule' | 'priority'>[],
  variables: Variables,
): readonly GroupRoute[] {
  return routes.map(({ id, rule, priority }) => {
    try {
      const parsed = parseRule(rule)
      const missing = [...variablesOf(parsed)].find(name => !Object.hasOwn(variables, name))
      if (missing !== undefined)
        throw new BrokerError('routeInvalid', `routes[${id}]: variable ${missing} is not set in the environment`)
      const compiled = compileRoute(parsed, variables)
      return { id, priority: priority ?? compiled.priority, rule: compiled }
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      throw new BrokerError('routeInvalid', `routes[${id}], character ${error.offset + 1}: ${error.message}`)
    }
  })
}
