import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { detectFolded } from './detect.ts'
import { utf16 } from './testing/fixtures.ts'

describe('detection', () => {
  test.each([
    ['certain', 'a;b 1\nc 2\n'],
    ['certain', '# dialect=extended type=x unit=y\n'],
    ['certain', 'a;b;c 5 k=v 17\n'],
    ['possible', 'main 1\nother 2\n'],
    ['possible', 'a;b 1\nbroken line\nc;d 2\n'],
    ['certain', 'a;b 1\na;c 2\na;cut off in the mid'],
    ['no', ''],
    ['no', '\n\n# only comments\n'],
    ['no', 'Lorem ipsum dolor\nsit amet 5\n'],
    ['no', '{"a": 1}'],
    ['no', 'a;b 1\n\u0000\u0001'],
    ['no', '<svg>\n<g x="1;2">\n'],
  ] as const)('%s: %j', (confidence, text) => {
    expect(detectFolded(encodeUtf8(text))).toBe(confidence)
  })

  test('a head cut in the middle of a character is still detected as UTF-16', () => {
    expect(detectFolded(utf16('a;b 1\na;c 2\n', 'little').subarray(0, 21))).toBe('certain')
  })
})
