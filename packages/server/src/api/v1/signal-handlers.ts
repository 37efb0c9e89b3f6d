// Requests about traces, logs and metrics, handed to the query engine.
import type { LogFilter } from '../../query/signals/logs.ts'
import type { SpanFilter } from '../../query/signals/span-filter.ts'
import type { Handlers, Requests } from './ask.ts'
import { given, questionOf, stepFor } from './request/request-context.ts'
import { valueJson } from './answer-sent.ts'
import { checkItemKeys } from './request/check-keys.ts'
import { withinNodes } from './limits/query-gate.ts'
import * as sent from './signal-sent.ts'
import { parseDuration } from './request/times.ts'

type SignalName =
  | 'traces'
  | 'trace'
  | 'spans'
  | 'operations'
  | 'compareTraces'
  | 'logs'
  | 'logCounts'
  | 'logMarks'
  | 'signalAttributes'
  | 'signalAttributeValues'
  | 'metrics'
  | 'metricSeries'

const ITEMS = { traces: 'span', logs: 'log', metrics: 'point' } as const

/** The first number of each of OTLP's ranges of severity. */
const SEVERITIES = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const
/** As many as a screen shows. */
const USUAL_NODES = 16_384

export const signalHandlers: Pick<Handlers, SignalName> = {
  async traces(asker, request) {
    const { sort, limit, after } = request
    const question = questionOf(asker, selectionOf(request))
    const list = await asker.query.traces(question, filterOf(request), given({ sort, limit, after }))
    if (list.traces.length === 0 && after === undefined) await checkItemKeys(asker.query, question, 'span')
    return { sent: sent.tracesSent(list) }
  },
  async trace({ query, tenant, signal, limits, tenantLimits }, request, traceId) {
    const { spanId, details, unlinked } = request
    const limit = withinNodes('limit', request.limit, 10_000, tenantLimits)
    const trace = await query.trace({ tenant, signal, limits }, traceId, given({ spanId, limit, details, unlinked }))
    return { sent: sent.traceSent(trace, unlinked === true) }
  },
  async spans(asker, request) {
    const { service, limit } = request
    const question = questionOf(asker, selectionOf(request))
    const found = await asker.query.spans(question, given({ service, limit, resources: resourcesOf(request) }))
    if (found.all === 0) await checkItemKeys(asker.query, question, 'span')
    return { sent: sent.spansSent(found) }
  },
  async operations(asker, request) {
    const { limit } = request
    const question = questionOf(asker, selectionOf(request))
    const list = await asker.query.operations(question, filterOf(request), given({ limit }))
    if (list.operations.length === 0) await checkItemKeys(asker.query, question, 'span')
    return { sent: sent.operationsSent(list) }
  },
  async compareTraces(asker, request) {
    const { profiles, quantile, slow, fast, limit, by, inlined, root: roots, order, normalise } = request
    const threshold = request.threshold === undefined ? undefined : parseDuration(request.threshold)
    const maxNodes = withinNodes('nodes', request.nodes, USUAL_NODES, asker.tenantLimits)
    const compared = await asker.query.compareTraces(
      questionOf(asker, selectionOf(request)),
      filterOf(request),
      given({ profiles, threshold, quantile, slow, fast, limit, by, inlined, roots, order, normalise, maxNodes }),
    )
    return { sent: sent.compareTracesSent(compared) }
  },
  async logs(asker, request) {
    const { order, limit, after } = request
    const question = questionOf(asker, selectionOf(request))
    const found = await asker.query.logs(question, logFilterOf(request), given({ order, limit, after }))
    if (found.logs.length === 0 && after === undefined) await checkItemKeys(asker.query, question, 'log')
    return { sent: sent.logsSent(found) }
  },
  async logCounts(asker, request) {
    const question = questionOf(asker, selectionOf(request))
    const step = request.step === undefined ? stepFor(question) : parseDuration(request.step)
    return { sent: sent.logCountsSent(await asker.query.logCounts(question, logFilterOf(request), step)) }
  },
  async logMarks(asker, request) {
    const { service, limit } = request
    const question = questionOf(asker, selectionOf(request))
    const step = request.step === undefined ? undefined : parseDuration(request.step)
    const choice = given({ service, limit, step, resources: resourcesOf(request) })
    const found = await asker.query.logMarks(question, choice)
    if (found.all === 0) await checkItemKeys(asker.query, question, 'log')
    return { sent: sent.logMarksSent(found) }
  },
  async signalAttributes(asker, request) {
    const { signal, service, prefix, limit } = request
    const question = questionOf(asker, selectionOf(request))
    const choice = given({ service, prefix, limit })
    const { rows, truncated } = await asker.query.itemAttributes(question, ITEMS[signal], choice)
    return { sent: { attributes: rows, truncated } }
  },
  async signalAttributeValues(asker, request, key) {
    const { signal, service, prefix, limit } = request
    const question = questionOf(asker, selectionOf(request))
    const choice = given({ service, prefix, limit })
    const { rows, truncated } = await asker.query.itemAttributeValues(question, ITEMS[signal], key, choice)
    return { sent: { values: rows.map(({ text, value }) => ({ text, value: valueJson(value) })), truncated } }
  },
  async metrics(asker, request) {
    const { service, prefix, limit, after } = request
    const question = questionOf(asker, selectionOf(request))
    const list = await asker.query.metrics(question, given({ service, prefix, limit, after }))
    if (list.metrics.length === 0 && after === undefined) await checkItemKeys(asker.query, question, 'point')
    return { sent: sent.metricsSent(list) }
  },
  async metricSeries(asker, request) {
    const { name, unit, kind, temporality, service, groupBy, aggregation, quantiles, buckets, exemplars } = request
    const question = questionOf(asker, selectionOf(request))
    const step = request.step === undefined ? stepFor(question) : parseDuration(request.step)
    const rest = given({ unit, kind, temporality, service, groupBy, aggregation, quantiles, buckets, exemplars })
    return { sent: sent.metricSeriesSent(await asker.query.metricSeries(question, { name, step, ...rest })) }
  },
}

/** Without ids of traces and spans, which here are not of samples. */
function selectionOf({ selector, from, to }: Requests[Exclude<SignalName, 'trace'>]) {
  return { selector, from, to }
}

function resourcesOf({ resources }: Requests['spans' | 'logMarks']): bigint[] | undefined {
  return resources?.map(id => BigInt.asUintN(64, BigInt(id)))
}

function logFilterOf(request: Requests['logs' | 'logCounts']): LogFilter {
  const { service, text, regex, ignoreCase, traceId, spanId, profileId, thread } = request
  const minSeverity = request.severity === undefined ? undefined : SEVERITIES[request.severity]
  const resource = request.resource === undefined ? undefined : BigInt.asUintN(64, BigInt(request.resource))
  return given({ service, text, regex, ignoreCase, minSeverity, traceId, spanId, profileId, resource, thread })
}

function filterOf(request: Requests['traces' | 'operations' | 'compareTraces']): SpanFilter {
  const { service, name, kind, status, samples } = request
  const minDuration = request.minDuration === undefined ? undefined : parseDuration(request.minDuration)
  const maxDuration = request.maxDuration === undefined ? undefined : parseDuration(request.maxDuration)
  return given({ service, name, kind, status, samples, minDuration, maxDuration })
}
