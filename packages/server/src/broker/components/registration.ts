// What a component's first event says, checked and made ready.
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
  /** The variables that it declared. */
  readonly env: Readonly<Record<string, Value>>
}

/** Throws BrokerError. */
export function readRegistration(
  { type, category, content, contentType, context }: Event,
  { tenant, onlyAsks }: { readonly tenant: string; readonly onlyAsks: boolean },
  environments: BrokerEnvironments,
): Registration {
  if (type !== EVENT_TYPE.register || category !== Category.REQUEST)
    throw new BrokerError('unauthorized', `the first event must be a REQUEST of the type ${EVENT_TYPE.register}`)
  if (contentType !== '' && !isJsonContent(contentType))
    throw new BrokerError('unknownContentType', `a definition is application/json and not ${contentType}`)
  const definition = readDefinition(content)
  const { defaultHandler } = definition
  if (onlyAsks && (definition.routes.length > 0 || defaultHandler))
    throw new BrokerError('unauthorized', 'a console only asks; to take events a token with the scope broker is needed')
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
