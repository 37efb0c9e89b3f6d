// One fixed example that sets every field of the data model, with the extreme values that formats tend to lose.
import type { Profiles } from '../columns/profiles.ts'
import type { AttributeSpec, FunctionSpec, LinkSpec, LocationSpec, ProfilesSpec } from './profiles-spec.ts'
import { buildProfiles } from './profiles-spec.ts'

const START = 1_753_000_000_000_000_001n
const SECOND = 1_000_000_000n

/** Valid by the rules of the data format. */
export function richProfiles(): Profiles {
  return buildProfiles(richSpec())
}

export function richSpec(): ProfilesSpec {
  return [
    {
      resource: {
        attributes: everyKind(),
        droppedAttributesCount: 2,
        entityRefs: [
          {
            schemaUrl: 'https://opentelemetry.io/schemas/1.36.0',
            type: 'service',
            idKeys: ['service.name', 'service.instance.id'],
            descriptionKeys: ['service.version'],
          },
        ],
      },
      schemaUrl: 'https://opentelemetry.io/schemas/1.37.0',
      scopes: [
        {
          scope: {
            name: 'hearth.test',
            version: '1.2.3',
            attributes: [{ key: 'library.language', value: 'ts' }],
            droppedAttributesCount: 1,
          },
          schemaUrl: 'https://example.com/scope-schema',
          profiles: [valuesOnly(), timestampsOnly(), both()],
        },
        { scope: { name: 'second' }, profiles: [empty()] },
      ],
    },
    // The same resource again, and one without content.
    { resource: { attributes: [{ key: 'service.name', value: 'checkout' }] }, scopes: [{ profiles: [empty()] }] },
    { resource: { attributes: [{ key: 'service.name', value: 'checkout' }] }, scopes: [{ profiles: [valuesOnly()] }] },
    { scopes: [] },
  ]
}

function everyKind(): AttributeSpec[] {
  return [
    { key: 'service.name', value: 'checkout 🔥' },
    { key: 'bool', value: true },
    { key: 'false', value: false },
    { key: 'int', value: -9_223_372_036_854_775_808n },
    { key: 'double', value: 0.1 },
    { key: 'not-a-number', value: NaN },
    { key: 'minus-zero', value: -0 },
    { key: 'infinity', value: -Infinity },
    { key: 'bytes', value: Uint8Array.of(0, 255, 128, 10) },
    { key: 'empty', value: undefined },
    { key: 'empty-string', value: '' },
    { key: 'array', value: ['a', 1n, 1.5, false, undefined, ['nested', Uint8Array.of(1)], { entries: [] }] },
    {
      key: 'list',
      value: {
        entries: [
          { key: 'k', value: 'v' },
          { key: 'deep', value: { entries: [{ key: 'n', value: [9_007_199_254_740_993n] }] } },
          { key: 'none', value: undefined },
        ],
      },
    },
    { key: 'empty-array', value: [] },
  ]
}

const main: FunctionSpec = { name: 'main', systemName: '_ZN4mainEv', filename: '/src/main.cc', startLine: 10n }
const inlined: FunctionSpec = { name: 'inlined<T>', systemName: '_inl', filename: '/src/inline.h', startLine: 3n }
const unicode: FunctionSpec = { name: 'Ünïcödé::日本語', filename: 'C:\\src\\ü.cpp' }

const mapping = {
  memoryStart: 0x5555_0000_0000n,
  memoryLimit: 0xffff_ffff_ffff_ffffn,
  fileOffset: 0x1000n,
  filename: '/usr/bin/checkout',
  attributes: [
    { key: 'process.executable.build_id.gnu', value: 'abcdef0123456789' },
    { key: 'process.executable.build_id.htlhash', value: '00112233445566778899aabbccddeeff' },
  ],
}

const mainLocation: LocationSpec = {
  mapping,
  address: 0x5555_0000_1234n,
  lines: [
    { function: inlined, line: 4n, column: 7n },
    { function: main, line: 12n, column: 9_007_199_254_740_993n },
  ],
  attributes: [{ key: 'profile.frame.type', value: 'native' }],
}
const kernelLocation: LocationSpec = {
  address: 0xffff_ffff_ffff_ffffn,
  attributes: [{ key: 'profile.frame.type', value: 'kernel' }],
}
const scriptLocation: LocationSpec = { lines: [{ function: unicode, line: 9_223_372_036_854_775_807n }] }

const link: LinkSpec = {
  traceId: Uint8Array.from({ length: 16 }, (_, i) => 0xf0 + i),
  spanId: Uint8Array.from({ length: 8 }, (_, i) => i + 1),
}

function valuesOnly(): ProfilesSpec[number]['scopes'][number]['profiles'][number] {
  return {
    type: 'cpu',
    unit: 'nanoseconds',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    period: 10_000_000n,
    timeUnixNano: START,
    durationNano: 10n * SECOND,
    id: Uint8Array.from({ length: 16 }, (_, i) => i * 16 + 1),
    droppedAttributesCount: 0xffff_ffff,
    originalPayloadFormat: 'pprof',
    originalPayload: Uint8Array.of(0x1f, 0x8b, 0, 255),
    attributes: everyKind(),
    samples: [
      { stack: [kernelLocation, mainLocation], link, attributes: everyKind(), values: [9_223_372_036_854_775_807n] },
      { stack: [mainLocation, mainLocation], attributes: [{ key: 'size', value: 512n, unit: 'bytes' }], values: [-1n] },
      { stack: [scriptLocation, mainLocation], values: [9_007_199_254_740_993n] },
      { stack: [], values: [-9_223_372_036_854_775_808n] },
    ],
  }
}

function timestampsOnly(): ReturnType<typeof valuesOnly> {
  return {
    type: 'events',
    unit: 'count',
    timeUnixNano: START,
    durationNano: 60n * SECOND,
    samples: [
      { stack: [mainLocation], timestamps: [START, START + 1n, START + 59n * SECOND] },
      { stack: [mainLocation], link, timestamps: [START + 7n] },
      { stack: [mainLocation], attributes: [{ key: 'thread.id', value: 42n }], timestamps: [START + 7n, START + 7n] },
    ],
  }
}

function both(): ReturnType<typeof valuesOnly> {
  return {
    type: 'allocations',
    unit: 'bytes',
    period: -1n,
    // Ends just before the end of the 64-bit range.
    timeUnixNano: 0xffff_ffff_ffff_0000n,
    durationNano: 0xfffen,
    samples: [
      {
        stack: [scriptLocation],
        values: [0n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n],
        timestamps: [0xffff_ffff_ffff_0000n, 0xffff_ffff_ffff_fffdn, 0xffff_ffff_ffff_0001n],
      },
      { stack: [kernelLocation], values: [1n], timestamps: [0xffff_ffff_ffff_0000n] },
    ],
  }
}

function empty(): ReturnType<typeof valuesOnly> {
  return { type: 'idle', unit: 'nanoseconds', samples: [] }
}
