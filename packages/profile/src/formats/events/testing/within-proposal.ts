// Limits profiles to what the timestamped-events proposal can represent, for round-trip tests.
import type { AttributeSpec, ProfileSpec, ProfilesSpec, SampleSpec } from '../../../model/testing/profiles-spec.ts'

/** Removes units, sorts the times of a sample, and removes empty resources and scopes. */
export function withinProposal(spec: ProfilesSpec): ProfilesSpec {
  return spec
    .map(resource => ({
      ...resource,
      scopes: resource.scopes
        .filter(({ profiles }) => profiles.length > 0)
        .map(scope => ({ ...scope, profiles: scope.profiles.map(profileWithin) })),
    }))
    .filter(({ scopes }) => scopes.length > 0)
}

function profileWithin(profile: ProfileSpec): ProfileSpec {
  return { ...profile, attributes: unitless(profile.attributes), samples: profile.samples.map(sampleWithin) }
}

function sampleWithin(sample: SampleSpec): SampleSpec {
  const order = (sample.timestamps ?? []).map((time, i) => [time, i] as const)
  order.sort(([a, i], [b, k]) => (a < b ? -1 : a > b ? 1 : i - k))
  const { timestamps = [], values = [] } = sample
  return {
    ...sample,
    timestamps: order.map(([time]) => time),
    values: timestamps.length > 0 && values.length > 0 ? order.map(([, i]) => values[i]) : values,
    attributes: unitless(sample.attributes),
    stack: sample.stack.map(location => ({
      ...location,
      attributes: unitless(location.attributes),
      mapping: location.mapping && { ...location.mapping, attributes: unitless(location.mapping.attributes) },
    })),
  }
}

function unitless(attributes: readonly AttributeSpec[] = []): AttributeSpec[] {
  return attributes.map(({ key, value }) => ({ key, value }))
}
