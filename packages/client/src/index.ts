// The entry point of the package.
export type * from './api-types.ts'
export type {
  ActOptions,
  AskOptions,
  ClientOptions,
  EventBlocksRequest,
  Note,
  ProfileFile,
  PushAnswer,
  PushOptions,
} from './hearth-client.ts'
export type {
  ColumnAnswers,
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
export { readColumnAnswer } from './columns.ts'
export { ApiError, UnreachableError } from './errors.ts'
export { HearthClient } from './hearth-client.ts'
export type { SpanDetails, SpanOddity, SpanSampleColumns } from './spans.ts'
export { SPAN_KINDS, SPAN_STATUSES } from './api-types.ts'
export { SPAN_ODDITIES, Spans } from './spans.ts'
