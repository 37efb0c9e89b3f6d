// The tasks of this API in query threads: they run a query and prepare its response.
import type { Note } from '@hearth/profile'
import type { QueryContext } from '../../query/query-context.ts'
import { Transferred } from '../../workers/channel.ts'
import { owned } from '../../workers/owned.ts'
import type { CaptureFile } from './broker/capture-file.ts'
import { writeCaptureFile } from './broker/capture-file.ts'
import type { QueryEndpoint } from './endpoint.ts'
import { queryEndpoints } from './query-endpoints.ts'
import type { CallerContext } from './request/request-context.ts'
import { FileResponse, StreamedFile } from './response/file-response.ts'
import type { Accepted, PreparedResponse } from './response/prepare-response.ts'
import { prepareFile, prepareJson } from './response/prepare-response.ts'

export type ApiTasks = typeof apiTasks

export interface ApiQuery {
  /** The name of the endpoint. */
  readonly endpoint: string
  readonly caller: Omit<CallerContext, 'signal'>
  /** Valid parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly accepted: Accepted
}

/** The head of a streamed file. Its bytes follow. */
export interface StreamHead {
  readonly kind: 'stream'
  readonly name: string
  readonly notes: readonly Note[]
}

/** A complete response, or the head of a streamed file, or some of its bytes. */
export type ApiResponsePart = PreparedResponse | StreamHead | Uint8Array

const byName: ReadonlyMap<string, QueryEndpoint> = new Map(queryEndpoints.map(endpoint => [endpoint.name, endpoint]))

async function* apiQuery(
  queries: QueryContext,
  { endpoint: name, caller, parameters, accepted }: ApiQuery,
  signal: AbortSignal,
): AsyncGenerator<Transferred<ApiResponsePart>> {
  const endpoint = byName.get(name)
  if (endpoint === undefined) throw new Error(`no query endpoint is named ${name}`)
  const result = await endpoint.handle({ ...caller, queries, signal }, parameters)
  if (result instanceof StreamedFile) {
    yield new Transferred({ kind: 'stream', name: result.name, notes: result.notes }, [])
    for await (const piece of result.pieces) {
      const bytes = owned(piece)
      yield new Transferred(bytes, [bytes.buffer])
    }
  } else if (result instanceof FileResponse) yield transferred(prepareFile(result, accepted.encoding))
  else yield transferred(await prepareJson(result as object, accepted))
}

function transferred(response: PreparedResponse): Transferred<PreparedResponse> {
  const chunks = response.chunks.map(owned)
  return new Transferred(
    { ...response, chunks },
    chunks.map(({ buffer }) => buffer),
  )
}

async function captureFile(
  queries: QueryContext,
  request: CaptureFile,
  signal: AbortSignal,
): Promise<Transferred<PreparedResponse>> {
  return transferred(prepareFile(await writeCaptureFile(queries, request, signal), request.encoding))
}

export const apiTasks = { apiQuery, captureFile }
