import { describe, expect, test } from 'vitest'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { WireError } from '../../wire/wire-error.ts'
import { fixed64, join, len, packed, text, unpacked, varint } from '../testing/wire.ts'
import type { MessageShape } from './message-parts.ts'
import { MessageParts, PartsSource } from './message-parts.ts'

const shape: MessageShape = {
  name: 'Thing',
  fields: {
    1: ['count', 'varint'],
    2: ['time', 'fixed64'],
    3: ['name', 'bytes'],
    4: ['parts', 'message'],
    5: ['indexes', 'numbers'],
  },
}

function parts(bytes: Uint8Array, lenient = false): MessageParts {
  return new MessageParts(new PartsSource(bytes, lenient), shape).read(0, bytes.length)
}

function indexes(message: MessageParts): number[] {
  const column = new GrowingInts()
  message.pushIndexes(5, column)
  return [...column.view()]
}

describe('MessageParts', () => {
  test('returns numbers, bytes and messages, and the last occurrence of single fields', () => {
    const message = parts(
      join(varint(1, 3), fixed64(2, 2n ** 64n - 1n), text(3, 'a'), len(4), text(3, 'bc'), len(4), varint(1, 5)),
    )
    expect(message.uint32(1)).toBe(5)
    expect(message.uint64(2)).toBe(2n ** 64n - 1n)
    expect(message.int64(2)).toBe(-1n)
    expect([...message.view(3)]).toEqual([0x62, 0x63])
    expect(message.count(4)).toBe(2)
    expect(message.flag(1)).toBe(true)
  })

  test('returns zero for unset fields', () => {
    const message = parts(new Uint8Array(0))
    expect([message.uint32(1), message.uint64(2), message.view(3).length, message.flag(1)]).toEqual([0, 0n, 0, false])
    expect(indexes(message)).toEqual([])
  })

  test('reads packed and unpacked lists in several runs', () => {
    const message = parts(join(packed(5, [1, 300]), unpacked(5, [2, 70_000]), packed(5, [2 ** 32, 4])))
    expect(indexes(message)).toEqual([1, 300, 2, 70_000, -1, 4])
  })

  test('reads many messages with one object', () => {
    const first = join(varint(1, 3), packed(5, [1]))
    const second = varint(1, 4)
    const message = new MessageParts(new PartsSource(join(first, second), false), shape).read(0, first.length)
    message.read(first.length, first.length + second.length)
    expect([message.uint32(1), message.count(5)]).toEqual([4, 0])
    message.add(0, first.length)
    expect([message.uint32(1), message.count(5)]).toEqual([3, 1])
  })

  test('counts unknown fields', () => {
    const source = new PartsSource(join(varint(9, 3), text(10, 'x'), varint(1, 1)), false)
    expect(new MessageParts(source, shape).read(0, source.bytes.length).uint32(1)).toBe(1)
    expect(source.unknownFields).toBe(2)
  })

  test.each([
    ['another wire type', varint(2, 1), 'Thing.time is varint, expected fixed64'],
    [
      'a length beyond the end',
      text(3, 'abc').subarray(0, 3),
      'length 3 runs past the end of its message (1 bytes left)',
    ],
    ['a field without a number', Uint8Array.of(2), 'invalid field number'],
  ])('rejects %s', (_, bytes, what) => {
    expect(() => parts(bytes)).toThrow(WireError)
    expect(() => parts(bytes)).toThrow(what)
  })

  test('rejects numbers that are too large for an index', () => {
    expect(() => parts(varint(1, 2n ** 32n)).uint32(1)).toThrow('number does not fit in uint32')
  })
})

describe('MessageParts, lenient', () => {
  test('truncates messages and lists and drops incomplete strings', () => {
    const message = parts(join(varint(1, 7), len(4, varint(1, 1), varint(1, 2))).subarray(0, 6), true)
    expect([message.uint32(1), message.to(4, 0) - message.from(4, 0), message.source.broken]).toEqual([7, 2, 1])
    const list = parts(packed(5, [1, 2, 300]).subarray(0, 5), true)
    expect(indexes(list)).toEqual([1, 2])
    const string = parts(join(varint(1, 7), text(3, 'abc')).subarray(0, 5), true)
    expect([string.uint32(1), string.view(3).length, string.source.broken]).toEqual([7, 0, 1])
  })

  test('drops a truncated number and reads the others', () => {
    const message = parts(Uint8Array.of(8, 5, 8, 0xff), true)
    expect([message.uint32(1), message.count(1)]).toEqual([5, 1])
  })
})
