// The data of one signal, as files contain it.
import { logs, metrics, traces } from '../otlp/codecs.ts'
import type { LogsData } from '../otlp/logs.ts'
import type { MetricsData } from '../otlp/metrics.ts'
import type { TracesData } from '../otlp/traces.ts'
import type { Codec } from '../protobuf/codec.ts'

export type SignalContent =
  | { readonly signal: 'traces'; readonly data: TracesData }
  | { readonly signal: 'logs'; readonly data: LogsData }
  | { readonly signal: 'metrics'; readonly data: MetricsData }

export type SignalName = SignalContent['signal']

export interface SignalKind {
  readonly signal: SignalName
  readonly encoding: 'protobuf' | 'json'
}

/** The name of the list at the top of each signal, in objects and in JSON. */
export const SIGNAL_LISTS = { traces: 'resourceSpans', logs: 'resourceLogs', metrics: 'resourceMetrics' } as const

export const SIGNAL_CODECS: Readonly<Record<SignalName, Codec<SignalContent['data']>>> = {
  traces: traces as Codec<SignalContent['data']>,
  logs: logs as Codec<SignalContent['data']>,
  metrics: metrics as Codec<SignalContent['data']>,
}

export const SIGNAL_NAMES = Object.keys(SIGNAL_CODECS) as readonly SignalName[]
