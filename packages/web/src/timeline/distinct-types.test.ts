import { expect, test } from 'vitest'
import { distinctTypes } from './distinct-types.ts'

const of = (type: string, alike: string) => ({ type, unit: type.slice(type.lastIndexOf(':') + 1), alike })
const types = [of('samples:count', '9'), of('cpu:ns', '9'), of('exceptions:count', '3'), of('alloc_space:By', '3')]

test('distinctTypes omits a count of events that are measured as well, unless it is selected', () => {
  expect(distinctTypes(types, 'cpu:ns')).toEqual(['cpu:ns', 'alloc_space:By'])
  expect(distinctTypes(types, 'samples:count')).toEqual(['samples:count', 'cpu:ns', 'alloc_space:By'])
  expect(distinctTypes([of('samples:count', '9'), of('goroutine:count', '9')], '')).toHaveLength(2)
})
