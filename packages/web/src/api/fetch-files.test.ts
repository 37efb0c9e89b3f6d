// Tests that the UI opens files only from its own server.
import { expect, test } from 'vitest'
import { fileAddress } from './fetch-files.ts'

const PAGE = 'http://127.0.0.1:4040/hearth/'

test('fileAddress accepts addresses below the path of the UI', () => {
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
])('fileAddress rejects %s', open => {
  expect(() => fileAddress(open, PAGE)).toThrow('is not the server of this UI')
})
