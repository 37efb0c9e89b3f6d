// The web app's files on the main port: read once, so that no path leads to any other, with what browsers need to keep them.
// Paths that are no file are the app's own and get its page; those of the APIs stay what they are.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { varyBy } from './vary.ts'

interface WebFile {
  readonly type: string
  readonly bytes: Buffer
  readonly tag: string
  /** The same by its encoding: packed beforehand, or by gzip when it is first asked for. */
  readonly packed: Partial<Record<Packing, Buffer>>
}

type Packing = 'br' | 'gzip'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/**
 * Nothing from elsewhere and nothing inline. Workers and pictures may be made on the spot, and WebAssembly may run, which is
 * fetched from a data: address where it is part of a script.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self' data:",
  "worker-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const SECURITY_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

/** Names that change with the content: `/assets/index-B3xk9_2a.js`. */
const HASHED = /^\/assets\/.*-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/
const YEAR_SECONDS = 31_536_000
const LEAST_PACKED = 1400
const INDEX = '/index.html'
/** Below which nothing is the app's: what is not there is told to programs. */
const NOT_PAGES = /^\/(?:api|pyroscope|ingest|v1\w*|healthz|readyz|metrics|[a-z]+\.v\d\w*\.\w+)(?:\/|$)/

/** The files as they are now, the page changed. Where there are none, the first page says how to get them. */
export function addWebApp(app: FastifyInstance, directory: string, change = (page: string): string => page): void {
  const files = filesIn(directory, change)
  const page = files.get(INDEX)
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = pathOf(request)
    const file = path === undefined ? undefined : files.get(path)
    if (file !== undefined) return sendFile(request, reply, file, HASHED.test(path ?? ''))
    // A file that is gone has an extension; a page of the app has none.
    const isPage = path !== undefined && extname(path) === '' && !NOT_PAGES.test(path)
    if (isPage && page !== undefined) return sendFile(request, reply, page, false)
    if (path === '/') return sendInstead(reply)
    reply.callNotFound()
    return reply
  }
  app.get('/', send)
  app.get('/*', send)
}

/** Everything that may be sent, so that no path leads anywhere else. */
function filesIn(directory: string, change: (page: string) => string): ReadonlyMap<string, WebFile> {
  const found = new Map<string, Buffer>()
  for (const entry of entriesOf(directory)) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue
    const path = join(entry.parentPath, entry.name)
    found.set(`/${relative(directory, path).replaceAll('\\', '/')}`, readFileSync(path))
  }
  const files = new Map<string, WebFile>()
  const page = found.get(INDEX)?.toString() ?? ''
  if (page !== '' && page !== change(page)) {
    found.set(INDEX, Buffer.from(change(page)))
    for (const packed of ['.br', '.gz']) found.delete(INDEX + packed)
  }
  for (const [name, bytes] of found) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const [br, gzip] = [found.get(`${name}.br`), found.get(`${name}.gz`)]
    const packed = { ...(br === undefined ? {} : { br }), ...(gzip === undefined ? {} : { gzip }) }
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
    files.set(name, { type, bytes, packed, tag })
  }
  return files
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw error
  }
}

/** Undefined where it cannot be read. */
function pathOf({ url }: FastifyRequest): string | undefined {
  try {
    return decodeURIComponent(url.split('?')[0])
  } catch {
    return undefined
  }
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile, isForever: boolean): FastifyReply {
  const welcome = welcomeOf(request.headers['accept-encoding'])
  if (welcome.includes('gzip') && isWorthPacking(file)) file.packed.gzip ??= gzipSync(file.bytes)
  const packing = welcome.find(name => file.packed[name] !== undefined)
  const tag = `"${file.tag}${packing === undefined ? '' : `-${packing}`}"`
  void reply.type(file.type).headers({
    ...SECURITY_HEADERS,
    'cache-control': isForever ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    etag: tag,
    ...(packing === undefined ? {} : { 'content-encoding': packing }),
  })
  varyBy(reply, 'accept-encoding')
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return reply.send(packing === undefined ? file.bytes : file.packed[packing])
}

/** Pictures and fonts are packed as they are; below a packet nothing is won. */
function isWorthPacking({ type, bytes }: WebFile): boolean {
  return bytes.length > LEAST_PACKED && !/^(?:image\/(?!svg)|font\/)/.test(type)
}

/** Those that are welcome, the smallest first. */
function welcomeOf(header = ''): readonly Packing[] {
  const names = header.split(',').map(entry => entry.trim().toLowerCase())
  return (['br', 'gzip'] as const).filter(name =>
    names.some(entry => entry === name || (entry.startsWith(`${name};`) && !/q=0(?:\.0*)?$/.test(entry))),
  )
}

function sendInstead(reply: FastifyReply): FastifyReply {
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
  return reply
    .type('text/html; charset=utf-8')
    .headers({ ...SECURITY_HEADERS, 'content-security-policy': policy, 'cache-control': 'no-cache' })
    .send(INSTEAD)
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }
  code { font: 14px ui-monospace, monospace }
`
const INSTEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hearth</title>
<style>${STYLE}</style>
<h1>Hearth is running</h1>
<p>Its web pages are not built. <code>npm run build</code> in Hearth’s directory builds them; then start the server again.</p>
<p>Meanwhile there are:</p>
<ul>
  <li>the API: <a href="/api/v1/services">/api/v1/services</a>, <a href="/api/v1/status">/api/v1/status</a>, and its
    description: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a></li>
  <li>the command line: <code>hearth query --help</code></li>
  <li>health: <a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a></li>
</ul>
</html>
`
