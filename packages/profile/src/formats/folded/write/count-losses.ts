// What a folded file has no place for, counted for the notes. What names lose is counted where they are made.
import type { Profiles } from '../../../model/columns/profiles.ts'
import type { NoteList } from '../../format.ts'
import { FOLDED_ATTRIBUTES } from '../annotations.ts'
import { unscaledUnit } from '../decimal-value.ts'
import { AFTER, BEFORE, DEFAULT_TYPE, DEFAULT_UNIT } from '../dialect.ts'

export function countLosses(payload: Profiles, profile: number, extended: boolean, notes: NoteList): void {
  countFields(payload, profile, extended, notes)
  countAround(payload, profile, notes)
  if (!extended) countSamples(payload, profile, notes)
}

function countFields({ profiles, dictionary }: Profiles, i: number, extended: boolean, notes: NoteList): void {
  const { strings } = dictionary
  const lost: string[] = []
  const check = (name: string, isLost: boolean): void => {
    if (isLost) lost.push(name)
  }
  if (!extended) {
    check('type', ![DEFAULT_TYPE, BEFORE, AFTER].includes(strings.text(profiles.type(i))))
    check('unit', unscaledUnit(strings.text(profiles.unit(i))).unit !== DEFAULT_UNIT)
    check('period type', strings.byteLength(profiles.periodType(i)) > 0)
    check('period unit', strings.byteLength(profiles.periodUnit(i)) > 0)
    check('period', profiles.period(i) !== 0n)
    check('time', profiles.time(i) !== 0n)
    check('duration', profiles.duration(i) !== 0n)
  }
  check('id', profiles.id(i).length > 0)
  check('original payload', profiles.originalPayload(i).length > 0)
  check('dropped attributes count', profiles.droppedAttributes(i) > 0)
  notes.add('profile-fields', `the profile's ${lost.join(', ')} are not carried`, lost.length)
  const { attributes } = dictionary
  const others = profiles
    .attributesOf(i)
    .filter(row => strings.text(attributes.key(row)) !== FOLDED_ATTRIBUTES.annotations)
  notes.add('profile-attributes', 'attributes of the profile are not carried', others.length)
}

/** The resource and the scope that hold the profile. */
function countAround({ resources, scopes }: Profiles, profile: number, notes: NoteList): void {
  let scopeRow = 0
  while (scopes.to(scopeRow) <= profile) scopeRow++
  let resourceRow = 0
  while (resources.to(resourceRow) <= scopeRow) resourceRow++
  const scope = scopes.scope(scopeRow)
  const named =
    (scope.name === '' ? 0 : 1) + (scope.version === '' ? 0 : 1) + (scopes.schemaUrl(scopeRow) === '' ? 0 : 1)
  notes.add('scope', 'name, version and attributes of the scope are not carried', named + scope.attributes.length)
  const resource = resources.resource(resourceRow)
  const extras = resource.entityRefs.length + (resources.schemaUrl(resourceRow) === '' ? 0 : 1)
  notes.add('resource', 'attributes of the resource are not carried', resource.attributes.length + extras)
}

function countSamples({ profiles, samples }: Profiles, profile: number, notes: NoteList): void {
  const from = profiles.samplesFrom(profile)
  const to = profiles.samplesTo(profile)
  if (from === to) return
  let links = 0
  for (let i = from; i < to; i++) if (samples.link(i) !== 0) links++
  const attributes = samples.attributesTo(to - 1) - samples.attributesFrom(from)
  notes.add('attributes', 'attributes of samples are not carried: equal stacks are summed up', attributes)
  notes.add('links', 'links of samples to spans are not carried', links)
  const timestamps = samples.timestampsTo(to - 1) - samples.timestampsFrom(from)
  notes.add('timestamps', 'timestamps are not carried: values are summed up', timestamps)
}
