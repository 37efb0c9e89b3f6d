// Counts content that a Firefox profile cannot hold, for the notes. Losses of times and units are counted where they
// are written.
import type { AttributeIndex, LocationIndex, MappingIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { NoteList } from '../format.ts'
import { FIREFOX_ATTRIBUTES } from './names.ts'

const OF_PROCESS: ReadonlySet<string> = new Set([
  ATTRIBUTES.processPid,
  ATTRIBUTES.processExecutableName,
  FIREFOX_ATTRIBUTES.processId,
])
const OF_THREAD: ReadonlySet<string> = new Set([
  ATTRIBUTES.threadId,
  ATTRIBUTES.threadName,
  FIREFOX_ATTRIBUTES.threadId,
])
const OF_MAPPING: ReadonlySet<string> = new Set([ATTRIBUTES.buildIdGnu, FIREFOX_ATTRIBUTES.breakpadId])

export function countLosses(payload: Profiles, notes: NoteList): void {
  const { resources, scopes, profiles, samples, dictionary } = payload
  const { attributes, strings } = dictionary
  const key = (row: AttributeIndex): string => strings.text(attributes.key(row))
  for (let i = 0; i < resources.length; i++) {
    const { attributes: own, entityRefs } = resources.resource(i)
    const lost = own.filter(attribute => !OF_PROCESS.has(attribute.key)).length + entityRefs.length
    notes.add('resource', 'attributes of resources other than the process', lost)
    notes.add('containers', 'scopes beyond one per process', Math.max(0, resources.to(i) - resources.from(i) - 1))
  }
  for (let i = 0; i < scopes.length; i++) {
    const { name, version, attributes: own } = scopes.scope(i)
    const named = (name === '' ? 0 : 1) + (version === '' ? 0 : 1) + (scopes.schemaUrl(i) === '' ? 0 : 1)
    notes.add('scope', 'name, version and attributes of scopes', named + own.length)
  }
  notes.add('profile-attributes', 'attributes of profiles', profiles.attributes.length)
  for (let i = 0; i < profiles.length; i++) {
    const fields = [
      profiles.id(i).length > 0,
      profiles.originalPayload(i).length > 0,
      profiles.droppedAttributes(i) > 0,
      profiles.period(i) !== 0n && strings.text(profiles.periodType(i)) !== 'wall',
    ].filter(Boolean)
    notes.add('profile-fields', 'id, period type and original payload of profiles', fields.length)
  }
  let links = 0
  for (let i = 0; i < samples.length; i++) if (samples.link(i) !== 0) links++
  notes.add('links', 'links of samples to spans', links)
  const isThread = Uint8Array.from({ length: attributes.length }, (_, i) =>
    OF_THREAD.has(key(i as AttributeIndex)) ? 1 : 0,
  )
  let others = 0
  for (let k = 0; k < samples.attributes.length; k++) others += 1 - isThread[samples.attributes.at(k)]
  notes.add('attributes', 'attributes of samples other than their thread', others)
  countDictionary(payload, key, notes)
}

function countDictionary({ dictionary }: Profiles, key: (row: AttributeIndex) => string, notes: NoteList): void {
  const { locations, mappings, functions, strings } = dictionary
  for (let i = 1; i < mappings.length; i++) {
    const row = i as MappingIndex
    const lost = mappings.attributesOf(row).filter(attribute => !OF_MAPPING.has(key(attribute))).length
    notes.add('mapping-attributes', 'attributes of mappings other than ids', lost)
    const placed =
      mappings.memoryStart(row) !== 0n || mappings.memoryLimit(row) !== 0n || mappings.fileOffset(row) !== 0n
    notes.add('mapping-places', 'memory ranges of mappings; addresses become offsets', placed ? 1 : 0)
  }
  let multiple = 0
  let unnamed = 0
  for (let i = 1; i < locations.length; i++) {
    const row = i as LocationIndex
    const lines = locations.linesTo(row) - locations.linesFrom(row)
    if (locations.address(row) === 0n && lines > 1) multiple++
    if (locations.address(row) === 0n && lines === 0) unnamed++
    notes.add('location-attributes', 'attributes of frames', locations.attributesOf(row).length)
  }
  notes.add('inlined', 'inlined calls without an address are written like other calls', multiple)
  notes.add('unnamed-frames', 'frames without function and address get a name from their other fields', unnamed)
  let system = 0
  for (let i = 1; i < functions.length; i++) {
    if (strings.byteLength(functions.systemName(i as Parameters<typeof functions.name>[0])) > 0) system++
  }
  notes.add('function-fields', 'system names of functions', system)
}
