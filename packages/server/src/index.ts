// The package's main entry point.
export type { Log, LogLevel } from './observe/log.ts'
export { SILENT, openLog } from './observe/log.ts'
export type { SelfProfileOptions } from './self-profile.ts'
export { profileItself } from './self-profile.ts'
export type { ServerOptions, ServerPorts } from './server.ts'
export { HearthServer } from './server.ts'
