import { describe, expect, it } from 'vitest'
import { importCycles } from './import-cycles.ts'

describe('importCycles', () => {
  it('returns files that import each other, types included', () => {
    const cycles = importCycles([
      { path: 'packages/a/src/one.ts', text: "import type { Two } from './two.ts'" },
      { path: 'packages/a/src/two.ts', text: "import { three } from '../src/three.ts'" },
      { path: 'packages/a/src/three.ts', text: "import { one } from './one.ts'\nimport { b } from '@hearth/b'" },
      { path: 'packages/b/src/index.ts', text: '' },
    ])
    expect(cycles).toEqual([['packages/a/src/one.ts', 'packages/a/src/three.ts', 'packages/a/src/two.ts']])
  })

  it('finds cycles through the entry points of packages', () => {
    const cycles = importCycles([
      { path: 'packages/a/src/index.ts', text: "export * from '@hearth/b/part'" },
      { path: 'packages/b/src/part.ts', text: "import { a } from '@hearth/a'" },
    ])
    expect(cycles).toEqual([['packages/a/src/index.ts', 'packages/b/src/part.ts']])
  })

  it('accepts files that share an import', () => {
    const cycles = importCycles([
      { path: 'a.ts', text: "import './b.ts'\nimport './c.ts'" },
      { path: 'b.ts', text: "import './c.ts'" },
      { path: 'c.ts', text: '' },
    ])
    expect(cycles).toEqual([])
  })
})
