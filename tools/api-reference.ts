// What is made from the OpenAPI document: docs/api.md and the types of packages/client. `npm run api-reference` writes them,
// and without --write this says whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiDocument, ApiOperation, JsonSchema, PathItem } from '@hearth/server/administration'
import { apiDocument } from '@hearth/server/administration'

const ROOT = join(import.meta.dirname, '..')
export const PAGE = 'docs/api.md'
export const TYPES = 'packages/client/src/api-types.ts'
const COLUMNS = 'application/vnd.hearth.columns'
const [BEGIN, END] = ['<!-- endpoints -->\n', '<!-- /endpoints -->']

/** The parts of the page that are about endpoints. */
export function endpointsText(document: ApiDocument): string {
  return Object.entries(document.paths)
    .map(([path, item]) => {
      const { get } = item
      if (get !== undefined && isQuestion(item)) return endpointText(path, get, document)
      const parts = operationsOf(item).map(([method, operation]) => {
        const scope = operation['x-hearth-scope']
        const needs = scope === undefined || scope === 'read' ? '' : ` (scope \`${scope}\`)`
        return operationText(`**${method.toUpperCase()}**${needs}: `, operation, document)
      })
      return [`### ${path}`, '', ...parts].join('\n')
    })
    .join('\n')
}

/** Whether it may be asked in a query string and in a body alike. */
function isQuestion({ get, post }: PathItem): boolean {
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
    const what = `${description}${required && !description.includes('unless given') ? ' (needed)' : ''}`.trim()
    return `| \`${name}\` | ${kindText(schema)} | ${cell(what)} |`
  })
  const body = operation.requestBody === undefined ? [] : bodyRows(document.components.schemas[requestName(operation)])
  const all = [...rows, ...body]
  const table = all.length === 0 && lead !== '' ? [] : ['| parameter | | |', '|---|---|---|', ...all, '']
  const answer = answerName(operation)
  const fields = answer === undefined ? [] : fieldRows(document.components.schemas[answer])
  const answers =
    answer === undefined
      ? ['The answer is a file in the format that was asked for.', '']
      : SHARED_ANSWERS.includes(answer)
        ? [`The answer is a ${answer}, as below.`, '']
        : ['| answer | | |', '|---|---|---|', ...fields, '']
  return [`${lead}${operation.summary}.`, '', ...table, ...answers].join('\n')
}

/** Of several operations, so they are shown once. */
const SHARED_ANSWERS = ['Capture', 'Trigger']

function bodyRows({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '' } = schema
    return `| \`${name}\` | ${kindText(schema)} | ${cell(`${description}${required.includes(name) ? ' (needed)' : ''}`)} |`
  })
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
  if (schema.type === 'object' && schema.properties === undefined) return 'object of named values'
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
  const broker = ['ComponentRow', 'BrokerComponent', 'CaptureInstance', 'Capture', 'Trigger', 'DryRunExample']
  const events = ['HistoryEntry', 'FiredItem', 'BrokerEvent']
  const parts = [...shared, 'ProfileRow', ...signals, ...points, ...broker, ...events, 'ServerStatus'].map(name =>
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
  const items = Object.entries(document.paths)
  const questions = items.flatMap(([path, item]) => {
    const { get, post } = item
    return get !== undefined && post !== undefined && isQuestion(item) ? [{ path, get, post }] : []
  })
  const operations = questions.flatMap(({ get, post }) => {
    const answer = answerName(get)
    // Files are not JSON; the client has methods of their own for them.
    return answer === undefined
      ? []
      : [`  readonly ${get.operationId}: { readonly request: ${requestName(post)}; readonly answer: ${answer} }`]
  })
  const paths = questions.map(({ path, get }) => `  ${get.operationId}: '${path}',`)
  const columnar = questions
    .filter(({ get }) => JSON.stringify(get.responses['200']).includes(COLUMNS))
    .map(({ get }) => `'${get.operationId}'`)
  const actions = items
    .filter(([, item]) => !isQuestion(item))
    .flatMap(([path, item]) => operationsOf(item).map(([method, operation]) => ({ path, method, operation })))
  const actionTypes = actions.flatMap(({ operation }) => {
    const answer = answerName(operation)
    const name = operation.operationId
    const request = `${name[0].toUpperCase()}${name.slice(1)}Request`
    return answer === undefined
      ? []
      : [`  readonly ${name}: { readonly request: ${request}; readonly answer: ${answer} }`]
  })
  const actionPlaces = actions.flatMap(({ path, method, operation }) => [
    `  ${operation.operationId}: {`,
    `    path: '${path}',`,
    `    method: '${method.toUpperCase()}',`,
    '  },',
  ])
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
    '/** Of every question. */',
    'export const PATHS = {',
    ...paths,
    '} as const',
    '',
    '/** What the Broker may be asked and told, where the answer is JSON. */',
    'export interface Actions {',
    ...actionTypes,
    '}',
    '',
    '/** Where, and by which method. */',
    'export const ACTIONS = {',
    ...actionPlaces,
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
  if (Object.keys(schema).every(key => key === 'description')) return 'unknown'
  throw new Error(`a schema that has no type here: ${JSON.stringify(schema)}`)
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

function answerName({ responses }: ApiOperation): string | undefined {
  const found = Object.keys(responses).find(status => /^2\d\d$/.test(status)) ?? ''
  return /"\$ref":"([^"]*)"/.exec(JSON.stringify(responses[found]))?.[1].replace(/.*\//, '')
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
