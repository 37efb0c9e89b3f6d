// Reads and checks a component's first event, its registration.
import type { ComponentDefinition, Event, Value } from '@hearth/broker'
import { BrokerError, Category, EVENT_TYPE, isJsonContent, readDefinition } from '@hearth/broker'
import type { BrokerEnvironments } from '../../config/broker-environments.ts'
import { compileRoutes } from '../routing/compile-routes.ts'
import { environmentFor, handlingOf } from './definition.ts'
import type { LiveRoute } from './live-component.ts'
import type { GroupShape } from '../routing/registry.ts'

export interface Registration {
  readonly definition: ComponentDefinition
  readonly shape: GroupShape
  readonly routes: readonly LiveRoute[]
  /** Values of the declared variables. */
  readonly env: Readonly<Record<string, Value>>
}

/** Throws BrokerError. */
export function readRegistration(
  { type, category, content, contentType, context }: Event,
  { tenant, isConsole }: { readonly tenant: string; readonly isConsole: boolean },
  environments: BrokerEnvironments,
): Registration {
  if (type !== EVENT_TYPE.register || category !== Category.REQUEST)
    throw new BrokerError('unauthorized', `the first event must be a REQUEST of type ${EVENT_TYPE.register}`)
  if (contentType !== '' && !isJsonContent(contentType))
    throw new BrokerError('unknownContentType', `a definition must be application/json, not ${contentType}`)
  const definition = readDefinition(content)
  const { defaultHandler } = definition
  if (isConsole && (definition.routes.length > 0 || defaultHandler))
    throw new BrokerError('unauthorized', 'a console may not register routes; use a token with the scope broker')
  const environment = context?.virtualEnvironment ?? ''
  const variables = environments.of(tenant, environment)
  const routes = compileRoutes(definition.routes, variables)
  return {
    definition,
    shape: { environment, isRemote: false, defaultHandler, handling: handlingOf(definition), routes },
    routes: definition.routes.map(({ id, rule }, i) => ({ id, rule, priority: routes[i].priority })),
    env: environmentFor(definition, variables),
  }
}
