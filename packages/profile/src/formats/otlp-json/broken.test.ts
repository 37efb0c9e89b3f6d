// Errors of broken texts have a position, and broken texts cause nothing but errors.
import { describe, expect, test } from 'vitest'
import { MAX_VALUE_DEPTH } from '../../model/columns/any-value.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import type { PlainMessage } from '../otlp/testing/encode-message.ts'
import { encodeMessage } from '../otlp/testing/encode-message.ts'
import { readOtlpJson } from './read.ts'
import { fixtures } from './testing/fixtures.ts'
import { framed } from '../otlp/testing/framed.ts'
import { generationJson } from './testing/generation-json.ts'
import { errorOf, explain, profileText, readText } from './testing/read-text.ts'

describe('readOtlpJson of a truncated text', () => {
  test.each(fixtures.filter(({ bytes }) => bytes.length < 20_000))(
    'rejects $name truncated anywhere',
    ({ name, bytes }) => {
      const step = Math.max(1, Math.floor(bytes.length / 200))
      for (let end = 0; end < bytes.length; end += step) {
        try {
          readOtlpJson(bytes.subarray(0, end))
          // Nothing is missing between two messages or after the last one.
          expect(['one object per line', 'frames']).toContain(name)
        } catch (error) {
          if (!(error instanceof FormatError)) throw error
          expect(error.format).toBe('otlp-json')
          expect(error.offset).toBeLessThanOrEqual(end)
        }
      }
    },
  )

  test('reports the end of a small message at every byte', () => {
    const text = profileText(
      String.raw`"samples":[{"values":["12"],"linkIndex":1}],"profileId":"0a0B","period":-1.0e2`,
      String.raw`"stringTable":["","\u00e9\n"],"attributeTable":[{},{"value":{"kvlistValue":{"values":[{"key":"k"}]}}}],
        "linkTable":[{},{"traceId":"00ff"}]`,
    )
    expect(readText(text).notes).toEqual([])
    for (let end = 0; end < text.length; end++) {
      const error = errorOf(text.slice(0, end))
      expect(error.offset).toBe(end)
    }
  })
})

describe('readOtlpJson of values of a wrong kind', () => {
  test.each([
    ['"samples":{}', 'expected an array, found an object | samples | {}'],
    ['"samples":[null]', 'expected an object, found null | samples[0] | null'],
    ['"samples":[{"values":"1"}]', 'expected an array, found a string | samples[0].values | "1"'],
    ['"samples":[{"values":[1.5]}]', 'expected an integer, found a fraction | samples[0].values[0] | 1.5'],
    ['"samples":[{"values":["x"]}]', 'expected an integer, found a string | samples[0].values[0] | "x"'],
    [
      '"samples":[{"values":["9223372036854775808"]}]',
      'integer out of the range of int64 | samples[0].values[0] | "9223',
    ],
    ['"samples":[{"values":[1e30]}]', 'integer out of the range of 64 bits | samples[0].values[0] | 1e30'],
    [
      '"samples":[{"timestampsUnixNano":[-1]}]',
      'integer out of the range of uint64 | samples[0].timestampsUnixNano[0] | -1',
    ],
    ['"samples":[{"stackIndex":4294967296}]', 'integer out of the range of int32 | samples[0].stackIndex | 4294'],
    ['"droppedAttributesCount":-1', 'integer out of the range of uint32 | droppedAttributesCount | -1'],
    [
      '"sampleType":{"aggregationTemporality":"DELTA"}',
      'expected an integer, found a string | sampleType.aggregationTemporality | "DELTA',
    ],
    ['"originalPayload":"A"', 'base64 with missing characters at the end | originalPayload | "'],
  ])('rejects %s', (members, expected) => {
    const [what, path, at] = expected.split(' | ')
    const [foundWhat, foundPath, foundAt] = explain(profileText(members)).split(' | ')
    expect(foundWhat).toBe(what)
    expect(foundPath).toBe(`resourceProfiles[0].scopeProfiles[0].profiles[0].${path}`)
    expect(foundAt.startsWith(at)).toBe(true)
  })
})

