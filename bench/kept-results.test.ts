import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withEarlier } from './kept-results.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-kept-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('withEarlier', () => {
  const run = (results: readonly string[], isContinued: boolean): readonly string[] =>
    withEarlier('letters', results, text => text[0], { folder, isContinued })

  it('adds the results of earlier runs, and replaces those with the same key', () => {
    expect(run(['a1', 'b1'], false)).toEqual(['a1', 'b1'])
    expect(run(['b2', 'c2'], true)).toEqual(['a1', 'b2', 'c2'])
    expect(run(['d3'], true)).toEqual(['a1', 'b2', 'c2', 'd3'])
  })

  it('starts over without earlier runs', () => {
    run(['a1'], false)
    expect(run(['b2'], false)).toEqual(['b2'])
    expect(run(['c3'], true)).toEqual(['b2', 'c3'])
  })
})
