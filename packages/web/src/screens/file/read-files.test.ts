// What several files have in common.
import { expect, test } from 'vitest'
import type { FileMeasure, FileSummary } from '../../worker/messages.ts'
import { measureIn, sharedTypes } from './read-files.ts'

function fileWith(...types: readonly string[]): FileSummary {
  const measures = types.map(type => ({ type }) as FileMeasure)
  return { file: types.join(), measures } as unknown as FileSummary
}

test('files are compared by what both have, in the order of the first', () => {
  expect(sharedTypes([fileWith('cpu:ns', 'samples:1')])).toEqual(['cpu:ns', 'samples:1'])
  expect(sharedTypes([fileWith('cpu:ns', 'samples:1', 'wall:ns'), fileWith('wall:ns', 'samples:1')])).toEqual([
    'samples:1',
    'wall:ns',
  ])
  expect(sharedTypes([fileWith('cpu:ns'), fileWith('samples:1')])).toEqual([])
  expect(sharedTypes([fileWith('cpu:ns'), fileWith()])).toEqual([])
})

test('a type that a file has not is its first', () => {
  expect(measureIn(fileWith('cpu:ns', 'samples:1'), 'samples:1')?.type).toBe('samples:1')
  expect(measureIn(fileWith('cpu:ns', 'samples:1'), 'heap:By')?.type).toBe('cpu:ns')
  expect(measureIn(fileWith(), 'cpu:ns')).toBeUndefined()
})
