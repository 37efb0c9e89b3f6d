import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
} from '../columns/brand.ts'
import { ProfilesBuilder } from './builder.ts'
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from '../columns/int64.ts'
import { arbitraryValue } from '../testing/arbitrary-profiles.ts'

describe('ProfilesBuilder: dictionary rows', () => {
  test('interns rows by content', () => {
    const b = new ProfilesBuilder()
    const size = (unit = ''): AttributeIndex => b.attribute('size', 1n, unit)
    expect(size()).toBe(size())
    expect(size('bytes')).not.toBe(size())
    expect(b.attribute('size', 1)).not.toBe(size())
    expect(b.attribute('size', true)).not.toBe(size())
    const main = (): FunctionIndex => b.function({ name: 'main', startLine: 3 })
    expect(main()).toBe(main())
    expect(b.function({ name: 'main' })).not.toBe(main())
    expect(b.function({ systemName: 'main', startLine: 3 })).not.toBe(main())
    const mapping = (attributes: AttributeIndex[]): MappingIndex =>
      b.mapping({ memoryStart: 1, memoryLimit: 2, attributes })
    expect(mapping([size(), size('bytes')])).toBe(mapping([size('bytes'), size(), size()]))
    expect(mapping([size()])).not.toBe(mapping([]))
    const lines = [{ function: main(), line: 1 }]
    const location = (attributes: AttributeIndex[]): LocationIndex => b.location({ address: 1, lines, attributes })
    expect(location([size(), size('bytes')])).toBe(location([size('bytes'), size()]))
    // An attribute must not be confused with a part of a line.
    expect(b.location({ address: 1, lines: [...lines, ...lines] })).not.toBe(location([]))
    const stack = (): StackIndex => b.stack([location([]), location([size()])])
    expect(stack()).toBe(stack())
    expect(b.stack([location([size()]), location([])])).not.toBe(stack())
  })

  test('maps zero content to row 0', () => {
    const b = new ProfilesBuilder()
    const rows = [b.string(''), b.function({}), b.mapping({}), b.location({}), b.stack([]), b.attribute('', undefined)]
    expect(rows).toEqual([0, 0, 0, 0, 0, 0])
    expect(b.link(new Uint8Array(16), new Uint8Array(8))).toBe(0)
    expect(b.link(new Uint8Array(0), new Uint8Array(0))).toBe(0)
    expect(b.link(new Uint8Array(16), new Uint8Array(8).fill(1))).toBe(1)
  })

  test('builds tables that return the content passed in', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 'cpu', unit: 'ns' })
    const mapping = b.mapping({
      memoryStart: 2n ** 63n,
      memoryLimit: MAX_UINT64,
      fileOffset: 4096,
      filename: 'libé.so',
      attributes: [b.attribute('id', 'x')],
    })
    const inlined = { function: b.function({ name: 'g', filename: 'g.c' }), line: MAX_INT64, column: 7 }
    const outer = {
      function: b.function({ name: 'f', systemName: '_f', filename: 'f.c', startLine: MIN_INT64 }),
      line: 2 ** 40,
    }
    const location = b.location({
      mapping,
      address: MAX_UINT64,
      lines: [inlined, outer],
      attributes: [b.attribute('t', 'native')],
    })
    const link = b.link(new Uint8Array(16).fill(1), new Uint8Array(8).fill(2))
    b.sample({ stack: b.stack([location, location]), link, values: [MIN_INT64] })
    const { dictionary: d, samples } = b.build()

    const [at] = d.stacks.locations.slice(d.stacks.from(samples.stack(0)), d.stacks.to(samples.stack(0)))
    expect(d.locations.address(at)).toBe(MAX_UINT64)
    expect(d.locations.linesTo(at) - d.locations.linesFrom(at)).toBe(2)
    const first = d.locations.linesFrom(at)
    expect([d.locations.lines.line(first), d.locations.lines.column(first)]).toEqual([MAX_INT64, 7n])
    expect(d.locations.lines.line(first + 1)).toBe(2n ** 40n)
    const f = d.locations.lines.function(first + 1)
    const names = [d.functions.name(f), d.functions.systemName(f), d.functions.filename(f)].map(i => d.strings.text(i))
    expect([...names, d.functions.startLine(f)]).toEqual(['f', '_f', 'f.c', MIN_INT64])
    const m = d.locations.mapping(at)
    expect([d.mappings.memoryStart(m), d.mappings.memoryLimit(m), d.mappings.fileOffset(m)]).toEqual([
      2n ** 63n,
      MAX_UINT64,
      4096n,
    ])
    expect(d.strings.text(d.mappings.filename(m))).toBe('libé.so')
    expect(d.mappings.attributesOf(m).map(i => d.attributes.value(i))).toEqual(['x'])
    expect(d.locations.attributesOf(at).map(i => d.attributes.value(i))).toEqual(['native'])
    expect(Array.from(d.links.spanId(samples.link(0)))).toEqual([2, 2, 2, 2, 2, 2, 2, 2])
    expect(samples.total(0)).toBe(MIN_INT64)
    expect(d.links.traceId(0 as LinkIndex).length).toBe(0)
  })

  test('stores attribute values of every kind', () => {
    fc.assert(
      fc.property(arbitraryValue(), fc.string(), (value, unit) => {
        const b = new ProfilesBuilder()
        const row = b.attribute('key', value, unit)
        expect(b.attribute('key', value, unit)).toBe(row)
        const { attributes, strings } = b.build().dictionary
        expect(attributes.value(row)).toStrictEqual(value)
        expect([strings.text(attributes.key(row)), strings.text(attributes.unit(row))]).toEqual(['key', unit])
      }),
    )
  })
})

