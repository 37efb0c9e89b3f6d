// A test case breaks one rule. Functions here make its profiles out of valid ones.
import type { Resource, Scope } from '../../columns/any-value.ts'
import type { LocationIndex, StackIndex } from '../../columns/brand.ts'
import type { ProfileHeader } from '../../build/builder.ts'
import { ProfilesBuilder } from '../../build/builder.ts'
import type { Table } from '../../columns/dictionary.ts'
import type { Profiles } from '../../columns/profiles.ts'
import type { RuleId } from '../rules.ts'
import { START, richProfiles, withZeroLink } from './rich-profiles.ts'

/** Profiles that break `rule` at `paths` and, if given, the rules in `also`. */
export interface Case {
  readonly rule: RuleId
  readonly name?: string
  readonly profiles: () => Profiles
  readonly paths: readonly string[]
  readonly also?: readonly RuleId[]
}

export const PROFILE = 'resource_profiles[0].scope_profiles[0].profiles[0]'
/** Samples that a test adds to richProfiles come after three others. */
export const SAMPLE = `${PROFILE}.samples[3]`

const RICH = richProfiles().dictionary
/** The rows of what a test adds to richProfiles. */
export const ATTRIBUTE = RICH.attributes.length
export const FUNCTION = RICH.functions.length
export const MAPPING = RICH.mappings.length
export const LOCATION = RICH.locations.length
export const STACK = RICH.stacks.length
export const LINK = RICH.links.length

/** Adds a profile with a sample to the first scope. */
export function withProfile(header: Partial<ProfileHeader>): Profiles {
  return richProfiles(b => {
    b.profile({ type: 'cpu', unit: 'nanoseconds', ...header })
    b.sample({ stack: stackOf(b), values: [1] })
  })
}
export const ADDED = 'resource_profiles[0].scope_profiles[0].profiles[1]'

/** A new stack, so that a sample with it equals no other. */
export function stackOf(b: ProfilesBuilder): StackIndex {
  return b.stack([b.location({ lines: [{ function: b.function({ name: 'another' }) }] })])
}

export function withLocation(make: (b: ProfilesBuilder) => LocationIndex): Profiles {
  return richProfiles(b => b.sample({ stack: b.stack([make(b)]), timestamps: [START] }))
}

export function withMapping(...attributes: readonly (readonly [key: string, value: string | bigint])[]): Profiles {
  return withLocation(b => {
    const rows = attributes.map(([key, value]) => b.attribute(key, value))
    return b.location({ mapping: b.mapping({ filename: 'b.so', attributes: rows }), address: 1 })
  })
}

/** Adds a sample with one more attribute. */
export function withAttribute(...attribute: Parameters<ProfilesBuilder['attribute']>): Profiles {
  return richProfiles(b =>
    b.sample({ stack: stackOf(b), timestamps: [START], attributes: [b.attribute(...attribute)] }),
  )
}

export function withLink(traceId: Uint8Array, spanId: Uint8Array): Profiles {
  return richProfiles(b => b.sample({ stack: stackOf(b), timestamps: [START], link: b.link(traceId, spanId) }))
}

export function withResource(resource: Partial<Resource>, schemaUrl = ''): Profiles {
  return withContainers(b => b.resource(resource, schemaUrl))
}

export function withScope(scope: Partial<Scope>, schemaUrl = ''): Profiles {
  return withContainers(b => {
    b.resource()
    b.scope(scope, schemaUrl)
  })
}

export function withContainers(open: (b: ProfilesBuilder) => void): Profiles {
  const b = new ProfilesBuilder()
  open(b)
  b.profile({ type: 'cpu', unit: 'nanoseconds' })
  return withZeroLink(b)
}

/** Rows are frozen by type only, so tests can change them. */
export function set(
  profiles: Profiles,
  table: (profiles: Profiles) => Table,
  column: number,
  ...ints: number[]
): Profiles {
  const { ints: all, base } = table(profiles)
  all.set(ints, base + column)
  return profiles
}

export const row = (table: string, index: number): string => `dictionary.${table}[${index}]`

export function withEntity(change: Partial<Resource['entityRefs'][number]>): Profiles {
  const entity = { schemaUrl: '', type: 'host', idKeys: ['a'], descriptionKeys: [], ...change }
  return withResource({ attributes: [{ key: 'a', value: 1n }], entityRefs: [entity] })
}
