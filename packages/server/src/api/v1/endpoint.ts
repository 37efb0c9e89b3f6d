// The shape of every endpoint below /api/v1. One file defines one endpoint: path, parameters, handler, response.
// To add one: write its file, list it in endpoints.ts, and run `npm run api-reference` for docs/api.md and the client.
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { AccessScope } from '../../access/tokens.ts'
import type { RequestContext } from './request/request-context.ts'
import type { FileResponse, StreamedFile } from './response/file-response.ts'
import type { Serialized } from './response/response-columns.ts'
import { nameSchema } from './response/schema-names.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Endpoint<Request extends z.ZodObject = z.ZodObject, Response extends z.ZodType = z.ZodType> {
  /** The operationId in the OpenAPI document, and the name in the client. */
  readonly name: string
  /** The path below /api/v1, with {parameters} as in OpenAPI. */
  readonly path: string
  /** Undefined for a query: GET, or POST with the same parameters in the body, in one of the tenant's query slots. */
  readonly method?: Method
  readonly summary: string
  /** The scope that a token needs; `read` unless given. */
  readonly scope?: AccessScope
  /** The parameters: in the query string of GET and DELETE, in the body of POST and PUT. */
  readonly request: Request
  /** The schema of the response, or of one line of it; undefined if the response is a file. */
  readonly response?: Response
  /** The status of a successful response; 200 unless given. */
  readonly status?: 200 | 201 | 202
  /** Whether clients can get the response as columns instead of JSON. */
  readonly columns?: boolean
  /** Whether the response is a stream of JSON objects, one per line. */
  readonly lines?: boolean
  /** Whether a query runs at once instead of waiting for a query slot. */
  readonly skipsQueue?: boolean
  /** The limit of the request body; 1 MiB unless given. */
  readonly maxBodyBytes?: number
  handle(
    context: RequestContext,
    request: z.infer<Request>,
  ): Promise<Serialized<z.infer<Response>> | FileResponse | StreamedFile | Readable>
}

type JsonEndpoint<Request extends z.ZodObject, Response extends z.ZodType> = Endpoint<Request, Response> & {
  readonly response: Response
}

/** Checks the types of an endpoint, and names its schemas for the OpenAPI document. */
export function defineEndpoint<Request extends z.ZodObject, Response extends z.ZodType>(
  endpoint: JsonEndpoint<Request, Response>,
): JsonEndpoint<Request, Response>
export function defineEndpoint<Request extends z.ZodObject>(
  endpoint: Endpoint<Request, z.ZodNever>,
): Endpoint<Request, z.ZodNever>
export function defineEndpoint(endpoint: Endpoint): Endpoint {
  const { name, request, response } = endpoint
  const capital = name[0].toUpperCase() + name.slice(1)
  nameSchema(`${capital}Request`, request)
  if (response !== undefined) nameSchema(`${capital}Response`, response)
  return endpoint
}
