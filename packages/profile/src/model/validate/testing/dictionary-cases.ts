// Profiles that break a rule of the dictionary.
import type { AttributeIndex, FunctionIndex, LocationIndex } from '../../columns/brand.ts'
import { ATTRIBUTE_STRIDE, FUNCTION_STRIDE, LINK_STRIDE, ValueKind } from '../../columns/dictionary.ts'
import { ProfilesDraft } from '../../columns/profiles-draft.ts'
import type { Case } from './case.ts'
import {
  ADDED,
  ATTRIBUTE,
  FUNCTION,
  LINK,
  LOCATION,
  MAPPING,
  SAMPLE,
  STACK,
  row,
  set,
  stackOf,
  withAttribute,
  withLink,
  withLocation,
  withMapping,
  withResource,
  withScope,
} from './case.ts'
import { START, idBytes, richProfiles } from './rich-profiles.ts'

export const DICTIONARY_CASES: readonly Case[] = [
  {
    rule: 'reference-range',
    profiles: () => set(richProfiles(), all => all.dictionary.functions, FUNCTION_STRIDE, 1000),
    paths: ['dictionary.function_table[1].name_strindex'],
  },
  {
    rule: 'zero-row-present',
    profiles: () => new ProfilesDraft().freeze(new Uint8Array(0)),
    paths: ['mapping', 'location', 'function', 'link', 'string', 'attribute', 'stack'].map(
      t => `dictionary.${t}_table`,
    ),
    also: ['container-empty'],
  },
  {
    rule: 'zero-row-value',
    name: 'function',
    profiles: () => set(richProfiles(), all => all.dictionary.functions, 3, 1),
    paths: [row('function_table', 0)],
  },
  {
    rule: 'zero-row-value',
    name: 'mapping',
    profiles: () => set(richProfiles(), all => all.dictionary.mappings, 5, 1),
    paths: [row('mapping_table', 0)],
  },
  {
    rule: 'zero-row-value',
    name: 'location',
    profiles: () => set(richProfiles(), all => all.dictionary.locations, 2, 1),
    paths: [row('location_table', 0)],
  },
  {
    rule: 'zero-row-value',
    name: 'attribute',
    profiles: () => set(richProfiles(), all => all.dictionary.attributes, 2, ValueKind.bool),
    paths: [row('attribute_table', 0)],
  },
  {
    rule: 'zero-row-value',
    name: 'string',
    profiles: () => set(richProfiles(), all => all.dictionary.strings, 1, 1),
    paths: [row('string_table', 0)],
  },
  {
    rule: 'zero-row-value',
    name: 'stack',
    profiles: () => set(richProfiles(), all => all.dictionary.stacks, 0, 1),
    paths: [row('stack_table', 0)],
    // This replaced the first frame of stack 1.
    also: ['dictionary-duplicate', 'dictionary-orphan'],
  },
  {
    rule: 'zero-row-value',
    name: 'link',
    profiles: () => set(richProfiles(), all => all.dictionary.links, 1, 15),
    paths: [row('link_table', 0)],
  },
  {
    rule: 'dictionary-duplicate',
    profiles: () =>
      set(
        withLocation(b => b.location({ lines: [{ function: b.function({ name: 'main', filename: 'a.c' }) }] })),
        all => all.dictionary.functions,
        FUNCTION * FUNCTION_STRIDE + 2,
        0,
      ),
    paths: [row('function_table', FUNCTION), row('location_table', LOCATION), row('stack_table', STACK)],
  },
  {
    rule: 'dictionary-orphan',
    profiles: () => richProfiles(b => b.function({ name: 'main', filename: 'a.c' })),
    paths: [row('function_table', FUNCTION)],
  },
  {
    rule: 'string-utf8',
    profiles: () => {
      const profiles = withAttribute('name', 'caf\u00e9')
      const { ints, base } = profiles.dictionary.attributes
      ints[base + ATTRIBUTE * ATTRIBUTE_STRIDE + 4]--
      return profiles
    },
    paths: [`${row('attribute_table', ATTRIBUTE)}.value`],
  },
  {
    rule: 'value-malformed',
    name: 'an attribute',
    profiles: () => {
      const profiles = withAttribute('nested', ['text'])
      const { attributes } = profiles.dictionary
      const at = attributes.base + ATTRIBUTE * ATTRIBUTE_STRIDE
      attributes.ints[at + 4]--
      return profiles
    },
    paths: [`${row('attribute_table', ATTRIBUTE)}.value`],
  },
  {
    rule: 'value-malformed',
    name: 'a resource and a scope',
    profiles: () => {
      const profiles = richProfiles()
      profiles.resources.ints[profiles.resources.base + 1]--
      profiles.scopes.ints[profiles.scopes.base + 1]--
      return profiles
    },
    paths: ['resource_profiles[0].resource', 'resource_profiles[0].scope_profiles[0].scope'],
  },
  {
    rule: 'attribute-key-empty',
    name: 'the table',
    profiles: () => withAttribute('', 1n),
    paths: [`${row('attribute_table', ATTRIBUTE)}.key_strindex`],
  },
  {
    rule: 'attribute-key-empty',
    name: 'a reference to row 0',
    profiles: () =>
      richProfiles(b => b.sample({ stack: stackOf(b), timestamps: [START], attributes: [0 as AttributeIndex] })),
    paths: [`${SAMPLE}.attribute_indices[0]`],
  },
  {
    rule: 'attribute-key-empty',
    name: 'a scope',
    profiles: () => withScope({ attributes: [{ key: '', value: 1n }] }),
    paths: ['resource_profiles[0].scope_profiles[0].scope.attributes[0].key'],
  },
  {
    rule: 'attribute-keys-unique',
    name: 'a sample',
    profiles: () =>
      richProfiles(b => {
        const attributes = [b.attribute('a', 1n), b.attribute('b', 1n), b.attribute('a', 2n)]
        b.sample({ stack: stackOf(b), timestamps: [START], attributes })
      }),
    paths: [`${SAMPLE}.attribute_indices[2]`],
  },
  {
    rule: 'attribute-keys-unique',
    name: 'a profile, a mapping and a location',
    profiles: () =>
      richProfiles(b => {
        const attributes = [
          b.attribute('process.executable.build_id.go', 'a'),
          b.attribute('process.executable.build_id.go', 'b'),
        ]
        b.profile({ type: 'cpu', unit: 'nanoseconds', attributes })
        const mapping = b.mapping({ attributes })
        b.sample({ stack: b.stack([b.location({ address: 1, mapping, attributes })]), values: [1] })
      }),
    paths: [
      `${row('mapping_table', MAPPING)}.attribute_indices[1]`,
      `${row('location_table', LOCATION)}.attribute_indices[1]`,
      `${ADDED}.attribute_indices[1]`,
    ],
  },
  {
    rule: 'attribute-keys-unique',
    name: 'a resource',
    profiles: () => withResource({ attributes: ['a', 'b', 'a'].map(key => ({ key, value: 1n })) }),
    paths: ['resource_profiles[0].resource.attributes[2]'],
  },
  {
    rule: 'value-keys-unique',
    profiles: () => withAttribute('k', [{ entries: ['a', 'a'].map(key => ({ key, value: 1n })) }]),
    paths: [`${row('attribute_table', ATTRIBUTE)}.value.array_value.values[0].kvlist_value.values[1]`],
  },
  {
    rule: 'attribute-type',
    name: 'the table',
    profiles: () => withAttribute('thread.id', '7'),
    paths: [`${row('attribute_table', ATTRIBUTE)}.value`],
  },
  {
    rule: 'attribute-type',
    name: 'lists',
    profiles: () => withScope({ attributes: [{ key: 'pprof.scope.sample_type_order', value: [1n, 'x'] }] }),
    paths: ['resource_profiles[0].scope_profiles[0].scope.attributes[0].value'],
  },
  {
    rule: 'attribute-type',
    name: 'a resource',
    profiles: () => withResource({ attributes: [{ key: 'process.pid', value: 1.5 }] }),
    paths: ['resource_profiles[0].resource.attributes[0].value'],
  },
  {
    rule: 'attribute-unit-ucum',
    profiles: () => withAttribute('size', 1n, 'bytes'),
    paths: [`${row('attribute_table', ATTRIBUTE)}.unit_strindex`],
  },
  {
    rule: 'attribute-unit-ucum',
    name: 'an unknown unit',
    profiles: () => withAttribute('size', 1n, 'furlongs'),
    paths: [`${row('attribute_table', ATTRIBUTE)}.unit_strindex`],
  },
  {
    rule: 'attribute-unit-number',
    profiles: () => withAttribute('size', '1', 'By'),
    paths: [`${row('attribute_table', ATTRIBUTE)}.unit_strindex`],
  },
  {
    rule: 'function-name',
    profiles: () => withLocation(b => b.location({ lines: [{ function: b.function({ startLine: 4 }) }] })),
    paths: [row('function_table', FUNCTION)],
  },
  {
    rule: 'position-negative',
    profiles: () =>
      withLocation(b =>
        b.location({ lines: [{ function: b.function({ name: 'f', startLine: -1 }), line: -2, column: -3 }] }),
      ),
    paths: [
      `${row('location_table', LOCATION)}.lines[0].line`,
      `${row('location_table', LOCATION)}.lines[0].column`,
      `${row('function_table', FUNCTION)}.start_line`,
    ],
  },
  ...[
    [5, 5],
    [6, 5],
    [6, 0],
    [2n ** 64n - 1n, 2n ** 63n],
  ].map(([memoryStart, memoryLimit]): Case => ({
    rule: 'mapping-range',
    name: `${memoryStart}, ${memoryLimit}`,
    profiles: () =>
      withLocation(b => {
        const attributes = [b.attribute('process.executable.build_id.go', 'id')]
        const mapping = b.mapping({ memoryStart: memoryStart!, memoryLimit: memoryLimit!, attributes })
        return b.location({ mapping, lines: [{ function: b.function({ name: 'f' }) }] })
      }),
    paths: [row('mapping_table', MAPPING)],
  })),
  {
    rule: 'mapping-build-id',
    profiles: () => withMapping(),
    paths: [`${row('mapping_table', MAPPING)}.attribute_indices`],
  },
  {
    rule: 'build-id-form',
    profiles: () =>
      withMapping(
        ['process.executable.build_id.gnu', 'abc'],
        ['process.executable.build_id.go', ''],
        ['process.executable.build_id.htlhash', '0123456789abcdef0123456789abcdeg'],
      ),
    paths: [ATTRIBUTE, ATTRIBUTE + 1, ATTRIBUTE + 2].map(i => `${row('attribute_table', i)}.value`),
  },
  {
    rule: 'build-id-deprecated',
    profiles: () => withMapping(['process.executable.build_id.profiling', '0123456789abcdef0123456789abcdef']),
    paths: [row('attribute_table', ATTRIBUTE)],
  },
  ...[0xfffn, 0x3001n, 2n ** 63n].map((address): Case => ({
    rule: 'location-address',
    name: `${address}`,
    profiles: () =>
      withLocation(b => {
        const attributes = [b.attribute('process.executable.build_id.go', 'id')]
        return b.location({ mapping: b.mapping({ memoryStart: 0x1000, memoryLimit: 0x3000, attributes }), address })
      }),
    paths: [`${row('location_table', LOCATION)}.address`],
  })),
  {
    rule: 'location-empty',
    profiles: () =>
      withLocation(b => {
        const buildId = b.attribute('process.executable.build_id.gnu', 'ab')
        return b.location({ mapping: b.mapping({ filename: 'a', attributes: [buildId] }) })
      }),
    paths: [row('location_table', LOCATION)],
  },
  {
    rule: 'line-function',
    profiles: () => withLocation(b => b.location({ lines: [{ function: 0 as FunctionIndex, line: 3 }] })),
    paths: [`${row('location_table', LOCATION)}.lines[0].function_index`],
  },
  {
    rule: 'stack-location',
    profiles: () => withLocation(() => 0 as LocationIndex),
    paths: [`${row('stack_table', STACK)}.location_indices[0]`],
  },
  {
    rule: 'trace-id-length',
    profiles: () => withLink(idBytes(15), idBytes(8)),
    paths: [`${row('link_table', LINK)}.trace_id`],
  },
  {
    rule: 'span-id-length',
    profiles: () => withLink(idBytes(16), idBytes(9)),
    paths: [`${row('link_table', LINK)}.span_id`],
  },
  {
    rule: 'link-incomplete',
    name: 'no span id',
    profiles: () => withLink(idBytes(16), idBytes(0)),
    paths: [`${row('link_table', LINK)}.span_id`],
  },
  {
    rule: 'link-incomplete',
    name: 'a zero trace id',
    profiles: () => withLink(new Uint8Array(16), idBytes(8)),
    paths: [`${row('link_table', LINK)}.trace_id`],
  },
  {
    rule: 'link-incomplete',
    name: 'a second zero link',
    profiles: () => set(withLink(idBytes(16, 2), idBytes(8)), all => all.dictionary.links, 2 * LINK_STRIDE, 0, 0, 0, 0),
    paths: [`${row('link_table', LINK)}.trace_id`, `${row('link_table', LINK)}.span_id`],
    also: ['dictionary-duplicate'],
  },
]
