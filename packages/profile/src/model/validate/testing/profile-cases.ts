// Profiles that break a rule of resources, scopes, profiles or samples.
import { ProfilesBuilder } from '../../build/builder.ts'
import type { Case } from './case.ts'
import {
  ADDED,
  ATTRIBUTE,
  PROFILE,
  SAMPLE,
  row,
  stackOf,
  withAttribute,
  withEntity,
  withProfile,
  withResource,
  withScope,
} from './case.ts'
import { START, idBytes, richProfiles, withZeroLink } from './rich-profiles.ts'

export const PROFILE_CASES: readonly Case[] = [
  {
    rule: 'sample-type',
    profiles: () => withProfile({ type: '', unit: '' }),
    paths: [`${ADDED}.sample_type.type_strindex`, `${ADDED}.sample_type.unit_strindex`],
  },
  {
    rule: 'period-type',
    name: 'the period',
    profiles: () => withProfile({ period: -1 }),
    paths: [`${ADDED}.period_type.type_strindex`, `${ADDED}.period_type.unit_strindex`],
  },
  {
    rule: 'period-type',
    name: 'only one of two',
    profiles: () => withProfile({ periodUnit: 'count' }),
    paths: [`${ADDED}.period_type.type_strindex`],
  },
  { rule: 'profile-id-length', profiles: () => withProfile({ id: idBytes(17) }), paths: [`${ADDED}.profile_id`] },
  { rule: 'profile-id-zero', profiles: () => withProfile({ id: new Uint8Array(16) }), paths: [`${ADDED}.profile_id`] },
  {
    rule: 'profile-id-unique',
    profiles: () =>
      richProfiles(b => {
        const id = idBytes(16).toReversed()
        for (const timeUnixNano of [START, START, START + 1n]) {
          b.profile({ type: 'cpu', unit: 'nanoseconds', id, timeUnixNano })
          b.sample({ stack: stackOf(b), values: [1] })
        }
      }),
    paths: ['resource_profiles[0].scope_profiles[0].profiles[3].profile_id'],
  },
  {
    rule: 'original-payload-pair',
    name: 'payload without format',
    profiles: () => withProfile({ originalPayload: idBytes(1) }),
    paths: [`${ADDED}.original_payload`],
  },
  {
    rule: 'original-payload-pair',
    name: 'format without payload',
    profiles: () => withProfile({ originalPayloadFormat: 'pprof' }),
    paths: [`${ADDED}.original_payload_format`],
  },
  {
    rule: 'original-payload-format',
    profiles: () => withProfile({ originalPayloadFormat: 'folded', originalPayload: idBytes(1) }),
    paths: [`${ADDED}.original_payload_format`],
  },
  {
    rule: 'doc-url',
    profiles: () => withAttribute('pprof.profile.doc_url', '/profiles'),
    paths: [`${row('attribute_table', ATTRIBUTE)}.value`],
  },
  { rule: 'sample-empty', profiles: () => richProfiles(b => b.sample({ stack: stackOf(b) })), paths: [SAMPLE] },
  {
    rule: 'sample-lengths',
    profiles: () =>
      richProfiles(b => {
        b.profile({ type: 'cpu', unit: 'ns', durationNano: 2 })
        b.sample({ stack: stackOf(b), values: [1, 2], timestamps: [1] })
      }),
    paths: [`${ADDED}.samples[0]`],
  },
  {
    rule: 'sample-one-value',
    profiles: () =>
      richProfiles(b => {
        b.profile({ type: 'cpu', unit: 'ns' })
        b.sample({ stack: stackOf(b), values: [1, 2] })
      }),
    paths: [`${ADDED}.samples[0]`],
  },
  {
    rule: 'sample-shape',
    profiles: () => richProfiles(b => b.sample({ stack: stackOf(b), values: [1] })),
    paths: [SAMPLE],
  },
  {
    rule: 'sample-identity',
    profiles: () =>
      richProfiles(b => {
        const attributes = [b.attribute('a', 1n), b.attribute('b', 1n)]
        b.sample({ stack: stackOf(b), timestamps: [START], attributes })
        b.sample({ stack: stackOf(b), timestamps: [START], attributes: attributes.toReversed() })
      }),
    paths: [`${PROFILE}.samples[4]`],
  },
  {
    rule: 'timestamp-duration',
    profiles: () =>
      richProfiles(b => {
        b.profile({ type: 'cpu', unit: 'nanoseconds', timeUnixNano: START })
        b.sample({ stack: stackOf(b), timestamps: [START] })
      }),
    paths: [`${ADDED}.duration_nano`],
  },
  {
    rule: 'timestamp-range',
    profiles: () =>
      richProfiles(b => {
        const ends = [START - 1n, START, START + 1_000_000_000n, 0n, 2n ** 64n - 1n]
        b.sample({ stack: stackOf(b), timestamps: ends })
      }),
    paths: [0, 2, 3, 4].map(k => `${SAMPLE}.timestamps_unix_nano[${k}]`),
  },
  {
    rule: 'container-empty',
    profiles: () => {
      const b = new ProfilesBuilder()
      b.resource()
      b.resource()
      b.scope()
      return withZeroLink(b)
    },
    paths: ['resource_profiles[0]', 'resource_profiles[1].scope_profiles[0]'],
  },
  ...['opentelemetry.io/schemas/1.38.0', 'https://opentelemetry.io/schemas/', 'https://1.2.3', 'ftp://a/1.2.3'].flatMap(
    (url): Case[] => [
      {
        rule: 'schema-url',
        name: `${url} in a resource`,
        profiles: () => withResource({}, url),
        paths: ['resource_profiles[0].schema_url'],
      },
      {
        rule: 'schema-url',
        name: `${url} in a scope`,
        profiles: () => withScope({}, url),
        paths: ['resource_profiles[0].scope_profiles[0].schema_url'],
      },
    ],
  ),
  {
    rule: 'entity-type',
    profiles: () => withEntity({ type: '' }),
    paths: ['resource_profiles[0].resource.entity_refs[0].type'],
  },
  {
    rule: 'entity-id',
    profiles: () => withEntity({ idKeys: [] }),
    paths: ['resource_profiles[0].resource.entity_refs[0].id_keys'],
  },
  {
    rule: 'entity-keys',
    profiles: () => withEntity({ idKeys: ['a', 'b'], descriptionKeys: ['c'] }),
    paths: ['id_keys[1]', 'description_keys[0]'].map(key => `resource_profiles[0].resource.entity_refs[0].${key}`),
  },
]
