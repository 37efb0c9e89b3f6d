// Addresses of the UI: the entry point for programs that read or write them.
export type { Filter, FilterOperator, Query, SpanScope, StackFilter } from './address/query.ts'
export {
  DEFAULT_FROM,
  DEFAULT_TO,
  EMPTY_QUERY,
  FILTER_OPERATORS,
  hasSnapshots,
  queryFields,
  readFilter,
  selectorKey,
  selectorOf,
  snapshotsOf,
  typeSelector,
} from './address/query.ts'
export type { Field, Fields } from './address/route-fields.ts'
export { choice, flag, list, nested, readFields, text, texts, writeFields } from './address/route-fields.ts'
