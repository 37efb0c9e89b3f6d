// Writes the comment block before the samples: the recording, its events and its clock.
import type { AnyValue, KeyValue } from '../../model/columns/any-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { NoteList } from '../format.ts'
import {
  CLOCKS,
  conventionalArch,
  kernelArch,
  PERF_ATTRIBUTES,
  PERF_CLOCK,
  SCOPE_NAME,
} from '../recordings/perf-recording.ts'
import type { EventTexts } from './event-texts.ts'
import { HEADER_KEYS } from './header.ts'

const RULE = '# ========'

export function headerText(payload: Profiles, events: EventTexts, clock: string | undefined, notes: NoteList): string {
  const lines = [
    RULE,
    ...recordingLines(payload, notes),
    ...events.lines(),
    ...clockLines(events, clock),
    RULE,
    '#',
    '',
  ]
  return lines.join('\n')
}

/** The header lines that perf prints, with perf's names. */
function recordingLines(payload: Profiles, notes: NoteList): string[] {
  const { resources, scopes } = payload
  if (resources.length === 0) {
    notes.add('resource', 'the absence of a resource cannot be represented')
    return []
  }
  const resource = resources.resource(0)
  const scope = scopes.length > 0 && resources.to(0) > 0 ? scopes.scope(0) : undefined
  const attributes = new Attributes([...resource.attributes])
  const scopeAttributes = new Attributes(scope?.attributes ?? [])
  const osVersion = attributes.text(ATTRIBUTES.osVersion)
  // A kernel release implies `linux`.
  if (osVersion !== undefined && attributes.peek(ATTRIBUTES.osType) === 'linux') attributes.text(ATTRIBUTES.osType)
  const givenArch = attributes.peek(ATTRIBUTES.hostArch)
  const isKnownArch = typeof givenArch === 'string' && conventionalArch(kernelArch(givenArch)) === givenArch
  const arch = isKnownArch ? attributes.text(ATTRIBUTES.hostArch) : undefined
  const facts: Readonly<Record<(typeof HEADER_KEYS)[string], string | undefined>> = {
    capturedOn: scopeAttributes.text(PERF_ATTRIBUTES.capturedOn),
    hostName: attributes.text(ATTRIBUTES.hostName),
    osRelease: osVersion,
    perfVersion: scope?.version === '' ? undefined : scope?.version,
    arch: arch === undefined ? undefined : kernelArch(arch),
    cpuModel: attributes.text(ATTRIBUTES.hostCpuModelName),
    commandLine: scopeAttributes.text(PERF_ATTRIBUTES.commandLine),
  }
  const words = scopeAttributes.peek(PERF_ATTRIBUTES.commandLine)
  // The boundaries between arguments are lost, as in perf's own text.
  const joined = Array.isArray(words) ? words.filter(word => typeof word === 'string').join(' ') : undefined
  const extras = resource.entityRefs.length + (resources.schemaUrl(0) === '' ? 0 : 1) + resource.droppedAttributesCount
  const others = resources.length - 1
  notes.add('resource', 'attributes of resources were dropped', attributes.left + extras + others)
  const named = (scope?.name === SCOPE_NAME ? 0 : 1) + (scopes.length > 0 && scopes.schemaUrl(0) !== '' ? 1 : 0)
  const dropped = scope?.droppedAttributesCount ?? 0
  const otherScopes = Math.max(0, scopes.length - 1)
  notes.add('scope', 'name and attributes of scopes were dropped', scopeAttributes.left + named + dropped + otherScopes)
  return Object.entries(HEADER_KEYS).flatMap(([key, fact]) => {
    const value = fact === 'commandLine' ? (facts.commandLine ?? joined) : facts[fact]
    return value === undefined || value.trim() === '' ? [] : [`# ${key} : ${value.replaceAll(/[\n\r]/g, ' ').trim()}`]
  })
}

function clockLines(events: EventTexts, clock: string | undefined): string[] {
  if (!events.hasTimestamps || clock === PERF_CLOCK) return []
  if (clock === undefined) return ['# clockid: realtime (0)']
  const id = [...CLOCKS].find(([, name]) => name === clock)?.[0] ?? /^clock (\d+)$/.exec(clock)?.[1]
  return id === undefined ? [] : [`# clockid: ${clock} (${id})`]
}

/** Attributes that are consumed one by one, so that `left` counts the rest. */
class Attributes {
  readonly #values: Map<string, AnyValue>

  constructor(list: readonly KeyValue[]) {
    this.#values = new Map(list.map(({ key, value }) => [key, value]))
  }

  get left(): number {
    return this.#values.size
  }

  peek(key: string): AnyValue {
    return this.#values.get(key)
  }

  /** Consumes the attribute if it is a text on one line. */
  text(key: string): string | undefined {
    const value = this.#values.get(key)
    if (typeof value !== 'string' || value === '' || value !== value.replaceAll(/[\n\r]/g, ' ').trim()) return undefined
    this.#values.delete(key)
    return value
  }
}
