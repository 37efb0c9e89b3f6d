// Errors of a query that the caller can correct. Errors of the engine are EngineErrors and are not converted.

export type QueryFault =
  /** The selector's text cannot be read. */
  | 'syntax'
  /** A regular expression that the engine rejects. */
  | 'regex'
  /** An invalid argument: a range that ends before it begins, or a step of zero. */
  | 'argument'
  /** The query selects several profile types, and the result is one number. */
  | 'mixed-types'
  /** Units that do not convert to each other. */
  | 'mixed-units'
  /** The periods of counted samples differ. */
  | 'mixed-periods'
  /** The query selects cumulative and delta profiles. */
  | 'mixed-temporality'
  /** More rows than the query's limit. */
  | 'too-many-rows'
  /** No such profile, span or function. */
  | 'not-found'

export class QueryError extends Error {
  override readonly name: string = 'QueryError'
  readonly fault: QueryFault
  /** The position in the selector's text in UTF-16 units. Undefined if the error is not about the text. */
  readonly position: number | undefined

  constructor(fault: QueryFault, message: string, position?: number, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
    this.position = position
  }
}

/** The error of a cursor that no page of the list has. */
export function unknownCursor(cursor: string): QueryError {
  return new QueryError(
    'argument',
    `${JSON.stringify(cursor.slice(0, 120))} is not a cursor of this list; use \`next\` of the previous page`,
  )
}

/** The syntax error of a selector. */
export class QuerySyntaxError extends QueryError {
  override readonly name = 'QuerySyntaxError'
  readonly text: string

  constructor(message: string, text: string, position: number) {
    super('syntax', `${message} at position ${position}`, position)
    this.text = text
  }

  /** The line with a caret below the position. */
  get pointed(): string {
    return pointAt(this.text, this.position ?? 0)
  }
}

/** Characters on each side of the position. A selector can have thousands. */
const SHOWN = 60

/**
 * The line of the text with a caret below a position:
 *
 *   {service.name=checkout}
 *                 ^
 */
export function pointAt(text: string, position: number): string {
  const place = Math.max(0, Math.min(position, text.length))
  const lineStart = text.lastIndexOf('\n', place - 1) + 1
  const lineBreak = text.indexOf('\n', place)
  const lineEnd = lineBreak < 0 ? text.length : lineBreak
  const from = Math.max(lineStart, place - SHOWN)
  const to = Math.min(lineEnd, place + SHOWN)
  const before = `${from > lineStart ? '…' : ''}${text.slice(from, place)}`
  const after = `${text.slice(place, to)}${to < lineEnd ? '…' : ''}`
  // Tabs stay tabs, so that the caret is below its character at any tab width.
  const indent = Array.from(before, character => (character === '\t' ? '\t' : ' ')).join('')
  return `${before}${after}\n${indent}^`
}
