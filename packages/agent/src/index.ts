// The public API of the package.
export type { AgentOptions, CaptureOptions, SpanIdentity } from './agent.ts'
export { Agent, capture, flush, start, stop } from './agent.ts'
export type { Configuration, Destination, ExportCompression, Protocol, Settings } from './configuration/options.ts'
export type { ProfilesExporter } from './export/exporter.ts'
export type { ProfileKind } from './record/recorder-options.ts'
