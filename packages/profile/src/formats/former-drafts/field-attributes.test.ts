import { describe, expect, test } from 'vitest'
import type { AnyValue } from '../../model/columns/any-value.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { MappingIndex } from '../../model/columns/brand.ts'
import { BUILD_ID_BINARY_HASH, BUILD_ID_LINKER, FieldAttributes, buildIdAttribute } from './field-attributes.ts'

const HASH = '00112233445566778899aabbccddeeff'

/** The fields of a mapping with these attributes. */
function splitMapping(
  ...attributes: readonly (readonly [key: string, value: AnyValue, unit?: string])[]
): FieldAttributes {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'a', unit: 'b' })
  const rows = attributes.map(([key, value, unit]) => builder.attribute(key, value, unit))
  const mapping = builder.mapping({ memoryStart: 1, attributes: rows }) as MappingIndex
  const { dictionary } = builder.build()
  const { mappings } = dictionary
  const fields = new FieldAttributes(dictionary, ['gnu', 'hash', 0, 1, 2, 3])
  return fields.split(mappings.attributes, mappings.attributesFrom(mapping), mappings.attributesTo(mapping))
}

describe('FieldAttributes', () => {
  test('accepts flags that are true and leaves all others as attributes', () => {
    const fields = splitMapping(
      ['pprof.mapping.has_functions', true],
      ['pprof.mapping.has_filenames', false],
      ['pprof.mapping.has_line_numbers', 'true'],
      ['pprof.mapping.has_inline_frames', true, 'ms'],
      ['pprof.location.is_folded', true],
    )
    expect([...fields.flags]).toEqual([0])
    expect(fields.restLength).toBe(4)
    fields.keepFlags()
    expect([fields.flags.size, fields.restLength]).toEqual([0, 5])
  })

  test.each([
    [[['process.executable.build_id.gnu', 'ab']], 'ab', BUILD_ID_LINKER, 0],
    [[['process.executable.build_id.htlhash', HASH]], HASH, BUILD_ID_BINARY_HASH, 0],
    [[['process.executable.build_id.profiling', 'own']], 'own', BUILD_ID_BINARY_HASH, 0],
    // The reader would give each of these another name.
    [[['process.executable.build_id.htlhash', 'short']], '', BUILD_ID_LINKER, 1],
    [[['process.executable.build_id.profiling', HASH]], '', BUILD_ID_LINKER, 1],
    [[['process.executable.build_id.gnu', '']], '', BUILD_ID_LINKER, 1],
    [
      [
        ['process.executable.build_id.gnu', 'ab'],
        ['process.executable.build_id.htlhash', HASH],
      ],
      'ab',
      BUILD_ID_LINKER,
      1,
    ],
  ] as const)('reads the build id from %j', (attributes, text, kind, rest) => {
    const fields = splitMapping(...attributes)
    expect(fields.buildId()).toEqual({ text, kind })
    expect(fields.restLength).toBe(rest)
  })

  test('buildIdAttribute names the attribute by the kind of the build id', () => {
    const keyOf = (buildId: string, kind: number): string[] => {
      const builder = new ProfilesBuilder()
      const rows = buildIdAttribute(builder, buildId, kind)
      const { attributes, strings } = builder.build().dictionary
      return rows.map(row => strings.text(attributes.key(row)))
    }
    expect(keyOf('', BUILD_ID_LINKER)).toEqual([])
    expect(keyOf('ab', BUILD_ID_LINKER)).toEqual(['process.executable.build_id.gnu'])
    expect(keyOf(HASH, BUILD_ID_BINARY_HASH)).toEqual(['process.executable.build_id.htlhash'])
    expect(keyOf('ab', BUILD_ID_BINARY_HASH)).toEqual(['process.executable.build_id.profiling'])
  })
})
