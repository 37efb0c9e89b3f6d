import { describe, expect, it } from 'vitest'
import { checkLanguage } from './check-language.ts'

function found(path: string, text: string): readonly string[] {
  return checkLanguage(path, text).map(({ line, found }) => `${line}: ${found.split(' ').slice(0, 2).join(' ')}`)
}

describe('checkLanguage', () => {
  it('reports a comment that opens with a relative clause, with its line', () => {
    expect(found('a.ts', 'const a = 1\n/** What is stored. */\nconst b = 2')).toEqual(['2: What'])
    expect(found('a.ts', '/** Where source code is. */\n/** Where spans overlap, the last one counts. */')).toEqual([
      '1: Where',
    ])
    expect(found('a.ts', '// Rows of a table. Of these the first is empty.')).toEqual(['1: Of'])
  })

  it('reads comments of consecutive lines as one text', () => {
    expect(found('a.ts', '// The rows,\n// What follows.\n\n// Those last.')).toEqual(['4: Those'])
  })

  it('accepts real questions and words inside backquotes', () => {
    expect(found('a.ts', '// What happens on overflow? The sum wraps.\n// Calls `weigh`.')).toEqual([])
  })

  it('reports words in errors, UI texts and template texts', () => {
    expect(found('a.ts', 'throw new Error(`too many questions: ${n}`)')).toEqual(['1: questions'])
    expect(found('a.tsx', 'const a = <button>Ask again</button>')).toEqual(['1: Ask again'])
    expect(found('a.ts', "throw new Error('leave it out')")).toEqual(['1: leave it'])
  })

  it('reports test names that are fragments', () => {
    expect(found('a.test.ts', "describe('x', () => {\n  it('of nothing', () => {})\n})")).toEqual(['2: Of'])
  })

  it('reports identifiers in code but not inside strings', () => {
    expect(found('a.ts', "const MOST_STEPS = 'MOST_STEPS'")).toEqual(['1: MOST_STEPS'])
  })

  it('reports words in Markdown outside code blocks', () => {
    expect(found('a.md', 'A question.\n\n```\na question\n```\n\nanew')).toEqual(['1: question', '7: anew'])
  })

  it('ignores SQL', () => {
    expect(found('a.ts', "const sql = 'SELECT question FROM anew'")).toEqual([])
  })
})
