// ClickHouse's HTTP interface in front of the embedded engine, to test engines/clickhouse.ts. Engine and HTTP are real. In
// between is a minimal implementation of statements, settings, parameters, Native bodies, gzip, ids and errors. Every
// request has its own session, so that its settings end with it, as in a server.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGzip, gunzipSync } from 'node:zlib'
import { Session, drainPending } from 'chdb'
import { quoteText } from '../sql-text.ts'

export interface ClickHouseHttp {
  readonly port: number
  /** All statements received, in order. */
  readonly statements: readonly Statement[]
  close(): Promise<void>
}

interface Statement {
  readonly sql: string
  readonly settings: Readonly<Record<string, string>>
  /** The request's Content-Encoding and Content-Type. */
  readonly encoding: string
  readonly type: string
}

export interface ClickHouseHttpOptions {
  readonly directory: string
  readonly user?: string
  readonly password?: string
}

/** Parts of the URL that are not settings. */
const NOT_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'enable_http_compression',
  'role',
  'session_id',
])

export async function startClickHouseHttp(options: ClickHouseHttpOptions): Promise<ClickHouseHttp> {
  const { directory, user = 'default', password = '' } = options
  const statements: Statement[] = []
  // Holds the directory open between requests.
  const keeper = new Session(directory)
  const uploads = join(tmpdir(), `hearth-uploads-${randomUUID()}`)
  await mkdir(uploads)
  const allowed = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

  const server = createServer((request, response) => {
    if (request.url === '/ping') return void response.end('Ok.\n')
    if (request.headers.authorization !== allowed)
      return fail(response, 'Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)')
    handle(request, response).catch((error: unknown) => fail(response, (error as Error).message))
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const encoding = request.headers['content-encoding'] ?? ''
    const type = request.headers['content-type'] ?? ''
    const sent = Buffer.concat(pieces)
    const body = encoding === 'gzip' ? gunzipSync(sent) : sent
    const url = new URL(request.url ?? '/', 'http://localhost')
    const query = Object.fromEntries(url.searchParams)
    const settings = { ...query, ...(type.startsWith('multipart/') ? formParts(body.toString('latin1'), type) : {}) }
    const sql = query['query'] ?? body.toString('utf8')
    statements.push({ sql, settings, encoding, type })
    await run(sql, settings, body, request, response)
  }

  async function run(
    sql: string,
    settings: Record<string, string>,
    body: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const id = settings['query_id'] ?? ''
    const session = new Session(directory)
    const upload = join(uploads, randomUUID())
    response.on('close', () => {
      if (!response.writableFinished && settings['cancel_http_readonly_queries_on_client_close'] === '1') kill(id)
    })
    try {
      session.query('SET max_query_size = 0')
      if (settings['database'] !== undefined) session.query(`USE \`${settings['database']}\``)
      const list = Object.entries(settings).filter(([name]) => !NOT_SETTINGS.has(name) && name !== 'readonly')
      list.push(['log_comment', id])
      await session.queryAsync(`SET ${list.map(([name, text]) => `${name} = ${quoteText(text)}`).join(', ')}`)
      if (settings['readonly'] !== undefined) session.query(`SET readonly = ${Number(settings['readonly'])}`)
      const insert =
        /^\s*(INSERT INTO [^(]*\(([^)]*)\)) (?:SELECT .* FROM input\('[^']*'\) (.*))?FORMAT Native\s*$/s.exec(sql)
      if (insert !== null) {
        await writeFile(upload, body)
        await session.queryAsync(
          `${insert[1]} SELECT ${insert[2]} FROM file(${quoteText(upload)}, 'Native', 'auto', 'none') ${insert[3] ?? ''}`,
        )
        response.end()
      } else if (settings['default_format'] === undefined || !/^\s*(SELECT|WITH|\()/i.test(sql)) {
        const statement = sql.replace(/\bquery_id = /, "Settings['log_comment'] = ")
        const result = await session.queryAsync(statement, { format: settings['default_format'] ?? 'TabSeparated' })
        response.end(result.bytes())
      } else await stream(session, sql, settings, request, response)
    } finally {
      session.close()
      await rm(upload, { force: true })
    }
  }

  async function stream(
    session: Session,
    sql: string,
    settings: Record<string, string>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const format = settings['default_format'] ?? 'TabSeparated'
    if (settings['wait_end_of_query'] === '1') {
      const { bytes } = await session.queryAsync(sql, { format }).then(result => ({ bytes: result.bytes() }))
      return void begin(settings, request, response).end(bytes)
    }
    let out: NodeJS.WritableStream | undefined
    try {
      for await (const chunk of session.queryStream(sql, { format })) {
        out ??= begin(settings, request, response)
        if (response.destroyed) return
        if (!out.write(chunk.raw())) await drained(out, response)
      }
    } catch (error) {
      if (out === undefined) throw error
      // Too late for a status: like the server, append the message to the rows.
      out.write(`\r\n${(error as Error).message}\r\n`)
    }
    ;(out ?? begin(settings, request, response)).end()
  }

  function kill(id: string): void {
    if (id !== '') keeper.query(`KILL QUERY WHERE Settings['log_comment'] = ${quoteText(id)} ASYNC`)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    statements,
    async close() {
      server.closeAllConnections()
      server.close()
      await drainPending()
      keeper.close()
      await drainPending()
      await rm(uploads, { recursive: true, force: true })
    },
  }
}

/** The response body, compressed if the client accepts it. */
function begin(
  settings: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): NodeJS.WritableStream {
  const zip = settings['enable_http_compression'] === '1' && request.headers['accept-encoding'] === 'gzip'
  if (!zip) return response
  response.setHeader('Content-Encoding', 'gzip')
  const gzip = createGzip({ level: 1 })
  gzip.pipe(response)
  return gzip
}

/** Resolves when more can be written or the client is gone. */
async function drained(out: NodeJS.WritableStream, response: ServerResponse): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  await Promise.race([once(out, 'drain', { signal }), once(response, 'close', { signal })])
  done.abort()
}

function fail(response: ServerResponse, message: string): void {
  if (response.headersSent) return void response.destroy()
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '1002'
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': code })
  response.end(message)
}

function formParts(body: string, type: string): Record<string, string> {
  const boundary = /boundary=(.+)$/.exec(type)?.[1] ?? ''
  const parts: Record<string, string> = {}
  for (const part of body.split(`--${boundary}`)) {
    const match = /^\r\nContent-Disposition: form-data; name="([^"]+)"\r\n\r\n(.*)\r\n$/s.exec(part)
    if (match !== null) parts[match[1]] = Buffer.from(match[2], 'latin1').toString('utf8')
  }
  return parts
}
