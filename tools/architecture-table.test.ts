import { describe, expect, it } from 'vitest'
import { allowedImports } from './allowed-imports.ts'
import { readArchitecture, withArchitectureTable } from './architecture-table.ts'
import { folderPurposes } from './folder-purposes.ts'

describe('the table in ARCHITECTURE.md', () => {
  it('matches tools/allowed-imports.ts', () => {
    const page = readArchitecture()
    expect(page, 'run `npm run architecture-table`').toBe(withArchitectureTable(page))
  })

  it('states the purpose of every folder', () => {
    expect(Object.keys(folderPurposes).toSorted()).toEqual(Object.keys(allowedImports).toSorted())
  })
})
