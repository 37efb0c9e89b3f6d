// Sets of profiles as plain objects, for arbitraries and examples in tests. Dictionary entries are written inline;
// `buildProfiles` interns them.
import type { AnyValue, Resource, Scope } from '../columns/any-value.ts'
import type { AttributeIndex, LinkIndex, LocationIndex, StackIndex } from '../columns/brand.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import type { Profiles } from '../columns/profiles.ts'

export interface AttributeSpec {
  readonly key: string
  readonly value: AnyValue
  readonly unit?: string
}

export interface FunctionSpec {
  readonly name?: string
  readonly systemName?: string
  readonly filename?: string
  readonly startLine?: bigint
}

export interface MappingSpec {
  readonly memoryStart?: bigint
  readonly memoryLimit?: bigint
  readonly fileOffset?: bigint
  readonly filename?: string
  readonly attributes?: readonly AttributeSpec[]
}

export interface LocationSpec {
  readonly mapping?: MappingSpec | undefined
  readonly address?: bigint
  readonly lines?: readonly { readonly function: FunctionSpec; readonly line?: bigint; readonly column?: bigint }[]
  readonly attributes?: readonly AttributeSpec[]
}

export interface LinkSpec {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
}

export interface SampleSpec {
  /** Leaf first. */
  readonly stack: readonly LocationSpec[]
  readonly link?: LinkSpec | undefined
  readonly attributes?: readonly AttributeSpec[]
  readonly values?: readonly bigint[]
  readonly timestamps?: readonly bigint[]
}

export interface ProfileSpec {
  readonly type: string
  readonly unit: string
  readonly periodType?: string
  readonly periodUnit?: string
  readonly period?: bigint
  readonly timeUnixNano?: bigint
  readonly durationNano?: bigint
  readonly id?: Uint8Array
  readonly droppedAttributesCount?: number
  readonly originalPayloadFormat?: string
  readonly originalPayload?: Uint8Array
  readonly attributes?: readonly AttributeSpec[]
  readonly samples: readonly SampleSpec[]
}

export interface ScopeSpec {
  readonly scope?: Partial<Scope>
  readonly schemaUrl?: string
  readonly profiles: readonly ProfileSpec[]
}

export interface ResourceSpec {
  readonly resource?: Partial<Resource>
  readonly schemaUrl?: string
  readonly scopes: readonly ScopeSpec[]
}

export type ProfilesSpec = readonly ResourceSpec[]

export function buildProfiles(spec: ProfilesSpec): Profiles {
  const b = new ProfilesBuilder()
  for (const { resource, schemaUrl, scopes } of spec) {
    b.resource(resource, schemaUrl)
    for (const scope of scopes) {
      b.scope(scope.scope, scope.schemaUrl)
      for (const { samples, attributes, ...header } of scope.profiles) {
        b.profile({ ...header, attributes: attributesOf(b, attributes) })
        for (const sample of samples) addSample(b, sample)
      }
    }
  }
  return b.build()
}

function addSample(b: ProfilesBuilder, sample: SampleSpec): void {
  const { values = [], timestamps = [] } = sample
  b.sample({
    stack: stackOf(b, sample),
    link: linkOf(b, sample),
    attributes: attributesOf(b, sample.attributes),
    values,
    timestamps,
  })
}

/** A text that is equal for samples of the same stack, link and attribute set. */
export function sampleIdentity(b: ProfilesBuilder, sample: SampleSpec): string {
  const attributes = attributesOf(b, sample.attributes).sort((x, y) => x - y)
  return [stackOf(b, sample), linkOf(b, sample), ...attributes].join(' ')
}

function stackOf(b: ProfilesBuilder, { stack }: SampleSpec): StackIndex {
  return b.stack(stack.map(location => locationOf(b, location)))
}

function linkOf(b: ProfilesBuilder, { link }: SampleSpec): LinkIndex {
  return link === undefined ? (0 as LinkIndex) : b.link(link.traceId, link.spanId)
}

function locationOf(
  b: ProfilesBuilder,
  { mapping, lines = [], attributes, address = 0n }: LocationSpec,
): LocationIndex {
  return b.location({
    address,
    lines: lines.map(line => ({ ...line, function: b.function(line.function) })),
    attributes: attributesOf(b, attributes),
    ...(mapping === undefined
      ? {}
      : { mapping: b.mapping({ ...mapping, attributes: attributesOf(b, mapping.attributes) }) }),
  })
}

function attributesOf(b: ProfilesBuilder, attributes: readonly AttributeSpec[] = []): AttributeIndex[] {
  return attributes.map(({ key, value, unit }) => b.attribute(key, value, unit))
}
