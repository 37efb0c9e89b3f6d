// The selected profiles. The client package has them, because assistants read saved views too.
export type { Filter, FilterOperator, Query, SpanScope, StackFilter } from '@hearth/client/address'
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
} from '@hearth/client/address'
