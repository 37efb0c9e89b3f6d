import { expect, test } from 'vitest'
import { WireError } from '../../wire/wire-error.ts'
import { join, len, text } from '../testing/wire.ts'
import { checkedKeyValue, checkedResource, checkedScope } from './decode-common.ts'

const broken = Uint8Array.of(0x61, 0xff)

test('strings that are not UTF-8 are rejected at any depth', () => {
  const key = len(1, broken)
  const nested = join(text(1, 'k'), len(2, len(6, len(1, text(1, 'a'), len(2, len(5, len(1, len(1, broken))))))))
  expect(() => checkedKeyValue(key, 0, key.length)).toThrow(WireError)
  expect(() => checkedKeyValue(nested, 0, nested.length)).toThrow('string is not valid UTF-8')
  const entity = len(3, len(2, broken))
  expect(() => checkedResource(entity, 0, entity.length)).toThrow(WireError)
  expect(() => checkedScope(key, 0, key.length)).toThrow(WireError)
})

test('byte values may be anything, and strings may contain a replacement character', () => {
  const bytes = join(text(1, 'k'), len(2, len(7, broken)))
  expect(checkedKeyValue(bytes, 0, bytes.length).value).toEqual(broken)
  const replaced = join(text(1, 'k\ufffd'), len(2, text(1, 'é')))
  expect(checkedKeyValue(replaced, 0, replaced.length)).toEqual({ key: 'k\ufffd', value: 'é' })
})
