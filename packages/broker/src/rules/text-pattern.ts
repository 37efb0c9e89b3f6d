// Patterns as arguments of predicates: whole texts (`eu`, `{eu-.*}`), and texts of segments (`/profiles/{type:cpu|wall}`).
import { closeOf, firstBrace, unescaped } from './braces.ts'
import type { LinearRegex } from './linear-regex.ts'
import { compileRegex } from './linear-regex.ts'

/** What is wrong with a pattern, and at which of its characters. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
  readonly index: number

  constructor(what: string, index: number) {
    super(what)
    this.index = index
  }
}

export interface TextPattern {
  /** The text itself where it is no pattern. */
  readonly literal: string | undefined
  matches(text: string): boolean
}

/** `{regex}`, where `{}` is anything, or a text that must be equal. */
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
  /** The text that the segment must be, or undefined for a pattern. */
  readonly literal: string | undefined
  /** What the segment is called among the params; undefined where it is only matched. */
  readonly name: string | undefined
  /** Undefined where any text that is not empty will do. */
  readonly regex: LinearRegex | undefined
  /** Takes all segments that are left, `{rest...}`; always the last. */
  readonly takesRest: boolean
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/

export function parseSegments(text: string, separator: string, ignoreCase: boolean): Segment[] {
  const segments: Segment[] = []
  let from = 0
  for (const to of segmentEnds(text, separator)) {
    if (segments.at(-1)?.takesRest === true)
      throw new PatternError('nothing can follow a pattern that takes the rest', from)
    segments.push(parseSegment(text.slice(from, to), from, ignoreCase))
    from = to + 1
  }
  return segments
}

/** The places of separators that are in no braces, and the end. */
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
    throw new PatternError(`"${name}" is no name; a regular expression stands after ":"`, at + 1)
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
  throw new PatternError('a text is either a pattern or has none; "\\{" stands for a brace', at + brace)
}

function regexOf(source: string, at: number, ignoreCase: boolean): LinearRegex {
  try {
    return compileRegex(source, ignoreCase)
  } catch (error) {
    throw new PatternError(`regular expression: ${(error as Error).message}`, at)
  }
}
