// GET with credentials, TLS settings and limits, for targets and for sources of targets. The global fetch cannot set TLS options.
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Connection } from './scrape-config.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

export interface GetOptions {
  readonly connection: Connection
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface GetResponse {
  readonly body: Buffer
  /** Empty if the body is not compressed. */
  readonly contentEncoding: string
}

/** Throws Error with a message that names the cause, without credentials. */
export async function httpGet(url: string, options: GetOptions): Promise<GetResponse> {
  const origin = new URL(url).origin
  let next = url
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    // Credentials stay with the host that they are for.
    const response = await send(next, options, new URL(next).origin === origin)
    const { statusCode = 0, headers } = response
    if (options.connection.follow_redirects && REDIRECTS.includes(statusCode) && headers.location !== undefined) {
      response.resume()
      next = new URL(headers.location, next).href
      continue
    }
    if (statusCode !== 200) {
      response.resume()
      throw new Error(`the server responded ${statusCode}`)
    }
    const body = await bodyOf(response, options.maxBytes)
    return { body, contentEncoding: headers['content-encoding'] ?? '' }
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`)
}

async function send(url: string, options: GetOptions, withCredentials: boolean): Promise<IncomingMessage> {
  const { connection, signal, headers = {} } = options
  const isSecure = url.startsWith('https:')
  const { tls_config: tls } = connection
  const authorization = withCredentials ? authorizationOf(connection) : undefined
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(
      url,
      {
        signal,
        headers: { 'user-agent': 'hearth', ...headers, ...(authorization === undefined ? {} : { authorization }) },
        ...(!isSecure || tls === undefined
          ? {}
          : {
              rejectUnauthorized: !tls.insecure_skip_verify,
              ...(tls.ca_file === undefined ? {} : { ca: readFileSync(tls.ca_file) }),
              ...(tls.cert_file === undefined ? {} : { cert: readFileSync(tls.cert_file) }),
              ...(tls.key_file === undefined ? {} : { key: readFileSync(tls.key_file) }),
              ...(tls.server_name === undefined ? {} : { servername: tls.server_name }),
            }),
      },
      resolve,
    )
    request.once('error', reject)
    request.end()
  })
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) {
      response.destroy()
      throw new Error(`the response has more than ${maxBytes} bytes (max-body)`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Files are read each time, because tokens are rotated. */
function authorizationOf(connection: Connection): string | undefined {
  const { basic_auth: basic, authorization, bearer_token: token, bearer_token_file: tokenFile } = connection
  if (basic !== undefined) {
    const password = basic.password ?? secretIn(basic.password_file) ?? ''
    return `Basic ${Buffer.from(`${basic.username}:${password}`).toString('base64')}`
  }
  if (authorization !== undefined)
    return `${authorization.type} ${authorization.credentials ?? secretIn(authorization.credentials_file) ?? ''}`
  const bearer = token ?? secretIn(tokenFile)
  return bearer === undefined ? undefined : `Bearer ${bearer}`
}

function secretIn(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readFileSync(file, 'utf8').trim()
}
