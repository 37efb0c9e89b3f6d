// Positions in a payload, as steps from its root and as text. Rows of the tables become the indexes of the original
// messages.
import { partitionPoint } from '../columns/binary-search.ts'
import type { Profiles } from '../columns/profiles.ts'

/** A field by its proto name, and the index of its occurrence in the message, from 0. */
export type PathStep = readonly [field: string, occurrence: number]

const NOT_REPEATED: ReadonlySet<string> = new Set([
  'dictionary',
  'resource',
  'scope',
  'sample_type',
  'period_type',
  'type_strindex',
  'unit_strindex',
  'key_strindex',
  'name_strindex',
  'system_name_strindex',
  'filename_strindex',
  'stack_index',
  'link_index',
  'mapping_index',
  'function_index',
])

/** `a.b[2].c`: repeated fields have an index. */
export function pathOf(steps: readonly PathStep[]): string {
  return steps.map(([field, occurrence]) => (NOT_REPEATED.has(field) ? field : `${field}[${occurrence}]`)).join('.')
}

function resourceSteps(_profiles: Profiles, resource: number): PathStep[] {
  return [['resource_profiles', resource]]
}

function scopeSteps(profiles: Profiles, scope: number): PathStep[] {
  const { resources } = profiles
  const resource = ownerOf(scope, resources.length, i => resources.to(i))
  return [...resourceSteps(profiles, resource), ['scope_profiles', scope - resources.from(resource)]]
}

export function profileSteps(profiles: Profiles, profile: number): PathStep[] {
  const { scopes } = profiles
  const scope = ownerOf(profile, scopes.length, i => scopes.to(i))
  return [...scopeSteps(profiles, scope), ['profiles', profile - scopes.from(scope)]]
}

export function sampleSteps(profiles: Profiles, sample: number): PathStep[] {
  const table = profiles.profiles
  const profile = ownerOf(sample, table.length, i => table.samplesTo(i))
  return [...profileSteps(profiles, profile), ['samples', sample - table.samplesFrom(profile)]]
}

export function resourcePath(profiles: Profiles, resource: number): string {
  return pathOf(resourceSteps(profiles, resource))
}

export function scopePath(profiles: Profiles, scope: number): string {
  return pathOf(scopeSteps(profiles, scope))
}

export function profilePath(profiles: Profiles, profile: number): string {
  return pathOf(profileSteps(profiles, profile))
}

export function samplePath(profiles: Profiles, sample: number): string {
  return pathOf(sampleSteps(profiles, sample))
}

/** The row that contains `child`: the first one whose running end is beyond it. */
function ownerOf(child: number, length: number, endOf: (row: number) => number): number {
  return partitionPoint(0, length - 1, row => endOf(row) <= child)
}
