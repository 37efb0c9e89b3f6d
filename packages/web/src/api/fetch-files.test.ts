// Which addresses the page opens files from: its own server's alone.
import { expect, test } from 'vitest'
import { fileAddress } from './fetch-files.ts'

const PAGE = 'http://127.0.0.1:4040/hearth/'

test('below the page', () => {
  expect(fileAddress('files/secret/0/a%20b.pprof', PAGE).href).toBe(`${PAGE}files/secret/0/a%20b.pprof`)
})

test.each([
  'http://elsewhere/a.pprof',
  '//elsewhere/a.pprof',
  '/api/v1/status',
  '../a.pprof',
  'http://127.0.0.1:4041/hearth/a',
  'data:,a',
  'file:///etc/passwd',
  '\\\\elsewhere\\a',
])('not %s', open => {
  expect(() => fileAddress(open, PAGE)).toThrow('is not where this page comes from')
})
