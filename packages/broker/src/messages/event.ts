// The messages of kubefox.proto.v1. Names and types are those of the published reference. It does not give field numbers,
// so they are those of version 0.7.2, the last with google.protobuf.Value in params, values and env.
import type { Codec, ContentOf, Enumeration, LogRecord, Message, Metric, Span } from '@hearth/signals'
import {
  LOG_RECORD,
  METRIC,
  SPAN,
  bytes,
  codecOf,
  defineProtoJson,
  enumeration,
  fixed32,
  hexId,
  int64,
  map,
  message,
  messages,
  text,
} from '@hearth/signals'
import type { Value } from './value.ts'
import { VALUE } from './value.ts'

const PACKAGE = 'kubefox.proto.v1'

export const BROKER_SERVICE = `${PACKAGE}.Broker`
/** A stream of Event in, a stream of MatchedEvent out. */
export const SUBSCRIBE_PATH = `/${BROKER_SERVICE}/Subscribe`

export const CATEGORY = {
  name: `${PACKAGE}.Category`,
  values: { UNKNOWN: 0, MESSAGE: 1, REQUEST: 2, RESPONSE: 3 },
  jsonText: 'name',
} as const satisfies Enumeration

/** How an event is handled: a MESSAGE has no response, a REQUEST gets one RESPONSE. */
export const Category = CATEGORY.values

export const COMPONENT = defineProtoJson(`${PACKAGE}.Component`, {
  type: text(1),
  app: text(2),
  name: text(3),
  hash: text(4),
  id: text(5),
  brokerId: text(6),
})
export interface Component extends ContentOf<typeof COMPONENT> {}

export const EVENT_CONTEXT = defineProtoJson(`${PACKAGE}.EventContext`, {
  platform: text(1),
  virtualEnvironment: text(2),
  appDeployment: text(3),
  releaseManifest: text(4),
})
export interface EventContext extends ContentOf<typeof EVENT_CONTEXT> {}

/** The span under which the receiver starts its own. */
export const SPAN_CONTEXT = defineProtoJson(`${PACKAGE}.SpanContext`, {
  traceId: hexId(1),
  spanId: hexId(2),
  traceState: text(3),
  /** Bit 0: sampled. */
  flags: fixed32(4),
})
export interface SpanContext extends ContentOf<typeof SPAN_CONTEXT> {}

/** The fields of an event that can be read although a value in it is invalid. */
const EVENT_HEAD = {
  /** A UUID, new for every event. */
  id: text(1),
  /** In a RESPONSE, the id of its REQUEST. */
  parentId: text(2),
  parentSpan: message<SpanContext>(3, SPAN_CONTEXT),
  /** Such as `io.kubefox.register`; see event-types.ts. */
  type: text(4),
  /** See Category. */
  category: enumeration(5, CATEGORY),
  /** Unix time in nanoseconds, for information only. It does not affect expiry. */
  createTime: int64(6),
  /** The remaining time to live in nanoseconds. Each hop subtracts how long it held the event. See ttl.ts. */
  ttl: int64(7),
  context: message<EventContext>(8, EVENT_CONTEXT),
  source: message<Component>(9, COMPONENT),
  target: message<Component>(10, COMPONENT),
}

export const EVENT = defineProtoJson(`${PACKAGE}.Event`, {
  ...EVENT_HEAD,
  params: map<Value>(11, VALUE),
  values: map<Value>(12, VALUE),
  contentType: text(14),
  content: bytes(15),
})
export interface Event extends ContentOf<typeof EVENT> {}

export const MATCHED_EVENT = defineProtoJson(`${PACKAGE}.MatchedEvent`, {
  event: message<Event>(1, EVENT),
  /** The index of the rule among the component's routes, or DEFAULT_ROUTE. */
  routeId: int64(2),
  /** The variables that the component declared. */
  env: map<Value>(3, VALUE),
})
export interface MatchedEvent extends ContentOf<typeof MATCHED_EVENT> {}

/** The route of the default handler, if no rule matched. */
export const DEFAULT_ROUTE = -1n

/** Records without a resource. Their resource is the component that sends them. */
export const TELEMETRY = defineProtoJson(`${PACKAGE}.Telemetry`, {
  traceId: hexId(1),
  logRecords: messages<LogRecord>(13, LOG_RECORD),
  metrics: messages<Metric>(14, METRIC),
  spans: messages<Span>(15, SPAN),
})
export interface Telemetry extends ContentOf<typeof TELEMETRY> {}

export const events: Codec<Event> = codecOf<Event>(EVENT, 'event')
/** Reads an event without its values and its content, to reject it if a value is invalid. */
export const eventHeads = codecOf(defineProtoJson(`${PACKAGE}.Event`, EVENT_HEAD), 'event')
export const matchedEvents: Codec<MatchedEvent> = codecOf<MatchedEvent>(MATCHED_EVENT, 'matched event')
export const telemetry: Codec<Telemetry> = codecOf<Telemetry>(TELEMETRY, 'telemetry')

/** For reflection and for the .proto files. */
export const EVENT_TYPES: readonly (Message | Enumeration)[] = [
  CATEGORY,
  COMPONENT as Message,
  EVENT_CONTEXT as Message,
  SPAN_CONTEXT as Message,
  EVENT as Message,
  MATCHED_EVENT as Message,
  TELEMETRY as Message,
]
