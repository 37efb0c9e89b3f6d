// Small requests of each signal, valid and invalid, as JSON and as protobuf.
import { encodeOtlp } from '@hearth/profile'
import { logs, metrics, traces } from '@hearth/signals'
import { richProfiles } from '../../../../profile/src/model/testing/rich-profiles.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] }
const bytes = (content: object): Uint8Array => Buffer.from(JSON.stringify(content))

/** A span with a name; a `bad` one lacks the required ids. */
export const span = (name: string, bad = false): object =>
  bad ? { name } : { traceId: TRACE_ID, spanId: SPAN_ID, name, startTimeUnixNano: '1700000000000000001' }
export const record = (text: string, bad = false): object => ({
  timeUnixNano: '1700000000000000001',
  body: { stringValue: text },
  traceId: bad ? 'aa' : TRACE_ID,
})
export const point = (value: number, bad = false): object => ({
  timeUnixNano: '1700000000000000001',
  asDouble: value,
  exemplars: bad ? [{ spanId: 'aa' }] : [],
})

export function tracesJson(...spans: readonly object[]): Uint8Array {
  return bytes({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'lib' }, spans }] }] })
}
export function logsJson(...logRecords: readonly object[]): Uint8Array {
  return bytes({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'lib' }, logRecords }] }] })
}
function metricsJson(...dataPoints: readonly object[]): Uint8Array {
  const metric = { name: 'm', unit: '1', gauge: { dataPoints } }
  return bytes({ resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'lib' }, metrics: [metric] }] }] })
}

export const tracesProtobuf = (...spans: readonly object[]): Uint8Array =>
  traces.encode(traces.decodeJson(tracesJson(...spans)))
export const logsProtobuf = (...list: readonly object[]): Uint8Array => logs.encode(logs.decodeJson(logsJson(...list)))
export const metricsProtobuf = (...list: readonly object[]): Uint8Array =>
  metrics.encode(metrics.decodeJson(metricsJson(...list)))
export const profilesProtobuf = (): Uint8Array => encodeOtlp(richProfiles())
