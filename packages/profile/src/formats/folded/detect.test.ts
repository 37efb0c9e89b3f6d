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
    ['possible', 'a;b 1\nc;d\n'],
    ['possible', 'a;b\u0001 1\nc;d 2\n'],
    ['no', 'a\nb\nc;d 1\n'],
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

  test('a file named as folded needs one stack', () => {
    expect(detectFolded(encodeUtf8('a title\nanother\nc;d 1\n'), 'CPU.Folded')).toBe('possible')
    expect(detectFolded(encodeUtf8('a title\nanother\n'), 'cpu.folded')).toBe('no')
  })

  test('a head cut in the middle of a character is still detected as UTF-16', () => {
    expect(detectFolded(utf16('a;b 1\na;c 2\n', 'little').subarray(0, 21))).toBe('certain')
  })
})
