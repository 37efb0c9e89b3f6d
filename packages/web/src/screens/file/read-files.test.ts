import { describe, expect, it } from 'vitest'
import type { FileMeasure, FileSummary } from '../../worker/messages.ts'
import { measureIn, sharedTypes } from './read-files.ts'

function fileWith(...types: readonly string[]): FileSummary {
  const measures = types.map(type => ({ type }) as FileMeasure)
  return { file: types.join(), measures } as unknown as FileSummary
}

describe('sharedTypes', () => {
  it('returns the types that both files have, in the order of the first', () => {
    expect(sharedTypes([fileWith('cpu:ns', 'samples:1')])).toEqual(['cpu:ns', 'samples:1'])
    expect(sharedTypes([fileWith('cpu:ns', 'samples:1', 'wall:ns'), fileWith('wall:ns', 'samples:1')])).toEqual([
      'samples:1',
      'wall:ns',
    ])
    expect(sharedTypes([fileWith('cpu:ns'), fileWith('samples:1')])).toEqual([])
    expect(sharedTypes([fileWith('cpu:ns'), fileWith()])).toEqual([])
  })
})

describe('measureIn', () => {
  it('returns the first measure of a file that does not have the type', () => {
    expect(measureIn(fileWith('cpu:ns', 'samples:1'), 'samples:1')?.type).toBe('samples:1')
    expect(measureIn(fileWith('cpu:ns', 'samples:1'), 'heap:By')?.type).toBe('cpu:ns')
    expect(measureIn(fileWith(), 'cpu:ns')).toBeUndefined()
  })
})
