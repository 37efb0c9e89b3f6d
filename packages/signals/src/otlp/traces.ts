// The messages of trace.proto. Ids are views of the input: 16 bytes for a trace, 8 for a span. Readers accept any other
// length, and the server rejects it later.
import type { KeyValue, Resource, Scope } from './common.ts'
import { KEY_VALUE, RESOURCE, SCOPE } from './common.ts'
import type { Enumeration } from '../protobuf/field.ts'
import { enumeration, fixed32, fixed64, id, message, messages, text, uint32 } from '../protobuf/field.ts'
import type { ContentOf } from '../protobuf/field.ts'
import { defineMessage } from '../protobuf/message.ts'

const PACKAGE = 'opentelemetry.proto.trace.v1'

export const SPAN_KIND = {
  name: `${PACKAGE}.Span.SpanKind`,
  values: {
    SPAN_KIND_UNSPECIFIED: 0,
    SPAN_KIND_INTERNAL: 1,
    SPAN_KIND_SERVER: 2,
    SPAN_KIND_CLIENT: 3,
    SPAN_KIND_PRODUCER: 4,
    SPAN_KIND_CONSUMER: 5,
  },
} as const satisfies Enumeration

export const STATUS_CODE = {
  name: `${PACKAGE}.Status.StatusCode`,
  values: { STATUS_CODE_UNSET: 0, STATUS_CODE_OK: 1, STATUS_CODE_ERROR: 2 },
} as const satisfies Enumeration

/** Masks for the flags of spans and of their links. */
export const SPAN_FLAGS = {
  name: `${PACKAGE}.SpanFlags`,
  values: {
    SPAN_FLAGS_DO_NOT_USE: 0,
    SPAN_FLAGS_TRACE_FLAGS_MASK: 0xff,
    SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK: 0x100,
    SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK: 0x200,
  },
} as const satisfies Enumeration

export const SPAN_EVENT = defineMessage(`${PACKAGE}.Span.Event`, {
  timeUnixNano: fixed64(1),
  name: text(2),
  attributes: messages<KeyValue>(3, KEY_VALUE),
  droppedAttributesCount: uint32(4),
})
export interface SpanEvent extends ContentOf<typeof SPAN_EVENT> {}

export const SPAN_LINK = defineMessage(`${PACKAGE}.Span.Link`, {
  traceId: id(1),
  spanId: id(2),
  traceState: text(3),
  attributes: messages<KeyValue>(4, KEY_VALUE),
  droppedAttributesCount: uint32(5),
  /** See SPAN_FLAGS. */
  flags: fixed32(6),
})
export interface SpanLink extends ContentOf<typeof SPAN_LINK> {}

export const STATUS = defineMessage(`${PACKAGE}.Status`, {
  message: text(2),
  /** See STATUS_CODE. */
  code: enumeration(3, STATUS_CODE),
})
export interface Status extends ContentOf<typeof STATUS> {}

export const SPAN = defineMessage(`${PACKAGE}.Span`, {
  traceId: id(1),
  spanId: id(2),
  traceState: text(3),
  /** Empty for a root. */
  parentSpanId: id(4),
  name: text(5),
  /** See SPAN_KIND. */
  kind: enumeration(6, SPAN_KIND),
  startTimeUnixNano: fixed64(7),
  endTimeUnixNano: fixed64(8),
  attributes: messages<KeyValue>(9, KEY_VALUE),
  droppedAttributesCount: uint32(10),
  events: messages<SpanEvent>(11, SPAN_EVENT),
  droppedEventsCount: uint32(12),
  links: messages<SpanLink>(13, SPAN_LINK),
  droppedLinksCount: uint32(14),
  status: message<Status>(15, STATUS),
  /** See SPAN_FLAGS. */
  flags: fixed32(16),
})
export interface Span extends ContentOf<typeof SPAN> {}

export const SCOPE_SPANS = defineMessage(`${PACKAGE}.ScopeSpans`, {
  scope: message<Scope>(1, SCOPE),
  spans: messages<Span>(2, SPAN),
  schemaUrl: text(3),
})
export interface ScopeSpans extends ContentOf<typeof SCOPE_SPANS> {}

export const RESOURCE_SPANS = defineMessage(`${PACKAGE}.ResourceSpans`, {
  resource: message<Resource>(1, RESOURCE),
  scopeSpans: messages<ScopeSpans>(2, SCOPE_SPANS),
  schemaUrl: text(3),
})
export interface ResourceSpans extends ContentOf<typeof RESOURCE_SPANS> {}

export const TRACES_DATA = defineMessage(`${PACKAGE}.TracesData`, {
  resourceSpans: messages<ResourceSpans>(1, RESOURCE_SPANS),
})
export interface TracesData extends ContentOf<typeof TRACES_DATA> {}
