// Reads a component's response to a capture: decodes and checks the profiles, completes their resources, and marks them with
// the capture they belong to.
import { randomBytes } from 'node:crypto'
import type { Event, Value } from '@hearth/broker'
import { BrokerError, isJsonContent } from '@hearth/broker'
import type { KeyValue, Profiles, Resource } from '@hearth/profile'
import { FormatError, readOtlp, readOtlpJson, validate, withProfileAttributes, withResources } from '@hearth/profile'
import type { LiveComponent } from '../components/live-component.ts'
import type { CaptureInstance } from './capture-record.ts'
import { environmentOf, instanceOf, serviceOf } from './pick-instances.ts'

export interface CaptureResponse {
  /** Undefined if the component sent the profiles over OTLP itself because they were too large for an event. */
  readonly profiles: Profiles | undefined
  /** The fields for the capture record. */
  readonly fields: Pick<
    CaptureInstance,
    'profileIds' | 'samples' | 'dropped' | 'truncated' | 'frequencyHz' | 'notes' | 'bytes'
  >
  /** The time range of the profiles. Undefined if they have no times. */
  readonly range: { readonly from: bigint; readonly to: bigint } | undefined
}

/** Rules of the data format without which a dictionary is unusable. */
const DICTIONARY_RULES: readonly string[] = ['reference-range', 'zero-row-present', 'zero-row-value']

/** Adds the attributes `marks` to every profile. Throws BrokerError. */
export function readCaptureResponse(event: Event, live: LiveComponent, marks: readonly KeyValue[]): CaptureResponse {
  const { content, contentType, params } = event
  const stored = isJsonContent(contentType) ? storedElsewhere(content) : undefined
  const reported = {
    ...(isCount(params['dropped']) ? { dropped: params['dropped'] } : {}),
    ...(params['truncated'] === true ? { truncated: true } : {}),
    ...(isRate(params['frequency_hz']) ? { frequencyHz: params['frequency_hz'] } : {}),
    ...notesOf(params['notes']),
    bytes: content.length,
  }
  if (stored !== undefined) {
    const samples = isCount(params['sample_count']) ? { samples: params['sample_count'] } : {}
    return { profiles: undefined, fields: { profileIds: [stored], ...samples, ...reported }, range: undefined }
  }
  const decoded = decode(content, contentType)
  if (decoded.profiles.length === 0) throw new BrokerError('notFound', 'the response contains no profiles')
  const marked = withProfileAttributes(
    withResources(decoded, resource => completed(resource, live)),
    marks,
    () => randomBytes(16),
  )
  const table = marked.profiles
  const rows = Array.from({ length: table.length }, (_, i) => i)
  const profileIds = rows.map(i => Buffer.from(table.id(i)).toString('hex'))
  return {
    profiles: marked,
    fields: { profileIds, samples: marked.samples.length, ...reported },
    range: rangeOf(marked),
  }
}

function decode(content: Uint8Array, contentType: string): Profiles {
  try {
    const { profiles } = isJsonContent(contentType) ? readOtlpJson(content) : readOtlp(content)
    const problem = validate(profiles, { limit: 1 }).find(({ rule }) => DICTIONARY_RULES.includes(rule))
    if (problem !== undefined) throw new BrokerError('invalid', `invalid response: ${problem.path}: ${problem.message}`)
    return profiles
  } catch (error) {
    if (error instanceof FormatError) throw new BrokerError('invalid', `invalid response: ${error.message}`)
    throw error
  }
}

/** Returns the id of a profile that the component has stored itself. */
function storedElsewhere(content: Uint8Array): string | undefined {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(content).toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof json !== 'object' || json === null || !('stored' in json) || json.stored !== true) return undefined
  const id = 'profile_id' in json && typeof json.profile_id === 'string' ? json.profile_id.toLowerCase() : ''
  if (!/^[0-9a-f]{32}$/.test(id)) throw new BrokerError('invalid', 'invalid response: stored without a profile_id')
  return id
}

/** Adds the attributes of the component's identity that the resource lacks. */
function completed(resource: Resource, live: LiveComponent): Resource {
  const known = new Set(resource.attributes.map(({ key }) => key))
  const identity: Readonly<Record<string, string>> = {
    'service.name': serviceOf(live),
    'service.namespace': live.component.app,
    'service.version': live.attributes['service.version'] ?? live.component.hash,
    'service.instance.id': instanceOf(live),
    'deployment.environment.name': environmentOf(live),
  }
  const missing = Object.entries(identity)
    .filter(([key, value]) => value !== '' && !known.has(key))
    .map(([key, value]) => ({ key, value }))
  return { ...resource, attributes: [...resource.attributes, ...missing] }
}

function rangeOf({ profiles }: Profiles): CaptureResponse['range'] {
  let range: { from: bigint; to: bigint } | undefined
  for (let i = 0; i < profiles.length; i++) {
    const from = profiles.time(i)
    if (from === 0n) continue
    const to = from + profiles.duration(i)
    range = {
      from: range === undefined || from < range.from ? from : range.from,
      to: range === undefined || to > range.to ? to : range.to,
    }
  }
  return range
}

/** Limits for the notes of a response. Agents send far fewer. */
const MAX_NOTES = 32
const MAX_NOTE_LENGTH = 300

function notesOf(value: Value | undefined): { notes?: string[] } {
  if (!Array.isArray(value)) return {}
  const notes = value.filter(note => typeof note === 'string').map(note => note.slice(0, MAX_NOTE_LENGTH))
  return notes.length === 0 ? {} : { notes: notes.slice(0, MAX_NOTES) }
}

function isRate(value: Value | undefined): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
}

function isCount(value: Value | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
