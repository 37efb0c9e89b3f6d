// The tasks of Pyroscope's API in query threads: they decode the request, run the query, and encode the response.
import type { QueryContext } from '../../query/query-context.ts'
import type { QueryLimits } from '../../query/query.ts'
import { Transferred } from '../../workers/channel.ts'
import { owned } from '../../workers/owned.ts'
import type { MessageEncoding } from '../message-bytes.ts'
import { decodeMessage, encodeMessage } from '../message-bytes.ts'
import type { QuerierContext } from './part-queries.ts'
import type { QuerierMethod } from './querier-methods.ts'
import { QUERIER_METHODS } from './querier-methods.ts'
import type { RenderPage, RenderQuery } from './render/render-pages.ts'
import { RENDER_PAGES } from './render/render-pages.ts'

export type QuerierTasks = typeof querierTasks

/** The tenant and its limits. */
export interface QuerierCaller {
  readonly tenant: string
  readonly limits: QueryLimits
  readonly maxNodes: number
}

export interface MethodCall {
  readonly caller: QuerierCaller
  /** The name of the method. */
  readonly method: string
  readonly encoding: MessageEncoding
  readonly body: Uint8Array
}

const byName: ReadonlyMap<string, QuerierMethod> = new Map(QUERIER_METHODS.map(method => [method.name, method]))

/** Returns the encoded response. */
async function querierMethod(
  queries: QueryContext,
  { caller, method: name, encoding, body }: MethodCall,
  signal: AbortSignal,
): Promise<Transferred<Uint8Array>> {
  const method = byName.get(name)
  if (method === undefined) throw new Error(`the querier has no method ${name}`)
  const request = decodeMessage(method.request, encoding, body)
  const context = contextOf(queries, caller, signal)
  if (encoding === 'proto' && method.respondProto !== undefined)
    return transferred(await method.respondProto(context, request))
  return transferred(encodeMessage(method.response, encoding, await method.respond(context, request)))
}

export interface RenderCall {
  readonly caller: QuerierCaller
  readonly page: RenderPage
  readonly query: RenderQuery
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Returns the media type and the body. */
async function renderPage(
  queries: QueryContext,
  { caller, page, query, now }: RenderCall,
  signal: AbortSignal,
): Promise<Transferred<{ readonly type: string; readonly body: Uint8Array }>> {
  const { type, body } = await RENDER_PAGES[page](contextOf(queries, caller, signal), query, now)
  const bytes = owned(Buffer.from(body))
  return new Transferred({ type, body: bytes }, [bytes.buffer])
}

function contextOf(queries: QueryContext, caller: QuerierCaller, signal: AbortSignal): QuerierContext {
  return { ...caller, queries, engine: queries.engine, signal }
}

function transferred(body: Uint8Array): Transferred<Uint8Array> {
  const bytes = owned(body)
  return new Transferred(bytes, [bytes.buffer])
}

export const querierTasks = { querierMethod, renderPage }
