// The reader against JSON.parse: the same values, the same rejections, and errors with positions.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonReaderOptions } from './json-reader.ts'
import { JsonError, JsonReader } from './json-reader.ts'
import { decodeUtf8, encodeUtf8 } from '../utf8.ts'

const readerOf = (text: string, options?: JsonReaderOptions) => new JsonReader(encodeUtf8(text), options)

function errorOf(action: () => unknown): JsonError {
  try {
    action()
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

// Inserts white space wherever the grammar allows it, outside strings.
function spaced(text: string, spaces: readonly string[]): string {
  let count = 0
  const space = () => spaces[count++ % spaces.length]
  return text.replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"]+/g, token => `${space()}${token}${space()}`)
}

// JSON.parse has no bigints.
function plain(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item))
}

const spaces = fc.array(fc.constantFrom('', ' ', '\n', '\t', '\r\n', '  \n\t '), { minLength: 1, maxLength: 5 })

describe('JsonReader.value', () => {
  test('returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), spaces, (value, space) => {
        const text = spaced(JSON.stringify(value), space)
        const reader = readerOf(text)
        expect(plain(reader.value())).toBe(JSON.stringify(JSON.parse(text)))
        expect(reader.peek()).toBe('end')
        const skipper = readerOf(text)
        skipper.skip()
        expect(skipper.offset).toBe(encodeUtf8(text.trimEnd()).length)
      }),
      { numRuns: 500 },
    )
  })

  test('accepts and rejects modified bytes like JSON.parse', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const byte = fc.oneof(
      fc.constantFrom(...encodeUtf8('{}[]",:0123456789.eE+-tfn\\u/b \n\0\x1f')),
      fc.integer({ min: 0, max: 255 }),
    )
    const changes = fc.array(fc.tuple(fc.nat(), byte, fc.constantFrom('set', 'insert', 'delete')), { maxLength: 3 })
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), changes, (value, edits) => {
        const list = [...encodeUtf8(JSON.stringify(value))]
        for (const [at, to, kind] of edits) {
          const index = at % (list.length + 1)
          if (kind === 'set' && index < list.length) list[index] = to
          else list.splice(index, kind === 'delete' ? 1 : 0, ...(kind === 'delete' ? [] : [to]))
        }
        const bytes = Uint8Array.from(list)
        let expected: string | undefined
        try {
          expected = JSON.stringify(JSON.parse(strict.decode(bytes)))
        } catch {
          expected = undefined
        }
        const whole = (read: (reader: JsonReader) => unknown): unknown => {
          const reader = new JsonReader(bytes)
          const result = read(reader)
          if (reader.peek() !== 'end') reader.fail('more than one value')
          return result
        }
        if (expected === undefined) {
          const reading = errorOf(() => whole(reader => reader.value()))
          const skipping = errorOf(() => whole(reader => reader.skip()))
          expect([skipping.message, skipping.offset]).toEqual([reading.message, reading.offset])
          expect(reading.offset).toBeLessThanOrEqual(bytes.length)
        } else {
          // Lone surrogates become U+FFFD here, and integers beyond 2^53 are exact.
          const safe = (text: string) => text.replace(/\\ud[89a-f]../g, '\ufffd')
          expect(plain(whole(reader => reader.value()))).toBe(safe(expected))
          whole(reader => reader.skip())
        }
      }),
      { numRuns: 500 },
    )
  })

  test('returns integers beyond 2^53 as bigints if they fit into 64 bits', () => {
    const text =
      '[9007199254740991, 9007199254740993, -9223372036854775808, 18446744073709551615, 1e20, 18446744073709551616, -0]'
    expect(readerOf(text).value()).toEqual([
      9007199254740991,
      9007199254740993n,
      -(2n ** 63n),
      2n ** 64n - 1n,
      1e20,
      2 ** 64,
      -0,
    ])
  })

  test('treats __proto__ like any other key', () => {
    const value = readerOf('{"__proto__":{"polluted":true},"constructor":1}').value() as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect('polluted' in value).toBe(false)
    expect('toString' in value).toBe(false)
  })
})

