import { RULES } from '@hearth/profile'
import { plainProfiles } from '@hearth/signals'
import { describe, expect, test } from 'vitest'
import { encodeMessage } from '../../../profile/src/formats/otlp/testing/encode-message.ts'
import { BREAKS, broken } from '../../../profile/src/formats/validation/testing/breaks.ts'
import { cleanContent, placesOf } from '../../../profile/src/formats/validation/testing/clean-content.ts'
import { checkPayload, decodePayload } from './decode-payload.ts'
import { Rejects } from './rejects.ts'

const identity = { tenant: 'default', token: '' }
const attributes = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: { intValue: `${i}` } }))

/** Profiles in JSON of the current generation. Tests identify them by their periods. */
function json(resourceProfiles: readonly object[]): Uint8Array {
  const dictionary = {
    stringTable: ['', 'k'],
    attributeTable: [{}, ...[1, 2, 3].map(value => ({ keyStrindex: 1, value: { intValue: String(value) } }))],
    stackTable: [{}],
    mappingTable: [{}],
    locationTable: [{}],
    functionTable: [{}],
    linkTable: [{}],
  }
  return Buffer.from(JSON.stringify({ resourceProfiles, dictionary }))
}

const profile = (period: number, own: readonly number[] = [], ofSample: readonly number[] = []): object => ({
  period: String(period),
  attributeIndices: own,
  samples: [{ attributeIndices: ofSample, values: ['1'] }],
})

function decode(body: Uint8Array, encoding: 'json' | 'protobuf', rejects: Rejects) {
  const incoming = { signal: 'profiles', encoding, transport: 'http', body, identity, client: '' } as const
  const { payload, generation } = decodePayload(incoming, rejects)
  return { payload: checkPayload(payload, { maxAttributes: 2 }, rejects), generation }
}

function periodsKept(body: Uint8Array, encoding: 'json' | 'protobuf', rejects: Rejects): bigint[] {
  const { payload } = decode(body, encoding, rejects)
  if (payload.signal !== 'profiles') throw new Error(payload.signal)
  const { profiles } = payload.profiles
  return Array.from({ length: profiles.length }, (_, i) => profiles.period(i))
}

describe.each(['json', 'protobuf'] as const)('profiles as %s', encoding => {
  const bytes = (body: Uint8Array): Uint8Array =>
    encoding === 'json' ? body : plainProfiles.encode(plainProfiles.decodeJson(body))

  test('are rejected for too many attributes of themselves, a sample, their scope or their resource', () => {
    const body = json([
      {
        scopeProfiles: [
          { profiles: [profile(1, [1, 2]), profile(2, [1, 2, 3]), profile(3, [], [1, 2, 3]), profile(4, [1], [2, 3])] },
          { scope: { name: 's', attributes: attributes(3) }, profiles: [profile(5)] },
          { scope: { name: 't', attributes: attributes(2) }, profiles: [profile(6)] },
        ],
      },
      { resource: { attributes: attributes(3) }, scopeProfiles: [{ profiles: [profile(7), profile(8)] }] },
    ])
    const rejects = new Rejects()
    expect(periodsKept(bytes(body), encoding, rejects)).toEqual([1n, 4n, 6n])
    expect([...rejects.reasons]).toEqual([['attributes', 5]])
    // The test repeats a key, which is a warning.
    expect(rejects.message().split('; accepted with problems')[0]).toBe(
      [
        'resource_profiles[0].scope_profiles[0].profiles[1]: 3 attributes; the limit is 2 (max-attributes)',
        'resource_profiles[0].scope_profiles[0].profiles[2]: 3 attributes; the limit is 2 (max-attributes)',
        'resource_profiles[0].scope_profiles[1].profiles[0]: 3 attributes; the limit is 2 (max-attributes)',
        'and 2 more',
      ].join('; '),
    )
  })

  test('are rejected for references to missing rows', () => {
    const body = json([{ scopeProfiles: [{ profiles: [profile(1, [9]), profile(2), profile(3, [], [9])] }] }])
    const rejects = new Rejects()
    expect(periodsKept(bytes(body), encoding, rejects)).toEqual([2n])
    expect([...rejects.reasons]).toEqual([['invalid', 2]])
    expect(rejects.message()).toMatch(/profiles\[0\].*; .*profiles\[2\]/)
  })

  test('are accepted with a warning if an attribute has two keys', () => {
    const resource = { attributes: [{ key: 'text', keyStrindex: 1, value: { intValue: '1' } }] }
    const body = json([{ resource, scopeProfiles: [{ profiles: [profile(1)] }] }])
    const rejects = new Rejects()
    expect(periodsKept(bytes(body), encoding, rejects)).toEqual([1n])
    expect(rejects.count).toBe(0)
    expect(rejects.message()).toMatch(/^accepted with problems: attributes have both key and key_?[sS]trindex/)
  })

  test('have a generation', () => {
    expect(decode(bytes(json([])), encoding, new Rejects()).generation).toMatch(/^v1\./)
  })
})

// v1.4 without attributes of profiles has the same bytes as v1.5.
describe.each(['v1.3', 'v1.5', 'v1.6', 'v1.7'] as const)('profiles of %s', generation => {
  const places = placesOf(generation)
  const clean = cleanContent(generation)
  const isMust = (rule: string): boolean => RULES.find(({ id }) => id === rule)?.level === 'must'
  const breaks = BREAKS.filter(({ rule, generations }) => generations.includes(generation) && isMust(rule)).map(
    each => [each.rule, each.path?.(places) ?? each.changes(places, clean)[0][0], each] as const,
  )
  const messageOf = (content: typeof clean): string => {
    const rejects = new Rejects()
    expect(decode(encodeMessage(generation, content), 'protobuf', rejects).generation).toBe(generation)
    return rejects.message()
  }

  test('are accepted without a warning if they break no rule', () => {
    expect(messageOf(clean)).toBe('')
  })

  // The first string of v1.6 stands where v1.7 has its dictionary, and is read as one unless it is empty.
  const isReadable = (rule: string): boolean =>
    rule !== 'decodable' && !(rule === 'zero-row-value' && generation === 'v1.6')
  test.each(breaks.filter(([rule]) => isReadable(rule)))('are reported if they break %s at %s', (_, path, each) => {
    const message = messageOf(broken(each, generation))
    expect(message.split(path).length).toBe(2)
  })
})

test('decodePayload refuses a body that cannot be read', () => {
  for (const [body, encoding] of [
    [Uint8Array.of(1, 2, 3), 'protobuf'],
    [Buffer.from('[]'), 'json'],
    [Buffer.from('{"resourceProfiles":'), 'json'],
  ] as const)
    expect(() => decode(body, encoding, new Rejects())).toThrow(expect.objectContaining({ http: 400, code: 3 }))
})
