import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalResource, canonicalScope } from '../attributes/canonical.ts'
import { concat } from './concat.ts'
import { difference } from '../compare/content-equal.ts'
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from '../columns/int64.ts'
import type { MergeResult } from './merge.ts'
import { ProfilesMerger, merge } from './merge.ts'
import { brief, plainHeader, plainSample } from '../compare/plain-content.ts'
import type { Profiles } from '../columns/profiles.ts'
import type { ArbitraryOptions } from '../testing/arbitrary-profiles.ts'
import { arbitraryProfiles, arbitrarySpec } from '../testing/arbitrary-profiles.ts'
import type { ProfileSpec, ProfilesSpec, SampleSpec } from '../testing/profiles-spec.ts'
import { buildProfiles } from '../testing/profiles-spec.ts'
import { richSpec } from '../testing/rich-profiles.ts'
import { scatter } from '../testing/scatter.ts'
import { tidiness } from '../testing/tidiness.ts'

function only(...profiles: Partial<ProfileSpec>[]): Profiles {
  return buildProfiles([
    { scopes: [{ profiles: profiles.map(p => ({ type: 'cpu', unit: 'ns', samples: [], ...p })) }] },
  ])
}

function values(...list: bigint[]): SampleSpec[] {
  return list.map(value => ({ stack: [], values: [value] }))
}

function codes({ notes }: MergeResult): Record<string, number> {
  return Object.fromEntries(notes.map(({ code, count }) => [code, count]))
}

/** All values, or timestamps, of a profile with all references resolved, as a sorted list of text. */
function content(profiles: Profiles): string[] {
  return everySample(
    profiles,
    (place, i, p) => `${place} ${brief(plainHeader(profiles, p))} ${observations(profiles, i)}`,
  ).sort()
}

/** A sample as text, with its observations in an order that does not depend on the inputs. */
function observations(profiles: Profiles, i: number): string {
  const {
    values: list,
    timestamps_unix_nano: times,
    ...identity
  } = plainSample(profiles, i) as Record<string, string[]>
  return `${brief(identity)} ${list
    .map((value, k) => `${times[k]}=${value}`)
    .sort()
    .join(' ')} ${times.join(' ')}`
}

/** Calls `visit` with the resource and scope as text, for each sample. */
function everySample<T>(profiles: Profiles, visit: (place: string, sample: number, profile: number) => T): T[] {
  const { resources, scopes } = profiles
  const found: T[] = []
  for (let r = 0; r < resources.length; r++) {
    const at = resources.messageOffset(r)
    const resource = `${resources.schemaUrl(r)} ${canonicalResource(resources.bytes, at, at + resources.messageLength(r)).join()}`
    for (let s = resources.from(r); s < resources.to(r); s++) {
      const from = scopes.messageOffset(s)
      const scope = `${scopes.schemaUrl(s)} ${canonicalScope(scopes.bytes, from, from + scopes.messageLength(s)).join()}`
      for (let p = scopes.from(s); p < scopes.to(s); p++) {
        for (let i = profiles.profiles.samplesFrom(p); i < profiles.profiles.samplesTo(p); i++) {
          found.push(visit(`${resource} ${scope}`, i, p))
        }
      }
    }
  }
  return found
}

/** The sum of all values and the number of observations, by resource, scope, type and unit. */
function totals(inputs: readonly Profiles[]): Map<string, { total: bigint; observations: number }> {
  const sums = new Map<string, { total: bigint; observations: number }>()
  for (const profiles of inputs) {
    everySample(profiles, (place, i, p) => {
      const { strings } = profiles.dictionary
      const key = `${place} ${strings.text(profiles.profiles.type(p))} ${strings.text(profiles.profiles.unit(p))}`
      const sum = sums.get(key) ?? { total: 0n, observations: 0 }
      const { samples } = profiles
      // Values without a time are summed, so their number has no meaning.
      const times = samples.timestampsTo(i) - samples.timestampsFrom(i)
      sums.set(key, { total: sum.total + samples.total(i), observations: sum.observations + times })
    })
  }
  return sums
}