describe('JsonReader on objects and arrays', () => {
  test('skips values that are not read', () => {
    const reader = readerOf('{"a":{"x":[1,{"y":2}]},"b":[1,[2],"]"],"c":3,"d":"}"}')
    reader.beginObject()
    const keys: string[] = []
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      keys.push(key)
      if (key === 'c') expect(reader.number()).toBe(3)
    }
    expect(keys).toEqual(['a', 'b', 'c', 'd'])
    expect(reader.peek()).toBe('end')
  })

  test('leave closes the open container at any position', () => {
    const reader = readerOf('[[1,2,3],[{"a":1,"b":2}],[],5]')
    reader.beginArray()
    reader.nextItem()
    reader.beginArray()
    reader.nextItem()
    expect(reader.number()).toBe(1)
    reader.leave()
    reader.nextItem()
    reader.beginArray()
    reader.nextItem()
    reader.beginObject()
    expect(reader.nextKey()).toBe('a')
    reader.leave()
    reader.leave()
    reader.nextItem()
    reader.beginArray()
    reader.leave()
    expect(reader.nextItem()).toBe(true)
    expect(reader.number()).toBe(5)
    expect(reader.nextItem()).toBe(false)
  })

  test('returns the right keys if there are more than the cache holds', () => {
    const name = fc.oneof(
      fc.integer({ min: 0, max: 600 }).map(n => `key${n}`),
      fc.constantFrom('', 'a', 'ab', 'é', '\u{1f525}', '"', '\\', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(300)),
    )
    fc.assert(
      fc.property(fc.array(name, { maxLength: 1500, size: 'max' }), names => {
        const reader = readerOf(`{${names.map(key => `${JSON.stringify(key)}:0`).join(',')}}`)
        const seen: string[] = []
        reader.beginObject()
        for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) seen.push(key)
        expect(seen).toEqual(names)
      }),
      { numRuns: 30 },
    )
  })

  test('reads consecutive values with or without line breaks', () => {
    const reader = readerOf('{"a":1}\n[2]{}"x" 3\n\n null\n')
    const kinds: unknown[] = []
    for (let kind = reader.peek(); kind !== 'end'; kind = reader.peek()) kinds.push(kind, reader.value())
    expect(JSON.stringify(kinds)).toBe('["object",{"a":1},"array",[2],"object",{},"string","x","number",3,"null",null]')
    expect(errorOf(() => readerOf('12true').number()).what).toBe("unexpected 't'")
    expect(errorOf(() => readerOf('truefalse').boolean()).offset).toBe(4)
    expect(errorOf(() => readerOf('1"a"').int32()).offset).toBe(1)
  })

  test('limits nesting and does not recurse', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    readerOf(nested(128)).skip()
    readerOf(nested(128)).value()
    expect(errorOf(() => readerOf(nested(129)).skip())).toMatchObject({
      what: 'nesting is deeper than 128',
      offset: 128,
    })
    expect(errorOf(() => readerOf(nested(129)).value()).offset).toBe(128)
    expect(errorOf(() => readerOf('{"a":'.repeat(200)).skip()).what).toBe('nesting is deeper than 128')
    const deep = readerOf(nested(200_000), { maxDepth: 200_000 })
    deep.skip()
    expect(deep.peek()).toBe('end')
    readerOf(nested(200_000), { maxDepth: 200_000 }).value()
    expect(errorOf(() => readerOf('['.repeat(100_000), { maxDepth: 200_000 }).skip()).what).toBe(
      'unexpected end of input',
    )
    expect(errorOf(() => readerOf('[{}]', { maxDepth: 1 }).skip()).offset).toBe(1)
  })

  test('handles a byte order mark, an offset and an end', () => {
    expect(new JsonReader(encodeUtf8('\ufeff[1]')).value()).toEqual([1])
    const inner = readerOf('xx[1,2]yy', { offset: 2, end: 7 })
    expect(inner.value()).toEqual([1, 2])
    expect(inner.peek()).toBe('end')
    expect(errorOf(() => readerOf('[1,2]', { end: 4 }).skip())).toMatchObject({
      what: 'unexpected end of input',
      offset: 4,
    })
    const view = encodeUtf8('[1]  2').subarray(0, 3)
    const clamped = new JsonReader(view, { end: 6 })
    clamped.skip()
    expect(clamped.peek()).toBe('end')
  })
})

