// Counts content that a .heapprofile cannot hold, for the notes.
import { NONE } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { countAround, countHeader } from '../cpuprofile/count-losses.ts'
import type { NodeTree } from '../cpuprofile/node-tree.ts'
import type { NoteList } from '../format.ts'
import { SAMPLES_TYPE, SIZE_TYPE, UNIT } from './attribute-names.ts'

export function countLosses(
  payload: Profiles,
  main: number,
  allocations: number,
  tree: NodeTree,
  notes: NoteList,
): void {
  const { profiles } = payload
  const written = [main, allocations].filter(profile => profile !== NONE)
  notes.add('profiles-left-out', 'profiles that the file cannot hold', profiles.length - written.length)
  notes.add('lines', 'lines other than the first line of their function', tree.lines)
  notes.add('addresses', 'addresses and mappings of locations', tree.addresses)
  notes.add('location-attributes', 'attributes of locations', tree.attributes)
  for (const profile of written) countProfile(payload, profile, profile === main ? 0 : 1, notes)
  countAround(payload, notes)
}

/** The file can hold `kept` attributes of each sample. */
function countProfile(payload: Profiles, profile: number, kept: number, notes: NoteList): void {
  const { profiles, samples, dictionary } = payload
  const { strings } = dictionary
  const type = strings.text(profiles.type(profile))
  const unit = strings.text(profiles.unit(profile))
  if (unit !== UNIT || (type !== SIZE_TYPE && type !== SAMPLES_TYPE)) {
    notes.add('type', `the type and unit of values: ${type} ${unit}`)
  }
  if (profiles.time(profile) !== 0n || profiles.duration(profile) !== 0n) notes.add('time', 'time and duration')
  countHeader(payload, profile, notes)
  let attributes = 0
  let links = 0
  let timestamps = 0
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    if (samples.attributesTo(i) - samples.attributesFrom(i) > kept) attributes++
    if (samples.link(i) !== 0) links++
    if (samples.timestampsTo(i) > samples.timestampsFrom(i)) timestamps++
  }
  notes.add('sample-attributes', 'attributes of samples', attributes)
  notes.add('links', 'links of samples to spans', links)
  notes.add('timestamps', 'timestamps; observations are summed', timestamps)
}
