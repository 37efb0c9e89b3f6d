// What is wrong with a query, said so that whoever asked can put it right. Faults of the engine are EngineErrors and pass
// through as they are.

export type QueryFault =
  /** The selector's text cannot be read. */
  | 'syntax'
  /** A regular expression that the engine does not take. */
  | 'regex'
  /** An argument that makes no sense: a range that ends before it begins, a step of nothing. */
  | 'argument'
  /** Profiles of several types were selected where one number is asked for. */
  | 'mixed-types'
  /** Units that do not convert to each other. */
  | 'mixed-units'
  /** Counts of samples that were taken at different periods. */
  | 'mixed-periods'
  /** Totals since a start together with totals of a period. */
  | 'mixed-temporality'
  /** More rows than the query's limit. */
  | 'too-many-rows'
  /** No such profile, span or function. */
  | 'not-found'

export class QueryError extends Error {
  override readonly name: string = 'QueryError'
  readonly fault: QueryFault
  /** Where in the selector's text, in UTF-16 units; undefined where it is not about a place in it. */
  readonly position: number | undefined

  constructor(fault: QueryFault, message: string, position?: number, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
    this.position = position
  }
}

/** A selector that cannot be read. */
export class QuerySyntaxError extends QueryError {
  override readonly name = 'QuerySyntaxError'
  readonly text: string

  constructor(message: string, text: string, position: number) {
    super('syntax', `${message} at position ${position}`, position)
    this.text = text
  }

  /** The line with a caret below the place. */
  get pointed(): string {
    return pointAt(this.text, this.position ?? 0)
  }
}

/** Characters on each side of the place; a selector may be of thousands. */
const SHOWN = 60

/**
 * The text's line with a caret below a place in it:
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
  // Tabs stay tabs, so that the caret stands below its character however wide they are shown.
  const indent = Array.from(before, character => (character === '\t' ? '\t' : ' ')).join('')
  return `${before}${after}\n${indent}^`
}
