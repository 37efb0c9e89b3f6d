// Selecting profiles, and making a payload of them.
import { pickProfiles, validate } from '@hearth/profile'
import { expect, test } from 'vitest'
import { inspectInput } from './inspection.ts'
import type { Inspection } from './inspection.ts'
import { selectProfiles } from './select-profiles.ts'
import { beforeProfiles } from '../testing/example-profiles.ts'

const all = beforeProfiles()

function inspected(profiles: typeof all): Inspection {
  const file = { file: 'x', size: 0, contentSize: 0, compression: 'none', format: 'otlp', generation: '' } as const
  return inspectInput({ ...file, confidence: 'given', profiles, notes: [] })
}

test('extractProfiles keeps everything of a profile', () => {
  const [cpu, alloc, batch] = inspected(all).profiles
  expect(inspected(pickProfiles(all, [1])).profiles).toEqual([alloc])
  expect(inspected(pickProfiles(all, [2])).profiles).toEqual([{ ...batch, resource: 0, scope: 0 }])
  expect(inspected(pickProfiles(all, [0, 2])).profiles).toEqual([cpu, batch])
})

test('extractProfiles drops resources without a profile and unused rows', () => {
  const picked = pickProfiles(all, [2])
  expect(inspected(picked).resources).toEqual([{ attributes: { 'service.name': 'batch' }, schemaUrl: '' }])
  expect(inspected(picked).dictionary).toMatchObject({ functions: 1, locations: 2, stacks: 2 })
  expect(validate(picked)).toEqual([])
})

test('extractProfiles returns the payload itself for all profiles', () => {
  expect(pickProfiles(all, [0, 1, 2])).toBe(all)
})

test('selectProfiles selects by type, and by unit in any spelling', () => {
  expect(selectProfiles(all, undefined, 'x')).toEqual({ rows: [0, 2], type: 'cpu', unit: 'ns' })
  expect(selectProfiles(all, 'cpu:nanoseconds', 'x').rows).toEqual([0, 2])
  expect(selectProfiles(all, 'alloc_space', 'x').rows).toEqual([1])
  expect(() => selectProfiles(all, 'cpu:count', 'x')).toThrow('x: no profile of type "cpu:count"')
})
