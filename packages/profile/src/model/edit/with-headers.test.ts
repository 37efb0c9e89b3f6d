import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import type { KeyValue } from '../columns/any-value.ts'
import { difference } from '../compare/content-equal.ts'
import { richProfiles } from '../testing/rich-profiles.ts'
import { validate } from '../validate/validate.ts'
import { withHeaders } from './with-headers.ts'

const ATTRIBUTES: readonly KeyValue[] = [
  { key: 'text', value: 'ä' },
  { key: 'whole', value: -(2n ** 63n) },
  { key: 'double', value: 0.5 },
  { key: 'list', value: ['a', 1n] },
]

function example(service: string, type: string, time: bigint, added: readonly KeyValue[], id = new Uint8Array(0)) {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: service }] }, 'https://example.com/schema')
  builder.scope({ name: `scope of ${service}` })
  for (let i = 0; i < 2; i++) {
    const own = builder.attribute('own', BigInt(i))
    builder.profile({
      type: i === 0 ? type : 'other',
      unit: 'ns',
      period: i,
      timeUnixNano: i === 0 ? time : 7n,
      id: i === 0 ? id : new Uint8Array(0),
      attributes: [own, ...(i === 0 ? added.map(({ key, value }) => builder.attribute(key, value)) : [])],
    })
    const location = builder.location({ address: 5, attributes: [builder.attribute('cpu', 1n)] })
    const link = builder.link(new Uint8Array(16).fill(7), new Uint8Array(8).fill(9))
    builder.sample({ stack: builder.stack([location]), link, values: [3] })
  }
  return builder.build()
}

describe('withHeaders', () => {
  it('changes the given fields and nothing else', () => {
    const id = new Uint8Array(16).fill(3)
    const time = 2n ** 64n - 1n
    const changed = withHeaders(example('a', 'cpu', 5n, []), {
      resource: resource => ({ ...resource, attributes: [{ key: 'service.name', value: 'b' }] }),
      scope: scope => ({ ...scope, name: 'scope of b' }),
      profile: i => (i === 0 ? { type: 'wall', timeUnixNano: time, id, attributes: ATTRIBUTES } : {}),
    })
    expect(difference(changed, example('b', 'wall', time, ATTRIBUTES, id))).toBeUndefined()
    expect(validate(changed)).toEqual([])
  })

  it('keeps profiles with every kind of content', () => {
    const rich = richProfiles()
    const same = withHeaders(rich, { resource: all => all, scope: all => all, profile: () => ({}) })
    expect(difference(same, rich)).toBeUndefined()
  })

  it('rejects numbers that do not fit', () => {
    const change = { resource: <T>(all: T) => all, scope: <T>(all: T) => all, profile: () => ({ timeUnixNano: -1n }) }
    expect(() => withHeaders(example('a', 'cpu', 5n, []), change)).toThrow('timeUnixNano -1 does not fit in uint64')
  })
})