describe('readOtlpJson of references beyond their table', () => {
  const text = profileText(
    '"sampleType":{"typeStrindex":1},"samples":[{},{"stackIndex":0,"attributeIndices":[0,0]}]',
    `"stringTable":["","cpu"],"attributeTable":[{},{"keyStrindex":1,"value":{}}],"functionTable":[{"nameStrindex":1}],
     "locationTable":[{"lines":[{},{"functionIndex":0}]}],"stackTable":[{"locationIndices":[0]}]`,
  )

  test.each([
    ['"typeStrindex":1', '"typeStrindex":2', 'string_table (length 2)', 'profiles[0].sampleType.typeStrindex'],
    ['"stackIndex":0', '"stackIndex":1', 'stack_table (length 1)', 'profiles[0].samples[1].stackIndex'],
    ['[0,0]', '[0,2]', 'attribute_table (length 2)', 'profiles[0].samples[1].attributeIndices[1]'],
    ['"nameStrindex":1', '"nameStrindex":-1', 'string_table (length 2)', 'dictionary.functionTable[0].nameStrindex'],
    ['"functionIndex":0', '"functionIndex":9', 'function_table (length 1)', 'locationTable[0].lines[1].functionIndex'],
    ['"locationIndices":[0]', '"locationIndices":[7]', 'location_table (length 1)', 'stackTable[0].locationIndices[0]'],
  ])('rejects %s replaced by %s', (right, wrong, table, path) => {
    expect(readText(text).notes).toEqual([])
    const error = errorOf(text.replace(right, wrong))
    const index = /-?\d+(?=\]?$)/.exec(wrong)![0]
    expect(error.what).toBe(`index ${index} is outside ${table}`)
    expect(error.path.endsWith(path)).toBe(true)
    expect(text.replace(right, wrong).slice(error.offset).startsWith(index)).toBe(true)
  })

  test.each([
    ['{"stringValueStrindex":2}', 'dictionary.attributeTable[1].value.stringValueStrindex'],
    ['{"arrayValue":{"values":[{},{"stringValueStrindex":-2}]}}', 'value.arrayValue.values[1].stringValueStrindex'],
    ['{"kvlistValue":{"values":[{"keyStrindex":2}]}}', 'value.kvlistValue.values[0].keyStrindex'],
  ])('rejects the value %s', (value, path) => {
    const broken = text.replace('"value":{}', `"value":${value}`)
    const error = errorOf(broken)
    expect(error.what).toMatch(/^string -?2 is outside the string table \(length 2\)$/)
    expect(error.path.endsWith(path)).toBe(true)
    expect(broken.slice(error.offset)).toMatch(/^-?2\}/)
  })

  test('rejects them in resources and scopes', () => {
    const attribute = '{"attributes":[{"keyStrindex":2}]}'
    const broken = (key: string): string =>
      text.replace(key === 'scope' ? '"profiles"' : '"scopeProfiles"', `"${key}":${attribute},$&`)
    expect(explain(broken('resource'))).toBe(
      'string 2 is outside the string table (length 2) | resourceProfiles[0].resource.attributes[0].keyStrindex | 2}]},"scopeP',
    )
    expect(errorOf(broken('scope')).path).toBe('resourceProfiles[0].scopeProfiles[0].scope.attributes[0].keyStrindex')
  })

  test('rejects them in fields of v1.8 that add rows to the tables', () => {
    const old = text.replace('"samples"', '"commentStrindices":[1,1],"attributeIndices":[0],"samples"')
    expect(readText(old).generation).toBe('v1.8')
    expect(explain(old.replace('[1,1]', '[1,2]'))).toBe(
      'string 2 is outside the string table (length 2) | resourceProfiles[0].scopeProfiles[0].profiles[0].commentStrindices | [1,2],"attri',
    )
    const beyond = errorOf(old.replace('"attributeIndices":[0]', '"attributeIndices":[2]'))
    expect(beyond.what).toBe('index 2 is outside attribute_table (length 2)')
    expect(beyond.path).toBe('resourceProfiles[0].scopeProfiles[0].profiles[0].attributeIndices[0]')
  })
})

