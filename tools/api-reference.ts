// Generates docs/api.md and the types of packages/client from the OpenAPI document. `npm run api-reference` writes them;
// without --write this checks that they are up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiDocument, ApiOperation, JsonSchema, PathItem } from '@hearth/server/administration'
import { apiDocument } from '@hearth/server/administration'

const ROOT = join(import.meta.dirname, '..')
export const PAGE = 'docs/api.md'
export const TYPES = 'packages/client/src/api-types.ts'
const COLUMNS = 'application/vnd.hearth.columns'
const [BEGIN, END] = ['<!-- endpoints -->\n', '<!-- /endpoints -->']

/** The sections about endpoints. */
export function endpointsText(document: ApiDocument): string {
  return Object.entries(document.paths)
    .map(([path, item]) => {
      const { get } = item
      if (get !== undefined && isQuery(item)) return endpointText(path, get, document)
      const parts = operationsOf(item).map(([method, operation]) => {
        const scope = operation['x-hearth-scope']
        const needs = scope === undefined || scope === 'read' ? '' : ` (scope \`${scope}\`)`
        return operationText(`**${method.toUpperCase()}**${needs}: `, operation, document)
      })
      return [`### ${path}`, '', ...parts].join('\n')
    })
    .join('\n')
}

/** Whether GET and POST have the same parameters, in the query string or in the body. */
function isQuery({ get, post }: PathItem): boolean {
  return get !== undefined && post?.operationId === `${get.operationId}Post`
}

function operationsOf(item: PathItem): (readonly [method: string, operation: ApiOperation])[] {
  return Object.entries(item)
}

function endpointText(path: string, operation: ApiOperation, document: ApiDocument): string {
  return [`### ${path}`, '', operationText('', operation, document)].join('\n')
}

function operationText(lead: string, operation: ApiOperation, document: ApiDocument): string {
  const rows = operation.parameters.map(({ name, schema, description = '', required }) => {
    const what = `${description}${required ? ' (required)' : ''}`.trim()
    return `| \`${name}\` | ${kindText(schema)} | ${cell(what)} |`
  })
  // The body of an upload is a file, without a schema.
  const bodySchema = document.components.schemas[requestName(operation)]
  const body = bodySchema === undefined ? [] : bodyRows(bodySchema)
  const all = [...rows, ...body]
  const table = all.length === 0 && lead !== '' ? [] : ['| parameter | | |', '|---|---|---|', ...all, '']
  const response = responseName(operation)
  const fields = response === undefined ? [] : fieldRows(document.components.schemas[response])
  const responses =
    response === undefined
      ? ['The response is a file in the requested format.', '']
      : isPart(response)
        ? [`The response is a ${response}, see below.`, '']
        : ['| response | | |', '|---|---|---|', ...fields, '']
  return [`${lead}${operation.summary}.`, '', ...table, ...responses].join('\n')
}

/** Whether a schema is part of responses, and described in a section of its own. */
function isPart(name: string): boolean {
  return !name.endsWith('Request') && !name.endsWith('Response') && name !== 'Failure'
}

function bodyRows({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '' } = schema
    return `| \`${name}\` | ${kindText(schema)} | ${cell(`${description}${required.includes(name) ? ' (required)' : ''}`)} |`
  })
}

function fieldRows({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : ', optional'
    return `| \`${name}\` | ${kindText(schema)}${optional} | ${cell(schema.description ?? '')} |`
  })
}

function kindText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.enum !== undefined) return schema.enum.map(value => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.oneOf !== undefined) return schema.oneOf.map(kindText).join(', or ')
  if (schema.type === 'array') return `list of ${kindText(schema.items ?? {})}`
  if (schema.type === 'object' && schema.properties === undefined) return 'object of named values'
  if (schema.type === 'object') return `object of ${Object.keys(schema.properties ?? {}).join(', ')}`
  if (schema['pattern'] === WHOLE) return 'decimal string'
  return schema.type ?? 'value'
}

const WHOLE = String.raw`^-?\d+$`

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}

/** The page with generated sections. */
export function withEndpoints(page: string): string {
  const from = page.indexOf(BEGIN)
  const to = page.indexOf(END)
  if (from === -1 || to < from) throw new Error(`${PAGE} has no ${BEGIN.trim()} … ${END}`)
  const document = apiDocument()
  const parts = Object.entries(document.components.schemas)
    .filter(([name]) => isPart(name))
    .map(([name, schema]) => [`### ${name}`, '', '| | | |', '|---|---|---|', ...fieldRows(schema), ''].join('\n'))
  const heading = '## Parts of responses\n'
  return `${page.slice(0, from)}${BEGIN}\n${endpointsText(document)}\n${heading}\n${parts.join('\n')}\n${page.slice(to)}`
}

