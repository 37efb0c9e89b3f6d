// What a component answers a capture with, from the bytes of an event to profiles that can be stored: decoded, checked, named,
// and marked with the capture they belong to.
import { randomBytes } from 'node:crypto'
import type { Event, Value } from '@hearth/broker'
import { BrokerError, isJsonContent } from '@hearth/broker'
import type { KeyValue, Profiles, Resource } from '@hearth/profile'
import { FormatError, readOtlp, readOtlpJson, validate, withProfileAttributes, withResources } from '@hearth/profile'
import type { LiveComponent } from '../components/live-component.ts'
import type { CaptureInstance } from './capture-record.ts'
import { environmentOf, instanceOf, serviceOf } from './pick-instances.ts'

export interface CaptureAnswer {
  /** Undefined where the component has sent them over OTLP itself, since they were too large for an event. */
  readonly profiles: Profiles | undefined
  /** What the record says of it. */
  readonly known: Pick<
    CaptureInstance,
    'profileIds' | 'samples' | 'dropped' | 'truncated' | 'frequencyHz' | 'notes' | 'bytes'
  >
  /** When the profiles begin and end; undefined where they do not say. */
  readonly range: { readonly from: bigint; readonly to: bigint } | undefined
}

/** Rules of the data format without which a dictionary says nothing. */
const DICTIONARY_RULES: readonly string[] = ['reference-range', 'zero-row-present', 'zero-row-value']

/** `marks` are attributes for every profile. Throws BrokerError. */
export function readAnswer(event: Event, live: LiveComponent, marks: readonly KeyValue[]): CaptureAnswer {
  const { content, contentType, params } = event
  const stored = isJsonContent(contentType) ? storedElsewhere(content) : undefined
  const told = {
    ...(isCount(params['dropped']) ? { dropped: params['dropped'] } : {}),
    ...(params['truncated'] === true ? { truncated: true } : {}),
    ...(isRate(params['frequency_hz']) ? { frequencyHz: params['frequency_hz'] } : {}),
    ...notesOf(params['notes']),
    bytes: content.length,
  }
  if (stored !== undefined) {
    const samples = isCount(params['sample_count']) ? { samples: params['sample_count'] } : {}
    return { profiles: undefined, known: { profileIds: [stored], ...samples, ...told }, range: undefined }
  }
  const decoded = decode(content, contentType)
  if (decoded.profiles.length === 0) throw new BrokerError('notFound', 'nothing was recorded')
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
    known: { profileIds, samples: marked.samples.length, ...told },
    range: rangeOf(marked),
  }
}

function decode(content: Uint8Array, contentType: string): Profiles {
  try {
    const { profiles } = isJsonContent(contentType) ? readOtlpJson(content) : readOtlp(content)
    const problem = validate(profiles, { limit: 1 }).find(({ rule }) => DICTIONARY_RULES.includes(rule))
    if (problem !== undefined) throw new BrokerError('invalid', `the answer: ${problem.path}: ${problem.message}`)
    return profiles
  } catch (error) {
    if (error instanceof FormatError) throw new BrokerError('invalid', `the answer: ${error.message}`)
    throw error
  }
}

/** The id of a profile that the component has stored itself. */
function storedElsewhere(content: Uint8Array): string | undefined {
  let said: unknown
  try {
    said = JSON.parse(Buffer.from(content).toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null || !('stored' in said) || said.stored !== true) return undefined
  const id = 'profile_id' in said && typeof said.profile_id === 'string' ? said.profile_id.toLowerCase() : ''
  if (!/^[0-9a-f]{32}$/.test(id)) throw new BrokerError('invalid', 'the answer: stored, but without a profile_id')
  return id
}

/** Whose profile it is, as far as the profile itself does not say so. */
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

function rangeOf({ profiles }: Profiles): CaptureAnswer['range'] {
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

/** Far more than an agent has to say. */
const MOST_NOTES = 32
const LONGEST_NOTE = 300

function notesOf(value: Value | undefined): { notes?: string[] } {
  if (!Array.isArray(value)) return {}
  const notes = value.filter(note => typeof note === 'string').map(note => note.slice(0, LONGEST_NOTE))
  return notes.length === 0 ? {} : { notes: notes.slice(0, MOST_NOTES) }
}

function isRate(value: Value | undefined): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
}

function isCount(value: Value | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
