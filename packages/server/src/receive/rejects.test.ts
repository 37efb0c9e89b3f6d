import { expect, test } from 'vitest'
import { Rejects } from './rejects.ts'

test('Rejects has an empty message if nothing was rejected', () => {
  const rejects = new Rejects()
  expect([rejects.count, rejects.message(), rejects.reasons.size]).toEqual([0, '', 0])
})

test('Rejects counts all items and reports the first three', () => {
  const rejects = new Rejects()
  for (const i of [0, 1, 2]) rejects.add('trace-id', `spans[${i}]`, 'no id')
  expect(rejects.message()).toBe('spans[0]: no id; spans[1]: no id; spans[2]: no id')
  rejects.add('attributes', 'spans[3]', 'too many')
  rejects.add('attributes', 'spans[9]', 'too many')
  expect(rejects.count).toBe(5)
  expect([...rejects.reasons]).toEqual([
    ['trace-id', 3],
    ['attributes', 2],
  ])
  expect(rejects.message()).toBe('spans[0]: no id; spans[1]: no id; spans[2]: no id; and 2 more')
})

test('Rejects counts several items for one reason', () => {
  const rejects = new Rejects()
  rejects.add('attributes', 'resourceSpans[0]', 'too many', 7)
  expect([rejects.count, rejects.reasons.get('attributes')]).toEqual([7, 7])
  expect(rejects.message()).toBe('resourceSpans[0]: too many; and 6 more')
})