/** The client's types. */
export function clientTypes(document: ApiDocument): string {
  const interfaces = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export interface ${name} ${typeText(schema, '')}\n`,
  )
  const items = Object.entries(document.paths)
  const queries = items.flatMap(([path, item]) => {
    const { get, post } = item
    return get !== undefined && post !== undefined && isQuery(item) ? [{ path, get, post }] : []
  })
  const operations = queries.flatMap(({ get, post }) => {
    const response = responseName(get)
    // The client has special methods for files.
    return response === undefined
      ? []
      : [`  readonly ${get.operationId}: { readonly request: ${requestName(post)}; readonly response: ${response} }`]
  })
  const paths = queries.map(({ path, get }) => `  ${get.operationId}: '${path}',`)
  const columnar = queries
    .filter(({ get }) => JSON.stringify(get.responses['200']).includes(COLUMNS))
    .map(({ get }) => `'${get.operationId}'`)
  const actions = items
    .filter(([, item]) => !isQuery(item))
    .flatMap(([path, item]) => operationsOf(item).map(([method, operation]) => ({ path, method, operation })))
  const actionTypes = actions.flatMap(({ operation }) => {
    const response = responseName(operation)
    const name = operation.operationId
    const request = `${name[0].toUpperCase()}${name.slice(1)}Request`
    return response === undefined
      ? []
      : [`  readonly ${name}: { readonly request: ${request}; readonly response: ${response} }`]
  })
  const actionPlaces = actions.flatMap(({ path, method, operation }) => [
    `  ${operation.operationId}: {`,
    `    path: '${path}',`,
    `    method: '${method.toUpperCase()}',`,
    '  },',
  ])
  return [
    '// Generated by `npm run api-reference` from the OpenAPI document. Do not edit.',
    '/* oxlint-disable max-lines */',
    '',
    ...interfaces,
    '/** Queries whose response is JSON, by name. */',
    'export interface Operations {',
    ...operations,
    '}',
    '',
    '/** Queries whose response is also available as columns. */',
    `export const COLUMNAR = [${columnar.join(', ')}] as const`,
    '',
    '/** The paths of all queries. */',
    'export const PATHS = {',
    ...paths,
    '} as const',
    '',
    '/** Operations of the Broker and of symbols whose response is JSON, by name. */',
    'export interface Actions {',
    ...actionTypes,
    '}',
    '',
    '/** Paths and methods of these operations. */',
    'export const ACTIONS = {',
    ...actionPlaces,
    '} as const',
    '',
    '/** The kinds and statuses of spans. Columns store their indexes. */',
    `export const SPAN_KINDS = ${namesOf(document, 'TraceSpan', 'kind')}`,
    `export const SPAN_STATUSES = ${namesOf(document, 'TraceSpan', 'status')}`,
    '',
  ].join('\n')
}

/** The values of a field with an enumeration, as a constant. */
function namesOf({ components }: ApiDocument, schema: string, field: string): string {
  const values = components.schemas[schema].properties?.[field].enum ?? []
  return `[${values.map(value => `'${value}'`).join(', ')}] as const`
}

function typeText(schema: JsonSchema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.enum !== undefined) return schema.enum.map(value => `'${value}'`).join(' | ')
  if (schema.const !== undefined) return `'${schema.const}'`
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return either.map(one => typeText(one, indent)).join(' | ')
  const { type = '' } = schema
  if (type === 'object') return objectText(schema, indent)
  if (type === 'array') {
    const item = typeText(schema.items ?? {}, indent)
    const isOne = !item.startsWith('readonly ') && (!item.includes(' | ') || item.startsWith('{'))
    return isOne ? `readonly ${item}[]` : `readonly (${item})[]`
  }
  if (type === 'integer') return 'number'
  if (['string', 'number', 'boolean'].includes(type)) return type
  if (Object.keys(schema).every(key => key === 'description')) return 'unknown'
  throw new Error(`cannot write a type for the schema ${JSON.stringify(schema)}`)
}

function objectText({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (properties === undefined && typeof additionalProperties === 'object' && additionalProperties !== null) {
    return `{ readonly [name: string]: ${typeText(additionalProperties as JsonSchema, indent)} }`
  }
  const inner = `${indent}  `
  const lines = Object.entries(properties ?? {}).flatMap(([name, schema]) => {
    const { description = '' } = schema
    const optional = required.includes(name) ? '' : '?'
    const field = `${inner}readonly ${name}${optional}: ${typeText(schema, inner)}`
    return description === '' ? [field] : [`${inner}/** ${description} */`, field]
  })
  return lines.length === 0 ? '{}' : ['{', ...lines, `${indent}}`].join('\n')
}

function responseName({ responses }: ApiOperation): string | undefined {
  const found = Object.keys(responses).find(status => /^2\d\d$/.test(status)) ?? ''
  return /"\$ref":"([^"]*)"/.exec(JSON.stringify(responses[found]))?.[1].replace(/.*\//, '')
}

function requestName({ requestBody }: ApiOperation): string {
  return nameOf(/"\$ref":"([^"]*)"/.exec(JSON.stringify(requestBody))?.[1] ?? '')
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** The generated files with their current and wanted contents. */
export function wantedFiles(): readonly { readonly file: string; readonly current: string; readonly wanted: string }[] {
  const page = readText(PAGE)
  return [
    { file: PAGE, current: page, wanted: withEndpoints(page) },
    { file: TYPES, current: readText(TYPES), wanted: clientTypes(apiDocument()) },
  ]
}

function readText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function main(): void {
  for (const { file, current, wanted } of wantedFiles()) {
    if (process.argv.includes('--write')) writeFileSync(join(ROOT, file), wanted)
    else if (current === wanted) console.log(`${file} is up to date.`)
    else {
      console.error(`${file} is out of date; run \`npm run api-reference\`.`)
      process.exitCode = 1
    }
  }
}

if (process.argv[1] === import.meta.filename) main()
