// The OpenAPI 3.1 document, generated from the endpoints.
import { COLUMNS_MEDIA_TYPE } from '@hearth/profile'
import { z } from 'zod'
import type { Endpoint, Method } from './endpoint.ts'
import { PREFIX, endpoints } from './endpoints.ts'
import { failure } from './response/fields.ts'
import { schemaName, schemaRegistry } from './response/schema-names.ts'

/** The part of JSON Schema that the document uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly enum?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly const?: string
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
  /** The scope that a token needs; `read` if missing. */
  readonly 'x-hearth-scope'?: string
}

export type PathItem = Readonly<Partial<Record<Lowercase<Method>, ApiOperation>>>

export interface ApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: { readonly schemas: Schemas; readonly securitySchemes: object }
}

type Schemas = Readonly<Record<string, JsonSchema>>

const REF = '#/components/schemas/'

/** `version` is the version of the API. */
export function apiDocument(version = '1'): ApiDocument {
  const schemas = componentSchemas()
  const paths: Record<string, PathItem> = {}
  for (const endpoint of endpoints) {
    const path = `${PREFIX}${endpoint.path}`
    paths[path] = { ...paths[path], ...operationsOf(endpoint, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hearth',
      version,
      description:
        'Queries for stored profiles, traces, logs and metrics, and the Broker: captures, triggers, events. 64-bit numbers are decimal strings; times are nanoseconds since 1970.',
    },
    security: [{}, { token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

function componentSchemas(): Schemas {
  const { schemas } = z.toJSONSchema(schemaRegistry(), { uri: id => REF + id })
  const entries = Object.entries(schemas)
    .map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema as JsonSchema] as const)
    // By name: modules register their schemas when they load, in an order that loaders differ in.
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries) as Schemas
}

function operationsOf(endpoint: Endpoint, schemas: Schemas): PathItem {
  const { path, name, method, summary, scope, status = 200, upload = false } = endpoint
  const requestName = schemaName(endpoint.request)
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), match => pathParameter(match[1]))
  const inQuery = queryParameters(schemas[requestName])
  const requestBody = { content: { 'application/json': { schema: { $ref: REF + requestName } } } }
  const success = { description: 'Success', content: contentOf(endpoint) }
  if (method !== undefined) {
    const hasBody = method === 'POST' || method === 'PUT'
    const operation: ApiOperation = {
      operationId: name,
      summary,
      parameters: hasBody && !upload ? inPath : [...inPath, ...inQuery],
      ...(upload ? { requestBody: { content: { 'application/octet-stream': {} } } } : hasBody ? { requestBody } : {}),
      responses: { [status]: success, ...FAILURES },
      'x-hearth-scope': scope ?? 'read',
    }
    return { [method.toLowerCase()]: operation }
  }
  const responses = { '200': success, '304': NOT_MODIFIED, ...FAILURES }
  return {
    get: { operationId: name, summary, parameters: [...inPath, ...inQuery], responses },
    post: {
      operationId: `${name}Post`,
      summary: `${summary}; parameters in the body, for long selectors`,
      parameters: inPath,
      requestBody,
      responses,
    },
  }
}

function contentOf({ response, columns = false, lines = false }: Endpoint): Readonly<Record<string, object>> {
  if (response === undefined) return { 'application/octet-stream': {} }
  const json = { schema: { $ref: REF + schemaName(response) } }
  if (lines) return { 'application/x-ndjson': json }
  return {
    'application/json': json,
    ...(columns ? { [COLUMNS_MEDIA_TYPE]: { schema: { type: 'string', format: 'binary' } } } : {}),
  }
}

const NOT_MODIFIED = { description: 'Not modified: the tag is in If-None-Match' }
const FAILED = { content: { 'application/json': { schema: { $ref: REF + schemaName(failure) } } } }
const FAILURES = {
  '4XX': { description: 'The request is invalid', ...FAILED },
  '5XX': { description: 'The server failed', ...FAILED },
}

function pathParameter(name: string): ApiParameter {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): ApiParameter[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }))
}