describe('JsonReader on strings', () => {
  test('decodes escapes and surrogate pairs and replaces lone surrogates', () => {
    const text = String.raw`["\"\\\/\b\f\n\r\t", "\u00e9\u20AC\ud83d\ude00", "\ud83d", "\ude00x", "\ud83d\ud83d\ude00", "é€😀"]`
    expect(readerOf(text).value()).toEqual(['"\\/\b\f\n\r\t', 'é€😀', '\ufffd', '\ufffdx', '\ufffd😀', 'é€😀'])
  })

  test('returns ranges and bytes', () => {
    const reader = readerOf(String.raw`["abc","a\nb","é"]`)
    reader.beginArray()
    reader.nextItem()
    expect(reader.stringRange()).toBe(true)
    expect(decodeUtf8(reader.bytes, reader.from, reader.to)).toBe('abc')
    reader.nextItem()
    expect(reader.stringRange()).toBe(false)
    expect(decodeUtf8(reader.bytes, reader.from, reader.to)).toBe(String.raw`a\nb`)
    reader.nextItem()
    expect(reader.stringBytes()).toEqual(Uint8Array.of(0xc3, 0xa9))
    const escaped = readerOf(String.raw`"\u00e9\n" "\t"`)
    const first = escaped.stringBytes()
    escaped.stringBytes()
    expect(first).toEqual(Uint8Array.of(0xc3, 0xa9, 0x0a))
  })

  test('stringEquals compares like ===', () => {
    const word = fc.oneof(fc.constantFrom('', 'a', 'ab', 'abc', 'é', 'aé', 'éa', '\n', 'a\n', '😀'), fc.string())
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(readerOf(JSON.stringify(a)).stringEquals(b)).toBe(a === b)
        expect(readerOf(JSON.stringify(a)).stringEquals(a)).toBe(true)
      }),
    )
  })
})

describe('JsonReader on numbers', () => {
  const forms = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 25n }),
      fc.option(fc.stringMatching(/^\d{1,20}$/)),
      fc.option(fc.integer({ min: -330, max: 330 })),
    )
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    )
  const doubles = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map(value => (Object.is(value, -0) ? '-0' : String(value)))

  test('returns the same doubles as JSON.parse', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          forms,
          doubles,
          fc.integer().map(String),
          fc.constantFrom('0', '-0', '0.0', '1e400', '123456789', '1234567890'),
        ),
        text => {
          for (const around of [text, ` ${text} `]) expect(readerOf(around).number()).toBe(JSON.parse(text))
          const reader = readerOf(`[${text},${text}]`)
          reader.beginArray()
          while (reader.nextItem()) expect(reader.number()).toBe(JSON.parse(text))
          expect(readerOf(text).double()).toBe(JSON.parse(text))
          expect(readerOf(`"${text}"`).double()).toBe(JSON.parse(text))
        },
      ),
      { numRuns: 1000 },
    )
  })

  test.each(['01', '-', '+1', '1.', '.5', '1e', '1e+', '-a', '0x1', '1_0', '00', '123456789.', 'NaN', 'Infinity'])(
    'rejects %s',
    text => {
      expect(errorOf(() => readerOf(text).number())).toBeInstanceOf(JsonError)
      expect(errorOf(() => readerOf(`[${text},1]`).skip())).toBeInstanceOf(JsonError)
    },
  )

  test('double accepts the names of proto3', () => {
    expect(readerOf('"NaN"').double()).toBe(NaN)
    expect(readerOf('"Infinity"').double()).toBe(Infinity)
    expect(readerOf('"-Infinity"').double()).toBe(-Infinity)
    for (const text of ['"x"', '""', '" 1"', '"1 "', '"0x10"', '"1"', 'true']) {
      if (text === '"1"') expect(readerOf(text).double()).toBe(1)
      else expect(errorOf(() => readerOf(text).double()).offset).toBe(0)
    }
  })
})

