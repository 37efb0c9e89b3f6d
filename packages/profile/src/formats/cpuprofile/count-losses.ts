// Counts content that a .cpuprofile cannot hold, for the notes.
import { NONE } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { NoteList } from '../format.ts'
import { HITS_TYPE, HITS_UNIT, SCOPE_NAME, TIME_TYPE, TIME_UNIT } from './attribute-names.ts'
import type { NodeTree } from './node-tree.ts'

const TYPES: readonly string[] = [`${TIME_TYPE} ${TIME_UNIT}`, `${HITS_TYPE} ${HITS_UNIT}`]

export function countLosses(
  payload: Profiles,
  written: readonly number[],
  tree: NodeTree,
  leftOut: number,
  notes: NoteList,
): void {
  notes.add('profiles-left-out', 'profiles that the file cannot hold', leftOut)
  notes.add('caller-lines', 'lines of callers other than the first line of their function', tree.callerLines)
  notes.add('addresses', 'addresses and mappings of locations', tree.addresses)
  notes.add('location-attributes', 'attributes of locations', tree.attributes)
  for (const profile of new Set(written)) if (profile !== NONE) countProfile(payload, profile, notes)
  countAround(payload, notes)
}

/** Neither of V8's formats describes a program or an instrumentation scope. */
export function countAround({ resources, scopes }: Profiles, notes: NoteList): void {
  let around = 0
  for (let i = 0; i < resources.length; i++) if (resources.resource(i).attributes.length > 0) around++
  for (let i = 0; i < scopes.length; i++) {
    const { name, version, attributes } = scopes.scope(i)
    if (name !== SCOPE_NAME || version !== '' || attributes.length > 0) around++
  }
  notes.add('resources', 'resources and scopes', around)
}

/** Counts fields of a profile other than type, time and samples. */
export function countHeader({ profiles }: Profiles, profile: number, notes: NoteList): void {
  if (profiles.period(profile) !== 0n || profiles.periodType(profile) !== 0) notes.add('period', 'the period')
  const hasMore = profiles.id(profile).length > 0 || profiles.originalPayload(profile).length > 0
  if (hasMore || profiles.attributesTo(profile) > profiles.attributesFrom(profile)) {
    notes.add('profile-attributes', 'profile id, attributes and original payload')
  }
}

function countProfile(payload: Profiles, profile: number, notes: NoteList): void {
  const { profiles, samples, dictionary } = payload
  const { strings } = dictionary
  const type = `${strings.text(profiles.type(profile))} ${strings.text(profiles.unit(profile))}`
  if (!TYPES.includes(type)) notes.add('type', `the type and unit of values: ${type}`)
  countHeader(payload, profile, notes)
  let attributes = 0
  let links = 0
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    if (samples.attributesTo(i) > samples.attributesFrom(i)) attributes++
    if (samples.link(i) !== 0) links++
  }
  notes.add('sample-attributes', 'attributes of samples', attributes)
  notes.add('links', 'links of samples to spans', links)
}
