// The package's door.
export type * from './api-types.ts'
export type {
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
  DiffColumns,
  DiffSideColumns,
  EventsColumns,
  FlameGraphColumns,
  HeatMapColumns,
  NodeColumns,
  SandwichColumns,
  SandwichTreeColumns,
  ShapeColumns,
  SumColumns,
  TopColumns,
} from './columns.ts'
export { Frames, readColumnAnswer } from './columns.ts'
export { ApiError, UnreachableError } from './errors.ts'
export { HearthClient } from './hearth-client.ts'
