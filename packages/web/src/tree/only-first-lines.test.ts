import { describe, expect, it } from 'vitest'
import type { FunctionLine } from './only-first-lines.ts'
import { hasOnlyFirstLines } from './only-first-lines.ts'

const of = (name: string, line: number, self: number, type = 'v8js'): FunctionLine => ({
  name,
  file: 'app.js',
  line,
  type,
  self,
})

describe('hasOnlyFirstLines', () => {
  it('accepts functions of V8 with a single line each, except for a few that share a name', () => {
    expect(hasOnlyFirstLines([of('render', 10, 60), of('parse', 30, 35), of('get', 50, 3), of('get', 70, 2)])).toBe(
      true,
    )
    expect(hasOnlyFirstLines([of('render', 10, 60), of('parse', 30, 40), of('main', 5, 900, 'native')])).toBe(true)
  })

  it('rejects executing lines, other code, and a single function, whose line can be either', () => {
    expect(hasOnlyFirstLines([of('render', 12, 40), of('render', 14, 30), of('parse', 31, 30)])).toBe(false)
    expect(hasOnlyFirstLines([of('render', 10, 60, 'native'), of('parse', 30, 40, 'native')])).toBe(false)
    expect(hasOnlyFirstLines([of('render', 10, 60)])).toBe(false)
    expect(hasOnlyFirstLines([of('render', 0, 60), of('parse', 0, 40)])).toBe(false)
  })
})
