// What is made from the OpenAPI document: docs/api.md and the types of packages/client. `npm run api-reference` writes them,
// and without --write this says whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiDocument, ApiOperation, JsonSchema } from '@hearth/server/administration'
import { apiDocument } from '@hearth/server/administration'

const ROOT = join(import.meta.dirname, '..')
export const PAGE = 'docs/api.md'
export const TYPES = 'packages/client/src/api-types.ts'
const COLUMNS = 'application/vnd.hearth.columns'
const [BEGIN, END] = ['<!-- endpoints -->\n', '<!-- /endpoints -->']

/** The parts of the page that are about endpoints. */
export function endpointsText(document: ApiDocument): string {
  return Object.entries(document.paths)
    .map(([path, { get }]) => endpointText(path, get, document))
    .join('\n')
}

function endpointText(path: string, operation: ApiOperation, document: ApiDocument): string {
  const rows = operation.parameters.map(({ name, schema, description = '', required }) => {
    const what = `${description}${required && !description.includes('unless given') ? ' (needed)' : ''}`.trim()
    return `| \`${name}\` | ${kindText(schema)} | ${cell(what)} |`
  })
  const table = ['| parameter | | |', '|---|---|---|', ...rows, '']
  const answer = answerName(operation)
  const fields = answer === undefined ? [] : fieldRows(document.components.schemas[answer])
  const answers =
    answer === undefined
      ? ['The answer is a file in the format that was asked for.', '']
      : ['| answer | | |', '|---|---|---|', ...fields, '']
  return [`### ${path}`, '', `${operation.summary}.`, '', ...table, ...answers].join('\n')
}

function fieldRows({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : ', where there is one'
    return `| \`${name}\` | ${kindText(schema)}${optional} | ${cell(schema.description ?? '')} |`
  })
}

function kindText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.enum !== undefined) return schema.enum.map(value => `\`${value}\``).join(', ')
  if (schema.type === 'array') return `list of ${kindText(schema.items ?? {})}`
  if (schema.type === 'object') return `object of ${Object.keys(schema.properties ?? {}).join(', ')}`
  if (schema['pattern'] === WHOLE) return 'decimal string'
  return schema.type ?? 'value'
}

const WHOLE = String.raw`^-?\d+$`

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}

/** The page with its endpoints as they should be. */
export function withEndpoints(page: string): string {
  const from = page.indexOf(BEGIN)
  const to = page.indexOf(END)
  if (from === -1 || to < from) throw new Error(`${PAGE} has no ${BEGIN.trim()} … ${END}`)
  const document = apiDocument()
  const shared = ['AttributeValue', 'Frame', 'TreeNodes', 'Hidden', 'SandwichTree', 'TopRow', 'DiffSide', 'SeriesGroup']
  const signals = [
    'Attribute',
    'SignalResource',
    'SignalScope',
    'TraceRow',
    'TraceRowSpan',
    'TraceSpan',
    'SpanProfiles',
  ]
  const points = ['OperationRow', 'LogRow', 'MetricRow', 'MetricPoint', 'MetricGroup']
  const parts = [...shared, 'ProfileRow', ...signals, ...points, 'ServerStatus'].map(name =>
    [`### ${name}`, '', '| | | |', '|---|---|---|', ...fieldRows(document.components.schemas[name]), ''].join('\n'),
  )
  const heading = '## What answers are made of\n'
  return `${page.slice(0, from)}${BEGIN}\n${endpointsText(document)}\n${heading}\n${parts.join('\n')}\n${page.slice(to)}`
}

/** The client's types. */
export function clientTypes(document: ApiDocument): string {
  const interfaces = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export interface ${name} ${typeText(schema, '')}\n`,
  )
  const operations = Object.values(document.paths).flatMap(({ get, post }) => {
    const answer = answerName(get)
    // Files are not JSON; the client has methods of their own for them.
    return answer === undefined
      ? []
      : [`  readonly ${get.operationId}: { readonly request: ${requestName(post)}; readonly answer: ${answer} }`]
  })
  const paths = Object.entries(document.paths).map(([path, { get }]) => `  ${get.operationId}: '${path}',`)
  const columnar = Object.values(document.paths)
    .filter(({ get }) => JSON.stringify(get.responses['200']).includes(COLUMNS))
    .map(({ get }) => `'${get.operationId}'`)
  return [
    '// Made by `npm run api-reference` from the OpenAPI document; not to be edited.',
    '/* oxlint-disable max-lines */',
    '',
    ...interfaces,
    '/** Every endpoint whose answer is JSON, by its name. */',
    'export interface Operations {',
    ...operations,
    '}',
    '',
    '/** Those whose answers are there as columns, too. */',
    `export const COLUMNAR = [${columnar.join(', ')}] as const`,
    '',
    '/** Of every endpoint. */',
    'export const PATHS = {',
    ...paths,
    '} as const',
    '',
  ].join('\n')
}

function typeText(schema: JsonSchema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.enum !== undefined) return schema.enum.map(value => `'${value}'`).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(one => typeText(one, indent)).join(' | ')
  const { type = '' } = schema
  if (type === 'object') return objectText(schema, indent)
  if (type === 'array') {
    const item = typeText(schema.items ?? {}, indent)
    return item.includes(' | ') && !item.startsWith('{') ? `readonly (${item})[]` : `readonly ${item}[]`
  }
  if (type === 'integer') return 'number'
  if (['string', 'number', 'boolean'].includes(type)) return type
  throw new Error(`a schema that has no type here: ${JSON.stringify(schema)}`)
}

function objectText({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).flatMap(([name, schema]) => {
    const { description = '' } = schema
    const optional = required.includes(name) ? '' : '?'
    const field = `${inner}readonly ${name}${optional}: ${typeText(schema, inner)}`
    return description === '' ? [field] : [`${inner}/** ${description} */`, field]
  })
  return lines.length === 0 ? '{}' : ['{', ...lines, `${indent}}`].join('\n')
}

function answerName({ responses }: ApiOperation): string | undefined {
  return /"\$ref":"([^"]*)"/.exec(JSON.stringify(responses['200']))?.[1].replace(/.*\//, '')
}

function requestName({ requestBody }: ApiOperation): string {
  return nameOf(/"\$ref":"([^"]*)"/.exec(JSON.stringify(requestBody))?.[1] ?? '')
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** Files by their paths: as they are, and as they should be. */
export function wantedFiles(): readonly { readonly file: string; readonly is: string; readonly wanted: string }[] {
  const page = readText(PAGE)
  return [
    { file: PAGE, is: page, wanted: withEndpoints(page) },
    { file: TYPES, is: readText(TYPES), wanted: clientTypes(apiDocument()) },
  ]
}

function readText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function main(): void {
  for (const { file, is, wanted } of wantedFiles()) {
    if (process.argv.includes('--write')) writeFileSync(join(ROOT, file), wanted)
    else if (is === wanted) console.log(`${file} is up to date.`)
    else {
      console.error(`${file} differs from the API; \`npm run api-reference\` writes it anew.`)
      process.exitCode = 1
    }
  }
}

if (process.argv[1] === import.meta.filename) main()
