// What a component says about itself when it registers: JSON in the content of its first event.
import { BrokerError } from './broker-error.ts'

export interface RouteDefinition {
  /** Its place among the routes, counted from 0: the `routeId` of events that it matches. */
  readonly id: number
  readonly rule: string
  /** Wins over the length of the rule where given; higher first. */
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
  /** Takes what was sent to it by name and what no rule matched. */
  readonly defaultHandler: boolean
  readonly envVarSchema: EnvVarSchema
  /** Components that it sends to, by name. */
  readonly dependencies: Readonly<Record<string, { readonly type: string }>>
  readonly hash: string
  readonly image: string
  /** What it can record: cpu, wall, heap, allocations, events. */
  readonly profileTypes: readonly string[]
  /** What else is known about it, as the attributes of its resource. */
  readonly attributes: Readonly<Record<string, string>>
}

export const MAX_ROUTES = 256
/** Attributes, variables and rules together: all who watch over components have this of each of them in memory. */
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

/** Throws a BrokerError that names the member which is not what it should be. Members that nobody knows are left alone. */
export function readDefinition(content: Uint8Array): ComponentDefinition {
  if (content.length > MAX_DEFINITION_BYTES)
    throw new BrokerError(
      'contentTooLarge',
      `registration: content has ${content.length} bytes, of ${MAX_DEFINITION_BYTES} at most`,
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
  // The place is the id: what a component sends must not say otherwise.
  if (id !== undefined && id !== place) throw invalid(`${path}.id`, `is not ${place}, its place`)
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

/** Go writes null for lists and maps that are empty. */
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
  if (typeof value !== 'boolean') throw invalid(path, 'is neither true nor false')
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
