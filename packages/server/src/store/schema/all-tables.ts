// All tables of the store, symbols first: a referenced row is inserted before the rows that refer to it.
import type { TableDefinition } from '../native/table.ts'
import { profiles, spanSamples } from './profile-tables.ts'
import { logs, metricPoints, requests, spans } from './signal-tables.ts'
import { attributeSets, functions, locations, mappings, resources, scopes, series, stacks } from './symbol-tables.ts'

export const symbolTables: readonly TableDefinition[] = [
  functions,
  mappings,
  locations,
  stacks,
  attributeSets,
  resources,
  scopes,
  series,
]

/** Tables partitioned by tenant and day, which retention drops. */
export const datedTables: readonly TableDefinition[] = [requests, profiles, spanSamples, spans, logs, metricPoints]

export const allTables: readonly TableDefinition[] = [...symbolTables, ...datedTables]

/**
 * The order of inserts into a store that several servers share: a request's own row comes last, and shows others that the store has
 * all rows of the request.
 */
export const sharedInsertOrder: readonly TableDefinition[] = [
  ...allTables.filter(table => table !== requests),
  requests,
]
