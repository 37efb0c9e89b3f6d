// The entry point of the package.
export type * from './api-types.ts'
export type {
  ActOptions,
  RequestOptions,
  ClientOptions,
  EventBlocksRequest,
  Note,
  ProfileFile,
  PushResponse,
  PushOptions,
} from './hearth-client.ts'
export type {
  ColumnResponses,
  ColumnarName,
  CompareTracesColumns,
  DiffColumns,
  DiffSideColumns,
  EventsColumns,
  FlameGraphColumns,
  HeatMapColumns,
  NodeColumns,
  SandwichColumns,
  SandwichTreeColumns,
  TopColumns,
  TraceColumns,
} from './columns.ts'
export { readColumnResponse } from './columns.ts'
export { ApiError, UnreachableError } from './errors.ts'
export { HearthClient } from './hearth-client.ts'
export type { SpanDetails, SpanOddity, SpanSampleColumns } from './spans.ts'
export { SPAN_KINDS, SPAN_STATUSES } from './api-types.ts'
export { SPAN_ODDITIES, Spans } from './spans.ts'
