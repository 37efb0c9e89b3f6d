import { describe, expect, test } from 'vitest'
import type { AnyValue } from '../../model/columns/any-value.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { encodeOtlpJson } from './encode.ts'
import { writeOtlpJson } from './write.ts'

function jsonText(profiles: Profiles, pretty = false): string {
  const { bytes } = writeOtlpJson(profiles, { pretty })
  return decodeUtf8(bytes)
}

function oneProfile(): Profiles {
  const b = new ProfilesBuilder()
  b.resource({ attributes: [{ key: 'service.name', value: 'shop' }], droppedAttributesCount: 4_000_000_000 }, 'u')
  b.scope({ name: 's' })
  const id = Uint8Array.from({ length: 16 }, (_, i) => 0xf0 + i)
  const attribute = b.attribute('state', 'on "cpu"\n', 'ms')
  b.profile({
    type: 'cpu',
    unit: 'ns',
    timeUnixNano: 2n ** 64n - 1n,
    period: -5,
    id,
    originalPayloadFormat: 'pprof',
    originalPayload: Uint8Array.of(0xfb, 0xff),
    attributes: [b.attribute('n', 9_007_199_254_740_993n)],
  })
  const line = { function: b.function({ name: 'main', startLine: 3 }), line: 12 }
  const location = b.location({ address: 2n ** 63n, lines: [line] })
  const link = b.link(id, id.subarray(0, 8))
  b.sample({ stack: b.stack([location]), link, attributes: [attribute], values: [-1n, 2], timestamps: [0, 2n ** 63n] })
  b.profile({ type: '', unit: '' })
  return b.build()
}

test('writeOtlpJson omits zeros, except for the objects that the Collector always writes', () => {
  // Without `compact`, which changes the order.
  const { bytes } = encodeOtlpJson(oneProfile(), 0)
  expect(decodeUtf8(bytes)).toBe(
    [
      '{"resourceProfiles":[{',
      '"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}],"droppedAttributesCount":4000000000},',
      '"scopeProfiles":[{"scope":{"name":"s"},"profiles":[{',
      '"sampleType":{"typeStrindex":4,"unitStrindex":5},',
      '"samples":[{"stackIndex":1,"attributeIndices":[1],"linkIndex":1,',
      '"values":["-1","2"],"timestampsUnixNano":["0","9223372036854775808"]}],',
      '"timeUnixNano":"18446744073709551615","periodType":{},"period":"-5",',
      '"profileId":"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",',
      '"originalPayloadFormat":"pprof","originalPayload":"+/8=","attributeIndices":[2]},',
      '{"sampleType":{},"periodType":{}}]}],"schemaUrl":"u"}],',
      '"dictionary":{"mappingTable":[{}],',
      '"locationTable":[{},{"address":"9223372036854775808","lines":[{"functionIndex":1,"line":"12"}]}],',
      '"functionTable":[{},{"nameStrindex":6,"startLine":"3"}],',
      '"linkTable":[{},',
      '{"traceId":"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff","spanId":"f0f1f2f3f4f5f6f7"}],',
      '"stringTable":["","state","ms","n","cpu","ns","main"],',
      String.raw`"attributeTable":[{},{"keyStrindex":1,"value":{"stringValue":"on \"cpu\"\n"},"unitStrindex":2},`,
      '{"keyStrindex":3,"value":{"intValue":"9007199254740993"}}],',
      '"stackTable":[{},{"locationIndices":[1]}]}}',
    ].join(''),
  )
})

test('writeOtlpJson writes empty profiles as a dictionary of zero rows', () => {
  expect(jsonText(new ProfilesDraft().freeze(new Uint8Array(0)))).toBe(
    '{"dictionary":{"mappingTable":[{}],"locationTable":[{}],"functionTable":[{}],' +
      '"linkTable":[{}],' +
      '"stringTable":[""],"attributeTable":[{}],"stackTable":[{}]}}',
  )
})

describe('writeOtlpJson of attribute values', () => {
  const cases: readonly (readonly [value: AnyValue, json: string])[] = [
    ['', '{"stringValue":""}'],
    [false, '{"boolValue":false}'],
    [0n, '{"intValue":"0"}'],
    [-(2n ** 63n), '{"intValue":"-9223372036854775808"}'],
    [0, '{"doubleValue":0}'],
    [-0, '{"doubleValue":-0}'],
    [NaN, '{"doubleValue":"NaN"}'],
    [-Infinity, '{"doubleValue":"-Infinity"}'],
    [1e21, '{"doubleValue":1e+21}'],
    [Uint8Array.of(), '{"bytesValue":""}'],
    [[], '{"arrayValue":{}}'],
    [
      ['a', undefined, [true]],
      '{"arrayValue":{"values":[{"stringValue":"a"},{},{"arrayValue":{"values":[{"boolValue":true}]}}]}}',
    ],
    [{ entries: [{ key: 'k', value: undefined }] }, '{"kvlistValue":{"values":[{"key":"k"}]}}'],
  ]

  test.each(cases.map(([value, json]) => ({ value, json })))('writes $json', ({ value, json }) => {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'r', value }] })
    b.profile({ type: 'cpu', unit: 'ns', attributes: [b.attribute('k', value)] })
    const text = jsonText(b.build())
    expect(text).toContain(`"resource":{"attributes":[{"key":"r","value":${json}}]}`)
    expect(text).toContain(`,"value":${json}}],"stackTable"`)
  })
})

test('writeOtlpJson with pretty indents by two', () => {
  const profiles = oneProfile()
  const pretty = jsonText(profiles, true)
  expect(pretty).toBe(JSON.stringify(JSON.parse(jsonText(profiles)), undefined, 2).replaceAll('{\n}', '{}'))
})
