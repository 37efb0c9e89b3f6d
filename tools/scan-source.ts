// Splits a TypeScript source into code, comments and texts without a TypeScript parser. One pass is enough for the checks
// in this folder, which look at imports and at English, never at types.

export interface SourcePart {
  readonly kind: 'code' | 'comment' | 'string' | 'template' | 'regexp'
  /** The text without its delimiters: no slashes, stars or quotes. Code is as written. */
  readonly text: string
  /** 1-based line on which the part starts. */
  readonly line: number
}

// After one of these a slash starts a regular expression; after anything else it divides.
const beforeRegExp = /(?:^|[=(,:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|delete|void|throw|await|yield))$/

/** The parts of a source in order. A template with substitutions gives one `template` part per stretch of text. */
export function scanSource(source: string): readonly SourcePart[] {
  const parts: SourcePart[] = []
  // One entry per open `${`: how many braces are open inside it.
  const substitutions: number[] = []
  let at = 0
  let line = 1
  let code = ''
  let codeLine = 1

  const add = (kind: SourcePart['kind'], text: string, end: number): void => {
    if (code !== '') parts.push({ kind: 'code', text: code, line: codeLine })
    parts.push({ kind, text, line })
    for (; at < end; at++) if (source[at] === '\n') line++
    code = ''
    codeLine = line
  }
  const addTemplate = (start: number): void => {
    let end = start
    while (end < source.length && source[end] !== '`' && !source.startsWith('${', end)) {
      end += source[end] === '\\' ? 2 : 1
    }
    const opens = source.startsWith('${', end)
    if (opens) substitutions.push(0)
    add('template', source.slice(start, end), Math.min(source.length, end + (opens ? 2 : 1)))
  }

  while (at < source.length) {
    const c = source[at]
    const next = source[at + 1]
    if (c === '/' && next === '/') {
      const end = endOf(source, '\n', at)
      add('comment', source.slice(at + 2, end), end)
    } else if (c === '/' && next === '*') {
      const end = endOf(source, '*/', at + 2)
      add('comment', source.slice(at + 2, end), Math.min(source.length, end + 2))
    } else if (c === "'" || c === '"') {
      const end = endOfQuoted(source, at)
      add('string', source.slice(at + 1, end - 1), end)
    } else if (c === '`') {
      addTemplate(at + 1)
    } else if (c === '/' && beforeRegExp.test(code.slice(-16).replace(/[ \t]+$/, ''))) {
      const end = endOfRegExp(source, at)
      add('regexp', source.slice(at, end), end)
    } else if (c === '}' && substitutions.at(-1) === 0) {
      substitutions.pop()
      addTemplate(at + 1)
    } else {
      const inside = substitutions.length - 1
      if (inside >= 0 && c === '{') substitutions[inside]++
      if (inside >= 0 && c === '}') substitutions[inside]--
      if (c === '\n') line++
      code += c
      at++
    }
  }
  if (code !== '') parts.push({ kind: 'code', text: code, line: codeLine })
  return parts
}

function endOf(source: string, what: string, from: number): number {
  const end = source.indexOf(what, from)
  return end < 0 ? source.length : end
}

/** One past the closing quote, or past the line where it is missing. */
function endOfQuoted(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === source[start] || source[at] === '\n') return at + 1
  }
  return source.length
}

function endOfRegExp(source: string, start: number): number {
  let inClass = false
  for (let at = start + 1; at < source.length; at++) {
    const c = source[at]
    if (c === '\\') at++
    else if (c === '[') inClass = true
    else if (c === ']') inClass = false
    else if (c === '\n' || (c === '/' && !inClass)) return c === '\n' ? at : at + 1
  }
  return source.length
}
