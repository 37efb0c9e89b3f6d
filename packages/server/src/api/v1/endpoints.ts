// Every endpoint once: the routes, the OpenAPI document, the client's types and docs/api.md all come from this list.
import type { z } from 'zod'
import * as answers from './answers.ts'
import { brokerSchemas } from './broker-endpoints.ts'
import * as requests from './requests.ts'
import * as signalAnswers from './signal-answers.ts'
import * as signalRequests from './signal-requests.ts'

export interface Endpoint {
  /** Below PREFIX, with OpenAPI's {parameters}. */
  readonly path: string
  /** Of the operation, for those who make clients. */
  readonly name: string
  readonly summary: string
  readonly request: z.ZodObject
  /** Undefined where the answer is a file in a format that was asked for. */
  readonly answer: z.ZodType | undefined
  /** Whether the answer is there as columns, too. */
  readonly columns?: boolean
}

export const PREFIX = '/api/v1'

export const endpoints = {
  flameGraph: {
    path: '/flamegraph',
    name: 'flameGraph',
    summary: 'The merged call tree of everything selected',
    request: requests.flameGraphRequest,
    answer: answers.flameGraph,
    columns: true,
  },
  top: {
    path: '/top',
    name: 'top',
    summary: 'Frames by what was spent in them',
    request: requests.topRequest,
    answer: answers.top,
    columns: true,
  },
  sandwich: {
    path: '/sandwich',
    name: 'sandwich',
    summary: 'One frame between its callers and its callees',
    request: requests.sandwichRequest,
    answer: answers.sandwich,
    columns: true,
  },
  diff: {
    path: '/diff',
    name: 'diff',
    summary: 'What changed between two ranges or selectors, node by node',
    request: requests.diffRequest,
    answer: answers.diff,
    columns: true,
  },
  series: {
    path: '/series',
    name: 'series',
    summary: 'Totals over time, grouped by attributes',
    request: requests.seriesRequest,
    answer: answers.series,
  },
  profileTypes: {
    path: '/profile-types',
    name: 'profileTypes',
    summary: 'Types of the profiles there are',
    request: requests.selectionRequest,
    answer: answers.profileTypes,
  },
  services: {
    path: '/services',
    name: 'services',
    summary: 'Services that profiles are of',
    request: requests.selectionRequest,
    answer: answers.services,
  },
  attributes: {
    path: '/attributes',
    name: 'attributes',
    summary: 'Keys of attributes',
    request: requests.attributesRequest,
    answer: answers.attributes,
  },
  attributeValues: {
    path: '/attributes/{key}/values',
    name: 'attributeValues',
    summary: 'Values of an attribute, named as in selectors: region, resource:region',
    request: requests.attributesRequest,
    answer: answers.attributeValues,
  },
  profiles: {
    path: '/profiles',
    name: 'profiles',
    summary: 'Single profiles, the latest first, page by page',
    request: requests.profilesRequest,
    answer: answers.profiles,
  },
  profile: {
    path: '/profiles/{profile}',
    name: 'profile',
    summary: 'One profile with everything that was sent of it, as a file',
    request: requests.profileRequest,
    answer: undefined,
  },
  export: {
    path: '/export',
    name: 'export',
    summary: 'Everything selected as one file',
    request: requests.exportRequest,
    answer: undefined,
  },
  events: {
    path: '/events',
    name: 'events',
    summary: 'Single observations, thread by thread, for timelines',
    request: requests.eventsRequest,
    answer: answers.events,
    columns: true,
  },
  heatMap: {
    path: '/heatmap',
    name: 'heatMap',
    summary: 'Cells of a heat map below the second',
    request: requests.heatMapRequest,
    answer: answers.heatMap,
    columns: true,
  },
  traces: {
    path: '/traces',
    name: 'traces',
    summary: 'Traces with a span of a kind, page by page',
    request: signalRequests.tracesRequest,
    answer: signalAnswers.traces,
  },
  trace: {
    path: '/traces/{trace}',
    name: 'trace',
    summary: 'One trace: its spans as a tree, with self times and what profiles saw in each',
    request: signalRequests.traceRequest,
    answer: signalAnswers.trace,
    columns: true,
  },
  spans: {
    path: '/spans',
    name: 'spans',
    summary:
      'Single spans of a time, the longest first, with the threads and processes that they ran in, for timelines',
    request: signalRequests.spansRequest,
    answer: signalAnswers.spans,
  },
  operations: {
    path: '/operations',
    name: 'operations',
    summary: 'Operations of services, with how long they take',
    request: signalRequests.operationsRequest,
    answer: signalAnswers.operations,
  },
  compareTraces: {
    path: '/compare-traces',
    name: 'compareTraces',
    summary: 'Slow traces of an operation against fast ones: what their profiles differ in',
    request: signalRequests.compareTracesRequest,
    answer: signalAnswers.compareTraces,
    columns: true,
  },
  logs: {
    path: '/logs',
    name: 'logs',
    summary: 'Log records by what they say, how grave they are, whose they are and when',
    request: signalRequests.logsRequest,
    answer: signalAnswers.logs,
  },
  logCounts: {
    path: '/log-counts',
    name: 'logCounts',
    summary: 'How many log records there are over time, by how grave they are',
    request: signalRequests.logCountsRequest,
    answer: signalAnswers.logCounts,
  },
  logMarks: {
    path: '/log-marks',
    name: 'logMarks',
    summary: 'Log records step by step and thread by thread: how many, and the gravest of them, for timelines',
    request: signalRequests.logMarksRequest,
    answer: signalAnswers.logMarks,
  },
  signalAttributes: {
    path: '/signal-attributes',
    name: 'signalAttributes',
    summary: 'Keys of attributes that spans, log records or data points have, with their resources and scopes',
    request: signalRequests.signalAttributesRequest,
    answer: signalAnswers.signalAttributes,
  },
  signalAttributeValues: {
    path: '/signal-attributes/{key}/values',
    name: 'signalAttributeValues',
    summary: 'Values of such an attribute',
    request: signalRequests.signalAttributesRequest,
    answer: signalAnswers.signalAttributeValues,
  },
  metrics: {
    path: '/metrics',
    name: 'metrics',
    summary: 'Metrics that there are',
    request: signalRequests.metricsRequest,
    answer: signalAnswers.metrics,
  },
  metricSeries: {
    path: '/metric-series',
    name: 'metricSeries',
    summary: 'A metric over time, grouped by attributes',
    request: signalRequests.metricSeriesRequest,
    answer: signalAnswers.metricSeries,
  },
  status: {
    path: '/status',
    name: 'status',
    summary:
      'How the server is, and what it may be asked for; what concerns all tenants is for those who may administer',
    request: requests.statusRequest,
    answer: answers.status,
  },
} as const satisfies Readonly<Record<string, Endpoint>>

