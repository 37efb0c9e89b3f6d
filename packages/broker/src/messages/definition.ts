// The definition that a component registers: JSON in the content of its first event.
import { BrokerError } from './broker-error.ts'

export interface RouteDefinition {
  /** Its index among the routes, which is the `routeId` of matched events. */
  readonly id: number
  readonly rule: string
  /** Replaces the length of the rule as priority, if given. Higher first. */
  readonly priority?: number
  readonly envVarSchema?: EnvVarSchema
}

export const ENV_VAR_TYPES = ['Array', 'Boolean', 'Number', 'String'] as const

export interface EnvVarDefinition {
  readonly type?: (typeof ENV_VAR_TYPES)[number]
  readonly required?: boolean
}

export type EnvVarSchema = Readonly<Record<string, EnvVarDefinition>>

export interface ComponentDefinition {
  readonly type: string
  readonly routes: readonly RouteDefinition[]
  /** Whether it accepts events that are addressed to it by name, and events that match no rule. */
  readonly defaultHandler: boolean
  readonly envVarSchema: EnvVarSchema
  /** The names of the components that it sends to. */
  readonly dependencies: Readonly<Record<string, { readonly type: string }>>
  readonly hash: string
  readonly image: string
  /** The profile kinds that it can record: cpu, wall, heap, allocations, events. */
  readonly profileTypes: readonly string[]
  /** The attributes of its resource. */
  readonly attributes: Readonly<Record<string, string>>
}

export const MAX_ROUTES = 256
/** The maximum size of attributes, variables and rules together, because servers keep all definitions in memory. */
export const MAX_DEFINITION_BYTES = 256 * 1024

export function createDefinition(parts: Partial<ComponentDefinition>): ComponentDefinition {
  return {
    type: '',
    routes: [],
    defaultHandler: false,
    envVarSchema: {},
    dependencies: {},
    hash: '',
    image: '',
    profileTypes: [],
    attributes: {},
    ...parts,
  }
}

export function writeDefinition(definition: ComponentDefinition): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(definition))
}

/** Throws a BrokerError that names the invalid member. Ignores unknown members. */
export function readDefinition(content: Uint8Array): ComponentDefinition {
  if (content.length > MAX_DEFINITION_BYTES)
    throw new BrokerError(
      'contentTooLarge',
      `registration: content of ${content.length} bytes exceeds the limit of ${MAX_DEFINITION_BYTES}`,
    )
  const value = object(parse(content), 'definition')
  const routes = list(value['routes'], 'routes').map(readRoute)
  if (routes.length > MAX_ROUTES) throw invalid('routes', `has more than ${MAX_ROUTES} entries`)
  return {
    type: text(value['type'], 'type'),
    routes,
    defaultHandler: bool(value['defaultHandler'], 'defaultHandler'),
    envVarSchema: readSchema(value['envVarSchema'], 'envVarSchema'),
    dependencies: entries(value['dependencies'], 'dependencies', (each, path) => ({
      type: text(object(each, path)['type'], `${path}.type`),
    })),
    hash: text(value['hash'], 'hash'),
    image: text(value['image'], 'image'),
    profileTypes: list(value['profileTypes'], 'profileTypes').map((each, i) => text(each, `profileTypes[${i}]`)),
    attributes: entries(value['attributes'], 'attributes', text),
  }
}

function readRoute(value: unknown, place: number): RouteDefinition {
  const path = `routes[${place}]`
  const { id, rule, priority, envVarSchema } = object(value, path)
  if (typeof rule !== 'string') throw invalid(`${path}.rule`, 'is not a text')
  // The id must equal the index.
  if (id !== undefined && id !== place) throw invalid(`${path}.id`, `is not ${place}, its index`)
  if (priority !== undefined && !Number.isFinite(priority)) throw invalid(`${path}.priority`, 'is not a number')
  return {
    id: place,
    rule,
    ...(priority === undefined ? {} : { priority: priority as number }),
    ...(envVarSchema === undefined ? {} : { envVarSchema: readSchema(envVarSchema, `${path}.envVarSchema`) }),
  }
}

function readSchema(value: unknown, path: string): EnvVarSchema {
  return entries(value, path, (each, at): EnvVarDefinition => {
    const { type, required } = object(each, at)
    const known = ENV_VAR_TYPES.find(name => name === type)
    if (type !== undefined && type !== '' && known === undefined)
      throw invalid(`${at}.type`, `is not one of ${ENV_VAR_TYPES.join(', ')}`)
    return {
      ...(known === undefined ? {} : { type: known }),
      ...(required === undefined ? {} : { required: bool(required, `${at}.required`) }),
    }
  })
}

function invalid(path: string, what: string): BrokerError {
  return new BrokerError('invalid', `registration: ${path} ${what}`)
}

function parse(content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content))
  } catch (error) {
    throw invalid('content', `is not JSON: ${(error as Error).message}`)
  }
}

function object(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'is not an object')
  return value as Record<string, unknown>
}

/** Go writes null for empty lists and maps. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function list(value: unknown, path: string): readonly unknown[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) throw invalid(path, 'is not a list')
  return value
}

function text(value: unknown, path: string): string {
  if (isAbsent(value)) return ''
  if (typeof value !== 'string') throw invalid(path, 'is not a text')
  return value
}

function bool(value: unknown, path: string): boolean {
  if (isAbsent(value)) return false
  if (typeof value !== 'boolean') throw invalid(path, 'is not a boolean')
  return value
}

function entries<T>(
  value: unknown,
  path: string,
  read: (value: unknown, path: string) => T,
): Readonly<Record<string, T>> {
  const result = Object.create(null) as Record<string, T>
  if (isAbsent(value)) return result
  for (const [key, each] of Object.entries(object(value, path))) result[key] = read(each, `${path}.${key}`)
  return result
}
