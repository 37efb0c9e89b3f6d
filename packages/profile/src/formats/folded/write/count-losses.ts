// Counts content that a folded file cannot hold, for the notes. LocationNames counts the losses of names.
import type { Profiles } from '../../../model/columns/profiles.ts'
import type { NoteList } from '../../format.ts'
import { FOLDED_ATTRIBUTES } from '../annotations.ts'
import { unscaledUnit } from '../../recordings/scaled-number.ts'
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
  notes.add('profile-fields', `fields of the profile: ${lost.join(', ')}`, lost.length)
  const { attributes } = dictionary
  const others = profiles
    .attributesOf(i)
    .filter(row => strings.text(attributes.key(row)) !== FOLDED_ATTRIBUTES.annotations)
  notes.add('profile-attributes', 'attributes of the profile', others.length)
}

/** Counts the resource and the scope of the profile. */
function countAround({ resources, scopes }: Profiles, profile: number, notes: NoteList): void {
  let scopeRow = 0
  while (scopes.to(scopeRow) <= profile) scopeRow++
  let resourceRow = 0
  while (resources.to(resourceRow) <= scopeRow) resourceRow++
  const scope = scopes.scope(scopeRow)
  const named =
    (scope.name === '' ? 0 : 1) + (scope.version === '' ? 0 : 1) + (scopes.schemaUrl(scopeRow) === '' ? 0 : 1)
  notes.add('scope', 'name, version and attributes of the scope', named + scope.attributes.length)
  const resource = resources.resource(resourceRow)
  const extras = resource.entityRefs.length + (resources.schemaUrl(resourceRow) === '' ? 0 : 1)
  notes.add('resource', 'attributes of the resource', resource.attributes.length + extras)
}

function countSamples({ profiles, samples }: Profiles, profile: number, notes: NoteList): void {
  const from = profiles.samplesFrom(profile)
  const to = profiles.samplesTo(profile)
  if (from === to) return
  let links = 0
  for (let i = from; i < to; i++) if (samples.link(i) !== 0) links++
  const attributes = samples.attributesTo(to - 1) - samples.attributesFrom(from)
  notes.add('attributes', 'attributes of samples; equal stacks are summed', attributes)
  notes.add('links', 'links of samples to spans', links)
  const timestamps = samples.timestampsTo(to - 1) - samples.timestampsFrom(from)
  notes.add('timestamps', 'timestamps; values are summed', timestamps)
}
