// Writes values and names as SQL text. All external input in statements goes through here.
import type { NativeSource, Parameter, RequestKey } from './engine.ts'

/** A string literal. Only the quote and the backslash need escaping. */
export function quoteText(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}

/** The name of a table or column. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll(/[`\\]/g, '\\$&')}\``
}

/** The columns that identify a request in every table that has its rows. */
export const requestKeySql = '(tenant, request, toUnixTimestamp64Milli(received))'

/** A set of requests, to compare with `requestKeySql`. */
export function requestKeysText(requests: readonly RequestKey[]): string {
  const tuples = requests.map(({ tenant, id, received }) => {
    if (!/^[0-9a-f]{32}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not a request id`)
    return `(${quoteText(tenant)}, toFixedString(unhex('${id}'), 16), toInt64(${numberText(received)}))`
  })
  return `(${tuples.join(', ')})`
}

/** The condition for the rows of an insert. Empty if none is skipped. */
export function exceptSql({ except = [] }: NativeSource): string {
  return except.length === 0 ? '' : `WHERE ${requestKeySql} NOT IN ${requestKeysText(except)} `
}

/** The text of a `{name:Type}` parameter, in `SET param_name` and in a URL: a TabSeparated field. */
function parameterText(value: Parameter): string {
  if (typeof value === 'string') return escapeField(value)
  if (value instanceof Uint8Array) return escapeBytes(value)
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'bigint') return value.toString()
  return `[${value.map(elementText).join(',')}]`
}

function elementText(value: string | number | bigint | Uint8Array): string {
  if (typeof value === 'string') return `'${escapeField(value)}'`
  if (value instanceof Uint8Array) return `'${escapeBytes(value)}'`
  return typeof value === 'number' ? numberText(value) : value.toString()
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (value === Infinity) return 'inf'
  if (value === -Infinity) return '-inf'
  return Object.is(value, -0) ? '-0' : value.toString()
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
}

function escapeField(text: string): string {
  // Also NUL, which would end the statement in C code.
  return text.replaceAll(/[\\'\t\n\r\0]/g, char => ESCAPES[char])
}

const HEX = Array.from({ length: 256 }, (_, byte) => {
  const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
  return plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
})

function escapeBytes(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}

/**
 * The statement with literals instead of `{name:Type}`. They mean the same: the text of the value, cast to the type. The
 * embedded engine would need another statement to set parameters, which takes as long as a small query.
 */
export function withLiterals(sql: string, parameters: Readonly<Record<string, Parameter>> | undefined): string {
  const texts = new Map(parameterTexts(parameters))
  if (texts.size === 0) return sql
  return sql.replaceAll(/\{\s*(\w+)\s*:\s*([^{}]+?)\s*\}/g, (placeholder, name: string, type: string) => {
    const text = texts.get(name)
    if (text === undefined || parameters === undefined) return placeholder
    // The text of a list is in the engine's own syntax. A single value is a field of TabSeparated, which has the escapes of a
    // literal.
    const literal = Array.isArray(parameters[name]) ? quoteText(text) : `'${text}'`
    return type === 'String' ? literal : `CAST(${literal}, '${type}')`
  })
}

const PARAMETER_NAME = /^[A-Za-z_]\w*$/

/** The parameters as text. Throws for an invalid name. */
export function parameterTexts(parameters: Readonly<Record<string, Parameter>> | undefined): [string, string][] {
  return Object.entries(parameters ?? {}).map(([name, value]) => {
    if (!PARAMETER_NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a valid parameter name`)
    return [name, parameterText(value)]
  })
}
