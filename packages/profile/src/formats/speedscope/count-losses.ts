// Counts content around the samples that a speedscope file cannot hold, for the notes. Losses of frames and times are
// counted where they are written.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { NoteList } from '../format.ts'
import { SPEEDSCOPE_ATTRIBUTES } from './names.ts'

export function countLosses(payload: Profiles, notes: NoteList): void {
  const { resources, scopes, profiles, samples, dictionary } = payload
  const { attributes, strings } = dictionary
  const key = (row: AttributeIndex): string => strings.text(attributes.key(row))
  for (let i = 0; i < resources.length; i++) {
    const { attributes: own, entityRefs } = resources.resource(i)
    const url = resources.schemaUrl(i) === '' ? 0 : 1
    notes.add('resource', 'attributes of resources', own.length + entityRefs.length + url)
  }
  notes.add('containers', 'resources and scopes beyond the first', Math.max(0, resources.length - 1, scopes.length - 1))
  for (let i = 0; i < scopes.length; i++) {
    const { attributes: own } = scopes.scope(i)
    const lost = own.filter(
      ({ key, value }) =>
        !(key === SPEEDSCOPE_ATTRIBUTES.fileName && typeof value === 'string' && value !== '') &&
        !(key === SPEEDSCOPE_ATTRIBUTES.activeProfile && typeof value === 'bigint'),
    )
    const url = scopes.schemaUrl(i) === '' ? 0 : 1
    notes.add('scope', 'attributes of scopes', lost.length + url)
  }
  for (let i = 0; i < profiles.length; i++) {
    const lost = profiles.attributesOf(i).filter(row => key(row) !== SPEEDSCOPE_ATTRIBUTES.profileName)
    notes.add('profile-attributes', 'attributes of profiles', lost.length)
    const fields = [
      strings.byteLength(profiles.periodType(i)) > 0 || profiles.period(i) !== 0n,
      profiles.id(i).length > 0,
      profiles.originalPayload(i).length > 0,
      profiles.droppedAttributes(i) > 0,
    ].filter(Boolean)
    notes.add('profile-fields', 'period, id and original payload of profiles', fields.length)
  }
  let links = 0
  for (let i = 0; i < samples.length; i++) if (samples.link(i) !== 0) links++
  notes.add('links', 'links of samples to spans', links)
  let others = 0
  const isThread = new Uint8Array(attributes.length)
  for (let i = 0; i < attributes.length; i++) {
    const name = key(i as AttributeIndex)
    isThread[i] = name === ATTRIBUTES.threadId || name === ATTRIBUTES.threadName ? 1 : 0
  }
  for (let k = 0; k < samples.attributes.length; k++) others += 1 - isThread[samples.attributes.at(k)]
  notes.add('attributes', 'attributes of samples other than their thread', others)
}
