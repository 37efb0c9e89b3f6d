import { expect, test } from 'vitest'
import { formatNamed, formats } from './registry.ts'

test('format names are unique and formatNamed finds them', () => {
  expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length)
  for (const format of formats) expect(formatNamed(format.name)).toBe(format)
  expect(formatNamed('toString')).toBeUndefined()
})

test.each(formats)('$name declares its name, title, extensions and directions', format => {
  expect(format.name).toMatch(/^[a-z][a-z0-9-]*$/)
  expect(format.title).not.toBe('')
  for (const extension of format.extensions) expect(extension).toMatch(/^\.[a-z0-9.-]+$/)
  expect('reads' in format).toBe('read' in format)
  expect('writes' in format).toBe('write' in format)
  expect('read' in format || 'write' in format).toBe(true)
})
