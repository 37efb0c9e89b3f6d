// Regular expressions that cannot hang: RE2's, whose time grows with the text alone. JavaScript's own would backtrack, and a
// rule comes from whoever may register. They match whole texts.
import { RE2JS } from 're2js'

/**
 * Longer texts do not match. A step takes some 13 ns and there are at most as many as characters times instructions, so
 * that the worst expression on the worst text is done in 30 ms.
 */
export const MAX_REGEX_INPUT = 4096
const MAX_INSTRUCTIONS = 500

export interface LinearRegex {
  matches(text: string): boolean
}

/** What texts were told before: segments of paths and names of services come again and again. */
const REMEMBERED = 256
const LONGEST_REMEMBERED = 64

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
    if (text.length <= LONGEST_REMEMBERED) {
      if (this.#known.size >= REMEMBERED) this.#known.clear()
      this.#known.set(text, result)
    }
    return result
  }
}

const ANYTHING: LinearRegex = { matches: () => true }

/** Compiled ones, the latest 1,000: the instances of a component register the same rules. */
const cache = new Map<string, LinearRegex>()
const CACHED = 1000

/** Throws an Error that says what is wrong with the expression. */
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
  // Repeats of repeats beyond 1,000 are refused by the parser itself, before it makes a program of them.
  const regex = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  const instructions = regex.programSize()
  if (instructions > MAX_INSTRUCTIONS)
    throw new Error(`takes ${instructions} instructions, of ${MAX_INSTRUCTIONS} at most`)
  return regex
}

export function quoteRegex(text: string): string {
  return RE2JS.quote(text)
}
