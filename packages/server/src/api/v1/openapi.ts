// The OpenAPI 3.1 document, made from the schemas that requests are checked with.
import { COLUMNS_MEDIA_TYPE } from '@hearth/profile'
import { z } from 'zod'
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
}

export interface PathItem {
  readonly get: ApiOperation
  readonly post: ApiOperation
}

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
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hearth',
      version,
      description:
        'Questions to stored profiles, traces, logs and metrics. 64-bit numbers are decimal strings; times are nanoseconds since 1970.',
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
  const requestName = nameOf(names, request)
  const { properties = {}, required = [] } = schemas[requestName]
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), match => pathParameter(match[1]))
  const inQuery = Object.entries(properties).map(([key, schema]) => queryParameter(key, schema, required.includes(key)))
  const content =
    answer === undefined
      ? { 'application/octet-stream': {} }
      : {
          'application/json': { schema: { $ref: REF + nameOf(names, answer) } },
          ...(columns ? { [COLUMNS_MEDIA_TYPE]: { schema: { type: 'string', format: 'binary' } } } : {}),
        }
  const failed = { content: { 'application/json': { schema: { $ref: `${REF}Failure` } } } }
  const responses = {
    '200': { description: 'The answer', content },
    '304': { description: 'As known by If-None-Match' },
    '4XX': { description: 'What is wrong with the request', ...failed },
    '5XX': { description: 'What is wrong with the server', ...failed },
  }
  return {
    get: { operationId: name, summary, parameters: [...inPath, ...inQuery], responses },
    post: {
      operationId: `${name}Post`,
      summary: `${summary}; parameters in the body, for long selectors`,
      parameters: inPath,
      requestBody: { content: { 'application/json': { schema: { $ref: REF + requestName } } } },
      responses,
    },
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
