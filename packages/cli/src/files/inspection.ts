// The data of `hearth inspect`. Scripts rely on the keys: keys may be added, but never renamed. 64-bit numbers are decimal
// strings.
import type { AttributeIndex, KeyValue, Note, Profiles } from '@hearth/profile'
import { profileSummary } from '@hearth/profile'
import type { JsonObject } from './attributes-json.ts'
import { attributesJson } from './attributes-json.ts'
import type { Input } from './input.ts'

export interface Inspection {
  readonly file: string
  readonly format: string
  /** Empty if the format has only one. */
  readonly generation: string
  /** How certain the recognised format is. */
  readonly confidence: string
  /** The stored size. */
  readonly bytes: number
  readonly compression: string
  readonly contentBytes: number
  readonly profiles: readonly InspectedProfile[]
  readonly resources: readonly InspectedResource[]
  readonly scopes: readonly InspectedScope[]
  /** The attributes of samples by key. */
  readonly labels: readonly InspectedLabel[]
  /** The number of rows of each table, row 0 included. */
  readonly dictionary: DictionarySizes
  readonly notes: readonly Note[]
}

export interface InspectedProfile {
  readonly type: string
  readonly unit: string
  readonly samples: number
  readonly observations: number
  readonly total: string
  readonly timeUnixNano: string
  readonly durationNano: string
  readonly periodType: string
  readonly periodUnit: string
  readonly period: string
  readonly attributes: JsonObject
  /** Whether samples have values, timestamps or both. */
  readonly shape: string
  /** The range of the samples' timestamps. Absent without timestamps. */
  readonly firstTimestampUnixNano: string | undefined
  readonly lastTimestampUnixNano: string | undefined
  /** Hexadecimal. Empty if there is none. */
  readonly profileId: string
  readonly originalPayloadFormat: string
  readonly originalPayloadBytes: number
  /** Rows of `resources` and `scopes`. */
  readonly resource: number
  readonly scope: number
}

export interface InspectedResource {
  readonly attributes: JsonObject
  readonly schemaUrl: string
}

export interface InspectedScope extends InspectedResource {
  readonly name: string
  readonly version: string
}

export interface InspectedLabel {
  readonly key: string
  /** The number of distinct values, and of samples with the attribute. */
  readonly values: number
  readonly samples: number
}

export type DictionarySizes = Readonly<
  Record<'strings' | 'functions' | 'locations' | 'mappings' | 'stacks' | 'links' | 'attributes', number>
>

export function inspectInput(input: Input): Inspection {
  const { file, format, generation, confidence, size, compression, contentSize, profiles, notes } = input
  return {
    file,
    format,
    generation,
    confidence,
    bytes: size,
    compression,
    contentBytes: contentSize,
    profiles: inspectedProfiles(profiles),
    resources: inspectedResources(profiles),
    scopes: inspectedScopes(profiles),
    labels: inspectedLabels(profiles),
    dictionary: dictionarySizes(profiles),
    notes,
  }
}

function inspectedProfiles(profiles: Profiles): InspectedProfile[] {
  const { resources, scopes, profiles: table } = profiles
  const inspected: InspectedProfile[] = []
  for (let resource = 0; resource < resources.length; resource++) {
    for (let scope = resources.from(resource); scope < resources.to(resource); scope++) {
      for (let i = scopes.from(scope); i < scopes.to(scope); i++) {
        const { timeUnixNano, durationNano, period, total, firstTimestamp, lastTimestamp, ...rest } = profileSummary(
          profiles,
          i,
        )
        inspected.push({
          ...rest,
          total: total.toString(),
          timeUnixNano: timeUnixNano.toString(),
          durationNano: durationNano.toString(),
          period: period.toString(),
          attributes: attributesJson(keyValues(profiles, table.attributesOf(i))),
          firstTimestampUnixNano: firstTimestamp?.toString(),
          lastTimestampUnixNano: lastTimestamp?.toString(),
          profileId: Buffer.from(table.id(i)).toString('hex'),
          originalPayloadFormat: table.originalPayloadFormat(i),
          originalPayloadBytes: table.originalPayload(i).length,
          resource,
          scope,
        })
      }
    }
  }
  return inspected
}

function keyValues({ dictionary }: Profiles, rows: readonly AttributeIndex[]): KeyValue[] {
  const { strings, attributes } = dictionary
  return rows.map(row => ({ key: strings.text(attributes.key(row)), value: attributes.value(row) }))
}

function inspectedResources({ resources }: Profiles): InspectedResource[] {
  return Array.from({ length: resources.length }, (_, i) => ({
    attributes: attributesJson(resources.resource(i).attributes),
    schemaUrl: resources.schemaUrl(i),
  }))
}

function inspectedScopes({ scopes }: Profiles): InspectedScope[] {
  return Array.from({ length: scopes.length }, (_, i) => {
    const { name, version, attributes } = scopes.scope(i)
    return { name, version, attributes: attributesJson(attributes), schemaUrl: scopes.schemaUrl(i) }
  })
}

/** Sorted by use, most used first, then by key. */
function inspectedLabels({ samples, dictionary }: Profiles): InspectedLabel[] {
  const { strings, attributes } = dictionary
  const uses = new Int32Array(attributes.length)
  for (let k = 0; k < samples.attributes.length; k++) uses[samples.attributes.at(k)]++
  const labels = new Map<string, { key: string; values: number; samples: number }>()
  for (let row = 0; row < uses.length; row++) {
    if (uses[row] === 0) continue
    const key = strings.text(attributes.key(row as AttributeIndex))
    const label = labels.get(key)
    if (label === undefined) labels.set(key, { key, values: 1, samples: uses[row] })
    else {
      label.values++
      label.samples += uses[row]
    }
  }
  return [...labels.values()].sort((a, b) => b.samples - a.samples || (a.key < b.key ? -1 : 1))
}

/** A table that was missing, even its row 0, has size 0: the model added row 0. */
function dictionarySizes({ dictionary, emptyTables }: Profiles): DictionarySizes {
  const size = (length: number, name: string): number => (emptyTables.includes(name) ? 0 : length)
  return {
    strings: size(dictionary.strings.length, 'string_table'),
    functions: size(dictionary.functions.length, 'function_table'),
    locations: size(dictionary.locations.length, 'location_table'),
    mappings: size(dictionary.mappings.length, 'mapping_table'),
    stacks: size(dictionary.stacks.length, 'stack_table'),
    links: size(dictionary.links.length, 'link_table'),
    attributes: size(dictionary.attributes.length, 'attribute_table'),
  }
}
