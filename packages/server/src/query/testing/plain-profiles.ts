// Profiles as plain objects. Tests store them, and build the expected response from the samples that a query should
// select.
import type { AnyValue, AttributeIndex, KeyValue, LocationIndex, Profiles } from '@hearth/profile'
import { ProfilesBuilder } from '@hearth/profile'
import fc from 'fast-check'

export interface PlainFrame {
  readonly name: string
  readonly file?: string
  readonly line?: number
  readonly mapping?: string
  readonly type?: string
  /** Whether it is inlined into the frame before it. */
  readonly inlined?: boolean
}

export interface PlainSample {
  /** Root first. */
  readonly frames: readonly PlainFrame[]
  readonly values: readonly bigint[]
  readonly timestamps?: readonly bigint[]
  readonly attributes?: Attributes
  /** Hex. */
  readonly link?: readonly [traceId: string, spanId: string]
}

export type Attributes = Readonly<Record<string, AnyValue>>

export interface PlainProfile {
  readonly resource: Attributes
  readonly scope: { readonly name: string; readonly version: string; readonly attributes: Attributes }
  readonly type: string
  readonly unit: string
  readonly periodType?: string
  readonly periodUnit?: string
  readonly period?: bigint
  readonly time: bigint
  readonly duration?: bigint
  readonly id?: Uint8Array
  readonly attributes: Attributes
  readonly samples: readonly PlainSample[]
}

export const NO_SCOPE: PlainProfile['scope'] = { name: '', version: '', attributes: {} }

/** Each in a resource and scope of its own. */
export function profilesOf(list: readonly PlainProfile[]): Profiles {
  const builder = new ProfilesBuilder()
  for (const profile of list) {
    const { name, version, attributes } = profile.scope
    builder.resource({ attributes: keyValues(profile.resource) })
    builder.scope({ name, version, attributes: keyValues(attributes) })
    builder.profile({
      type: profile.type,
      unit: profile.unit,
      periodType: profile.periodType ?? '',
      periodUnit: profile.periodUnit ?? '',
      period: profile.period ?? 0n,
      timeUnixNano: profile.time,
      durationNano: profile.duration ?? 0n,
      id: profile.id ?? new Uint8Array(0),
      attributes: attributesIn(builder, profile.attributes),
    })
    for (const sample of profile.samples) addSample(builder, sample)
  }
  return builder.build()
}

/**
 * All samples in one profile. The store adds up a sample's values on write, so samples whose values cancel out
 * disappear. The library keeps their stacks with a sum of zero. So such samples are dropped here.
 */
export function oneProfile(samples: readonly PlainSample[], type = 'cpu', unit = 'ns'): Profiles {
  const builder = new ProfilesBuilder()
  builder.profile({ type, unit })
  for (const sample of samples) {
    const { values } = sample
    const cancels = values.length > 1 && values.reduce((sum, value) => sum + value, 0n) === 0n
    if (!cancels) addSample(builder, sample)
  }
  return builder.build()
}

function keyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value }))
}

function attributesIn(builder: ProfilesBuilder, attributes: Attributes): AttributeIndex[] {
  return Object.entries(attributes).map(([key, value]) => builder.attribute(key, value))
}

function addSample(builder: ProfilesBuilder, sample: PlainSample): void {
  const groups: PlainFrame[][] = []
  for (const frame of sample.frames) {
    if (frame.inlined === true && groups.length > 0) groups.at(-1)!.unshift(frame)
    else groups.push([frame])
  }
  const locations: LocationIndex[] = groups.map(group => {
    const outermost = group.at(-1)!
    return builder.location({
      mapping: builder.mapping({ filename: outermost.mapping ?? '' }),
      attributes: outermost.type === undefined ? [] : [builder.attribute('profile.frame.type', outermost.type)],
      lines: group.map(({ name, file = '', line = 0 }) => ({
        function: builder.function({ name, filename: file }),
        line,
      })),
    })
  })
  const [traceId, spanId] = sample.link ?? ['', '']
  builder.sample({
    stack: builder.stack(locations.reverse()),
    values: sample.values,
    timestamps: sample.timestamps ?? [],
    link: builder.link(new Uint8Array(Buffer.from(traceId, 'hex')), new Uint8Array(Buffer.from(spanId, 'hex'))),
    attributes: attributesIn(builder, sample.attributes ?? {}),
  })
}

const SECOND = 1_000_000_000n
export const START = 1_790_000_000n * SECOND

/** Small sets of values, so that stacks, attributes and times coincide. */
const frame: fc.Arbitrary<PlainFrame> = fc.record(
  {
    name: fc.constantFrom('main', 'run', 'gc', 'parse', 'idle'),
    file: fc.constantFrom('a.go', 'b.go', 'c.js'),
    line: fc.integer({ min: 0, max: 3 }),
    mapping: fc.constantFrom('app', 'libc.so.6'),
    type: fc.constantFrom('native', 'kernel'),
    inlined: fc.boolean(),
  },
  { requiredKeys: ['name'] },
)
const value = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: 100n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -50n, max: -1n }) },
  { weight: 1, arbitrary: fc.constantFrom(2n ** 53n + 1n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n)) },
)
const shared = {
  region: fc.constantFrom<AnyValue>('eu-1', 'eu-2', 'us\n1'),
  'thread.id': fc.constantFrom<AnyValue>(1n, 2n, 2n ** 53n + 1n),
  ratio: fc.constantFrom<AnyValue>(0.5, 2, 500),
  debug: fc.constantFrom<AnyValue>(true, false, 'true'),
}
const attributes = fc.record(shared, { requiredKeys: [] }) as fc.Arbitrary<Attributes>
const sample: fc.Arbitrary<PlainSample> = fc
  .record({
    frames: fc.array(frame, { maxLength: 5 }),
    values: fc.array(value, { minLength: 1, maxLength: 2 }),
    timed: fc.constantFrom('values', 'times', 'both'),
    at: fc.integer({ min: 0, max: 999 }),
    attributes,
    link: fc.option(
      fc.tuple(fc.constantFrom('01'.repeat(16), '02'.repeat(16)), fc.constantFrom('aa'.repeat(8), 'bb'.repeat(8))),
      { nil: undefined, freq: 3 },
    ),
  })
  .map(({ values, timed, at, link, ...rest }) => {
    const timestamps = values.map((_, i) => START + BigInt(at + i) * 1_000_000n)
    const content = { values: timed === 'values' ? values.slice(0, 1) : timed === 'times' ? [] : values }
    const times = timed === 'values' ? {} : { timestamps }
    return { ...rest, ...content, ...times, ...(link === undefined ? {} : { link: link as [string, string] }) }
  })

export const plainProfile: fc.Arbitrary<PlainProfile> = fc.record({
  resource: fc
    .tuple(attributes, fc.constantFrom('checkout', 'cart', ''))
    .map(([rest, service]) => (service === '' ? rest : { 'service.name': service, ...rest })),
  scope: fc.record({
    name: fc.constantFrom('', 'agent', 'ebpf'),
    version: fc.constantFrom('', '1.0'),
    attributes,
  }),
  type: fc.constant('cpu'),
  unit: fc.constantFrom('ns', 'nanoseconds'),
  time: fc.integer({ min: 0, max: 59 }).map(seconds => START + BigInt(seconds) * SECOND),
  id: fc.constantFrom(Uint8Array.of(1, 2), Uint8Array.of(0xab, 0xcd)),
  attributes,
  samples: fc.array(sample, { maxLength: 6 }),
})
