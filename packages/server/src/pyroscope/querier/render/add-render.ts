// The older GET endpoints: /render, /render-diff and /label-values, with and without the prefix /pyroscope.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badQuery } from '../../../receive/refusal.ts'
import { identifyClient } from '../../admit-request.ts'
import { parseAtTime } from '../../at-time.ts'
import { disconnectSignal } from '../../../http/disconnect-signal.ts'
import { sendError } from '../../connect.ts'
import { labelValues } from '../labels/label-catalog.ts'
import type { QuerierContext } from '../part-queries.ts'
import { querierRefusal } from '../querier-failure.ts'
import type { QuerierOptions } from '../querier-service.ts'
import { runQuery } from '../querier-service.ts'
import type { RenderRequest } from './render.ts'
import { render, renderDiff, renderDot } from './render.ts'

const NANOS_PER_MILLI = 1_000_000n

type Query = Readonly<Record<string, string | readonly string[] | undefined>>

interface Rendered {
  readonly type: string
  readonly body: string
}

export function addRender(app: FastifyInstance, options: QuerierOptions): void {
  void app.register(async scope => {
    scope.setErrorHandler((error, _request, reply) => {
      const refusal = querierRefusal(error, options.onError)
      return sendError(reply, refusal.http, refusal)
    })
    const add = (
      path: string,
      answer: (context: QuerierContext, query: Query, nowMs: number) => Promise<Rendered>,
    ): void => {
      for (const prefix of ['', '/pyroscope'])
        scope.get(prefix + path, async (request, reply) => send(options, request, reply, answer))
    }
    add('/render', renderAnswer)
    add('/render-diff', async (context, query, nowMs) => {
      const left = requestIn(query, nowMs, 'left')
      const right = requestIn(query, nowMs, 'right')
      return { type: JSON_TYPE, body: await renderDiff(context, left, right) }
    })
    add('/label-values', async (context, query, nowMs) => {
      const range = rangeIn(query, nowMs, '')
      const matchers = textIn(query, 'query') === '' ? [] : [textIn(query, 'query')]
      const { names } = await labelValues(context, { name: textIn(query, 'label'), matchers, ...range })
      return { type: JSON_TYPE, body: JSON.stringify(names) }
    })
  })
}

const JSON_TYPE = 'application/json; charset=utf-8'

async function send(
  options: QuerierOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: (context: QuerierContext, query: Query, nowMs: number) => Promise<Rendered>,
): Promise<FastifyReply> {
  const { authorization, 'x-scope-orgid': orgId } = request.headers
  const scopeOrgId = Array.isArray(orgId) ? orgId[0] : orgId
  const { tenant } = identifyClient(options.gatekeeper, { authorization, scopeOrgId }, 'read')
  const caller = { tenant, signal: disconnectSignal(reply), timeoutMs: undefined }
  const { now = Date.now } = options
  const { type, body } = await runQuery(options, caller, context => answer(context, request.query as Query, now()))
  return reply.type(type).send(body)
}

async function renderAnswer(context: QuerierContext, query: Query, nowMs: number): Promise<Rendered> {
  const request = requestIn(query, nowMs, '')
  const format = textIn(query, 'format')
  if (format === 'dot') return { type: 'text/vnd.graphviz; charset=utf-8', body: await renderDot(context, request) }
  if (format !== '' && format !== 'json') throw badQuery(`format '${format.slice(0, 40)}': there are json and dot`)
  return { type: JSON_TYPE, body: await render(context, request) }
}

/** `side` is the prefix of parameters that differ between the sides of a diff. */
function requestIn(query: Query, nowMs: number, side: '' | 'left' | 'right'): RenderRequest {
  const text = textIn(query, nameOf('query', side))
  if (text === '') throw badQuery(`${nameOf('query', side)} is missing`)
  const brace = text.indexOf('{')
  const nodes = textIn(query, 'maxNodes') || textIn(query, 'max-nodes')
  if (nodes !== '' && !/^\d{1,18}$/.test(nodes)) throw badQuery(`maxNodes '${nodes.slice(0, 40)}' is no number`)
  const { groupBy } = query
  return {
    typeId: (brace < 0 ? text : text.slice(0, brace)).trim(),
    selector: brace < 0 ? '' : text.slice(brace),
    ...rangeIn(query, nowMs, side),
    maxNodes: nodes === '' ? undefined : BigInt(nodes),
    groupBy: (Array.isArray(groupBy) ? groupBy : [groupBy]).filter((name): name is string => Boolean(name)),
    aggregation: textIn(query, 'aggregation'),
  }
}

function rangeIn(query: Query, nowMs: number, side: '' | 'left' | 'right'): { start: bigint; end: bigint } {
  return {
    start: timeIn(query, nameOf('from', side), 'now-1h', nowMs),
    end: timeIn(query, nameOf('until', side), 'now', nowMs),
  }
}

/** Milliseconds. */
function timeIn(query: Query, name: string, unlessGiven: string, nowMs: number): bigint {
  const text = textIn(query, name) || unlessGiven
  const time = parseAtTime(text, nowMs)
  if (time === undefined) throw badQuery(`${name} '${text.slice(0, 80)}' is not a time`)
  return time / NANOS_PER_MILLI
}

function nameOf(name: string, side: '' | 'left' | 'right'): string {
  return side === '' ? name : `${side}${name[0].toUpperCase()}${name.slice(1)}`
}

function textIn(query: Query, name: string): string {
  const value = query[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}
