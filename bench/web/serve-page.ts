// Serves a built app from memory.
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, relative } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

/** The files as of now, so that a build in the meantime changes nothing. */
export function servePage(folder: string): Promise<{ readonly url: string; close(): void }> {
  const files = new Map<string, Buffer>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) files.set(`/${relative(folder, path)}`, readFileSync(path))
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    const name = extname(pathname) === '' ? '/index.html' : pathname
    const file = files.get(name)
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    })
    response.end(file)
  })
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() })
    })
  })
}
