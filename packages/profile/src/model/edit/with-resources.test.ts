import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import { difference } from '../compare/content-equal.ts'
import { withResources } from './with-resources.ts'

function example(services: readonly string[]) {
  const builder = new ProfilesBuilder()
  for (const [i, service] of services.entries()) {
    builder.resource({ attributes: [{ key: 'service.name', value: service }] }, 'https://example.com/schema')
    builder.scope({ name: 'test' })
    builder.profile({ type: 'cpu', unit: 'ns', period: i })
    const location = builder.location({ address: 5, attributes: [builder.attribute('cpu', 1n)] })
    const link = builder.link(new Uint8Array(16).fill(7), new Uint8Array(8).fill(9))
    builder.sample({ stack: builder.stack([location]), link, values: [3] })
  }
  return builder.build()
}

describe('withResources', () => {
  test('changes the resources and nothing else', () => {
    const renamed = withResources(example(['a', 'b']), ({ attributes, ...rest }) => ({
      ...rest,
      attributes: attributes.map(({ key, value }) => ({ key, value: typeof value === 'string' ? `${value}!` : value })),
    }))
    expect(difference(renamed, example(['a!', 'b!']))).toBeUndefined()
    expect(renamed.resources.schemaUrl(1)).toBe('https://example.com/schema')
  })

  test('returns empty profiles for empty profiles', () => {
    const empty = new ProfilesBuilder().build()
    expect(
      difference(
        withResources(empty, resource => resource),
        empty,
      ),
    ).toBeUndefined()
  })
})
