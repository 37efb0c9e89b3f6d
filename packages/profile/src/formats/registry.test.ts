import { expect, test } from 'vitest'
import { formatNamed, formats } from './registry.ts'

test('names are unique and found', () => {
  expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length)
  for (const format of formats) expect(formatNamed(format.name)).toBe(format)
  expect(formatNamed('toString')).toBeUndefined()
})

test.each(formats)('$name says what it can do', ({ name, title, extensions, reads, writes, read, write }) => {
  expect(name).toMatch(/^[a-z][a-z0-9-]*$/)
  expect(title).not.toBe('')
  for (const extension of extensions) expect(extension).toMatch(/^\.[a-z0-9.-]+$/)
  expect(reads === undefined).toBe(read === undefined)
  expect(writes === undefined).toBe(write === undefined)
  expect(read ?? write).toBeDefined()
})
