// Serves the UI's files on the main port, with headers for browser caches. The files are read once, so that no path leads to
// any other file. Unknown paths get the UI's index page, except for those of the APIs.
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
  /** The content by encoding: compressed beforehand, or with gzip on the first request. */
  readonly packed: Partial<Record<WebEncoding, Buffer>>
}

type WebEncoding = 'br' | 'gzip'

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
 * No external and no inline content. Workers and images may be created by scripts. WebAssembly may run and is fetched from a
 * data: URL if it is part of a script.
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
const MIN_COMPRESSED_BYTES = 1400
const INDEX = '/index.html'
/** Paths that never get the index page. A missing one is an error for programs. */
const NOT_PAGES = /^\/(?:api|pyroscope|ingest|v1\w*|healthz|readyz|metrics|[a-z]+\.v\d\w*\.\w+)(?:\/|$)/

/**
 * Serves the files as they are now, with a modified index page. If there are none, the first page explains how to build them.
 */
export function addWebApp(app: FastifyInstance, directory: string, change = (page: string): string => page): void {
  const files = filesIn(directory, change)
  const page = files.get(INDEX)
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = pathOf(request)
    const file = path === undefined ? undefined : (files.get(path) ?? files.get(`${path}index.html`))
    if (file !== undefined) return sendFile(request, reply, file, HASHED.test(path ?? ''))
    // Links of a page count from its folder, so that its address must end with a slash.
    if (path !== undefined && files.has(`${path}/index.html`))
      return reply.redirect(`${path.slice(path.lastIndexOf('/') + 1)}/`)
    // A missing file has an extension. A page of the UI has none.
    const isPage = path !== undefined && extname(path) === '' && !NOT_PAGES.test(path)
    if (isPage && page !== undefined) return sendFile(request, reply, pageAt(path, page), false)
    if (path === '/') return sendNotBuilt(reply)
    reply.callNotFound()
    return reply
  }
  app.get('/', send)
  app.get('/*', send)
}

/** More segments are no address of the UI. */
const MAX_DEPTH = 8

/** The index page for a path. Its links are relative, so a longer path needs other ones. */
function pageAt(path: string, page: WebFile): WebFile {
  const depth = Math.min(MAX_DEPTH, path.split('/').length - 2)
  if (depth === 0) return page
  const text = page.bytes
    .toString()
    .replace('<html', `<html data-depth="${depth}"`)
    .replaceAll('="./', `="${'../'.repeat(depth)}`)
  return webFile(page.type, Buffer.from(text), {})
}

/** Reads everything that may be sent, so that no path leads anywhere else. */
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
    files.set(name, webFile(type, bytes, packed))
  }
  return files
}

function webFile(type: string, bytes: Buffer, packed: WebFile['packed']): WebFile {
  return { type, bytes, packed, tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 27) }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw error
  }
}

/** Returns undefined for an invalid path. */
function pathOf({ url }: FastifyRequest): string | undefined {
  try {
    return decodeURIComponent(url.split('?')[0])
  } catch {
    return undefined
  }
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile, isForever: boolean): FastifyReply {
  const welcome = acceptedEncodings(request.headers['accept-encoding'])
  if (welcome.includes('gzip') && isWorthCompressing(file)) file.packed.gzip ??= gzipSync(file.bytes)
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

/** Images and fonts are compressed already, and compression below the size of a packet saves nothing. */
function isWorthCompressing({ type, bytes }: WebFile): boolean {
  return bytes.length > MIN_COMPRESSED_BYTES && !/^(?:image\/(?!svg)|font\/)/.test(type)
}

/** The accepted encodings, the smallest content first. */
function acceptedEncodings(header = ''): readonly WebEncoding[] {
  const names = header.split(',').map(entry => entry.trim().toLowerCase())
  return (['br', 'gzip'] as const).filter(name =>
    names.some(entry => entry === name || (entry.startsWith(`${name};`) && !/q=0(?:\.0*)?$/.test(entry))),
  )
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
  return reply
    .type('text/html; charset=utf-8')
    .headers({ ...SECURITY_HEADERS, 'content-security-policy': policy, 'cache-control': 'no-cache' })
    .send(NOT_BUILT_PAGE)
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }
  code { font: 14px ui-monospace, monospace }
`
const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hearth</title>
<style>${STYLE}</style>
<h1>Hearth is running</h1>
<p>The UI is not built. Run <code>npm run build</code> in Hearth’s directory and restart the server.</p>
<p>Available now:</p>
<ul>
  <li>the API: <a href="/api/v1/services">/api/v1/services</a>, <a href="/api/v1/status">/api/v1/status</a>, and its
    description: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a></li>
  <li>the command line: <code>hearth query --help</code></li>
  <li>health: <a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a></li>
</ul>
</html>
`