describe('ProfilesBuilder: resources, scopes, profiles and samples', () => {
  test('nests messages in the order of the calls', () => {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'a', value: 1n }] }, 'https://a')
    b.resource()
    b.scope({ name: 's1' }, 'https://s')
    b.profile({ type: 'p1', unit: '' })
    b.profile({ type: 'p2', unit: '', attributes: [b.attribute('x', 1n)] })
    b.sample({ stack: b.stack([]), values: [1] })
    b.sample({ stack: b.stack([]), timestamps: [MAX_UINT64], attributes: [b.attribute('x', 1n)] })
    b.scope({ name: 's2' })
    b.profile({ type: 'p3', unit: '' })
    const { resources, scopes, profiles, samples, dictionary } = b.build()

    expect([resources.length, scopes.length, profiles.length, samples.length]).toEqual([2, 2, 3, 2])
    expect([resources.from(0), resources.to(0), resources.from(1), resources.to(1)]).toEqual([0, 0, 0, 2])
    expect([scopes.from(0), scopes.to(0), scopes.from(1), scopes.to(1)]).toEqual([0, 2, 2, 3])
    expect([0, 1, 2].map(i => profiles.samplesTo(i) - profiles.samplesFrom(i))).toEqual([0, 2, 0])
    expect([0, 1, 2].map(i => profiles.attributesOf(i).length)).toEqual([0, 1, 0])
    expect([0, 1, 2].map(i => dictionary.strings.text(profiles.type(i)))).toEqual(['p1', 'p2', 'p3'])
    expect([resources.schemaUrl(0), resources.schemaUrl(1), scopes.schemaUrl(0)]).toEqual([
      'https://a',
      '',
      'https://s',
    ])
    expect(resources.resource(0).attributes).toEqual([{ key: 'a', value: 1n }])
    expect([0, 1].map(i => scopes.scope(i).name)).toEqual(['s1', 's2'])
    expect([0, 1].map(i => samples.attributesOf(i).length)).toEqual([0, 1])
    expect([0, 1].map(i => samples.observations(i))).toEqual([1, 1])
    expect(Array.from(samples.timestamps.unsigned())).toEqual([MAX_UINT64])
  })

  test('opens a resource and a scope if none is open', () => {
    const b = new ProfilesBuilder()
    b.profile({ type: 't', unit: 'u' })
    const { resources, scopes } = b.build()
    expect([resources.to(0), scopes.to(0)]).toEqual([1, 1])
  })

  test('stores all fields of a profile header', () => {
    const b = new ProfilesBuilder()
    const id = Uint8Array.from({ length: 16 }, (_, i) => i)
    b.profile({
      type: 'cpu',
      unit: 'ns',
      periodType: 'wall',
      periodUnit: 'ms',
      period: MIN_INT64,
      timeUnixNano: MAX_UINT64,
      durationNano: 2n ** 63n,
      id,
      droppedAttributesCount: 0xffff_ffff,
      originalPayloadFormat: 'pprof',
      originalPayload: Uint8Array.of(1, 2, 3),
    })
    const { profiles, dictionary } = b.build()
    const texts = [profiles.type(0), profiles.unit(0), profiles.periodType(0), profiles.periodUnit(0)]
    expect(texts.map(i => dictionary.strings.text(i))).toEqual(['cpu', 'ns', 'wall', 'ms'])
    expect([profiles.period(0), profiles.time(0), profiles.duration(0)]).toEqual([MIN_INT64, MAX_UINT64, 2n ** 63n])
    expect(profiles.id(0)).toEqual(id)
    expect(profiles.droppedAttributes(0)).toBe(0xffff_ffff)
    expect(profiles.originalPayloadFormat(0)).toBe('pprof')
    expect(profiles.originalPayload(0)).toEqual(Uint8Array.of(1, 2, 3))
  })

  test('rejects numbers that are inexact or out of range', () => {
    const b = new ProfilesBuilder()
    expect(() => b.profile({ type: '', unit: '', timeUnixNano: -1n })).toThrow(/timeUnixNano -1 does not fit in uint64/)
    expect(() => b.profile({ type: '', unit: '', period: 2 ** 60 })).toThrow(/not an exact whole number/)
    expect(() => b.attribute('k', 2n ** 63n)).toThrow(RangeError)
    expect(() => b.location({ address: 0.5 })).toThrow(RangeError)
    b.profile({ type: '', unit: '' })
    expect(() => b.sample({ stack: b.stack([]), values: [MAX_INT64 + 1n] })).toThrow(RangeError)
  })

  test('rejects a sample before the first profile', () => {
    const b = new ProfilesBuilder()
    expect(() => b.sample({ stack: b.stack([]), values: [1] })).toThrow('sample() was called before profile()')
  })

  test('replaces lone surrogates by U+FFFD and interns the result once', () => {
    const b = new ProfilesBuilder()
    expect(b.string('\ud800')).toBe(b.string('\ufffd'))
  })
})
