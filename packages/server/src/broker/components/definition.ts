// Environment variables and replica identity of a component definition.
import type { ComponentDefinition, EnvVarDefinition, Value } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { Variable, Variables } from '../../config/broker-environments.ts'

const TYPES = { string: 'String', number: 'Number', boolean: 'Boolean' } as const

/** All variables that the component and its routes declare, by name. */
function variablesOf(
  definition: Pick<ComponentDefinition, 'envVarSchema' | 'routes'>,
): readonly (readonly [name: string, wanted: EnvVarDefinition])[] {
  const all = new Map(Object.entries(definition.envVarSchema))
  for (const { envVarSchema = {} } of definition.routes)
    for (const [name, wanted] of Object.entries(envVarSchema)) if (!all.has(name)) all.set(name, wanted)
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** The declared variables and their values. Throws BrokerError if a required variable is missing or has another type. */
export function environmentFor(definition: ComponentDefinition, set: Variables): Readonly<Record<string, Value>> {
  const env: Record<string, Value> = {}
  for (const [name, { type, required = false }] of variablesOf(definition)) {
    const value = Object.hasOwn(set, name) ? set[name] : undefined
    if (value === undefined) {
      if (required) throw new BrokerError('invalid', `variable ${name} is not set in the component's environment`)
      continue
    }
    const is = typeOf(value)
    if (type !== undefined && type !== is)
      throw new BrokerError('invalid', `variable ${name} has type ${is}, expected ${type}`)
    env[name] = value
  }
  return env
}

/** Identifies how a component handles events. All replicas must agree, because any of them may receive an event. */
export function handlingOf(definition: ComponentDefinition): string {
  const routes = definition.routes.map(({ rule, priority }) => [rule, priority])
  return JSON.stringify([routes, definition.defaultHandler, variablesOf(definition)])
}

function typeOf(value: Variable): 'Array' | 'Boolean' | 'Number' | 'String' {
  return typeof value === 'object' ? 'Array' : TYPES[typeof value as keyof typeof TYPES]
}
