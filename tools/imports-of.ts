// Finds what a TypeScript source imports, without a TypeScript parser: one pass blanks comments, template text and
// regular expressions and numbers the strings, so that what is left can be matched by plain expressions.

export interface Import {
  readonly line: number // 1-based
  readonly name: string | undefined // undefined: computed at run time, as in import(path)
}

// Code with every string replaced by its index in `strings`: `import a from 'b'` becomes `import a from "0"`.
// Line breaks stay where they were.
interface Skeleton {
  readonly code: string
  readonly strings: readonly string[]
}

// After one of these a slash starts a regular expression; after anything else it divides.
const beforeRegExp = /(?:^|[=(,:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|delete|void|throw|await|yield))$/

export function importsOf(source: string): readonly Import[] {
  const { code, strings } = skeletonOf(source)
  const found: Import[] = []
  const lineAt = (offset: number): number => code.slice(0, offset).split('\n').length
  for (const pattern of [
    /(?<![.\w$])(?:import|export)\b[\w$*{},\s"]*?\bfrom\s*"(\d+)"/g,
    /(?<![.\w$])import\s*"(\d+)"/g,
    /(?<![.\w$])(?:import|require)\s*\(\s*"(\d+)"/g,
  ]) {
    for (const match of code.matchAll(pattern)) {
      found.push({ line: lineAt(match.index + match[0].length), name: strings[Number(match[1])] })
    }
  }
  for (const match of code.matchAll(/(?<![.\w$])import\s*\(\s*[^"\s]/g)) {
    found.push({ line: lineAt(match.index), name: undefined })
  }
  return found.sort((a, b) => a.line - b.line)
}

function skeletonOf(source: string): Skeleton {
  const strings: string[] = []
  // One entry per open `${`: how many braces are open inside it.
  const substitutions: number[] = []
  let code = ''
  let at = 0

  const skipTemplateText = (): void => {
    while (at < source.length) {
      const c = source[at]
      if (c === '\\') at += 2
      else if (c === '`') {
        at++
        code += '``'
        return
      } else if (c === '$' && source[at + 1] === '{') {
        at += 2
        code += '`('
        substitutions.push(0)
        return
      } else {
        if (c === '\n') code += '\n'
        at++
      }
    }
  }

  while (at < source.length) {
    const c = source[at]
    const next = source[at + 1]
    if (c === '/' && next === '/') {
      at = endOf(source, '\n', at)
    } else if (c === '/' && next === '*') {
      const end = Math.min(source.length, endOf(source, '*/', at + 2) + 2)
      code += ' ' + source.slice(at, end).replace(/[^\n]/g, '')
      at = end
    } else if (c === "'" || c === '"') {
      const end = endOfQuoted(source, at)
      code += `"${strings.length}"`
      strings.push(source.slice(at + 1, end - 1))
      at = end
    } else if (c === '`') {
      at++
      skipTemplateText()
    } else if (c === '/' && beforeRegExp.test(code.slice(-16).replace(/[ \t]+$/, ''))) {
      at = endOfRegExp(source, at)
      code += '0'
    } else if (c === '}' && substitutions.at(-1) === 0) {
      substitutions.pop()
      code += ')'
      at++
      skipTemplateText()
    } else {
      const inside = substitutions.length - 1
      if (inside >= 0 && c === '{') substitutions[inside]++
      if (inside >= 0 && c === '}') substitutions[inside]--
      code += c
      at++
    }
  }
  return { code, strings }
}

function endOf(source: string, what: string, from: number): number {
  const end = source.indexOf(what, from)
  return end < 0 ? source.length : end
}

// One past the closing quote, or past the line where it is missing.
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
