// Patterns in braces: `{name}`, `{name:regex}`. Regular expressions have braces of their own, so the end of a pattern is
// found by counting braces, skipping escapes and classes such as [{].

/** The position after the brace that closes the one at `open`, or -1 if there is none. */
export function closeOf(text: string, open: number): number {
  let depth = 0
  let inClass = false
  for (let i = open; i < text.length; i++) {
    const char = text[i]
    if (char === '\\') i++
    else if (inClass) inClass = char !== ']'
    else if (char === '[') {
      inClass = true
      // A bracket right after the opening one is a character of the class.
      const first = text[i + 1] === '^' ? i + 2 : i + 1
      if (text[first] === ']') i = first
    } else if (char === '{') depth++
    else if (char === '}' && --depth === 0) return i + 1
  }
  return -1
}

/** Removes the backslash of `\{`, `\}` and `\\`. */
export function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([{}\\])/g, '$1') : text
}

/** The inverse of `unescaped`. */
export function escaped(text: string): string {
  return text.replace(/[{}\\]/g, '\\$&')
}

/** The position of the first brace that is not escaped, or -1. */
export function firstBrace(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '{' || text[i] === '}') return i
  }
  return -1
}