describe('JsonReader on integers', () => {
  function int64(text: string, range?: 'any' | 'signed' | 'unsigned'): bigint {
    const reader = readerOf(`[${text}]`)
    reader.beginArray()
    reader.nextItem()
    reader.int64(range)
    expect(reader.nextItem()).toBe(false)
    const bits = (BigInt(reader.hi) << 32n) | BigInt(reader.lo >>> 0)
    return text.replace('"', '').startsWith('-') ? bits : BigInt.asUintN(64, bits)
  }

  test('reads all of int64 and uint64, as numbers and as strings', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
          fc.maxSafeInteger().map(BigInt),
          fc.constantFrom(-(2n ** 63n), -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n),
        ),
        value => {
          expect(int64(`${value}`)).toBe(value)
          expect(int64(`"${value}"`)).toBe(value)
          const range = value < 0n ? 'signed' : 'unsigned'
          expect(int64(`"${value}"`, range)).toBe(value)
        },
      ),
    )
  })

  test.each(['1e3', '1000.0', '"1e3"', String.raw`"\u0031000"`, '"10000e-1"'])('accepts %s as an integer', text => {
    expect(int64(text)).toBe(1000n)
  })

  test.each([
    ['1.5', 'expected an integer, found a fraction'],
    ['"1e-3"', 'expected an integer, found a fraction'],
    ['18446744073709551616', 'integer out of the range of 64 bits'],
    ['"-9223372036854775809"', 'integer out of the range of 64 bits'],
    ['1e30', 'integer out of the range of 64 bits'],
    ['""', 'expected an integer, found a string'],
    ['"12a"', 'expected an integer, found a string'],
    ['" 1"', 'expected an integer, found a string'],
    ['"007"', 'expected an integer, found a string'],
    ['null', 'expected an integer, found null'],
    ['[1]', 'expected an integer, found an array'],
  ])('rejects %s', (text, what) => {
    expect(errorOf(() => int64(text))).toMatchObject({ what, offset: 1, path: '[0]' })
  })

  test('checks ranges', () => {
    expect(errorOf(() => int64('9223372036854775808', 'signed')).what).toBe('integer out of the range of int64')
    expect(errorOf(() => int64('-1', 'unsigned')).what).toBe('integer out of the range of uint64')
    expect(int64('-0', 'unsigned')).toBe(0n)
    for (const value of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]) {
      expect(readerOf(`${value}`).int32()).toBe(value)
      expect(readerOf(`"${value}"`).int32()).toBe(value)
    }
    for (const text of [
      '2147483648',
      '-2147483649',
      '4294967295',
      '18446744073709551615',
      '-4294967297',
      '9223372036854775807',
    ]) {
      expect(errorOf(() => readerOf(text).int32()).what).toBe('integer out of the range of int32')
    }
    expect(readerOf('4294967295').uint32()).toBe(2 ** 32 - 1)
    for (const text of ['4294967296', '-1']) {
      expect(errorOf(() => readerOf(text).uint32()).what).toBe('integer out of the range of uint32')
    }
  })
})