/** Sorts all observations by time, like `merge`. */
function inOrder(spec: ProfilesSpec): ProfilesSpec {
  return spec.map(resource => ({
    ...resource,
    scopes: resource.scopes.map(scope => ({
      ...scope,
      profiles: scope.profiles.map(profile => ({ ...profile, samples: profile.samples.map(sampleInOrder) })),
    })),
  }))
}

function sampleInOrder(sample: SampleSpec): SampleSpec {
  const { values: list = [], timestamps = [] } = sample
  const order = timestamps
    .map((_, k) => k)
    .sort((a, b) => (timestamps[a] < timestamps[b] ? -1 : timestamps[a] > timestamps[b] ? 1 : 0))
  if (order.length === 0) return sample
  return {
    ...sample,
    timestamps: order.map(k => timestamps[k]),
    values: list.length === 0 ? [] : order.map(k => list[k]),
  }
}

describe('merge', () => {
  test('keeps a single input unchanged if nothing in it can be summed', () => {
    fc.assert(
      fc.property(arbitrarySpec().map(inOrder), fc.integer(), (spec, seed) => {
        const input = buildProfiles(spec)
        const { profiles, notes } = merge([scatter(input, seed)])
        const alike = profiles.resources.length < input.resources.length || profiles.scopes.length < input.scopes.length
        fc.pre(!alike && profiles.profiles.length === input.profiles.length)
        expect(difference(profiles, input)).toBeUndefined()
        expect(notes.filter(({ code }) => !code.startsWith('kept-apart'))).toEqual([])
      }),
    )
  })

  test('preserves totals', () => {
    fc.assert(
      fc.property(fc.array(arbitraryProfiles({ repeats: true }), { maxLength: 3 }), inputs => {
        const { profiles } = merge(inputs)
        expect(totals([profiles])).toEqual(totals(inputs))
        expect(tidiness(profiles)).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  test.each<ArbitraryOptions>([{ shapes: ['values'] }, { shapes: ['timestamps'] }, { shapes: ['both'] }])(
    'gives the same content for any order of inputs with %o',
    options => {
      fc.assert(
        fc.property(arbitraryProfiles(options), arbitraryProfiles(options), (a, b) => {
          const [one, other] = [merge([a, b, a]), merge([b, a, a])]
          expect(content(one.profiles)).toEqual(content(other.profiles))
          expect(codes(one)).toEqual(codes(other))
        }),
        { numRuns: 40 },
      )
    },
  )

  test('gives the same result for one file and for several', () => {
    fc.assert(
      fc.property(fc.array(arbitraryProfiles({ repeats: true }), { maxLength: 3 }), inputs => {
        const [one, other] = [merge([concat(inputs)]), merge(inputs)]
        expect(difference(one.profiles, other.profiles)).toBeUndefined()
        expect(one.notes).toEqual(other.notes)
      }),
      { numRuns: 40 },
    )
  })

  test('gives the same result when merging step by step', () => {
    const inputs = [buildProfiles(richSpec()), only({ samples: values(1n) }), buildProfiles(richSpec())]
    const merger = new ProfilesMerger()
    for (const input of inputs) merger.add(input)
    expect(difference(merger.finish().profiles, merge(inputs).profiles)).toBeUndefined()
  })

  test('merges no inputs to empty profiles', () => {
    const { profiles, notes } = merge([])
    expect(profiles.resources.length).toBe(0)
    expect(notes).toEqual([])
  })
})

describe('merge: resources and scopes', () => {
  const attributes = [
    { key: 'a', value: 1n },
    { key: 'b', value: 'x' },
  ]

  test('are combined if their attributes differ only in order', () => {
    const samples = values(1n)
    const turned = attributes.toReversed()
    const { profiles } = merge([
      buildProfiles([
        {
          resource: { attributes },
          scopes: [{ scope: { attributes }, profiles: [{ type: 't', unit: 'u', samples }] }],
        },
      ]),
      buildProfiles([
        {
          resource: { attributes: turned },
          scopes: [{ scope: { attributes: turned }, profiles: [{ type: 't', unit: 'u', samples }] }],
        },
      ]),
    ])
    expect([profiles.resources.length, profiles.scopes.length, profiles.profiles.length]).toEqual([1, 1, 1])
    expect(profiles.resources.resource(0).attributes).toEqual(attributes)
    expect(profiles.samples.total(0)).toBe(2n)
  })

  test('are kept separate if anything differs', () => {
    const variants: ProfilesSpec = [
      { resource: { attributes }, scopes: [] },
      { resource: { attributes: attributes.slice(1) }, scopes: [] },
      { resource: { attributes }, schemaUrl: 'https://example.com', scopes: [] },
      { resource: { attributes, droppedAttributesCount: 1 }, scopes: [] },
      {
        resource: { attributes, entityRefs: [{ schemaUrl: '', type: 'host', idKeys: ['a'], descriptionKeys: [] }] },
        scopes: [],
      },
      { resource: { attributes: [{ key: 'a', value: 1 }, attributes[1]] }, scopes: [] },
      {
        scopes: [
          { scope: { name: 's' }, profiles: [] },
          { scope: { name: 's' }, schemaUrl: 'x', profiles: [] },
          { scope: { name: 's', version: '1' }, profiles: [] },
        ],
      },
      { resource: { droppedAttributesCount: 9 }, scopes: [{ scope: { name: 's' }, profiles: [] }] },
    ]
    const { profiles } = merge([buildProfiles(variants), buildProfiles(variants.toReversed())])
    expect(difference(profiles, buildProfiles(variants))).toBeUndefined()
  })
})

describe('merge: profiles', () => {
  test('are not summed if unit, period or shape differ', () => {
    const samples = values(1n)
    const timestamps: SampleSpec[] = [{ stack: [], timestamps: [5n] }]
    const result = merge([
      only(
        { samples },
        { samples, unit: 'nanoseconds' },
        { samples, period: 2n },
        { samples, periodUnit: 'ns' },
        { samples: timestamps },
      ),
      only({ samples, type: 'wall' }, { samples }),
    ])
    expect(result.profiles.profiles.length).toBe(6)
    expect(codes(result)).toEqual({ 'kept-apart-unit': 1, 'kept-apart-period': 2, 'kept-apart-shape': 1 })
    expect(result.profiles.samples.total(0)).toBe(2n)
  })

  test('give the same notes in any order', () => {
    const samples = values(1n)
    const [plain, period, unit] = [only({ samples }), only({ samples, period: 2n }), only({ samples, unit: 'bytes' })]
    for (const inputs of [
      [plain, period, unit],
      [unit, period, plain],
      [period, unit, plain],
    ]) {
      expect(codes(merge(inputs))).toEqual({ 'kept-apart-unit': 1, 'kept-apart-period': 1 })
    }
  })

  test('with different attributes are kept separate without a note', () => {
    const samples = values(1n)
    const [one, two] = [1n, 2n].map(value => [
      { key: 'cpu', value },
      { key: 'x', value: '' },
    ])
    const result = merge([
      only({ samples, attributes: one }, { samples, attributes: two }, { samples, attributes: one.toReversed() }),
    ])
    expect(result.profiles.profiles.length).toBe(2)
    expect(result.notes).toEqual([])
  })

  test('without samples are combined with others of their kind', () => {
    const samples = values(1n)
    for (const inputs of [
      [only({}), only({ samples })],
      [only({ samples }), only({})],
      [only({}), only({}), only({ samples })],
    ]) {
      const { profiles, notes } = merge(inputs)
      expect(difference(profiles, only({ samples }))).toBeUndefined()
      expect(notes).toEqual([])
    }
  })

  test('without samples are combined with the first shape only', () => {
    const timed: SampleSpec[] = [{ stack: [], timestamps: [5n] }]
    const { profiles } = merge([only({}), only({ samples: values(1n) }), only({ samples: timed }), only({})])
    expect(difference(profiles, only({ samples: values(1n) }, { samples: timed }))).toBeUndefined()
  })

  test('span the time from the earliest start to the latest end', () => {
    const inputs = [
      only({ timeUnixNano: 1000n, durationNano: 10n }),
      only({ timeUnixNano: 900n, durationNano: 5n }),
      only({ timeUnixNano: 950n, durationNano: 100n }),
      only({}),
    ]
    for (const order of [inputs, inputs.toReversed()]) {
      const { profiles } = merge(order)
      expect([profiles.profiles.time(0), profiles.profiles.duration(0)]).toEqual([900n, 150n])
    }
  })

  test('may have 64-bit times', () => {
    const late = only({ timeUnixNano: MAX_UINT64 - 1n, durationNano: 1n })
    const early = only({ timeUnixNano: 2n ** 63n, durationNano: 1n })
    const { profiles } = merge([late, early])
    expect([profiles.profiles.time(0), profiles.profiles.duration(0)]).toEqual([2n ** 63n, 2n ** 63n - 1n])
    const endless = merge([only({ timeUnixNano: MAX_UINT64, durationNano: MAX_UINT64 }), only({ timeUnixNano: 1n })])
    expect([endless.profiles.profiles.time(0), endless.profiles.profiles.duration(0)]).toEqual([1n, MAX_UINT64])
    expect(codes(endless)).toEqual({ 'duration-saturated': 1 })
  })

  test('without a time keep their duration only if no profile has a time', () => {
    const untimed = merge([only({ durationNano: 7n }), only({ durationNano: 9n })])
    expect([untimed.profiles.profiles.time(0), untimed.profiles.profiles.duration(0)]).toEqual([0n, 9n])
    expect(untimed.notes).toEqual([])
    const mixed = merge([only({ durationNano: 7n }), only({ timeUnixNano: 5n, durationNano: 2n })])
    expect([mixed.profiles.profiles.time(0), mixed.profiles.profiles.duration(0)]).toEqual([5n, 2n])
    expect(codes(mixed)).toEqual({ 'duration-without-time-dropped': 1 })
  })

  test('keep id and payload only if they are not combined with others', () => {
    const id = new Uint8Array(16).fill(7)
    const alone = only({ id, originalPayloadFormat: 'pprof', originalPayload: Uint8Array.of(1, 2, 3), type: 'a' })
    expect(
      difference(
        merge([alone, only({ type: 'b' })]).profiles,
        only({ id, originalPayloadFormat: 'pprof', originalPayload: Uint8Array.of(1, 2, 3), type: 'a' }, { type: 'b' }),
      ),
    ).toBeUndefined()
    const both = merge([alone, alone, only({ type: 'a' })])
    expect(both.profiles.profiles.id(0).length + both.profiles.profiles.originalPayload(0).length).toBe(0)
    expect(both.profiles.profiles.originalPayloadFormat(0)).toBe('')
    expect(codes(both)).toEqual({ 'profile-id-dropped': 2, 'original-payload-dropped': 6 })
  })

  test('sum the counts of dropped attributes', () => {
    const some = merge([only({ droppedAttributesCount: 3_000_000_000 }), only({ droppedAttributesCount: 1 })])
    expect(some.profiles.profiles.droppedAttributes(0)).toBe(3_000_000_001)
    const many = merge([
      only({ droppedAttributesCount: 3_000_000_000 }),
      only({ droppedAttributesCount: 3_000_000_000 }),
    ])
    expect(many.profiles.profiles.droppedAttributes(0)).toBe(0xffff_ffff)
    expect(codes(many)).toEqual({ 'dropped-attributes-saturated': 1 })
  })
})

describe('merge: samples', () => {
  test('are summed if stack, attribute set and link are equal', () => {
    const link = { traceId: new Uint8Array(16).fill(1), spanId: new Uint8Array(8).fill(2) }
    const none = { traceId: new Uint8Array(16), spanId: new Uint8Array(8) }
    const [x, y] = ['x', 'y'].map(key => ({ key, value: 1n }))
    const stack = [{ address: 1n }, { address: 2n }]
    const sample = (more: Partial<SampleSpec>): SampleSpec => ({ stack, values: [1n], ...more })
    const { profiles } = merge([
      only({
        samples: [sample({}), sample({ attributes: [x, y] }), sample({ link }), sample({ stack: stack.toReversed() })],
      }),
      only({
        samples: [
          sample({ attributes: [y, x] }),
          sample({ link: none }),
          sample({ link }),
          sample({ attributes: [x] }),
          sample({}),
        ],
      }),
    ])
    const expected = only({
      samples: [
        sample({ values: [3n] }),
        sample({ values: [2n], attributes: [x, y] }),
        sample({ values: [2n], link }),
        sample({ stack: stack.toReversed() }),
        sample({ attributes: [x] }),
      ],
    })
    expect(difference(profiles, expected)).toBeUndefined()
    expect(Array.from(profiles.samples.values.signed())).toEqual([3n, 2n, 2n, 1n, 1n])
  })

  test('have exact 64-bit sums', () => {
    const int64 = fc.oneof(
      fc.bigInt(MIN_INT64, MAX_INT64),
      fc.constantFrom(MIN_INT64, MAX_INT64, -1n, 0n, 1n, 2n ** 32n - 1n),
    )
    fc.assert(
      fc.property(fc.array(int64, { minLength: 1, maxLength: 12 }), list => {
        const result = merge(list.map(value => only({ samples: values(value) })))
        const parts = Array.from(result.profiles.samples.values.signed())
        const total = list.reduce((sum, value) => sum + value, 0n)
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(total)
        const fits = total >= MIN_INT64 && total <= MAX_INT64
        expect(parts.length === 1).toBe(fits)
        expect(codes(result)).toEqual(fits ? {} : { overflow: 1 })
        expect(result.profiles.samples.length).toBe(parts.length)
      }),
    )
  })

  test('are split into equal parts if their sum overflows', () => {
    const result = merge([only({ samples: values(2n ** 62n) }), only({ samples: values(2n ** 62n, 1n) })])
    expect(Array.from(result.profiles.samples.values.signed())).toEqual([2n ** 62n, 2n ** 62n + 1n])
    const negative = merge([only({ samples: values(MIN_INT64, MIN_INT64, -1n) })])
    expect(Array.from(negative.profiles.samples.values.signed()).reduce((a, b) => a + b)).toBe(2n * MIN_INT64 - 1n)
    expect(negative.profiles.samples.length).toBe(3)
    expect(codes(negative)).toEqual({ overflow: 1 })
  })

  test('have their observations sorted by time, and stably', () => {
    const at = (timestamps: bigint[], list: bigint[]): Profiles =>
      only({ samples: [{ stack: [], timestamps, values: list }] })
    const { profiles } = merge([
      at([30n, 10n, MAX_UINT64], [1n, 2n, 3n]),
      at([2n ** 63n, 10n, 2n ** 32n, 10n], [4n, 5n, 6n, 7n]),
    ])
    expect(Array.from(profiles.samples.timestamps.unsigned())).toEqual([
      10n,
      10n,
      10n,
      30n,
      2n ** 32n,
      2n ** 63n,
      MAX_UINT64,
    ])
    expect(Array.from(profiles.samples.values.signed())).toEqual([2n, 5n, 7n, 1n, 6n, 4n, 3n])
    expect(profiles.samples.length).toBe(1)
  })

  test('do not mix their timestamps', () => {
    const samples = (shift: bigint): SampleSpec[] =>
      [1n, 2n].map(address => ({ stack: [{ address }], timestamps: [address * 100n + shift, address] }))
    const { profiles } = merge([only({ samples: samples(1n) }), only({ samples: samples(0n) })])
    const expected = only({
      samples: [
        { stack: [{ address: 1n }], timestamps: [1n, 1n, 100n, 101n] },
        { stack: [{ address: 2n }], timestamps: [2n, 2n, 200n, 201n] },
      ],
    })
    expect(difference(profiles, expected)).toBeUndefined()
  })

  test('that the data format does not allow are kept unchanged', () => {
    const samples: SampleSpec[] = [
      { stack: [], values: [1n, 2n] },
      { stack: [], values: [1n], timestamps: [2n, 1n] },
      { stack: [] },
      { stack: [], values: [5n] },
      { stack: [], timestamps: [9n] },
    ]
    const result = merge([only({ samples }), only({ samples })])
    const expected = only({
      samples: [
        ...samples.slice(0, 3),
        ...samples.slice(0, 3),
        { stack: [], values: [10n] },
        { stack: [], timestamps: [9n, 9n] },
      ],
    })
    expect(difference(result.profiles, expected)).toBeUndefined()
    expect(codes(result)).toEqual({ 'irregular-samples': 6 })
  })
})
