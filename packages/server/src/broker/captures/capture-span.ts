// The span of a capture: a child of the requester's span, with the ids of the profiles, so that users can navigate between a
// trace and its profiles.
import type { KeyValue } from '@hearth/profile'
import type { Span, TracesData } from '@hearth/signals'
import { SPAN_KIND, STATUS_CODE } from '@hearth/signals'
import { EMPTY_SPAN } from '../telemetry/event-spans.ts'
import { bytesOfHex } from '../../store/hex.ts'
import { CAPTURE_ID } from './capture.ts'
import type { CaptureRecord } from './capture-record.ts'

/** The server's service name in its own telemetry. */
export const BROKER_SERVICE = 'hearth'

/** `marks` are further attributes of the resource. */
export function captureSpan(record: CaptureRecord, version: string, marks: readonly KeyValue[]): TracesData {
  const { span, requested, ended, instances, service, type, reason } = record
  const profileIds = instances.flatMap(instance => instance.profileIds)
  const failed = instances.filter(({ state }) => state === 'failed')
  const attributes: KeyValue[] = [
    { key: CAPTURE_ID, value: record.id },
    { key: 'profiling.capture.reason', value: reason },
    { key: 'profiling.capture.service', value: service },
    { key: 'profiling.capture.type', value: type },
    { key: 'profiling.capture.instances', value: BigInt(instances.length) },
    // A single id is a string, as in logs. Several are a list.
    ...(profileIds.length === 0
      ? []
      : [{ key: 'profile_id', value: profileIds.length === 1 ? profileIds[0] : profileIds }]),
  ]
  const [first] = failed
  const isFailed = record.state === 'failed'
  const captured: Span = {
    ...EMPTY_SPAN,
    traceId: bytesOfHex(span.traceId),
    spanId: bytesOfHex(span.spanId),
    parentSpanId: bytesOfHex(span.parentSpanId ?? ''),
    name: 'capture',
    kind: SPAN_KIND.values.SPAN_KIND_CLIENT,
    startTimeUnixNano: BigInt(requested),
    endTimeUnixNano: BigInt(ended ?? requested),
    attributes,
    events: failed.map(({ instance, error }) => ({
      timeUnixNano: BigInt(ended ?? requested),
      name: 'exception',
      attributes: [
        { key: 'exception.type', value: error?.code ?? '' },
        { key: 'exception.message', value: error?.message ?? '' },
        { key: 'service.instance.id', value: instance },
      ],
      droppedAttributesCount: 0,
    })),
    status: isFailed ? { code: STATUS_CODE.values.STATUS_CODE_ERROR, message: first?.error?.message ?? '' } : undefined,
    flags: 1,
  }
  const resource = {
    attributes: [{ key: 'service.name', value: BROKER_SERVICE }, { key: 'service.version', value: version }, ...marks],
    droppedAttributesCount: 0,
    entityRefs: [],
  }
  const scope = { name: 'hearth.broker', version, attributes: [], droppedAttributesCount: 0 }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [captured], schemaUrl: '' }], schemaUrl: '' }] }
}
