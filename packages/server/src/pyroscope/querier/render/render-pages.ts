// The responses of /render, /render-diff and /label-values. They run in query threads.
import { badQuery } from '../../../receive/refusal.ts'
import { parseAtTime } from '../../at-time.ts'
import { labelValues } from '../labels/label-catalog.ts'
import type { QuerierContext } from '../part-queries.ts'
import type { RenderRequest } from './render.ts'
import { render, renderDiff, renderDot } from './render.ts'

/** The parameters of a URL. */
export type RenderQuery = Readonly<Record<string, string | readonly string[] | undefined>>

export type RenderPage = '/render' | '/render-diff' | '/label-values'

interface Rendered {
  readonly type: string
  readonly body: string
}

type Render = (context: QuerierContext, query: RenderQuery, nowMs: number) => Promise<Rendered>

const JSON_TYPE = 'application/json; charset=utf-8'
const NANOS_PER_MILLI = 1_000_000n

export const RENDER_PAGES: Readonly<Record<RenderPage, Render>> = {
  '/render': renderResponse,
  '/render-diff': async (context, query, nowMs) => {
    const left = requestIn(query, nowMs, 'left')
    const right = requestIn(query, nowMs, 'right')
    return { type: JSON_TYPE, body: await renderDiff(context, left, right) }
  },
  '/label-values': async (context, query, nowMs) => {
    const range = rangeIn(query, nowMs, '')
    const matchers = textIn(query, 'query') === '' ? [] : [textIn(query, 'query')]
    const { names } = await labelValues(context, { name: textIn(query, 'label'), matchers, ...range })
    return { type: JSON_TYPE, body: JSON.stringify(names) }
  },
}

async function renderResponse(context: QuerierContext, query: RenderQuery, nowMs: number): Promise<Rendered> {
  const request = requestIn(query, nowMs, '')
  const format = textIn(query, 'format')
  if (format === 'dot') return { type: 'text/vnd.graphviz; charset=utf-8', body: await renderDot(context, request) }
  if (format !== '' && format !== 'json') throw badQuery(`format '${format.slice(0, 40)}': there are json and dot`)
  return { type: JSON_TYPE, body: await render(context, request) }
}

/** `side` is the prefix of parameters that differ between the sides of a diff. */
function requestIn(query: RenderQuery, nowMs: number, side: '' | 'left' | 'right'): RenderRequest {
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

function rangeIn(query: RenderQuery, nowMs: number, side: '' | 'left' | 'right'): { start: bigint; end: bigint } {
  return {
    start: timeIn(query, nameOf('from', side), 'now-1h', nowMs),
    end: timeIn(query, nameOf('until', side), 'now', nowMs),
  }
}

/** Milliseconds. */
function timeIn(query: RenderQuery, name: string, unlessGiven: string, nowMs: number): bigint {
  const text = textIn(query, name) || unlessGiven
  const time = parseAtTime(text, nowMs)
  if (time === undefined) throw badQuery(`${name} '${text.slice(0, 80)}' is not a time`)
  return time / NANOS_PER_MILLI
}

function nameOf(name: string, side: '' | 'left' | 'right'): string {
  return side === '' ? name : `${side}${name[0].toUpperCase()}${name.slice(1)}`
}

function textIn(query: RenderQuery, name: string): string {
  const value = query[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}
