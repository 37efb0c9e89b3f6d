// A client for the HTTP API of a Hearth server, with typed requests and responses.
import { COLUMNS_MEDIA_TYPE } from '@hearth/profile'
import type {
  Actions,
  AttributeValuesResponse,
  AttributesResponse,
  AttributesRequest,
  Capture,
  CaptureProfileRequest,
  EventsRequest,
  ExportRequest,
  LogRow,
  LogsRequest,
  Operations,
  ProfileRequest,
  ProfileRow,
  ProfilesRequest,
  SeenEvent,
  SignalAttributeValuesResponse,
  SignalAttributesRequest,
  TraceResponse,
  TraceLedgerRequest,
  TraceLedgerResponse,
  TraceRequest,
  TraceRow,
  TracesRequest,
  WatchEventsRequest,
} from './api-types.ts'
import { ACTIONS, PATHS } from './api-types.ts'
import type { ColumnResponses, ColumnarName, EventsColumns, TraceColumns } from './columns.ts'
import { readColumnResponse } from './columns.ts'
import { ApiError, UnreachableError } from './errors.ts'
import { readJsonLines } from './read-lines.ts'

export interface ClientOptions {
  /** Such as `http://127.0.0.1:4040`. It may include a path before /api/v1. */
  readonly server: string
  readonly token?: string
  /** Sent as X-Scope-OrgID. Default: the first tenant of the token. */
  readonly tenant?: string
  /** Called after every request: with a sentence if the response lacks data that is damaged in the store, else with undefined. */
  readonly onMissingData?: (message: string | undefined) => void
  /** Replaces the global fetch. */
  readonly fetch?: typeof fetch
}

export interface RequestOptions {
  readonly signal?: AbortSignal
}

export interface ActOptions extends RequestOptions {
  /** The name in the path: the id of a capture, the name of a trigger. */
  readonly of?: string
  /** The span that sends the request, in W3C's traceparent format. */
  readonly traceparent?: string
}

export interface PushOptions extends RequestOptions {
  readonly service?: string
  readonly format?: string
  readonly generation?: string
  /** The name of the file, for formats that cannot be recognised by content. */
  readonly name?: string
  /** Attributes of the resource. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** Content that could not be converted from one format to another. */
export interface Note {
  readonly code: string
  readonly count: number
  readonly message: string
}

export interface PushResponse {
  readonly format: string
  readonly profiles: number
  readonly samples: number
  readonly notes: readonly Note[]
}

/** Profiles in the requested format. */
export interface ProfileFile {
  readonly bytes: Uint8Array
  readonly notes: readonly Note[]
}

/** A file that is received while it is read. */
export interface FileInPieces {
  readonly pieces: AsyncGenerator<Uint8Array, void>
  readonly notes: readonly Note[]
}

/** The range is in nanoseconds since 1970, so that it can be divided. */
export interface EventBlocksRequest extends Omit<EventsRequest, 'from' | 'to'> {
  readonly from: bigint
  readonly to: bigint
}

/** Endpoints without a name in their path. */
type Plain = Exclude<keyof Operations, 'attributeValues' | 'signalAttributeValues' | 'trace' | 'traceLedger'>

/** How long the server may wait for progress before it responds, which shows that the connection is alive. */
const WAIT = '20s'

/** Proxies reject longer URLs. Longer queries use POST, which is not cached. */
const MAX_QUERY_LENGTH = 4000

export class HearthClient {
  readonly server: string
  /** The former name of `query`. */
  readonly ask = this.query.bind(this)
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: typeof fetch
  readonly #onMissingData: ClientOptions['onMissingData']

  constructor({ server, token, tenant, fetch: given, onMissingData }: ClientOptions) {
    this.#onMissingData = onMissingData
    this.server = server.replace(/\/+$/, '')
    this.#headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(tenant === undefined ? {} : { 'x-scope-orgid': tenant }),
    }
    // Browsers do not allow fetch to be called as a method of another object.
    this.#fetch = given ?? ((input, init) => fetch(input, init))
  }

  /** Sends a request to an endpoint that reads. Throws ApiError, UnreachableError, or the signal's reason. */
  async query<Name extends Plain>(
    name: Name,
    request: Operations[Name]['request'],
    options: RequestOptions = {},
  ): Promise<Operations[Name]['response']> {
    return await this.#json(await this.#query(PATHS[name], request, options))
  }

