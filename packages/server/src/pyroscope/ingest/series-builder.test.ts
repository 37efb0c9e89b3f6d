import { describe, expect, test } from 'vitest'
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, readPprof, validate, writePprof } from '@hearth/profile'
import { fixtures } from '../../../../profile/src/formats/pprof/testing/fixtures.ts'
import { richProfiles } from '../../../../profile/src/model/testing/rich-profiles.ts'
import { SeriesBuilder } from './series-builder.ts'

const LABELS = new Map([['service_name', 'shop']])

function carried(source: Profiles): Profiles {
  const builder = new SeriesBuilder()
  builder.add(LABELS, source, () => ({ name: 'n' }))
  expect(builder.length).toBe(source.profiles.length)
  return builder.build()
}

/** The content of all samples, with everything that they refer to, independent of row numbers. */
function plainSamples({ profiles, samples, dictionary }: Profiles): unknown[] {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  const attribute = (i: number): unknown => {
    const row = i as Parameters<typeof attributes.key>[0]
    return [
      strings.text(attributes.key(row)),
      strings.text(attributes.unit(row)),
      attributes.kind(row),
      attributes.value(row),
    ]
  }
  const location = (i: Parameters<typeof locations.mapping>[0]): unknown => {
    const mapping = locations.mapping(i)
    const lines = []
    for (let k = locations.linesFrom(i); k < locations.linesTo(i); k++) {
      const fn = locations.lines.function(k)
      const names = [functions.name(fn), functions.systemName(fn), functions.filename(fn)].map(name =>
        strings.text(name),
      )
      lines.push([...names, functions.startLine(fn), locations.lines.line(k), locations.lines.column(k)])
    }
    return {
      lines,
      address: locations.address(i),
      attributes: locations.attributesOf(i).map(attribute),
      mapping: [
        mappings.memoryStart(mapping),
        mappings.memoryLimit(mapping),
        mappings.fileOffset(mapping),
        strings.text(mappings.filename(mapping)),
        mappings.attributesOf(mapping).map(attribute),
      ],
    }
  }
  return Array.from({ length: profiles.length }, (_, p) => {
    const rows = Array.from(
      { length: profiles.samplesTo(p) - profiles.samplesFrom(p) },
      (_, k) => profiles.samplesFrom(p) + k,
    )
    return rows.map(s => ({
      stack: stacks.locations.slice(stacks.from(samples.stack(s)), stacks.to(samples.stack(s))).map(location),
      link: [links.traceId(samples.link(s)), links.spanId(samples.link(s))].map(id => Buffer.from(id).toString('hex')),
      attributes: samples.attributesOf(s).map(attribute),
      values: Array.from(samples.values.signed().subarray(samples.valuesFrom(s), samples.valuesTo(s))),
      times: Array.from(samples.timestamps.unsigned().subarray(samples.timestampsFrom(s), samples.timestampsTo(s))),
    }))
  })
}

describe('SeriesBuilder', () => {
  test.each([
    ['copies everything that the model has', richProfiles()] as const,
    ...fixtures.map(({ name, bytes }) => [name, readPprof(bytes).profiles] as const),
  ])('%s', (_name, source) => {
    expect(plainSamples(carried(source))).toEqual(plainSamples(source))
  })

  test.each(fixtures)('writes the same pprof file: $name', ({ bytes }) => {
    const source = readPprof(bytes).profiles
    const again = readPprof(writePprof(carried(source), { fresh: true }).bytes).profiles
    expect(plainSamples(again)).toEqual(plainSamples(readPprof(writePprof(source, { fresh: true }).bytes).profiles))
  })

  test('builds valid profiles', () => {
    expect(validate(carried(readPprof(fixtures[0].bytes).profiles)).filter(({ level }) => level === 'must')).toEqual([])
  })
})

describe('SeriesBuilder with changes', () => {
  test('scales values, shifts timestamps, and gives values to timestamps without any', () => {
    const source = new ProfilesBuilder()
    source.profile({ type: 't', unit: 'u' })
    source.sample({ stack: source.stack([]), values: [3n] })
    source.sample({ stack: source.stack([]), timestamps: [1n, 2n] })
    source.sample({ stack: source.stack([]), values: [1n, -2n], timestamps: [1n, 2n] })
    const builder = new SeriesBuilder()
    builder.add(LABELS, source.build(), () => ({ name: 'n', scale: 10n, shift: 5n }))
    const { samples } = builder.build()
    expect(Array.from(samples.values.signed())).toEqual([30n, 10n, 10n, 10n, -20n])
    expect(Array.from(samples.timestamps.unsigned())).toEqual([6n, 7n, 6n, 7n])
  })

  test('throws if a value exceeds 64 bits', () => {
    const builder = new SeriesBuilder()
    expect(() => builder.add(LABELS, richProfiles(), () => ({ name: 'n', scale: 2n ** 63n }))).toThrow(RangeError)
  })
})
