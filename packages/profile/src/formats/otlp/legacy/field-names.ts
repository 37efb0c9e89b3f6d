// The field names of the generations up to v1.7.
import type { CurrentGeneration } from '../decode.ts'
import type { Generation } from '../generations/schema.ts'

/** Generations whose samples refer to runs of locations and have one value for each of several types. */
export type LegacyGeneration = Exclude<Generation, CurrentGeneration>

/** Names of fields that v1.4 renamed. */
export interface FieldNames {
  readonly mappings: string
  readonly locations: string
  readonly functions: string
  readonly attributeKey: string
  readonly type: string
  readonly unit: string
  readonly name: string
  readonly systemName: string
  readonly filename: string
  /** In a sample, mapping or location. */
  readonly attributes: string
  readonly link: string
  readonly comments: string
}

const NAMES_OF_V1_3: FieldNames = {
  mappings: 'mapping',
  locations: 'location',
  functions: 'function',
  attributeKey: 'attribute_key',
  type: 'type',
  unit: 'unit',
  name: 'name',
  systemName: 'system_name',
  filename: 'filename',
  attributes: 'attributes',
  link: 'link',
  comments: 'comment',
}

const NAMES: FieldNames = {
  mappings: 'mapping_table',
  locations: 'location_table',
  functions: 'function_table',
  attributeKey: 'attribute_key_strindex',
  type: 'type_strindex',
  unit: 'unit_strindex',
  name: 'name_strindex',
  systemName: 'system_name_strindex',
  filename: 'filename_strindex',
  attributes: 'attribute_indices',
  link: 'link_index',
  comments: 'comment_strindices',
}

export function fieldNames(generation: LegacyGeneration): FieldNames {
  return generation === 'v1.3' ? NAMES_OF_V1_3 : NAMES
}