export type EndpointName = keyof typeof endpoints
/** Those that ask the query engine. */
export type QuestionName = Exclude<EndpointName, 'status'>

/** Schemas that have a name of their own. */
export function componentSchemas(): Readonly<Record<string, z.ZodType>> {
  return {
    AttributeValue: answers.attributeValue,
    Frame: answers.frame,
    Hidden: answers.hidden,
    TreeNodes: answers.treeNodes,
    SandwichTree: answers.sandwichTree,
    TopRow: answers.topRow,
    DiffSide: answers.diffSide,
    SeriesGroup: answers.seriesGroup,
    ProfileRow: answers.profileRow,
    ServerStatus: answers.serverStatus,
    Failure: answers.failure,
    Attribute: signalAnswers.attribute,
    SignalResource: signalAnswers.signalResource,
    SignalScope: signalAnswers.signalScope,
    TraceRow: signalAnswers.traceRow,
    TraceRowSpan: signalAnswers.traceRowSpan,
    TraceSpan: signalAnswers.traceSpan,
    SpanProfiles: signalAnswers.spanProfiles,
    LaneSpan: signalAnswers.laneSpan,
    OperationRow: signalAnswers.operationRow,
    LogRow: signalAnswers.logRow,
    LogMark: signalAnswers.logMark,
    MetricRow: signalAnswers.metricRow,
    MetricPoint: signalAnswers.metricPoint,
    MetricGroup: signalAnswers.metricGroup,
    ...Object.fromEntries(
      Object.values<Endpoint>(endpoints).flatMap(({ name, request, answer }) => [
        // Requests that are the same schema have one name.
        ...(SHARED_REQUESTS.includes(request) ? [] : [[`${capital(name)}Request`, request] as const]),
        ...(answer === undefined ? [] : [[`${capital(name)}Answer`, answer] as const]),
      ]),
    ),
    SelectionRequest: requests.selectionRequest,
    AttributesRequest: requests.attributesRequest,
    SignalAttributesRequest: signalRequests.signalAttributesRequest,
    ...brokerSchemas(),
  }
}

/** Of more than one endpoint. */
const SHARED_REQUESTS: readonly z.ZodObject[] = [
  requests.selectionRequest,
  requests.attributesRequest,
  signalRequests.signalAttributesRequest,
]

function capital(name: string): string {
  return name[0].toUpperCase() + name.slice(1)
}
