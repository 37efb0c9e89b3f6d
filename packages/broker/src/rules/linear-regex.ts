// Regular expressions with linear time (RE2). JavaScript's expressions backtrack, and any component can register a rule. They
// match complete texts.
import { RE2JS } from 're2js'

/**
 * Longer texts do not match. A step takes about 13 ns and there are at most characters × instructions steps, so
 * the worst expression takes 30 ms on the worst text.
 */
export const MAX_REGEX_INPUT = 4096
const MAX_INSTRUCTIONS = 500

export interface LinearRegex {
  matches(text: string): boolean
}

/** The number of cached results. Segments of paths and names of services recur. */
const MAX_CACHED_RESULTS = 256
const MAX_CACHED_LENGTH = 64

class Re2Regex implements LinearRegex {
  readonly #regex: RE2JS
  readonly #known = new Map<string, boolean>()

  constructor(regex: RE2JS) {
    this.#regex = regex
  }

  matches(text: string): boolean {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (text.length > MAX_REGEX_INPUT) return false
    const result = this.#regex.testExact(text)
    if (text.length <= MAX_CACHED_LENGTH) {
      if (this.#known.size >= MAX_CACHED_RESULTS) this.#known.clear()
      this.#known.set(text, result)
    }
    return result
  }
}

const ANYTHING: LinearRegex = { matches: () => true }

/** Caches the latest 1,000 compiled expressions, because instances of a component register the same rules. */
const cache = new Map<string, LinearRegex>()
const CACHED = 1000

/** Throws an Error that describes the problem of the expression. */
export function compileRegex(source: string, ignoreCase = false): LinearRegex {
  if (source === '' || source === '.*') return ANYTHING
  const key = `${ignoreCase ? 'i' : 'c'}${source}`
  let regex = cache.get(key)
  if (regex === undefined) {
    regex = new Re2Regex(compile(source, ignoreCase))
    if (cache.size >= CACHED) cache.delete(cache.keys().next().value!)
    cache.set(key, regex)
  }
  return regex
}

function compile(source: string, ignoreCase: boolean): RE2JS {
  // The parser itself rejects nested repeats above 1,000 before it compiles them.
  const regex = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  const instructions = regex.programSize()
  if (instructions > MAX_INSTRUCTIONS)
    throw new Error(`${instructions} instructions exceed the limit of ${MAX_INSTRUCTIONS}`)
  return regex
}

export function quoteRegex(text: string): string {
  return RE2JS.quote(text)
}
