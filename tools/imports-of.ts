// Finds what a TypeScript source imports, by plain expressions over its code with strings replaced by their numbers.
import { scanSource } from './scan-source.ts'

export interface Import {
  /** 1-based. */
  readonly line: number
  /** Undefined if it is computed at run time, as in `import(path)`. */
  readonly name: string | undefined
}

/** Code with every string replaced by its index in `strings`: `import a from 'b'` becomes `import a from "0"`. */
interface Skeleton {
  readonly code: string
  readonly strings: readonly string[]
}

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

/** Line breaks stay where they were, so that offsets give lines. */
function skeletonOf(source: string): Skeleton {
  const strings: string[] = []
  let code = ''
  for (const { kind, text } of scanSource(source)) {
    if (kind === 'code') code += text
    else if (kind === 'string') code += `"${strings.push(text) - 1}"`
    else code += (kind === 'regexp' ? '0' : kind === 'template' ? '`' : ' ') + text.replace(/[^\n]/g, '')
  }
  return { code, strings }
}
