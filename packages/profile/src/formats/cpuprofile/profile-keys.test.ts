// Profiles of V8 inside a message of the DevTools protocol.
import { describe, expect, it } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { detectFormat } from '../detect.ts'
import { FormatError } from '../format.ts'
import { heapprofile } from '../heapprofile/index.ts'
import { fixturesOf } from '../testing/fixtures-of.ts'
import { cpuprofile } from './index.ts'

describe.each([cpuprofile, heapprofile])('$name in a message of the DevTools protocol', format => {
  const [{ bytes: bare }] = fixturesOf(format)
  const text = decodeUtf8(bare)

  it.each([
    `{"profile":${text}}`,
    `{"result":{"profile":${text}}}`,
    `{"id":4,"sessionId":"A1","result":{"profile":${text}}}`,
    `{"method":"Profiler.consoleProfileFinished","params":{"id":"1","location":{"lineNumber":1},"profile":${text}}}`,
  ])('reads like the profile alone: %.50s', message => {
    const bytes = encodeUtf8(message)
    expect(detectFormat(bytes, '')?.format).toBe(format)
    const wrapped = format.read!(bytes, {})
    const alone = format.read!(bare, {})
    expect(difference(wrapped.profiles, alone.profiles)).toBeUndefined()
    expect(wrapped.notes).toEqual(alone.notes)
  })

  it('is rejected if the message has no profile', () => {
    expect(() => format.read!(encodeUtf8('{"result":{}}'), {})).toThrow(FormatError)
  })
})
