// The shape of every endpoint below /api/v1. One file defines one endpoint: path, parameters, handler, response.
// To add one: write its file, list it in query-endpoints.ts or endpoints.ts, and run `npm run api-reference` for docs/api.md and the client.
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { AccessScope } from '../../access/tokens.ts'
import type { QueryEndpointContext, RequestContext } from './request/request-context.ts'
import type { FileResponse, StreamedFile } from './response/file-response.ts'
import type { PreparedResponse } from './response/prepare-response.ts'
import type { Serialized } from './response/response-columns.ts'
import { nameSchema } from './response/schema-names.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

interface EndpointBase<Request extends z.ZodObject, Response extends z.ZodType> {
  /** The operationId in the OpenAPI document, and the name in the client. */
  readonly name: string
  /** The path below /api/v1, with {parameters} as in OpenAPI. */
  readonly path: string
  /** Undefined: GET, or POST with the same parameters in the body. */
  readonly method?: Method | undefined
  readonly summary: string
  /** The scope that a token needs; `read` unless given. `none`: everybody may call it, and the endpoint itself checks. */
  readonly scope?: AccessScope | 'none'
  /** The parameters: in the query string of GET, DELETE and uploads, in the body of POST and PUT. */
  readonly request: Request
  /** Whether the body is a file of any size, which the handler reads. */
  readonly upload?: boolean
  /** The schema of the response, or of one line of it; undefined if the response is a file. */
  readonly response?: Response
  /** The status of a successful response; 200 unless given. */
  readonly status?: 200 | 201 | 202
  /** Whether clients can get the response as columns instead of JSON. */
  readonly columns?: boolean
  /** Whether the response is a stream of JSON objects, one per line. */
  readonly lines?: boolean
  /** The limit of the request body; 1 MiB unless given. */
  readonly maxBodyBytes?: number
}

/** An endpoint that runs in a query thread, in one of the tenant's query slots. */
export interface QueryEndpoint<
  Request extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
> extends EndpointBase<Request, Response> {
  readonly method?: undefined
  handle(
    context: QueryEndpointContext,
    request: z.infer<Request>,
  ): Promise<Serialized<z.infer<Response>> | FileResponse | StreamedFile>
}

/** An endpoint that runs on the main thread, at once. */
export interface MainEndpoint<
  Request extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
> extends EndpointBase<Request, Response> {
  handle(
    context: RequestContext,
    request: z.infer<Request>,
  ): Promise<Serialized<z.infer<Response>> | PreparedResponse | Readable>
}

export type Endpoint = QueryEndpoint | MainEndpoint

type WithResponse<Response extends z.ZodType> = { readonly response: Response }

/** Checks the types of a query, and names its schemas for the OpenAPI document. */
export function defineQuery<Request extends z.ZodObject, Response extends z.ZodType>(
  endpoint: QueryEndpoint<Request, Response> & WithResponse<Response>,
): QueryEndpoint<Request, Response> & WithResponse<Response>
export function defineQuery<Request extends z.ZodObject>(
  endpoint: QueryEndpoint<Request, z.ZodNever>,
): QueryEndpoint<Request, z.ZodNever>
export function defineQuery(endpoint: QueryEndpoint): QueryEndpoint {
  nameSchemas(endpoint)
  return endpoint
}

/** The same for other endpoints. */
export function defineEndpoint<Request extends z.ZodObject, Response extends z.ZodType>(
  endpoint: MainEndpoint<Request, Response> & WithResponse<Response>,
): MainEndpoint<Request, Response> & WithResponse<Response>
export function defineEndpoint<Request extends z.ZodObject>(
  endpoint: MainEndpoint<Request, z.ZodNever>,
): MainEndpoint<Request, z.ZodNever>
export function defineEndpoint(endpoint: MainEndpoint): MainEndpoint {
  nameSchemas(endpoint)
  return endpoint
}

function nameSchemas({ name, request, response }: EndpointBase<z.ZodObject, z.ZodType>): void {
  const capital = name[0].toUpperCase() + name.slice(1)
  nameSchema(`${capital}Request`, request)
  if (response !== undefined) nameSchema(`${capital}Response`, response)
}
