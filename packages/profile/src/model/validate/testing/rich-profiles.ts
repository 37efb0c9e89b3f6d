// Profiles with all kinds of content that break no rule, not even a SHOULD. Each test then breaks one thing.
import type { Resource, Scope } from '../../columns/any-value.ts'
import { ProfilesBuilder } from '../../build/builder.ts'
import { LINK_STRIDE } from '../../columns/dictionary.ts'
import type { Profiles } from '../../columns/profiles.ts'

export const START = 1_700_000_000_000_000_000n
const SECOND = 1_000_000_000n

const RESOURCE: Resource = {
  attributes: [
    { key: 'service.name', value: 'shop' },
    { key: 'process.pid', value: 42n },
    { key: 'process.environment_variable.LANG', value: 'C' },
    { key: 'tree', value: { entries: [{ key: 'a', value: [1n, { entries: [{ key: 'a', value: 2.5 }] }] }] } },
  ],
  droppedAttributesCount: 1,
  entityRefs: [
    {
      schemaUrl: 'https://opentelemetry.io/schemas/1.38.0',
      type: 'service',
      idKeys: ['service.name'],
      descriptionKeys: ['process.pid'],
    },
  ],
}

const SCOPE: Partial<Scope> = {
  name: 'profiler',
  version: '1',
  attributes: [{ key: 'pprof.scope.sample_type_order', value: [1n, 0n] }],
}

export function idBytes(length: number, first = 1): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => first + i)
}

/** `change` is called after the samples of the first profile. It may add samples or open other profiles. */
export function richProfiles(change: (builder: ProfilesBuilder) => void = () => undefined): Profiles {
  const b = new ProfilesBuilder()
  b.resource(RESOURCE, 'https://opentelemetry.io/schemas/1.38.0')
  b.scope(SCOPE, 'http://localhost:8080/schemas/shop/0.1.0-beta')
  b.profile({
    type: 'samples',
    unit: 'count',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    period: 10_000_000,
    timeUnixNano: START,
    durationNano: SECOND,
    id: idBytes(16),
    originalPayloadFormat: 'jfr',
    originalPayload: idBytes(3),
    attributes: [
      b.attribute('pprof.profile.comment', ['made by hand', 'with care']),
      b.attribute('pprof.profile.doc_url', 'https://example.com/profiles'),
      b.attribute('allocation.sizes', [16n, 32n], 'By'),
    ],
  })
  const thread = b.attribute('thread.id', 7n)
  const speed = b.attribute('speed', 2.5, '{request}/s')
  const outer = b.stack([leaf(b), root(b)])
  const link = b.link(idBytes(16), idBytes(8))
  b.sample({ stack: outer, timestamps: [START, START + SECOND - 1n], attributes: [thread, speed], link })
  b.sample({ stack: outer, timestamps: [START + 5n], attributes: [thread, speed] })
  b.sample({ stack: b.stack([root(b)]), timestamps: [START + 6n], attributes: [speed, thread], link })
  change(b)
  b.profile({ type: 'off_cpu', unit: 'nanoseconds' })
  b.sample({ stack: outer, values: [-5n] })
  b.scope()
  b.profile({ type: 'wall', unit: 'nanoseconds', timeUnixNano: START, durationNano: SECOND })
  b.sample({ stack: outer, values: [1n, 2n], timestamps: [START, START + 1n] })
  return withZeroLink(b)
}

function leaf(b: ProfilesBuilder) {
  const attributes = [
    b.attribute('process.executable.build_id.gnu', '00aBcD'),
    b.attribute('process.executable.build_id.go', 'x/y'),
    b.attribute('process.executable.build_id.htlhash', '0123456789abcdef0123456789ABCDEF'),
    b.attribute('pprof.mapping.has_functions', true),
  ]
  const range = { memoryStart: 0x1000, memoryLimit: 2n ** 64n - 1n, fileOffset: 64 }
  const mapping = b.mapping({ ...range, filename: 'a.so', attributes })
  const frameType = b.attribute('profile.frame.type', 'native')
  const inlined = {
    function: b.function({ name: 'inlined', systemName: '_Z', filename: 'a.c', startLine: 3 }),
    line: 5,
  }
  const into = { function: b.function({ filename: 'a.c' }), line: 9, column: 2 }
  return b.location({ mapping, address: 2n ** 63n, lines: [inlined, into], attributes: [frameType] })
}

function root(b: ProfilesBuilder) {
  return b.location({ lines: [{ function: b.function({ name: 'main' }) }] })
}

/** Builds the profiles with the ids of link 0 as zero bytes, which builders omit. */
export function withZeroLink(b: ProfilesBuilder): Profiles {
  const { blobs } = b.dictionary
  const traceId = b.dictionary.blobOffset(blobs.intern(new Uint8Array(16), 0, 16))
  const spanId = b.dictionary.blobOffset(blobs.intern(new Uint8Array(8), 0, 8))
  const profiles = b.build()
  const { ints, base } = profiles.dictionary.links
  ints.set([traceId, 16, spanId, 8].slice(0, LINK_STRIDE), base)
  return profiles
}
