// Patterns as arguments of predicates: complete texts (`eu`, `{eu-.*}`) and segments (`/profiles/{type:cpu|wall}`).
import { closeOf, firstBrace, unescaped } from './braces.ts'
import type { LinearRegex } from './linear-regex.ts'
import { compileRegex } from './linear-regex.ts'

/** A problem of a pattern, with the position of the character. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
  readonly index: number

  constructor(what: string, index: number) {
    super(what)
    this.index = index
  }
}

export interface TextPattern {
  /** The text itself if it is not a pattern. */
  readonly literal: string | undefined
  matches(text: string): boolean
}

/** Parses `{regex}`, where `{}` matches anything, or a literal text. */
export function parseTextPattern(text: string, ignoreCase = false): TextPattern {
  if (text.startsWith('{') && closeOf(text, 0) === text.length) {
    const regex = regexOf(text.slice(1, -1), 1, ignoreCase)
    return { literal: undefined, matches: value => regex.matches(value) }
  }
  checkLiteral(text, 0)
  const literal = ignoreCase ? unescaped(text).toLowerCase() : unescaped(text)
  return { literal, matches: value => (ignoreCase ? value.toLowerCase() : value) === literal }
}

export interface Segment {
  /** The literal text of the segment, or undefined for a pattern. */
  readonly literal: string | undefined
  /** The name of the segment among the params; undefined if it is not captured. */
  readonly name: string | undefined
  /** Undefined if any text except the empty one matches. */
  readonly regex: LinearRegex | undefined
  /** Whether it matches all remaining segments, `{rest...}`. Only the last segment can. */
  readonly takesRest: boolean
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/

export function parseSegments(text: string, separator: string, ignoreCase: boolean): Segment[] {
  const segments: Segment[] = []
  let from = 0
  for (const to of segmentEnds(text, separator)) {
    if (segments.at(-1)?.takesRest === true)
      throw new PatternError('nothing can follow a pattern for the rest of the path', from)
    segments.push(parseSegment(text.slice(from, to), from, ignoreCase))
    from = to + 1
  }
  return segments
}

/** The positions of separators outside of braces, and the end. */
function segmentEnds(text: string, separator: string): number[] {
  const ends: number[] = []
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === separator) ends.push(i)
    else if (text[i] === '{') {
      const close = closeOf(text, i)
      if (close < 0) throw new PatternError('pattern without a closing brace', i)
      i = close - 1
    }
  }
  return [...ends, text.length]
}

function parseSegment(text: string, at: number, ignoreCase: boolean): Segment {
  if (!text.startsWith('{') || closeOf(text, 0) !== text.length) {
    checkLiteral(text, at)
    const literal = ignoreCase ? unescaped(text).toLowerCase() : unescaped(text)
    return { literal, name: undefined, regex: undefined, takesRest: false }
  }
  const inner = text.slice(1, -1)
  const colon = inner.indexOf(':')
  const takesRest = colon < 0 && inner.endsWith('...')
  const name = colon >= 0 ? inner.slice(0, colon) : takesRest ? inner.slice(0, -3) : inner
  if (name !== '' && !NAME.test(name))
    throw new PatternError(`"${name}" is not a name; put a regular expression after ":"`, at + 1)
  return {
    literal: undefined,
    name: name === '' ? undefined : name,
    regex: colon < 0 ? undefined : regexOf(inner.slice(colon + 1), at + 2 + colon, ignoreCase),
    takesRest,
  }
}

function checkLiteral(text: string, at: number): void {
  const brace = firstBrace(text)
  if (brace < 0) return
  if (text[brace] === '{' && closeOf(text, brace) < 0)
    throw new PatternError('pattern without a closing brace', at + brace)
  throw new PatternError('a pattern must be the complete text; write "\\{" for a brace', at + brace)
}

function regexOf(source: string, at: number, ignoreCase: boolean): LinearRegex {
  try {
    return compileRegex(source, ignoreCase)
  } catch (error) {
    throw new PatternError(`regular expression: ${(error as Error).message}`, at)
  }
}
