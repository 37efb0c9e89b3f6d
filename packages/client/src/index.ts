// The package's door.
export type * from './api-types.ts'
export type { AskOptions, ClientOptions, Note, ProfileFile, PushAnswer, PushOptions } from './hearth-client.ts'
export { ApiError, UnreachableError } from './errors.ts'
export { HearthClient } from './hearth-client.ts'