  /** The same response as typed arrays over the received bytes, for trees of more than about ten thousand nodes. */
  async columns<Name extends Exclude<ColumnarName, 'trace'>>(
    name: Name,
    request: Operations[Name]['request'],
    options: RequestOptions = {},
  ): Promise<ColumnResponses[Name]> {
    return await this.#columns(name, PATHS[name], request, options)
  }

  async #columns<Name extends ColumnarName>(
    name: Name,
    path: string,
    request: object,
    options: RequestOptions,
  ): Promise<ColumnResponses[Name]> {
    const response = await this.#query(path, request, options, { accept: COLUMNS_MEDIA_TYPE })
    const bytes = new Uint8Array(await whole(this.server, () => response.arrayBuffer()))
    try {
      return readColumnResponse(name, bytes)
    } catch (error) {
      throw new UnreachableError(this.server, `${this.server}: not a Hearth server: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  /** All selected profiles, latest first. Requests pages as needed. */
  async *everyProfile(
    request: Omit<ProfilesRequest, 'after'>,
    options: RequestOptions = {},
  ): AsyncGenerator<ProfileRow> {
    for await (const page of pages(request, each => this.query('profiles', each, options))) yield* page.profiles
  }

  /** All keys of attributes. */
  async *everyAttribute(
    request: Omit<AttributesRequest, 'after'>,
    options: RequestOptions = {},
  ): AsyncGenerator<AttributesResponse['attributes'][number]> {
    for await (const page of pages(request, each => this.query('attributes', each, options))) yield* page.attributes
  }

  /** All values of an attribute. */
  async *everyAttributeValue(
    key: string,
    request: Omit<AttributesRequest, 'after'> = {},
    options: RequestOptions = {},
  ): AsyncGenerator<AttributeValuesResponse['values'][number]> {
    for await (const page of pages(request, each => this.attributeValues(key, each, options))) yield* page.values
  }

  /** Events of a range of any length, part by part. Divides a range whose response is too large. */
  async *eventBlocks(request: EventBlocksRequest, options: RequestOptions = {}): AsyncGenerator<EventsColumns> {
    const ranges: { readonly from: bigint; readonly to: bigint }[] = [request]
    for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
      const { from, to } = range
      try {
        // Events that reach into a later part were in the previous one.
        const reaching = request.reaching === true && from === request.from
        const part = { ...request, from: String(from), to: String(to), reaching }
        yield await this.columns('events', part, options)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'too-many-rows' || to - from < 2n) throw error
        const middle = from + (to - from) / 2n
        ranges.push({ from: middle, to }, { from, to: middle })
      }
    }
  }

  async attributeValues(
    key: string,
    request: AttributesRequest = {},
    options: RequestOptions = {},
  ): Promise<AttributeValuesResponse> {
    const path = PATHS.attributeValues.replace('{key}', encodeURIComponent(key))
    return await this.#json(await this.#query(path, request, options))
  }

  /** One trace; its id is 32 hex digits. */
  async trace(traceId: string, request: TraceRequest = {}, options: RequestOptions = {}): Promise<TraceResponse> {
    const path = PATHS.trace.replace('{trace}', encodeURIComponent(traceId))
    return await this.#json(await this.#query(path, request, options))
  }

  /** The ledger of a span: each part of its time, with the reason. */
  async traceLedger(
    traceId: string,
    request: TraceLedgerRequest = {},
    options: RequestOptions = {},
  ): Promise<TraceLedgerResponse> {
    const path = PATHS.traceLedger.replace('{trace}', encodeURIComponent(traceId))
    return await this.#json(await this.#query(path, request, options))
  }

  /** The same response as typed arrays, for traces of more than a few thousand spans. */
  async traceColumns(traceId: string, request: TraceRequest = {}, options: RequestOptions = {}): Promise<TraceColumns> {
    return await this.#columns('trace', PATHS.trace.replace('{trace}', encodeURIComponent(traceId)), request, options)
  }

  /** Values of an attribute of spans, log records or data points. */
  async signalAttributeValues(
    key: string,
    request: SignalAttributesRequest,
    options: RequestOptions = {},
  ): Promise<SignalAttributeValuesResponse> {
    const path = PATHS.signalAttributeValues.replace('{key}', encodeURIComponent(key))
    return await this.#json(await this.#query(path, request, options))
  }

  /** All selected traces, page by page. */
  async *everyTrace(request: Omit<TracesRequest, 'after'>, options: RequestOptions = {}): AsyncGenerator<TraceRow> {
    for await (const page of pages(request, each => this.query('traces', each, options))) yield* page.traces
  }

  /** All selected log records, page by page, in the requested order. */
  async *everyLog(request: LogsRequest, options: RequestOptions = {}): AsyncGenerator<LogRow> {
    for await (const page of pages(request, each => this.query('logs', each, options))) yield* page.logs
  }

  /** One profile as a file. */
  async profile(profile: string, request: ProfileRequest = {}, options: RequestOptions = {}): Promise<ProfileFile> {
    const path = PATHS.profile.replace('{profile}', encodeURIComponent(profile))
    return await fileOf(this.server, await this.#query(path, request, options))
  }

  /** All selected profiles as one file. */
  async export(request: ExportRequest, options: RequestOptions = {}): Promise<ProfileFile> {
    return await fileOf(this.server, await this.#query(PATHS.export, request, options))
  }

  /** The same in pieces, as they arrive. Throws UnreachableError while they are read if the response is interrupted. */
  async exportPieces(request: ExportRequest, options: RequestOptions = {}): Promise<FileInPieces> {
    const response = await this.#query(PATHS.export, request, options)
    return { pieces: piecesOf(this.server, response), notes: notesOf(response) }
  }

  /** The same as a stream of any size: otlp, otlp-json or folded. A stream that ends too early throws an error. */
  async exportStream(
    request: Omit<ExportRequest, 'stream'>,
    options: RequestOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { body } = await this.#query(PATHS.export, { ...request, stream: true }, options)
    if (body === null) throw new UnreachableError(this.server, `${this.server}: empty response`)
    return body
  }

  /** Sends a file to the server's port for OTLP over HTTP. */
  async push(profile: Uint8Array<ArrayBuffer>, options: PushOptions = {}): Promise<PushResponse> {
    const { service, format, generation, name, attributes = {}, signal } = options
    const query = queryOf({
      service,
      format,
      generation,
      name,
      attribute: Object.entries(attributes).map(([key, value]) => `${key}=${value}`),
    })
    const headers = { 'content-type': 'application/octet-stream', 'otlp-profiles-development-version': '1' }
    return await this.#json(await this.#send(`/v1/push?${query}`, { method: 'POST', headers, body: profile }, signal))
  }

  /** Uploads a debug file. `content` may be a stream, which Node and some browsers send as it is read. */
  async uploadSymbols(
    content: Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>,
    request: Actions['uploadSymbols']['request'],
    { signal }: RequestOptions = {},
  ): Promise<Actions['uploadSymbols']['response']> {
    const { path, method } = ACTIONS.uploadSymbols
    const headers = { 'content-type': 'application/octet-stream' }
    const streamed = content instanceof ReadableStream ? { duplex: 'half' } : {}
    const init = { method, headers, body: content, ...streamed } as RequestInit
    return await this.#json(await this.#send(`${path}?${queryOf(request)}`, init, signal))
  }

  /** Sends a command: captures, triggers, events, symbols. */
  async act<Name extends Exclude<keyof Actions, 'watchEvents' | 'uploadSymbols'>>(
    name: Name,
    request: Actions[Name]['request'],
    options: ActOptions = {},
  ): Promise<Actions[Name]['response']> {
    return await this.#json(await this.#act(name, request, options))
  }

  /** Yields a capture after each change until it ends. */
  async *followCapture(id: string, options: RequestOptions = {}): AsyncGenerator<Capture> {
    let capture = await this.act('capture', {}, { ...options, of: id })
    for (;;) {
      yield capture
      if (capture.state !== 'running') return
      const { version } = capture
      do capture = await this.act('capture', { after: version, wait: WAIT }, { ...options, of: id })
      while (capture.version === version && capture.state === 'running')
    }
  }

  /** The profiles of a capture as one file. */
  async captureProfile(
    id: string,
    request: CaptureProfileRequest = {},
    options: RequestOptions = {},
  ): Promise<ProfileFile> {
    return await fileOf(this.server, await this.#act('captureProfile', request, { ...options, of: id }))
  }

  /** Yields events of the Broker as they happen, until the signal aborts or the caller stops reading. */
  async watchEvents(
    request: WatchEventsRequest = {},
    options: RequestOptions = {},
  ): Promise<AsyncGenerator<SeenEvent>> {
    const { body } = await this.#act('watchEvents', request, options)
    if (body === null) throw new UnreachableError(this.server, `${this.server}: empty response`)
    return readJsonLines(body) as AsyncGenerator<SeenEvent>
  }

  async #act(name: keyof typeof ACTIONS, request: object, options: ActOptions): Promise<Response> {
    const { path: pattern, method } = ACTIONS[name]
    const path = pattern.replace(/\{\w+\}/, () => encodeURIComponent(options.of ?? ''))
    const { signal, traceparent } = options
    const headers = traceparent === undefined ? {} : { traceparent }
    if (method === 'GET' || method === 'DELETE') {
      const query = queryOf(request)
      return await this.#send(query === '' ? path : `${path}?${query}`, { method, headers }, signal)
    }
    const json = { ...headers, 'content-type': 'application/json' }
    return await this.#send(path, { method, headers: json, body: JSON.stringify(request) }, signal)
  }

  async #query(
    path: string,
    request: object,
    { signal }: RequestOptions,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const query = queryOf(request)
    if (query.length <= MAX_QUERY_LENGTH) {
      return await this.#send(query === '' ? path : `${path}?${query}`, { headers: more }, signal)
    }
    const headers = { ...more, 'content-type': 'application/json' }
    return await this.#send(path, { method: 'POST', headers, body: JSON.stringify(request) }, signal)
  }

  async #send(path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    const headers = { ...this.#headers, ...(init.headers as Record<string, string> | undefined) }
    let response: Response
    try {
      response = await this.#fetch(`${this.server}${path}`, {
        ...init,
        headers,
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (error) {
      if (signal?.aborted === true) throw error
      throw new UnreachableError(this.server, `${this.server}: ${reasonOf(error)}`, { cause: error })
    }
    if (!response.ok) throw await errorOf(this.server, response)
    this.#onMissingData?.(response.headers.get('hearth-missing-data') ?? undefined)
    return response
  }

  async #json<Body>(response: Response): Promise<Body> {
    const text = await readText(this.server, response)
    try {
      return JSON.parse(text) as Body
    } catch (error) {
      throw new UnreachableError(this.server, `${this.server}: not a Hearth server`, { cause: error })
    }
  }
}

/** Loads pages until one has no successor. */
async function* pages<Request extends object, Page extends { readonly next?: string }>(
  request: Request,
  load: (request: Request & { readonly after?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let each: Request & { readonly after?: string } = request; ;) {
    const page = await load(each)
    yield page
    if (page.next === undefined) return
    each = { ...request, after: page.next }
  }
}

/** Omits undefined values and repeats the parameter for lists. */
function queryOf(values: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values) as [string, unknown][]) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) query.append(name, String(one))
  }
  return query.toString()
}

async function errorOf(server: string, response: Response): Promise<Error> {
  const text = await readText(server, response)
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retry = Number.isFinite(wait) ? wait : undefined
  const failure = failureIn(text)
  if (failure === undefined) {
    return new UnreachableError(server, `${server}: responds with status ${response.status} and is not a Hearth server`)
  }
  return new ApiError(response.status, failure.code, failure.message, failure.position, retry)
}

interface ServerError {
  readonly code: string
  readonly message: string
  readonly position?: number
}

/** Reads `{error: {code, message}}` of the API, `{error: message}` of the main port, and `{message}` of pushes. */
function failureIn(text: string): ServerError | undefined {
  try {
    const value = JSON.parse(text) as { readonly error?: unknown; readonly message?: unknown } | undefined
    const error = value?.error
    if (typeof error === 'string') return { code: 'refused', message: error }
    if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error)
      return error as ServerError
    return typeof value?.message === 'string' ? { code: 'refused', message: value.message } : undefined
  } catch {
    return undefined
  }
}

async function readText(server: string, response: Response): Promise<string> {
  return await whole(server, () => response.text())
}

async function fileOf(server: string, response: Response): Promise<ProfileFile> {
  const bytes = new Uint8Array(await whole(server, () => response.arrayBuffer()))
  return { bytes, notes: notesOf(response) }
}

function notesOf(response: Response): readonly Note[] {
  return JSON.parse(decodeURIComponent(response.headers.get('hearth-notes') ?? '[]')) as Note[]
}

async function* piecesOf(server: string, { body }: Response): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await whole(server, () => reader.read())
      if (done) return
      yield value
    }
  } finally {
    // Has no effect on a stream that was read to its end.
    await reader.cancel().catch(() => {})
  }
}

/** Throws UnreachableError if the connection ends in the middle of a response. */
async function whole<T>(server: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error
    throw new UnreachableError(server, `${server}: the response was interrupted: ${reasonOf(error)}`, { cause: error })
  }
}

/** Node reports `fetch failed` and has the reason in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const inner = cause instanceof AggregateError ? (cause.errors as unknown[])[0] : cause
  return inner instanceof Error && inner.message !== '' ? inner.message : error.message
}
