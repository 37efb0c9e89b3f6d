// Decides which profiles go into one pprof file, and which of them become its sample types. pprof lists samples once, with a
// value for each type; the model has a profile for each type. Profiles of one scope that differ only in their values belong
// together.
import type { KeyValue } from '../../model/columns/any-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { NoteList } from '../format.ts'

export interface Group {
  /** Rows of the profile table, in pprof's order of types. */
  readonly members: readonly number[]
  readonly samples: number
  readonly defaultType: string | undefined
  /** Attributes of the resource, if the file holds several resources and labels must distinguish them. */
  readonly resourceLabels: readonly KeyValue[]
}

/** Returns the first group and the groups of other scopes and resources with the same types and period. Notes count the rest. */
export function chooseGroups(profiles: Profiles, type: string | undefined, notes: NoteList): Group[] {
  const all = allGroups(profiles, type)
  const [first] = all
  if (first === undefined) return []
  const chosen = all.filter(group => sameTypes(profiles, first.members, group.members))
  const left = profiles.profiles.length - chosen.reduce((sum, { members }) => sum + members.length, 0)
  if (type === undefined)
    notes.add('profiles-left-out', 'profiles of other types cannot be in the same pprof file', left)
  countLosses(profiles, chosen, notes)
  const several = new Set(chosen.map(({ resource }) => resource)).size > 1
  return chosen.map(({ members, defaultType, resource }) => ({
    members,
    samples: profiles.profiles.samplesTo(members[0]) - profiles.profiles.samplesFrom(members[0]),
    defaultType,
    resourceLabels: several ? profiles.resources.resource(resource).attributes : [],
  }))
}

interface Candidate {
  readonly members: readonly number[]
  readonly resource: number
  readonly defaultType: string | undefined
}

function allGroups(profiles: Profiles, type: string | undefined): Candidate[] {
  const { resources, scopes } = profiles
  const groups: Candidate[] = []
  for (let resource = 0; resource < resources.length; resource++) {
    for (let scope = resources.from(resource); scope < resources.to(resource); scope++) {
      const { attributes } = scopes.scope(scope)
      const named = attributes.find(({ key }) => key === ATTRIBUTES.pprofScopeDefaultSampleType)?.value
      const order = attributes.find(({ key }) => key === ATTRIBUTES.pprofScopeSampleTypeOrder)?.value
      for (const found of groupsOfScope(profiles, scopes.from(scope), scopes.to(scope), type)) {
        const members = ordered(found, order)
        const defaultType = typeof named === 'string' ? named : unnamedDefault(profiles, found[0], members)
        groups.push({ members, resource, defaultType })
      }
    }
  }
  return groups
}

function groupsOfScope(profiles: Profiles, from: number, to: number, type: string | undefined): number[][] {
  const { strings } = profiles.dictionary
  const groups: number[][] = []
  for (let profile = from; profile < to; profile++) {
    if (type !== undefined && strings.text(profiles.profiles.type(profile)) !== type) continue
    const group = groups.find(([lead]) => sameSamples(profiles, lead, profile))
    if (group === undefined) groups.push([profile])
    else group.push(profile)
  }
  return groups
}

/** The name of the first profile's type, which Hearth shows first. Undefined if it is the last type, which pprof's tools show. */
function unnamedDefault(
  { profiles, dictionary }: Profiles,
  first: number,
  members: readonly number[],
): string | undefined {
  return first === members[members.length - 1] ? undefined : dictionary.strings.text(profiles.type(first))
}

/** Restores pprof's recorded order: entry i is the original position of the i-th profile. */
function ordered(members: readonly number[], order: unknown): number[] {
  if (Array.isArray(order) && order.length === members.length) {
    const places = order.map(Number)
    if (new Set(places).size === members.length && places.every(place => place >= 0 && place < members.length)) {
      return members.map((_, place) => members[places.indexOf(place)])
    }
  }
  return [...members]
}

function sameSamples(profiles: Profiles, a: number, b: number): boolean {
  const { profiles: table, samples } = profiles
  const count = table.samplesTo(a) - table.samplesFrom(a)
  if (table.samplesTo(b) - table.samplesFrom(b) !== count || !sameHeader(profiles, a, b)) return false
  const shift = table.samplesFrom(b) - table.samplesFrom(a)
  for (let i = table.samplesFrom(a); i < table.samplesTo(a); i++) {
    if (samples.stack(i) !== samples.stack(i + shift) || samples.link(i) !== samples.link(i + shift)) return false
    const from = samples.attributesFrom(i)
    const other = samples.attributesFrom(i + shift)
    const length = samples.attributesTo(i) - from
    if (samples.attributesTo(i + shift) - other !== length) return false
    for (let k = 0; k < length; k++)
      if (samples.attributes.at(from + k) !== samples.attributes.at(other + k)) return false
  }
  return true
}

/** Compares period, time, duration and attributes, which a pprof file has only once. */
function sameHeader({ profiles }: Profiles, a: number, b: number): boolean {
  for (let column = 2; column < 10; column++)
    if (profiles.column(a, column) !== profiles.column(b, column)) return false
  return profiles.attributesOf(a).join() === profiles.attributesOf(b).join()
}

function sameTypes({ profiles }: Profiles, a: readonly number[], b: readonly number[]): boolean {
  const columns = [0, 1, 2, 3, 8, 9]
  return (
    a.length === b.length &&
    a.every((member, i) => columns.every(column => profiles.column(member, column) === profiles.column(b[i], column)))
  )
}

function countLosses(profiles: Profiles, chosen: readonly Candidate[], notes: NoteList): void {
  const { profiles: table, samples, resources, scopes } = profiles
  for (const { members } of chosen) {
    for (const member of members) {
      const from = samples.timestampsFrom(table.samplesFrom(member))
      const to =
        table.samplesTo(member) === table.samplesFrom(member) ? from : samples.timestampsTo(table.samplesTo(member) - 1)
      notes.add('timestamps', 'pprof has no timestamps; values of the same sample were summed', to - from)
      if (table.id(member).length > 0) notes.add('profile-id', 'pprof has no profile ids')
      if (table.originalPayload(member).length > 0)
        notes.add('original-payload', 'pprof cannot hold the original payload')
    }
  }
  const one = new Set(chosen.map(({ resource }) => resource)).size === 1
  for (let i = 0; i < resources.length; i++) {
    if (one)
      notes.add(
        'resource-attributes',
        'pprof cannot hold attributes of the resource',
        resources.resource(i).attributes.length,
      )
  }
  for (let i = 0; i < scopes.length; i++) {
    const { name, version } = scopes.scope(i)
    if (name !== '' || version !== '') notes.add('scope', 'pprof cannot hold the instrumentation scope')
  }
}