describe('JsonReader errors', () => {
  test('report the cause, the position and the path', () => {
    const text =
      '{\n  "resourceProfiles": [{"scopeProfiles": [{}, {"é": 1, "profiles": [0, {"my key": [1,\n tru]}]}]}]}'
    const error = errorOf(() => readerOf(text, { format: 'otlp-json' }).skip())
    const path = 'resourceProfiles[0].scopeProfiles[1].profiles[1]["my key"][1]'
    expect(error).toMatchObject({ line: 3, column: 5, path, what: "unexpected ']'" })
    const offset = encodeUtf8(text.slice(0, text.indexOf('tru') + 3)).length
    expect(error.offset).toBe(offset)
    expect(error.message).toBe(`otlp-json: unexpected ']' at byte ${offset} (line 3, column 5, in ${path})`)
    expect(errorOf(() => readerOf(text).value())).toMatchObject({ offset, path })
  })

  test('count characters in columns', () => {
    expect(errorOf(() => readerOf('["é😀", x]').skip())).toMatchObject({ offset: 11, line: 1, column: 8 })
    expect(errorOf(() => readerOf('x').skip()).message).toBe("unexpected 'x' at byte 0 (line 1, column 1)")
  })

  test('report every prefix of a text as truncated', () => {
    const text = String.raw`{"a":[1,-2.5e+3,"x\u00e9\n€",true,false,null,{"b":"7"}],"c":{}} `.trim()
    const bytes = encodeUtf8(text)
    for (let end = 0; end < bytes.length; end++) {
      for (const read of [(reader: JsonReader) => reader.skip(), (reader: JsonReader) => reader.value()]) {
        const error = errorOf(() => read(new JsonReader(bytes, { end })))
        expect(error).toMatchObject({ what: 'unexpected end of input', offset: end })
      }
    }
  })

  test.each([
    ['{"a":1,}', "expected a key, found '}'", 7],
    ['[1,]', "unexpected ']'", 3],
    ['[1 2]', "expected ',' or ']', found a number", 3],
    ['{"a":1 "b":2}', "expected ',' or '}', found a string", 7],
    ['{"a" 1}', "expected ':', found a number", 5],
    ['{a:1}', "expected a key, found 'a'", 1],
    ['{1:1}', 'expected a key, found a number', 1],
    ['[1] // no', "unexpected '/'", 4],
    ['"\t"', 'control character in a string', 1],
    [String.raw`"\x"`, 'invalid escape', 2],
    [String.raw`"\u12g4"`, 'invalid escape', 5],
    ["['a']", "unexpected '''", 1],
    ['[\u00a01]', 'unexpected byte 0xc2', 1],
    ['nul0', "unexpected '0'", 3],
    ['[1}', "expected ',' or ']', found '}'", 2],
  ])('report %s', (text, what, offset) => {
    const read = (reader: JsonReader) => {
      reader.value()
      reader.peek()
    }
    expect(errorOf(() => read(readerOf(text)))).toMatchObject({ what, offset })
  })

  test('report invalid UTF-8', () => {
    const bytes = Uint8Array.of(0x22, 0x61, 0xc3, 0xa9, 0xc0, 0x80, 0x22)
    expect(errorOf(() => new JsonReader(bytes).string())).toMatchObject({ what: 'invalid UTF-8', offset: 4 })
    expect(errorOf(() => new JsonReader(bytes).skip()).offset).toBe(4)
  })

  test('report a value of the wrong kind', () => {
    expect(errorOf(() => readerOf('1').string()).what).toBe('expected a string, found a number')
    expect(errorOf(() => readerOf('"1"').number()).what).toBe('expected a number, found a string')
    expect(errorOf(() => readerOf('{}').beginArray()).what).toBe('expected an array, found an object')
    expect(errorOf(() => readerOf('[]').beginObject()).what).toBe('expected an object, found an array')
    expect(errorOf(() => readerOf('null').boolean()).what).toBe('expected a boolean, found null')
    expect(errorOf(() => readerOf('true').nullValue()).what).toBe('expected null, found a boolean')
    expect(errorOf(() => readerOf(' ').number()).what).toBe('unexpected end of input')
    expect(readerOf('true').tryNull()).toBe(false)
    expect(readerOf('null').tryNull()).toBe(true)
  })
})
