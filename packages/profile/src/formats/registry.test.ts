import { expect, test } from 'vitest'
import { formatNamed, formats } from './registry.ts'

test('names are unique and found', () => {
  expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length)
  for (const format of formats) expect(formatNamed(format.name)).toBe(format)
  expect(formatNamed('toString')).toBeUndefined()
})

test.each(formats)('$name says what it can do', format => {
  expect(format.name).toMatch(/^[a-z][a-z0-9-]*$/)
  expect(format.title).not.toBe('')
  for (const extension of format.extensions) expect(extension).toMatch(/^\.[a-z0-9.-]+$/)
  expect('reads' in format).toBe('read' in format)
  expect('writes' in format).toBe('write' in format)
  expect('read' in format || 'write' in format).toBe(true)
})
