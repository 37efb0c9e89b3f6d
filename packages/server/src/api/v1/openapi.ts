// The OpenAPI 3.1 document, made from the schemas that requests are checked with.
import { COLUMNS_MEDIA_TYPE } from '@hearth/profile'
import { z } from 'zod'
import type { BrokerEndpoint } from './broker-endpoints.ts'
import { brokerEndpoints } from './broker-endpoints.ts'
import type { Endpoint } from './endpoints.ts'
import { PREFIX, componentSchemas, endpoints } from './endpoints.ts'

/** A part of JSON Schema, as far as the schemas here use it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly enum?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly [key: string]: unknown
}

export interface ApiParameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface ApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly ApiParameter[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
  /** What a token must allow; `read` where it is not said. */
  readonly 'x-hearth-scope'?: string
}

export type Method = 'get' | 'post' | 'put' | 'delete'
export type PathItem = Readonly<Partial<Record<Method, ApiOperation>>>

export interface ApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly securitySchemes: object }
}

const REF = '#/components/schemas/'

/** `version` is of the API. */
export function apiDocument(version = '1'): ApiDocument {
  const { schemas, names } = components()
  const paths: Record<string, PathItem> = {}
  for (const endpoint of Object.values<Endpoint>(endpoints)) {
    paths[`${PREFIX}${endpoint.path}`] = pathItem(endpoint, schemas, names)
  }
  for (const endpoint of Object.values<BrokerEndpoint>(brokerEndpoints)) {
    const path = `${PREFIX}${endpoint.path}`
    const method = endpoint.method.toLowerCase() as Method
    paths[path] = { ...paths[path], [method]: brokerOperation(endpoint, schemas, names) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hearth',
      version,
      description:
        'Questions to stored profiles, traces, logs and metrics, and the Broker: captures, triggers, events. 64-bit numbers are decimal strings; times are nanoseconds since 1970.',
    },
    security: [{}, { token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly names: ReadonlyMap<z.ZodType, string>
}

function components(): Components {
  const registry = z.registry<{ id: string }>()
  const names = new Map<z.ZodType, string>()
  for (const [id, schema] of Object.entries(componentSchemas())) {
    registry.add(schema, { id })
    names.set(schema, id)
  }
  const made = z.toJSONSchema(registry, { uri: id => REF + id }).schemas
  const schemas = Object.entries(made).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema as JsonSchema])
  return { schemas: Object.fromEntries(schemas) as Record<string, JsonSchema>, names }
}

function pathItem(endpoint: Endpoint, schemas: Components['schemas'], names: Components['names']): PathItem {
  const { path, name, summary, request, answer, columns = false } = endpoint
  const { inPath, inQuery, body } = parametersOf(path, nameOf(names, request), schemas)
  const content =
    answer === undefined
      ? FILE
      : {
          ...jsonOf(names, answer),
          ...(columns ? { [COLUMNS_MEDIA_TYPE]: { schema: { type: 'string', format: 'binary' } } } : {}),
        }
  const responses = { '200': { description: 'The answer', content }, '304': KNOWN, ...FAILURES }
  return {
    get: { operationId: name, summary, parameters: [...inPath, ...inQuery], responses },
    post: {
      operationId: `${name}Post`,
      summary: `${summary}; parameters in the body, for long selectors`,
      parameters: inPath,
      requestBody: body,
      responses,
    },
  }
}

/** One with a method of its own. */
function brokerOperation(
  { path, name, method, summary, scope, request, answer, status = 200, stream = false }: BrokerEndpoint,
  schemas: Components['schemas'],
  names: Components['names'],
): ApiOperation {
  const { inPath, inQuery, body } = parametersOf(path, nameOf(names, request), schemas)
  const json = answer === undefined ? FILE : jsonOf(names, answer)
  const content = stream ? { 'application/x-ndjson': json['application/json'] } : json
  const hasBody = method === 'POST' || method === 'PUT'
  return {
    operationId: name,
    summary,
    parameters: hasBody ? inPath : [...inPath, ...inQuery],
    ...(hasBody ? { requestBody: body } : {}),
    responses: { [status]: { description: 'The answer', content }, ...FAILURES },
    'x-hearth-scope': scope,
  }
}

const FILE: Readonly<Record<string, object>> = { 'application/octet-stream': {} }
const KNOWN = { description: 'As known by If-None-Match' }
const FAILED = { content: { 'application/json': { schema: { $ref: `${REF}Failure` } } } }
const FAILURES = {
  '4XX': { description: 'What is wrong with the request', ...FAILED },
  '5XX': { description: 'What is wrong with the server', ...FAILED },
}

function jsonOf(names: Components['names'], answer: z.ZodType): Readonly<Record<string, object>> {
  return { 'application/json': { schema: { $ref: REF + nameOf(names, answer) } } }
}

function parametersOf(path: string, requestName: string, schemas: Components['schemas']) {
  const { properties = {}, required = [] } = schemas[requestName]
  return {
    inPath: Array.from(path.matchAll(/\{(\w+)\}/g), match => pathParameter(match[1])),
    inQuery: Object.entries(properties).map(([key, schema]) => queryParameter(key, schema, required.includes(key))),
    body: { content: { 'application/json': { schema: { $ref: REF + requestName } } } },
  }
}

function pathParameter(name: string): ApiParameter {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}

function queryParameter(name: string, { description, ...schema }: JsonSchema, required: boolean): ApiParameter {
  return { name, in: 'query', required, ...(description === undefined ? {} : { description }), schema }
}

function nameOf(names: Components['names'], schema: z.ZodType): string {
  const name = names.get(schema)
  if (name === undefined) throw new Error('a schema without a name')
  return name
}