describe('readOtlpJson of broken old generations', () => {
  const jsonOf = (profile: PlainMessage): string => {
    const content = {
      resource_profiles: [{ scope_profiles: [{ profiles: [{ sample_type: [{ type_strindex: 1 }], ...profile }] }] }],
      dictionary: { string_table: ['', 'cpu'] },
    }
    const bytes = generationJson(encodeMessage('v1.7', content), 'v1.7')
    return decodeUtf8(bytes)
  }

  test('reports the position of broken content', () => {
    const text = jsonOf({ sample: [{ value: [1n] }, { value: [1n], attribute_indices: [3] }] })
    const error = errorOf(text)
    expect(error.what).toBe('index 3 is outside attribute_table (length 0), read as v1.7')
    expect(error.path).toBe('resourceProfiles[0].scopeProfiles[0].profiles[0].sample[1].attributeIndices[0]')
    expect(error.offset).toBe(text.indexOf('[3]') + 1)
  })

  test('reports values of a wrong kind', () => {
    const text = jsonOf({ sample: [{ value: [1n] }] })
    const { what, path } = errorOf(text.replace('"value":["1"]', '"value":[true]'))
    expect(what).toBe('expected an integer, found a boolean')
    expect(path).toBe('resourceProfiles[0].scopeProfiles[0].profiles[0].sample[0].value[0]')
  })

  test('counts unknown keys once', () => {
    const text = jsonOf({ sample: [{ value: [1n] }] }).replace('"value":["1"]', '"value":["1"],"extra":{"a":1}')
    expect(readText(text).notes.map(({ code, count }) => [code, count])).toEqual([['unknown-fields', 1]])
  })
})

describe('readOtlpJson of broken files', () => {
  test('rejects a file without a message', () => {
    expect(errorOf('').what).toBe('unexpected end of input')
    expect(errorOf(' \n').what).toBe('unexpected end of input')
  })

  test('rejects other JSON', () => {
    expect(errorOf('[]').what).toBe('expected an object, found an array')
    expect(errorOf('{} x').offset).toBe(3)
  })

  test('reports the path of the second message', () => {
    const text = `{}\n${profileText('"period":true')}`
    expect(errorOf(text).path).toBe('message[1].resourceProfiles[0].scopeProfiles[0].profiles[0].period')
    expect(errorOf(text).offset).toBe(text.indexOf('true'))
  })

  test('rejects broken frames and broken content in frames', () => {
    const good = fixtures[0].bytes
    const cut = framed(good, good).subarray(0, good.length + 20)
    expect(() => readOtlpJson(cut)).toThrow(/runs past the end of the file/)
    expect(() => readOtlpJson(framed(good, good.subarray(1)))).toThrow(FormatError)
    const unzstd = (bytes: Uint8Array): Uint8Array => bytes.subarray(4)
    const packed = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, ...good.subarray(1))
    try {
      readOtlpJson(framed(good, packed), { codecs: { gunzip: unzstd, unzstd } })
      expect.unreachable()
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      expect(error.offset).toBe(good.length + 4)
      expect(error.path).toBe('message[1]')
    }
  })
})

describe('readOtlpJson limits', () => {
  const nested = (depth: number): string =>
    `${'{"arrayValue":{"values":['.repeat(depth - 1)}{"intValue":"1"}${']}}'.repeat(depth - 1)}`
  const attribute = (value: string): string => profileText('', `"attributeTable":[{"value":${value}}]`)

  test('nest values as deep as protobuf', () => {
    expect(readText(attribute(nested(MAX_VALUE_DEPTH))).notes).toEqual([])
    const error = errorOf(attribute(nested(MAX_VALUE_DEPTH + 1)))
    expect(error.what).toBe(`attribute value nested deeper than ${MAX_VALUE_DEPTH} levels`)
  })

  test('restrict other nesting', () => {
    expect(errorOf(`{"a":${'['.repeat(1_000_000)}`).what).toBe('nesting is deeper than 256')
  })

  test('restrict the expansion of references', () => {
    const long = 'x'.repeat(100_000)
    const values = '{"stringValueStrindex":1},'.repeat(3000)
    const text = profileText(
      '',
      `"stringTable":["","${long}"],"attributeTable":[{"value":{"arrayValue":{"values":[${values}{}]}}}]`,
    )
    expect(errorOf(text).what).toBe('references to the string table expand to too much text')
  })
})
