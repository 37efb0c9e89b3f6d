// Symbols of profiles, stored once per tenant by the hash of their content. Id 0 means "not set": no stack, no mapping, no
// function, no attributes.
import type { TableLayout } from '../native/table.ts'
import { arrayOf, defineTable, fewTexts, int64, text, uint64, uint8 } from '../native/table.ts'
import { attributes, symbolKey, unknownFields } from './shared-columns.ts'

// The check is part of the key, so that two contents with one id are both kept and readers notice them.
const byContent: TableLayout = { engine: { replacing: 'last_seen' }, orderBy: '(tenant, id, check)', shardBy: 'id' }

export const functions = defineTable(
  'functions',
  { ...symbolKey, name: text(), system_name: text(), filename: text(), start_line: int64(), ...unknownFields },
  byContent,
)

export const mappings = defineTable(
  'mappings',
  {
    ...symbolKey,
    memory_start: uint64(),
    memory_limit: uint64(),
    file_offset: uint64(),
    filename: text(),
    /** Id in `attribute_sets`. */
    attributes: uint64(),
    ...unknownFields,
  },
  byContent,
)

export const locations = defineTable(
  'locations',
  {
    ...symbolKey,
    mapping: uint64(),
    address: uint64(),
    /** Innermost inlined call first. */
    line_functions: arrayOf(uint64()),
    line_numbers: arrayOf(int64()),
    line_columns: arrayOf(int64()),
    attributes: uint64(),
    ...unknownFields,
  },
  byContent,
)

/** Leaf first. */
export const stacks = defineTable('stacks', { ...symbolKey, locations: arrayOf(uint64()), ...unknownFields }, byContent)

/** Attributes of profiles, samples, locations and mappings, which have units. */
export const attributeSets = defineTable(
  'attribute_sets',
  {
    ...symbolKey,
    keys: arrayOf(fewTexts()),
    units: arrayOf(fewTexts()),
    kinds: arrayOf(uint8()),
    values: arrayOf(text()),
    /** The parts are those of the attributes, by their place in the set. */
    ...unknownFields,
  },
  byContent,
)

export const resources = defineTable(
  'resources',
  {
    ...symbolKey,
    ...attributes,
    schema_url: fewTexts(),
    /** OTLP/JSON of the entity references, or empty. */
    entity_refs: text(),
    service: fewTexts(),
    ...unknownFields,
  },
  byContent,
)

export const scopes = defineTable(
  'scopes',
  { ...symbolKey, ...attributes, name: text(), version: text(), schema_url: fewTexts(), ...unknownFields },
  byContent,
)

/** One profile type of one resource and scope. Queries list, match and group series before they read samples. */
export const series = defineTable(
  'series',
  {
    ...symbolKey,
    resource: uint64(),
    scope: uint64(),
    service: fewTexts(),
    type: fewTexts(),
    unit: fewTexts(),
    period_type: fewTexts(),
    period_unit: fewTexts(),
  },
  byContent,
)
