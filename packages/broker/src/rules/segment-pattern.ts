// Patterns for hosts and paths, which consist of segments between dots or slashes.
import type { Captures } from './captures.ts'
import { MAX_REGEX_INPUT } from './linear-regex.ts'
import type { Segment } from './text-pattern.ts'
import { parseSegments } from './text-pattern.ts'

/** No pattern matches more segments than this. */
const MAX_SEGMENTS = 256

export interface SegmentPattern {
  readonly segments: readonly Segment[]
  /** The pattern of the port, for a host with a port. */
  readonly port: string | undefined
  /** Whether the last segment matches all remaining ones. */
  readonly takesRest: boolean
  /** Matches all segments. */
  matches(segments: readonly string[], captures: Captures): boolean
  /** Matches the first segments. */
  matchesStart(segments: readonly string[], captures: Captures): boolean
}

/** `/` has no segments. A slash at the end adds an empty segment. */
export function splitPath(path: string): readonly string[] {
  if (path === '' || path === '/' || path.length > MAX_REGEX_INPUT) return []
  const from = path[0] === '/' ? 1 : 0
  const segments: string[] = []
  let start = from
  for (let slash = path.indexOf('/', start); slash >= 0; slash = path.indexOf('/', start)) {
    segments.push(path.slice(start, slash))
    start = slash + 1
    if (segments.length === MAX_SEGMENTS) break
  }
  segments.push(path.slice(start))
  return segments
}

export function parsePathPattern(text: string): SegmentPattern {
  if (text === '' || text === '/') return patternOf([], '/', undefined)
  const inner = text[0] === '/' ? 1 : 0
  // The leading slash stays during parsing, so that errors point to the right character.
  const segments = parseSegments(text, '/', false).slice(inner)
  return patternOf(segments, '/', undefined)
}

const PORT = /:(\d+)$/

/** Splits host and port. An IPv6 address contains colons, and is in brackets if a port follows. */
export function splitHost(host: string): readonly [name: string, port: string | undefined] {
  const found = PORT.exec(host)
  if (found === null) return [host, undefined]
  const name = host.slice(0, found.index)
  return name.includes(':') && !name.endsWith(']') ? [host, undefined] : [name, found[1]]
}

export function splitDots(name: string): readonly string[] {
  return name.length > MAX_REGEX_INPUT ? [] : name.toLowerCase().split('.', MAX_SEGMENTS)
}

/** A pattern without a port matches any port. */
export function parseHostPattern(text: string): SegmentPattern {
  // Colons inside patterns do not separate the port.
  const [plain, port] = splitHost(text.replace(/\{.*\}/g, braces => braces.replaceAll(':', ' ')))
  const name = text.slice(0, plain.length)
  return patternOf(parseSegments(name, '.', true), '.', port)
}

function patternOf(segments: readonly Segment[], separator: string, port: string | undefined): SegmentPattern {
  const takesRest = segments.at(-1)?.takesRest === true
  const count = segments.length
  const matchesStart = (given: readonly string[], captures: Captures): boolean => {
    if (given.length < count) return false
    for (let i = 0; i < count; i++) {
      const { literal, name, regex } = segments[i]
      if (literal !== undefined) {
        if (given[i] !== literal) return false
        continue
      }
      const isRest = takesRest && i === count - 1
      const text = isRest ? given.slice(i).join(separator) : given[i]
      if (regex === undefined ? text === '' && !isRest : !regex.matches(text)) return false
      if (name !== undefined) captures.take(name, text)
    }
    return true
  }
  return {
    segments,
    port,
    takesRest,
    matchesStart,
    matches: (given, captures) => (given.length === count || takesRest) && matchesStart(given, captures),
  }
}
