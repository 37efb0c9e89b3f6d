// What of a component's definition the Broker works with, beside its routes.
import type { ComponentDefinition, EnvVarDefinition, Value } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { Variable, Variables } from '../../config/broker-environments.ts'

const TYPES = { string: 'String', number: 'Number', boolean: 'Boolean' } as const

/** Of the component and of all its routes, by name. */
export function variablesOf(
  definition: Pick<ComponentDefinition, 'envVarSchema' | 'routes'>,
): readonly (readonly [name: string, wanted: EnvVarDefinition])[] {
  const all = new Map(Object.entries(definition.envVarSchema))
  for (const { envVarSchema = {} } of definition.routes)
    for (const [name, wanted] of Object.entries(envVarSchema)) if (!all.has(name)) all.set(name, wanted)
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** The variables that a component declared, and no others. Throws BrokerError where a required one is not set or of another type. */
export function environmentFor(definition: ComponentDefinition, set: Variables): Readonly<Record<string, Value>> {
  const env: Record<string, Value> = {}
  for (const [name, { type, required = false }] of variablesOf(definition)) {
    const value = Object.hasOwn(set, name) ? set[name] : undefined
    if (value === undefined) {
      if (required) throw new BrokerError('invalid', `the variable ${name} is not set in the component's environment`)
      continue
    }
    const is = typeOf(value)
    if (type !== undefined && type !== is)
      throw new BrokerError('invalid', `the variable ${name} is of the type ${is} and not ${type}`)
    env[name] = value
  }
  return env
}

/** What must be the same in all replicas, since an event is handed to any of them. */
export function handlingOf(definition: ComponentDefinition): string {
  const routes = definition.routes.map(({ rule, priority }) => [rule, priority])
  return JSON.stringify([routes, definition.defaultHandler, variablesOf(definition)])
}

function typeOf(value: Variable): 'Array' | 'Boolean' | 'Number' | 'String' {
  return typeof value === 'object' ? 'Array' : TYPES[typeof value as keyof typeof TYPES]
}
